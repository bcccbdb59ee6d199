// Webhooks arrive, whoever is killed: each change at least once, those of a document in order,
// with signatures that the published library of Standard Webhooks accepts, and nothing that was
// not committed. SEED repeats what a run chose.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { eventually, freeAddress, serve } from './site.mjs';

const documents = 20, changesOfEach = 50, kills = 10;

test('every change arrives, in order for each document, whoever is killed', { timeout: 1_800_000 }, async t => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = randomFrom(seed);
  t.diagnostic(`SEED=${seed}`);
  const receiver = await receive(t);
  const site = await serve(t, settings => { settings.events = { allowPrivate: ['127.0.0.1'] }; });
  const ask = asking(site);
  const hook = await ask('POST', '/_webhooks', { name: 'kill', url: `http://127.0.0.1:${receiver.port}/`, types: ['api::cuisine.cuisine'] });
  const secret = hook.data.secret;

  // Every writer has a document. What it was told is stored; of what broke off it knows nothing.
  const stored = new Map(), refused = [];
  let left = documents, done = 0;
  const write = async i => {
    let n = 0;
    const created = await eventually(() => ask('POST', '/cuisines', { name: `${i}.${n++}` }));
    const { documentId } = created.data, numbers = [created.data.name];
    stored.set(documentId, numbers);
    while (numbers.length < changesOfEach) {
      const changed = await eventually(() => ask('PUT', `/cuisines/${documentId}`, { name: `${i}.${n++}` }));
      numbers.push(changed.data.name), done++;
      if (numbers.length % 10 === 0) {
        const name = `never ${i}.${n}`;
        await ask('PUT', `/cuisines/${documentId}`, { name, unknown: true }).then(() => assert.fail('it was not refused'), () => refused.push(name));
      }
    }
    left--;
  };
  // written waits until so many more changes are stored, or all.
  const written = more => {
    const next = done + more;
    return eventually(() => assert.ok(left === 0 || done >= next, `${done} of ${next} changes are stored`));
  };
  const disturb = async () => {
    for (let n = 0; n < kills && left > 0; n++) {
      await written(random(documents * changesOfEach / kills));
      await (n % 2 === 0 ? site.kill() : receiver.restart(() => written(random(20))));
    }
  };
  await Promise.all([...Array(documents).keys()].map(write).concat(disturb()));
  await site.kill();

  await arrived(receiver, stored);
  const committed = await committedNames(ask, stored);
  const verifier = new Webhook(secret), seen = new Set(), came = new Map();
  for (const delivery of receiver.deliveries()) {
    const change = verifier.verify(delivery.body, delivery.headers); // throws unless the signature is right
    assert.equal(change.event, delivery.headers['x-strapi-event']);
    const id = delivery.headers['webhook-id'];
    if (seen.has(id)) continue; // once more, for the server did not hear the answer
    seen.add(id);
    const { documentId, name } = change.entry;
    assert.ok(!refused.includes(name), `${name} was refused and has arrived`);
    if (!came.has(documentId)) came.set(documentId, []);
    came.get(documentId).push(name);
  }
  for (const [documentId, names] of came) {
    assert.deepEqual(names, committed.get(documentId), `the changes of ${documentId}`);
  }
  for (const [documentId, names] of stored) {
    assert.deepEqual(names.filter(name => !came.get(documentId).includes(name)), [], `of ${documentId} have not arrived`);
  }
  t.diagnostic(`${seen.size} changes, ${receiver.deliveries().length} deliveries, ${refused.length} refused writes`);
});

// randomFrom returns random whole numbers below a bound, the same ones for each seed.
function randomFrom(seed) {
  return bound => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor(seed / 2 ** 31 * bound);
  };
}

// asking calls the API; what is no success is an error.
function asking(site) {
  return async (method, path, data) => {
    const answer = await fetch(site.api + path, {
      method, headers: { Authorization: `Bearer ${site.token}`, 'Content-Type': 'application/json' }, body: data && JSON.stringify({ data }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
}

// receive starts a receiver that can be killed.
async function receive(t) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-receiver-')), file = join(folder, 'deliveries');
  const start = async port => {
    const program = spawn(process.execPath, [new URL('receiver.mjs', import.meta.url).pathname, port, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await once(program.stdout, 'data');
    return { program, port: Number(said) };
  };
  let { program, port } = await start(new URL(`http://${await freeAddress()}`).port);
  const kill = async () => { program.kill('SIGKILL'); await once(program, 'exit'); };
  t.after(async () => { await kill(); rmSync(folder, { recursive: true }); });
  return {
    port,
    restart: async whenDown => { await kill(); await whenDown(); ({ program } = await start(port)); },
    deliveries: () => existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(complete).map(JSON.parse) : [],
  };
}

// complete reports whether a line is whole: the receiver may have been killed in one.
function complete(line) {
  try { return Boolean(JSON.parse(line)); } catch { return false; }
}

// arrived waits until the last change of each document that was stored has arrived.
function arrived(receiver, stored) {
  return eventually(() => {
    const names = new Set(receiver.deliveries().map(d => JSON.parse(d.body).entry.name));
    for (const last of [...stored.values()].map(names => names.at(-1))) assert.ok(names.has(last), `${last} has not arrived`);
  });
}

// committedNames is what the history has of each document, in order: of what broke off, too.
async function committedNames(ask, stored) {
  const committed = new Map();
  const all = await ask('GET', '/cuisines?pagination[pageSize]=100');
  for (const { documentId } of all.data) {
    const { data } = await ask('GET', `/cuisines/${documentId}/history?pagination[pageSize]=100`);
    const names = [];
    for (const version of data.reverse()) {
      names.push((await ask('GET', `/cuisines/${documentId}/history/${version.revision}`)).data.name);
    }
    committed.set(documentId, names);
  }
  for (const documentId of stored.keys()) assert.ok(committed.has(documentId));
  return committed;
}
