// A receiver of webhooks that is made to be killed: it writes each delivery to a file before
// it answers. node receiver.mjs PORT FILE prints the port once it listens.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  appendFileSync(file, JSON.stringify({ headers: request.headers, body }) + '\n');
  response.writeHead(204).end();
});
server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port));
