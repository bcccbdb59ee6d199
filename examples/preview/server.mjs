// A front end of one page, without packages: a restaurant at its address, and its draft for who
// comes with the token of a preview.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const quire = process.env.QUIRE ?? 'http://127.0.0.1:1337';
const admin = process.env.ADMIN ?? quire; // where people open the admin
const script = readFileSync(new URL('preview.js', import.meta.url));

const escape = (text) => String(text ?? '').replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// read asks Quire for the restaurant with a slug.
async function read(slug, previewToken) {
  const query = new URLSearchParams({ 'filters[slug]': slug, 'populate[cook][fields]': 'name', ...(previewToken && { previewToken }) });
  const answer = await fetch(`${quire}/api/restaurants?${query}`, { headers: previewToken ? { 'X-Quire-Source': '1' } : {} });
  return answer.ok ? (await answer.json()).data[0] : undefined;
}

function page(restaurant, previewToken) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(restaurant.name)}</title>
<style>
  body { margin: 0; background: #fbf7f0; color: #22302e; font: 20px/1.5 Georgia, 'Liberation Serif', serif; }
  main { max-width: 40rem; margin: 0 auto; padding: 4rem 1.5rem; border-top: 12px solid #1f5a73; }
  h1 { margin: 0 0 1rem; font-size: 3rem; line-height: 1.1; }
  .cook { color: #5d6a67; font-style: italic; }
</style>
${previewToken ? `<script src="/preview.js" data-admin="${escape(admin)}"></script>` : ''}
<main><h1>${escape(restaurant.name)}</h1><p class="summary">${escape(restaurant.summary)}</p><p class="cook">${escape(restaurant.cook?.name)}</p></main></html>`;
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  if (pathname === '/preview.js') return response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
  const token = searchParams.get('previewToken');
  const found = await read(decodeURIComponent(pathname.slice(1)), token).catch(() => undefined);
  response.writeHead(found ? 200 : 404, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `frame-ancestors ${admin}`,
    ...(token && { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }),
  });
  response.end(found ? page(found, token) : '<!doctype html><title>Not found</title><p>Not found</p>');
});
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
