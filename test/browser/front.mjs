// A front end for the tests of previews.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

// plainFront starts the example: a page without a framework.
export async function plainFront(t, quire) {
  const server = spawn(process.execPath, [new URL('../../examples/preview/server.mjs', import.meta.url).pathname], { env: { ...process.env, QUIRE: quire, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(async () => {
    server.kill();
    await once(server, 'exit');
  });
  const [said] = await once(server.stdout, 'data');
  return said.toString().trim();
}
