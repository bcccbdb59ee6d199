import { suggestions } from "@/lib/quire";

/** What the text of a search can be continued to, for the search box. */
export async function GET(request: Request) {
  const asked = new URL(request.url).searchParams;
  return Response.json(await suggestions(asked.get("locale") ?? "", asked.get("q") ?? ""));
}
