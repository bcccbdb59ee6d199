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

// moment gives a time after all that was written, which all that follows is after.
async function moment() {
  const at = Date.now() + 2;
  while (Date.now() <= at) await null;
  return new Date(at).toISOString();
}

test('the site at a moment: what has changed, a document as it was, and the way back', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await signedIn(t, browser, site);
  const { data: gate } = await made(page, site, 'The Green Gate');
  const since = await moment();
  const path = `/content/restaurants/${gate.documentId}?locale=en`;
  assert.equal((await api(page.context(), site, 'PUT', path, { data: { name: 'The Red Gate' } })).status, 200);
  const { data: inn } = await made(page, site, 'The Inn');

  await page.goto(`/admin/changes/past?since=${since}`);
  const line = (title) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name: title, exact: true }) });
  await line('The Inn').getByText('created').waitFor();
  await line('The Red Gate').getByText('changed').waitFor();
  await line('The Red Gate').getByText('Ada Lovelace').waitFor();

  await page.getByRole('link', { name: 'The Red Gate', exact: true }).click();
  const compared = page.getByRole('region', { name: 'What differs' });
  await compared.getByText('Green').first().waitFor();
  await compared.getByText('Red').first().waitFor();
  await page.goBack();

  await page.getByRole('link', { name: 'Take back The Red Gate' }).click();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'The Green Gate' }).first().waitFor();
  await page.getByRole('button', { name: 'Take all of it back' }).click();
  const list = page.getByRole('heading', { level: 1, name: 'The site at a moment' });
  await list.waitFor();
  await line('The Green Gate').waitFor();
  assert.equal((await api(page.context(), site, 'GET', path)).data.name, 'The Green Gate');
  assert.equal((await api(page.context(), site, 'GET', `/content/restaurants/${inn.documentId}?locale=en`)).status, 200);

  await page.getByRole('link', { name: 'Take back everything' }).click();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'The Inn' }).first().waitFor();
  await page.getByRole('button', { name: 'Take all of it back' }).click();
  await list.waitFor();
  await line('The Inn').getByText('deleted').waitFor();
  assert.equal((await api(page.context(), site, 'GET', `/content/restaurants/${inn.documentId}?locale=en`)).status, 404);
});

test('the site at a moment can be used by all', async (t) => {
  const site = await serve(t);
  await setUp(site);
  await everyLook(t, browser, site, 'the site at a moment', async (page) => {
    await enter(page.context(), site);
    const since = await moment();
    await made(page, site, 'The Inn');
    await page.goto(`/admin/changes/past?since=${since}`);
    await page.getByRole('link', { name: 'The Inn', exact: true }).first().waitFor();
  });
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
