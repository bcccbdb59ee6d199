// Operation: how the site runs, backups, slow requests, and who did what.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn, signIn } from './browser.mjs';
import { api, content, owner, serve } from './site.mjs';

let browser, site;
const html = `<style>p { font: 16px sans-serif; color: #345 } a { padding: 8px 16px; border-radius: 6px; background: #246; color: #fff; text-decoration: none }</style>
<p>Hello <b>{username}</b>,</p><p><a href="{link}">Choose a password</a></p>`;
share(
  async (shared) => {
    ({ browser, site } = shared);
    for (let i = 0; i < 20; i++) await content(site, 'POST', '/cooks', { data: { name: `Cook ${i}` } });
  },
  (t) => serve(t, undefined, [], { log: { slowMs: 1 }, mail: { smtp: 'smtp://127.0.0.1:9', from: 'guide@example.org', reset: { html } } }),
);

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

test('the state of the site, and the last hour in charts and in a table', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.getByRole('link', { name: 'Operation', exact: true }).click();
  await page.getByRole('heading', { name: 'The last hour', exact: true }).waitFor();
  await page.getByRole('term').filter({ hasText: 'State' }).waitFor();
  await page.getByText('Ready', { exact: true }).waitFor();
  const { height } = await page.getByText('Show the figures', { exact: true }).boundingBox();
  assert.ok(height >= 24, `what opens the figures is ${height} pixels high`);
  await page.getByText('Show the figures', { exact: true }).click(); // there after two samples: twenty seconds
  await page.getByRole('columnheader', { name: 'Failed requests' }).waitFor();
  await page.getByRole('columnheader', { name: '99 of 100 answered within' }).waitFor();
  await page.getByRole('figure').filter({ hasText: '99 of 100 answered within' }).getByText(/highest \d.* (µs|ms|s)$/).waitFor();
  await page.getByRole('heading', { name: 'Pictures in the last hour' }).waitFor();
  await page.getByText('Show the figures of pictures').click();
  for (const name of ['Made', 'There already', 'Refused', 'Waiting']) await page.getByRole('columnheader', { name, exact: true }).waitFor();
});

test('where a site has several nodes, the status and the backups name the one that they are from', async (t) => {
  const page = await signedIn(t, browser, site, '/operation');
  const named = (path, key) =>
    page.route(`**/admin/api/v1${path}`, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body[key].node = 'east';
      await route.fulfill({ response: answer, json: body });
    });
  await named('/status', 'data');
  await named('/backups', 'meta');
  await page.reload();
  await page.getByText('These are the figures of the node east').waitFor();
  await page.getByRole('link', { name: 'Backups', exact: true }).click();
  await page.getByText('These are in the folder of the node east').waitFor();
});

test('a backup is made, downloaded and removed', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/backups');
  await page.getByText('There is no backup yet').waitFor();
  await page.getByRole('button', { name: 'Make a backup' }).click();
  await page.getByText('The backup was made').first().waitFor();
  await row(page, 'by-hand').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /^Download the backup/ }).click()]);
  assert.match(download.suggestedFilename(), /-by-hand-.*\.tar\.zst$/);
  assert.equal((await readFile(await download.path())).subarray(0, 4).toString('hex'), '28b52ffd');
  await page.getByRole('button', { name: /^Remove the backup/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There is no backup yet').waitFor();
});

test('the audit log says who did what, is filtered, and is taken along', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/audit');
  await row(page, 'session.begin').filter({ hasText: owner.email }).first().waitFor();
  await page.getByLabel('Action').selectOption({ label: 'Accounts' });
  await row(page, 'account.first').waitFor();
  await row(page, 'session.begin').first().waitFor({ state: 'detached' });
  await page.getByLabel('Who').fill('nobody');
  await page.getByText('Nothing was done that fits these filters').waitFor();
  await page.getByLabel('Who').fill('ADA@');
  await row(page, 'account.first').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('section').getByRole('link', { name: 'Export' }).click()]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.length > 0 && lines.every((line) => line.action.startsWith('account.') && line.by.name === owner.email), JSON.stringify(lines));
});

test('the audit log speaks of people and documents, one line for one act, and has the technical form on demand', async (t) => {
  const page = await open(t, browser, site);
  const context = page.context();
  await enter(context, site);
  const { data: made } = await api(context, site, 'POST', '/content/restaurants?status=draft&locale=en', { data: { name: 'The Blue Door' } });
  const { data: cooks } = await api(context, site, 'GET', '/content/cooks?pagination[pageSize]=3');
  for (const { documentId } of cooks) await api(context, site, 'PUT', `/content/cooks/${documentId}`, { data: { name: 'Changed at once' } });
  await api(context, site, 'PUT', `/content/restaurants/${made.documentId}?status=draft&locale=en`, { data: { name: 'The Blue Door again' } });
  await page.goto('/admin/operation/audit');
  await page.getByLabel('Action').selectOption({ label: 'Content' });
  const changed = row(page, 'Ada Lovelace changed The Blue Door again (Restaurant');
  await changed.waitFor();
  await row(page, 'Ada Lovelace changed 3 documents (Cook)').waitFor();
  assert.equal(await changed.getByText('content.update').isVisible(), false, 'the technical form is not shown before it is asked for');
  await changed.getByText('Technical form').click();
  await changed.getByText(`content.update api::restaurant.restaurant ${made.documentId} en`).waitFor();
  await changed.getByRole('link', { name: 'Difference' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/${made.documentId}/history`));
  await page.goBack();
  await changed.getByRole('link', { name: 'The Blue Door again' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(made.documentId));

  const { data: role } = await api(context, site, 'POST', '/roles', { name: 'Keepers', rights: { types: { 'api::cook.cook': { actions: ['read'] } }, site: ['settings'] } });
  const kim = { name: 'Kim', email: 'kim@example.org', password: 'a long password' };
  assert.equal((await api(context, site, 'POST', '/accounts', { ...kim, role: role.id })).status, 201);
  const other = await open(t, browser, site);
  await enter(other.context(), site, kim);
  await other.goto('/admin/operation/audit');
  await row(other, `api::restaurant.restaurant ${made.documentId}`).first().waitFor();
  assert.equal((await other.locator('main').textContent()).includes('Blue Door'), false, 'who may not read the type does not see the title');
  await other.goto('/admin/operation');
  await other.getByRole('rowheader', { name: 'Cook', exact: true }).waitFor();
});

test('the audit log can be used by all', async (t) => {
  await everyLook(t, browser, site, 'audit', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/audit');
    await page.getByText('Technical form').first().click();
  });
});

test('mails are shown as they come, and a sample says what is wrong', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/mail');
  await page.getByRole('heading', { name: 'Choosing a new password' }).waitFor();
  await page.getByText(/Hello Ada Lovelace/).first().waitFor();
  const mail = page.frameLocator('iframe[title="The mail as HTML: Choosing a new password"]');
  await mail.getByText('Hello Ada Lovelace').waitFor();
  assert.equal(await mail.getByRole('link', { name: 'Choose a password' }).evaluate((link) => getComputedStyle(link).backgroundColor), 'rgb(34, 68, 102)');
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.getByText(/Hello Ada Lovelace,[^]*https:\/\/example.org\/sample-link/).first().waitFor();
  await page.getByRole('button', { name: 'Send me a sample: Confirming an address' }).click();
  await page.getByText(/connection refused/).first().waitFor();
});

test('slow requests are listed with how they were answered', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/slow-requests');
  await page.getByRole('heading', { name: 'Slow requests' }).waitFor();
  await page.getByText(/for 1 ms or longer/).waitFor();
});

test('who may not change settings is not shown how the site runs', async (t) => {
  const page = await open(t, browser, site);
  await enter(page.context(), site);
  const made = await api(page.context(), site, 'POST', '/accounts', { name: 'Edith', email: 'edith@example.org', role: 'editor', password: 'first compiler' });
  assert.equal(made.status, 201);
  await page.context().clearCookies();
  await page.goto('/admin/operation');
  await signIn(page, { email: 'edith@example.org', password: 'first compiler' });
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Operation', exact: true }).count(), 0);
});

test('it is there in German', async (t) => {
  const page = await open(t, browser, site, { locale: 'de-DE' });
  await enter(page.context(), site);
  await page.goto('/admin/operation/audit');
  await page.getByRole('heading', { name: 'Prüfprotokoll' }).waitFor();
  await page.getByRole('link', { name: 'Sicherungen' }).click();
  await page.getByRole('button', { name: 'Sicherung erstellen' }).waitFor();
});

test('it is as it should be in every theme and width', async (t) => {
  await everyLook(t, browser, site, 'operation', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation');
    await page.getByText('Show the figures', { exact: true }).waitFor();
  });
  await everyLook(t, browser, site, 'audit', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/audit');
    await row(page, 'session.begin').first().waitFor();
  });
  await everyLook(t, browser, site, 'backups', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/backups');
    await page.getByRole('button', { name: 'Make a backup' }).click();
    await row(page, 'by-hand').first().waitFor();
    const note = page.getByRole('region', { name: 'Notifications' });
    await note.getByRole('button', { name: 'Close' }).click(); // it goes after some seconds, which may be while it is looked at
    await note.getByText('The backup was made').waitFor({ state: 'detached' });
  });
  await everyLook(t, browser, site, 'mail', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/mail');
    await page.getByText(/Hello Ada Lovelace/).first().waitFor();
  });
  await everyLook(t, browser, site, 'slow', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/slow-requests');
    await page.getByRole('heading', { name: 'Slow requests' }).waitFor();
  });
});
