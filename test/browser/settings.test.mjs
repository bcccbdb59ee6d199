// Settings: what site.json sets is shown, with where it is changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn, signIn } from './browser.mjs';
import { api, serve } from './site.mjs';

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
