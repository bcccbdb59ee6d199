// Changes that wait for a person, and taking back what an author has done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, share, signedIn } from './browser.mjs';
import { api, serve, setUp } from './site.mjs';

let browser;
share((shared) => ({ browser } = shared), null);

const made = (page, site, name) => api(page.context(), site, 'POST', '/content/restaurants?locale=en', { data: { name } });

test('what somebody has done is shown, and taken back', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await signedIn(t, browser, site);
  const { data } = await made(page, site, 'The Green Gate');
  const { data: session } = await api(page.context(), site, 'GET', '/session');
  await page.goto(`/admin/changes/undo?by=admin:${session.account.id}&name=Ada`);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'The Green Gate' }).first().waitFor();
  await page.getByRole('button', { name: 'Take all of it back' }).click();
  await page.getByText(/as (it was|they were)/).first().waitFor();
  assert.equal((await api(page.context(), site, 'GET', `/content/restaurants/${data.documentId}?status=draft&locale=en`)).status, 404);
});

test('approvals and taking back can be used by all', async (t) => {
  const site = await serve(t);
  await setUp(site);
  await everyLook(t, browser, site, 'approvals', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/changes');
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  });
});
