// serve starts the program QUIRE on a new site with the content of the demo, and stops it
// after the test. Its admin has no account yet: setup is the link that makes the first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const quire = process.env.QUIRE ?? 'quire';

export const owner = { name: 'Ada Lovelace', email: 'ada@example.org', password: 'difference engine' };

export async function serve(t) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-browser-'));
  let running = await start(join(folder, 'guide'), '127.0.0.1:0');
  const { origin, setup, token } = running;
  const stop = async (signal) => {
    running.program.kill(signal);
    await once(running.program, 'exit');
  };
  t.after(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });
  // restart ends the program, at once with SIGKILL, and starts it again at its address.
  const restart = async (signal = 'SIGTERM') => {
    await stop(signal);
    running = await start(join(folder, 'guide'), new URL(origin).host);
  };
  return { origin, setup, token, restart, stop };
}

async function start(folder, listen) {
  const program = spawn(quire, ['demo', '--listen', listen, folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  let said = '';
  for await (const part of program.stdout.iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes('Ctrl-C')) break;
  }
  program.stdout.resume();
  return {
    program,
    origin: /listens at (\S+)/.exec(said)[1],
    setup: /\S+\/admin\/setup#\S+/.exec(said)?.[0],
    token: /TOKEN=(\S+)/.exec(said)[1],
  };
}

// api asks the admin's own API as a page does, with the cookies of a context.
export async function api(context, site, method, path, data) {
  const answer = await context.request.fetch(`${site.origin}/admin/api/v1${path}`, {
    method,
    data,
    headers: { 'X-Quire-Admin': '1' },
  });
  return { status: answer.status(), ...(answer.status() === 204 ? {} : await answer.json()) };
}

// setUp makes the first account, without a browser.
export async function setUp(site) {
  const token = new URL(site.setup).hash.slice(1);
  const answer = await fetch(`${site.origin}/admin/api/v1/setup`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Quire-Admin': '1' },
    body: JSON.stringify({ token, ...owner }),
  });
  if (answer.status !== 200) throw new Error(`set-up: ${answer.status} ${await answer.text()}`);
}
