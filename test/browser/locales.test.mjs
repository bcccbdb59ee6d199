// The locales of a document: one beside the other, filling, creating, and publishing them together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyLook, look, open, share, signIn } from './browser.mjs';
import { api } from './site.mjs';

let shared;
share((all) => (shared = all));

const route = '/content/restaurants';

// edit opens a restaurant in a locale, with another beside it.
async function edit(page, name, query) {
  await page.goto('/admin/');
  await signIn(page);
  const { data } = await api(page.context(), shared.site, 'GET', `${route}?filters[name]=${encodeURIComponent(name)}&status=draft&fields=name`);
  await page.goto(`/admin/content/api::restaurant.restaurant/${data[0].documentId}?${query}`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor();
  return data[0].documentId;
}

test('a field is filled from the locale beside it, and emptied by Undo', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await edit(page, 'The Blue Door', 'locale=de');
  await page.getByRole('button', { name: 'Locale: German' }).click();
  await page.getByRole('group', { name: 'Show beside' }).getByRole('menuitemradio', { name: 'English' }).click();
  const theirs = page.getByRole('region', { name: 'Description in English' });
  await theirs.getByText('Come early: the last table goes at seven.').waitFor();
  const mine = page.getByRole('textbox', { name: 'Description' }).first(); // before that of the SEO component
  assert.equal((await mine.textContent()).includes('Come early'), false);
  await page.getByRole('button', { name: 'Fill Description from English' }).click();
  await mine.getByText('Come early: the last table goes at seven.').waitFor();
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
  await mine.getByText('Come early').waitFor({ state: 'detached' });
});

test('a locale is made from another one, and both are published together', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  const id = await edit(page, 'Slow Noodle', 'locale=en');
  const locales = page.getByRole('region', { name: 'Locales' });
  await locales.getByRole('button', { name: /German/ }).click();
  await page.getByRole('button', { name: 'Locale: German' }).waitFor();
  await page.waitForURL(/locale=de/);
  await page.getByRole('region', { name: 'Locales' }).getByRole('button', { name: 'Show English beside' }).click();
  await page.getByRole('button', { name: 'Fill all' }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('Langsame Nudel');
  await page.getByText('Nothing is missing here.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('region', { name: 'Locales' }).getByRole('button', { name: 'German Draft' }).waitFor();

  const read = async (locale, status) => (await api(page.context(), shared.site, 'GET', `${route}/${id}?locale=${locale}&status=${status}`)).data;
  assert.equal((await read('de', 'draft')).name, 'Langsame Nudel');
  assert.equal((await read('en', 'draft')).name, 'Slow Noodle', 'the other locale is as it was');

  await api(page.context(), shared.site, 'PUT', `${route}/${id}?locale=en&status=draft`, { data: { summary: 'Noodles, slowly.' } });
  await page.reload();
  await page.getByRole('button', { name: 'Publish several…' }).click();
  await page.getByRole('button', { name: 'Publish 2 locales' }).click();
  await page.getByText('2 locales are published.').first().waitFor();
  assert.equal((await read('de', 'published')).name, 'Langsame Nudel');
  assert.equal((await read('en', 'published')).summary, 'Noodles, slowly.');
});

test('locales side by side look as they should', async (t) => {
  await everyLook(t, shared.browser, shared.site, 'locales', async (page) => {
    await edit(page, 'The Blue Door', 'locale=de&beside=en');
    await page.getByRole('region', { name: 'Description in English' }).waitFor();
    await page.getByRole('textbox', { name: 'Description' }).first().waitFor();
  });
});
