// What the tests of clients need: the program QUIRE on a site, and waiting for what must come.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const quire = process.env.QUIRE ?? 'quire';

// freeAddress is an address at which nobody listens. Its port is outside the range that systems
// give to connections, so it stays free. No other test gets it, in Go neither: the port of UDP
// with the same number is held as long as this process lives.
export async function freeAddress() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const held = createSocket('udp4').unref();
    const server = createServer();
    try {
      await once(held.bind(port, '127.0.0.1'), 'listening');
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      held.close(); // another test has it, or something listens there
      continue;
    }
    server.close();
    await once(server, 'close');
    return `127.0.0.1:${port}`;
  }
}

// eventually calls check until it throws nothing, for five minutes, and returns what it returns.
export async function eventually(check) {
  for (const deadline = Date.now() + 300_000; ; await pause(20)) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

// serve starts the program on a new starter site, and stops it after the test.
// change may change the settings of its site.json, address is where it listens, and fill may fill its folder.
export async function serve(t, change = () => {}, address = undefined, fill = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-client-'));
  const site = join(folder, 'site');
  execFileSync(quire, ['new', site]);
  const settings = join(site, 'site.json');
  const changed = JSON.parse(readFileSync(settings));
  change(changed);
  writeFileSync(settings, JSON.stringify(changed));
  const token = execFileSync(quire, ['token', 'create', '--name', 'client', '--type', 'full-access', site], { stdio: ['ignore', 'pipe', 'ignore'] });
  fill(site);
  const start = async (listen) => {
    const program = spawn(quire, ['serve', '--listen', listen, site], { stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    program.stdout.on('data', (text) => (said += text));
    await once(program.stdout, 'data');
    return { program, origin: /listens at (\S+)/.exec(said)[1], said: () => said };
  };
  const stop = async (signal) => {
    running.program.kill(signal);
    await once(running.program, 'exit');
  };
  let running = await start(address ?? (await freeAddress())); // the same after kill
  const { origin } = running;
  t.after(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });
  // kill ends the program in the middle of what it does, and starts it again.
  const kill = async () => {
    await stop('SIGKILL');
    running = await start(new URL(origin).host);
  };
  return { origin, api: origin + '/api', token: token.toString().trim(), kill, folder: site, said: () => running.said() };
}
