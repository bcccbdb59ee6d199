// What the tests of all recipes need: the guide with its content, served by the program QUIRE,
// and programs that run beside it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = process.env.QUIRE ?? 'quire';

process.env.NEXT_TELEMETRY_DISABLED = process.env.ASTRO_TELEMETRY_DISABLED = '1';

/** The folder of an example. */
export const example = (name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

/** Runs quire with arguments and returns what it prints. */
export const quire = (...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Runs a script of npm in an example. */
export function build(name, env) {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: example(name), env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Starts a program and returns its first output; it is killed after the test. */
export async function start(t, command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill();
    await ended;
  });
  const [said] = await Promise.race([once(child.stdout, 'data'), ended.then(() => { throw new Error(`${command} has ended`); })]);
  return { said: String(said), stop: async () => { child.kill(); await ended; } };
}

/** Serves the guide with its content; settings are added to its site.json. */
export async function serveGuide(t, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-recipe-'));
  const site = join(folder, 'site');
  await (await start(t, program, ['demo', '--listen', '127.0.0.1:0', site])).stop();
  const file = join(site, 'site.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file)), ...settings }));
  const token = quire('token', 'create', '--name', 'recipe', '--type', 'full-access', site);
  const { said } = await start(t, program, ['serve', '--log-level', 'error', '--listen', '127.0.0.1:0', site]);
  t.after(() => rmSync(folder, { recursive: true })); // after the program has ended
  const url = /listens at (\S+)/.exec(said)[1];
  return { site, url, token, ask: asking(url, token) };
}

/** Sends requests to the API with a token; what is no success is an error. */
function asking(url, token) {
  return async (method, path, data) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api${path}`, { method, headers, body: data && JSON.stringify({ data }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}
