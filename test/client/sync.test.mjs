// The example of a copy that follows a site, while content is written at random and both
// are killed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, serve } from './site.mjs';

const example = fileURLToPath(new URL('../../examples/sync/copy.mjs', import.meta.url));
const plurals = { cuisine: 'cuisines', cook: 'cooks', restaurant: 'restaurants', visit: 'visits', story: 'stories' };

test('the example keeps a copy in step', { timeout: 1_800_000 }, async (t) => {
  const { origin, api, token, kill } = await serve(t);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const folder = mkdtempSync(join(tmpdir(), 'quire-copy-'));
  const file = join(folder, 'copy.json');
  let copying;
  const follow = () => { copying = spawn(process.execPath, [example, origin, file], { env: { ...process.env, QUIRE_TOKEN: token }, stdio: 'ignore' }); };
  const leave = async () => { copying.kill('SIGKILL'); await once(copying, 'exit'); };
  t.after(async () => { await leave(); rmSync(folder, { recursive: true }); });
  follow();

  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const made = [];
  const send = (method, path, data) => fetch(api + path, { method, headers, body: data && JSON.stringify({ data }) });
  async function write(n) {
    const one = pick(made);
    switch (one ? Math.floor(Math.random() * 6) : 0) {
      case 0: case 1: {
        const path = pick(['/cuisines', '/cooks', '/restaurants', '/restaurants?status=draft']);
        const answer = await send('POST', path, { name: `number ${n}` });
        if (answer.status === 201) made.push(`/${path.slice(1).split('?')[0]}/${(await answer.json()).data.documentId}`);
        return;
      }
      case 2: return send('PUT', `${one}?locale=${pick(['en', 'de'])}`, { name: `changed ${n}` });
      case 3: return send('DELETE', `${one}?locale=${pick(['en', 'de', '*'])}`);
      case 4: return fetch(`${api}${one}/actions/unpublish?locale=*`, { method: 'POST', headers });
      case 5: return fetch(`${api}${one}/actions/publish?locale=*`, { method: 'POST', headers });
    }
  }

  // moved waits until the copy is of a later moment than when it was last called.
  let since;
  const moved = () => eventually(() => {
    const now = JSON.parse(readFileSync(file)).since;
    assert.notEqual(now, since, 'the copy stays as it is');
    since = now;
  });

  const writes = 400;
  for (let n = 1; n <= writes; n++) {
    await (await write(n))?.arrayBuffer();
    if (n % 80 === 0) await kill();
    if (n % 60 === 0) { await leave(); follow(); }
    if (n % 100 === 0) await moved();
  }

  const want = {};
  for (const [type, plural] of Object.entries(plurals)) {
    for (let page = 1, pages = 1; page <= pages; page++) {
      const list = await (await fetch(`${api}/${plural}?locale=*&populate=&pagination[page]=${page}&pagination[pageSize]=100`, { headers })).json();
      pages = list.meta.pagination.pageCount;
      for (const entry of list.data) want[[`api::${type}.${type}`, entry.documentId, entry.locale ?? null].join(' ')] = entry;
    }
  }
  assert.ok(Object.keys(want).length > 20, 'too little was written');

  const read = () => {
    try {
      const { entries } = JSON.parse(readFileSync(file));
      return Object.fromEntries(Object.entries(entries).filter(([name]) => Object.keys(plurals).some((type) => name.startsWith(`api::${type}.`))));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error; // a file is whole at every moment
      return {};
    }
  };
  await eventually(() => assert.deepEqual(read(), want));
});
