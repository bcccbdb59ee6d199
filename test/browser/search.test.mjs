import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';
import { serve } from './site.mjs';

// The page of docs/search.md, as a reader saves it.

const docs = readFileSync(new URL('../../docs/search.md', import.meta.url), 'utf8');
const [, source] = docs.match(/```html\n(.*?)```/s);

test('the page of the docs finds restaurants of the demo as one types', async (t) => {
  const site = await serve(t);
  const file = join(site.folder, 'search.html');
  writeFileSync(file, source);
  const page = await open(t, await launch(t), site);
  await page.goto(`${pathToFileURL(file)}?api=${site.origin}`);
  const input = page.getByPlaceholder('Search restaurants');
  const results = page.getByRole('listitem');
  await results.first().waitFor();
  const all = await results.count();

  await input.fill('duor'); // an error, and the right first letter
  await page.locator('li mark', { hasText: 'Door' }).first().waitFor();
  assert.ok((await results.count()) < all, 'only what is meant is found');

  await input.fill('do');
  await page.waitForFunction(() => [...document.querySelectorAll('#suggestions option')].some((o) => o.value === 'Door'));

  await input.fill('');
  await page.waitForFunction((n) => document.querySelectorAll('li').length === n, all);
  const facet = page.getByRole('button').first();
  const count = Number((await facet.innerText()).match(/\((\d+)\)/)[1]);
  await facet.click();
  await page.waitForFunction((n) => document.querySelectorAll('li').length === n, Math.min(count, 25));
});
