// The site of examples/astro: all restaurants are in what one build makes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { build, example, serveGuide } from './site.mjs';

const pageSize = 10; // of the lists

test('a static site with Astro', { timeout: 1_800_000 }, async (t) => {
  const { url, ask } = await serveGuide(t, { rest: { defaultLimit: 7, maxLimit: 7 } }); // lists are read in several parts
  for (let n = 1; n <= 25; n++) await ask('POST', '/restaurants', { name: `Stall ${n} & Sons`, slug: n % 5 ? `stall-${n}` : null });
  await ask('POST', '/restaurants?status=draft', { name: 'Not yet' });
  build('astro', { QUIRE_URL: url });

  const restaurants = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { data, meta } = await ask('GET', `/restaurants?sort=name&populate[cook]=true&populate[photo]=true&pagination[page]=${page}`);
    restaurants.push(...data);
    pages = meta.pagination.pageCount;
  }
  assert.equal(restaurants.length, 29);

  const read = (path) => readFileSync(`${example('astro')}/dist${path}index.html`, 'utf8').replaceAll('&#38;', '&').replaceAll('&amp;', '&');
  const listed = [];
  let path = '/';
  for (let pages = 1; path; pages++) {
    const list = read(path);
    listed.push(...list.matchAll(/<a href="(\/restaurants\/[^"]+)">([^<]+)<\/a>/g));
    path = /<a href="([^"]+)" rel="next">/.exec(list)?.[1].replace(/\/?$/, '/');
    assert.ok(listed.length <= pages * pageSize);
  }
  assert.deepEqual(listed.map(([, , name]) => name), restaurants.map(({ name }) => name));

  for (const [index, [, address]] of listed.entries()) {
    const page = read(address);
    const { name, cook, photo } = restaurants[index];
    assert.ok(page.includes(`<h1>${name}</h1>`), address);
    if (cook) assert.ok(page.includes(`Cook: ${cook.name}`), address);
    if (photo) assert.ok(page.includes(`src="${url}${photo.url}"`), address);
  }
  assert.equal(readdirSync(`${example('astro')}/dist/restaurants`).length, restaurants.length);
});
