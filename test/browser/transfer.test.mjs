// What is done with the data as a whole while the site is served: restoring a backup, with a
// second look, and exports.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { enter, everyLook, share, signedIn, signIn } from './browser.mjs';
import { content, owner, serve, setUp } from './site.mjs';

let browser, site;
share(
  async (shared) => {
    ({ browser, site } = shared);
  },
  (t) => serve(t),
);

const dialog = (page) => page.getByRole('dialog', { name: /^Restore the backup of/ });

// makeBackup makes one on the page of backups.
async function makeBackup(page) {
  await page.getByRole('button', { name: 'Make a backup' }).click();
  await page.getByText('The backup was made').first().waitFor();
}

// review opens what restoring the oldest backup would do.
async function review(page) {
  await page.getByRole('button', { name: /^Restore the backup/ }).last().click();
  await dialog(page).getByRole('table', { name: 'What the site holds now, and what it would hold' }).waitFor();
}

test('a backup is restored after a second look, and everybody signs in again', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/backups');
  await makeBackup(page);
  await content(site, 'POST', '/cooks', { data: { name: 'Late Comer' } });
  await review(page);
  await dialog(page).getByText(/\d changes? since then would be lost/).waitFor();
  const cooks = dialog(page).getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Cook', exact: true }) });
  const [now, then] = await cooks.getByRole('cell').allTextContents();
  assert.equal(Number(now), Number(then) + 1);
  const restore = dialog(page).getByRole('button', { name: 'Restore', exact: true });
  await dialog(page).getByLabel('Current password').fill(owner.password);
  await restore.click();
  await dialog(page).getByText('This is not the name of the site').first().waitFor();
  const field = dialog(page).getByLabel(/^Type the name of the site: /);
  const label = await dialog(page).locator('label').filter({ hasText: 'Type the name of the site' }).textContent();
  await field.fill(label.replace(/^.*: /, ''));
  await dialog(page).getByLabel('Current password').fill('wrong password');
  await restore.click();
  await dialog(page).locator('[aria-invalid]').waitFor();
  await dialog(page).getByLabel('Current password').fill(owner.password);
  await restore.click();
  await page.getByText('The backup was restored, and all sessions have ended').waitFor();
  await signIn(page);
  await page.getByText('by-hand').first().waitFor();
  assert.equal(await page.getByRole('button', { name: /^Restore the backup/ }).count(), 2); // one more was made before
  const found = await content(site, 'GET', '/cooks?filters[name]=Late%20Comer');
  assert.equal(found.meta.pagination.total, 0);
});

test('an export is made of what was chosen, and taken along', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/export');
  await page.getByRole('radio', { name: /^Content alone/ }).check();
  await page.getByRole('checkbox', { name: 'Cuisine', exact: true }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const link = page.getByRole('link', { name: 'Download the export' });
  await link.waitFor();
  await page.reload(); // it is there still
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.match(download.suggestedFilename(), /\.ndjson$/);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.length > 0 && lines.every((line) => line.type === 'api::cuisine.cuisine'), JSON.stringify(lines));
  await page.getByRole('radio', { name: /^Everything/ }).check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText(/\.tar\.gz is there/).waitFor();
  const [archive] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.equal((await readFile(await archive.path())).subarray(0, 2).toString('hex'), '1f8b');
});

test('the page of exports, at both widths', async (t) => {
  await everyLook(t, browser, site, 'export', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/export');
    await page.getByRole('radio', { name: /^Content alone/ }).check();
    await page.getByRole('checkbox', { name: 'Cuisine', exact: true }).waitFor();
  });
});

test('what restoring would do, at both widths', async (t) => {
  await everyLook(t, browser, site, 'restore', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/backups');
    await page.getByText(/^There is no backup yet$|by-hand/).first().waitFor();
    if ((await page.getByRole('button', { name: /^Restore the backup/ }).count()) === 0) await makeBackup(page);
    await review(page);
  });
});
