// The script that is sent to pages, as text.
declare module "*/preview.js" {
  const text: string;
  export default text;
}
