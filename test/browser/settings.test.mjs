// Settings: what site.json sets is shown, with where it is changed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn, signIn } from './browser.mjs';
import { api, content, serve, setUp } from './site.mjs';

let browser, site;
share(
  (shared) => ({ browser, site } = shared),
  (t) =>
    serve(t, undefined, [], {
      limits: { bodyBytes: 2 << 20 },
      backup: { folder: '/nonexistent/marker' },
      preview: { 'api::restaurant.restaurant': 'https://example.org/preview?secret=marker&id={documentId}' },
    }),
);

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

test('locales, limits and previews are shown with where they are changed', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await row(page, 'English').getByRole('cell', { name: 'default', exact: true }).waitFor();
  await page.getByText('i18n.locales', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Limits' }).click();
  const body = row(page, 'limits.bodyBytes');
  await body.getByRole('cell', { name: '2 MiB' }).waitFor();
  await body.getByRole('cell', { name: 'site.json' }).waitFor();
  await row(page, 'limits.depth').getByRole('cell', { name: 'default' }).waitFor();
  await row(page, 'limits.heavyQueries').getByText('one for each processor').waitFor();
  await page.getByRole('link', { name: 'Previews' }).click();
  await row(page, 'Restaurant').getByText('https://example.org/preview?secret=…&id={documentId}').waitFor();
  await page.getByRole('link', { name: 'Further settings' }).click();
  await row(page, 'history.days').getByRole('cell', { name: '90 days' }).waitFor();
  await row(page, 'backup.folder').getByText('set, not shown').waitFor();
  await row(page, 'auth.jwt.lifetime').getByRole('cell', { name: '30 days' }).waitFor();
  await row(page, 'log.slowMs').getByRole('cell', { name: '1 second' }).waitFor();
  assert.equal(await page.getByText('marker').count(), 0);
});

test('who may not change settings does not see them', async (t) => {
  const page = await open(t, browser, site);
  await enter(page.context(), site);
  const made = await api(page.context(), site, 'POST', '/accounts', { name: 'Edith', email: 'edith@example.org', role: 'editor', password: 'first compiler' });
  assert.equal(made.status, 201);
  await page.context().clearCookies();
  await page.goto('/admin/settings');
  await signIn(page, { email: 'edith@example.org', password: 'first compiler' });
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Settings', exact: true }).count(), 0);
});

test('they are there in German', async (t) => {
  const page = await open(t, browser, site, { locale: 'de-DE' });
  await enter(page.context(), site);
  await page.goto('/admin/settings/limits');
  await row(page, 'limits.querySeconds').getByRole('cell', { name: '10 Sekunden' }).waitFor();
});

test('locales are added, put in order and removed, and what is missing is listed', async (t) => {
  const demo = await serve(t);
  await setUp(demo);
  const page = await signedIn(t, browser, demo, '/settings');
  const written = () => JSON.parse(readFileSync(join(demo.folder, 'site.json'), 'utf8')).i18n;
  const save = async () => {
    const applied = page.waitForResponse((answer) => answer.url().endsWith('/types/apply'));
    await page.getByRole('button', { name: 'Save locales' }).click();
    assert.equal((await applied).status(), 200);
    await page.getByText('The locales are saved in site.json').first().waitFor();
  };
  await page.getByLabel('Code of another locale').fill('de');
  await page.keyboard.press('Enter');
  await page.getByText('The site has this locale already.').waitFor();
  await page.getByLabel('Code of another locale').fill('fr');
  await page.getByRole('button', { name: 'Add locale' }).click();
  assert.equal(await page.getByLabel('Name of fr').inputValue(), 'French (fr)');
  await page.getByLabel('Name of fr').fill('Français');
  await page.getByRole('button', { name: 'Move Français', exact: true }).press('ArrowUp');
  await page.getByRole('radio', { name: 'German (de) is the default' }).check();
  await save();
  assert.deepEqual(written(), { defaultLocale: 'de', locales: [{ code: 'en', name: 'English (en)' }, { code: 'fr', name: 'Français' }, { code: 'de', name: 'German (de)' }] });

  await page.getByRole('link', { name: '5 documents of Restaurant are missing in French' }).click();
  await page.getByRole('grid').getByRole('link').nth(4).waitFor();
  assert.equal(new URL(page.url()).search, '?locale=fr&status=untranslated');
  await page.goBack();

  await page.getByRole('radio', { name: 'English (en) is the default' }).check();
  await page.getByRole('button', { name: 'Remove German (de)' }).click();
  await page.getByRole('button', { name: 'Save locales' }).click();
  await page.getByText('2 documents of Restaurant are written in German: delete those versions first.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('radio', { name: 'English (en) is the default' }).check();
  await page.getByRole('button', { name: 'Remove Français' }).click();
  await save();
  assert.deepEqual(written().locales.map(({ code }) => code), ['en', 'de']);
  assert.equal((await content(demo, 'GET', '/i18n/locales')).length, 2);
  await everyLook(t, browser, demo, 'settings-locales', async (page) => {
    await enter(page.context(), demo);
    await page.goto('/admin/settings');
    await page.getByRole('link', { name: /missing in German/ }).first().waitFor();
  });
});

test('they are as they should be in every theme and width', async (t) => {
  for (const [name, path, text] of [
    ['settings', '', 'i18n.locales'],
    ['settings-limits', '/limits', 'limits.bodyBytes'],
    ['settings-previews', '/previews', 'preview'],
    ['settings-further', '/further', 'log.slowMs'],
  ]) {
    await everyLook(t, browser, site, name, async (page) => {
      await enter(page.context(), site);
      await page.goto(`/admin/settings${path}`);
      await page.getByText(text, { exact: true }).waitFor();
    });
  }
});
