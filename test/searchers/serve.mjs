// Serves what a search of JavaScript finds, as the program in Go asks for it: add is called
// with the texts of a locale and returns a function that finds the first ten of them.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

export async function serve(add) {
  const texts = readFileSync(process.argv[2], 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const find = {};
  const begun = performance.now();
  for (const locale of ['en', 'de']) find[locale] = await add(texts.filter((one) => one.locale === locale), locale);
  const built = performance.now() - begun;
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url, 'http://localhost');
    const data = await find[searchParams.get('locale')](searchParams.get('q'));
    const body = JSON.stringify({ data });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }).end(body);
  });
  server.keepAliveTimeout = server.requestTimeout = 0; // a search may take longer
  server.listen(0, '127.0.0.1', () => console.log(`ready 127.0.0.1:${server.address().port} ${Math.round(built)}`));
}

// errorsOf returns how many typing errors a word may have, as Quire decides it.
export const errorsOf = (word) => (word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0);
