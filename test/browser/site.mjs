// serve starts the program QUIRE on a new site and stops it after the test. The site has the
// content of the demo or, with a folder beside this file, the schemas there and no content.
// With lines, documents as `quire import` reads them, it has these alone.
// settings are added to its site.json; with watch it is reloaded when its folder changes.
// Its admin has no account yet: setup is the link that makes the first.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeAddress } from '../client/site.mjs';

const quire = process.env.QUIRE ?? 'quire';

export const owner = { name: 'Ada Lovelace', email: 'ada@example.org', password: 'difference engine' };

export async function serve(t, schemas, lines, settings, { watch = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-browser-'));
  const site = join(folder, 'site');
  if (schemas) cpSync(new URL(schemas, import.meta.url), site, { recursive: true });
  else if (lines) execFileSync(quire, ['new', site]);
  if (settings) {
    const file = join(site, 'site.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...settings }));
  }
  if (lines?.length > 0) importLines(site, lines);
  const command = schemas || lines ? ['serve', ...(watch ? ['--watch'] : [])] : ['demo'];
  let running = await start(command, site, await freeAddress(), 'setup#');
  const { origin, setup } = running;
  let made;
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
    running = await start(command, site, new URL(origin).host, 'It serves');
  };
  return {
    origin,
    setup,
    folder: site,
    get token() {
      return running.token ?? (made ??= newToken(site)); // a demo that starts again has another one
    },
    get pid() {
      return running.program.pid;
    },
    restart,
    stop,
  };
}

function importLines(site, lines) {
  const input = lines.map((line) => JSON.stringify(line) + '\n').join('');
  execFileSync(quire, ['import', site, '-'], { input, stdio: ['pipe', 'ignore', 'ignore'] });
}

// newToken makes a token that may do everything; the server that runs hears of it.
function newToken(site) {
  const options = ['--name', 'browser', '--type', 'full-access'];
  return execFileSync(quire, ['token', 'create', ...options, site], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
}

// start waits until the program has said the last thing that is asked for.
async function start(command, site, listen, last) {
  const program = spawn(quire, [...command, '--listen', listen, site], { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = command[0] === 'demo' ? 'Ctrl-C' : last;
  let said = '';
  for await (const part of program.stdout.iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.includes(end) && said.endsWith('\n')) break;
  }
  program.stdout.resume();
  return {
    program,
    origin: /listens at (\S+)/.exec(said)[1],
    setup: /\S+\/admin\/setup#\S+/.exec(said)?.[0],
    token: /TOKEN=(\S+)/.exec(said)?.[1],
  };
}

// content asks the content API as another program does.
export async function content(site, method, path, body) {
  const answer = await fetch(`${site.origin}/api${path}`, {
    method,
    headers: { Authorization: `Bearer ${site.token}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
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

// soon has plan ask for something at a moment to come, and at a later one if a busy machine only
// hears of it when the moment has passed.
export async function soon(plan) {
  for (let wait = 5_000; ; wait *= 2) {
    const answer = await plan(new Date(Date.now() + wait).toISOString());
    if (answer.status !== 400 || wait > 60_000) return answer;
  }
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
