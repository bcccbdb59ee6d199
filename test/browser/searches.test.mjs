// Settings, Search: what visitors did not find, the words of searches, and why a search has its
// order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn } from './browser.mjs';
import { api, content, serve } from './site.mjs';

let browser, site;
share(
  (shared) => ({ browser, site } = shared),
  async (t) => {
    const served = await serve(t, undefined, [], { search: { countMissed: true, synonyms: [['meal', 'dinner']] } });
    for (const [name, summary] of [['Soup Kitchen', 'Soup of the day'], ['Harbour', 'Fish, and soup in winter']]) {
      await content(served, 'POST', '/restaurants?status=published', { data: { name, summary } });
    }
    return served;
  },
);

const path = '/settings/search';
const row = (page, name) => page.getByRole('row').filter({ hasText: name });

// visit searches as a visitor of the site does, and gives the number of entries found.
async function visit(q) {
  const answer = await fetch(`${site.origin}/api/restaurants/_search?${new URLSearchParams({ q })}`);
  assert.equal(answer.status, 200);
  return (await answer.json()).data.length;
}

async function explain(page, q) {
  await page.getByRole('searchbox', { name: 'Search for' }).fill(q);
  await page.getByLabel('Content type').selectOption({ label: 'Restaurant' });
  await page.getByRole('button', { name: 'Explain' }).click();
}

test('what visitors did not find gets a synonym, which applies at once', async (t) => {
  for (const q of ['borscht', 'Borscht', 'pho']) assert.equal(await visit(q), 0);
  const page = await signedIn(t, browser, site, '/settings');
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  await row(page, 'borscht').getByRole('cell', { name: '2', exact: true }).waitFor();
  await row(page, 'pho').getByRole('cell', { name: '1', exact: true }).waitFor();
  await page.getByText('Set in site.json, and changed there').click();
  await page.getByText('meal, dinner').waitFor();

  const synonyms = page.getByRole('textbox', { name: 'Synonyms' });
  await row(page, 'borscht').getByRole('button', { name: 'Add a synonym for “borscht”' }).press('Enter');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.getByRole('button', { name: 'Save words' }).click();
  await page.getByText('Line 1 is no group of 2 to 20 words').waitFor();
  await synonyms.fill('borscht, soup');
  await page.getByRole('textbox', { name: 'Words that are not divided' }).fill('C++');
  await page.getByRole('button', { name: 'Save words' }).click();
  await page.getByText('The words were saved').first().waitFor();
  assert.equal(await visit('borscht'), 2);

  await page.reload();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === 'borscht, soup');
  await page.getByRole('button', { name: 'Delete all counts' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete all counts' }).click();
  await page.getByText('Nothing was searched for in vain').waitFor();
  await page.goto('/admin/operation/audit');
  await page.getByText('Ada Lovelace changed the words of searches').waitFor();
  await page.getByText('Ada Lovelace deleted the counts of searches').waitFor();
});

test('whoever saves words that somebody else has changed hears of it', async (t) => {
  const page = await signedIn(t, browser, site, path);
  await page.getByRole('textbox', { name: 'Synonyms' }).waitFor();
  const { data } = await api(page.context(), site, 'GET', '/search/words');
  const changed = await api(page.context(), site, 'PUT', '/search/words', { version: data.version, words: { synonyms: [['ramen', 'noodles']], together: [] } });
  assert.equal(changed.status, 200);
  await page.getByRole('textbox', { name: 'Synonyms' }).fill('one, two');
  await page.getByRole('button', { name: 'Save words' }).click();
  await page.getByText('Somebody else has changed these words meanwhile').waitFor();
});

test('the order of a search is explained in words', async (t) => {
  const page = await signedIn(t, browser, site, path);
  await explain(page, 'soup kitchn');
  await row(page, 'Soup Kitchen').getByText('fits best').waitFor();
  await page.getByText('kitchn').waitFor();
  await explain(page, 'soup');
  await row(page, 'Harbour').getByText('words in less important attributes').waitFor();
  await explain(page, 'zzzz');
  await page.getByText('Nothing was found').waitFor();
});

test('it is there in German', async (t) => {
  const page = await open(t, browser, site, { locale: 'de-DE' });
  await enter(page.context(), site);
  await page.goto(`/admin${path}`);
  await page.getByRole('heading', { name: 'Warum in dieser Reihenfolge' }).waitFor();
  await page.getByRole('heading', { name: 'Gesucht und nicht gefunden' }).waitFor();
});

test('it is as it should be in every theme and width', async (t) => {
  assert.equal(await visit('goulash'), 0);
  await everyLook(t, browser, site, 'settings-search', async (page) => {
    await enter(page.context(), site);
    await page.goto(`/admin${path}`);
    await row(page, 'goulash').waitFor();
    await page.getByRole('textbox', { name: 'Synonyms' }).waitFor();
    await explain(page, 'soup');
    await row(page, 'Harbour').waitFor();
  });
});
