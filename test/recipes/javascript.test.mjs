// The program of examples/javascript prints what the page on recipes shows.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { example, serveGuide } from './site.mjs';

test("a program with Strapi's client", { timeout: 60_000 }, async (t) => {
  const { url, token, ask } = await serveGuide(t);
  const env = { ...process.env, QUIRE_URL: url, QUIRE_TOKEN: token };
  const said = execFileSync(process.execPath, ['restaurants.mjs'], { cwd: example('javascript'), env, encoding: 'utf8' });
  const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
  const shown = /node restaurants\.mjs\)\n((?:# .*\n)+)/.exec(page)[1];
  assert.equal(said, shown.replaceAll(/^# /gm, ''));
  assert.equal((await ask('GET', '/restaurants?filters[name]=Pier Nine&status=draft')).data.length, 0); // it is removed again
});
