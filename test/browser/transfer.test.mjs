// What is done with the data as a whole while the site is served: restoring a backup, with a
// second look, exports and imports.
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

const line = (name) => JSON.stringify({ type: 'api::cuisine.cuisine', documentId: name.toLowerCase(), data: { name } });

// sendLines sends a file of lines on the page of imports.
async function sendLines(page, name, lines) {
  await page.getByText('Brings in what Strapi or Quire has exported').waitFor();
  await page.getByRole('button', { name: /^(Send the file|Remove the file)$/ }).waitFor();
  const remove = page.getByRole('button', { name: 'Remove the file' });
  if (await remove.isVisible()) await remove.click();
  await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(lines.join('\n')) });
  await page.getByRole('button', { name: 'Send the file' }).click();
  await page.getByRole('button', { name: 'Look at what it would do' }).waitFor();
}

test('a file is imported after a look at what that would do, and a second one', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/import');
  await page.getByRole('button', { name: 'Send the file' }).click();
  await page.getByText('Choose a file').waitFor();
  await sendLines(page, 'wrong.ndjson', [line('Andean'), '{"type": "api::none.none", "data": {}}']);
  const look = page.getByRole('button', { name: 'Look at what it would do' });
  await look.click();
  await page.getByText(/wrong\.ndjson, line 2/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Import', exact: true }).count(), 0);
  await page.getByRole('checkbox', { name: 'Leave out what does not fit, and list it' }).check();
  await look.click();
  await page.getByText('1 entry or line does not fit and is left out').waitFor();
  await page.reload(); // the file and the plan are there still
  const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Cuisine', exact: true }) });
  await row.waitFor();
  const [now, after] = await row.getByRole('cell').allTextContents();
  assert.equal(Number(after), Number(now) + 1);
  assert.equal((await content(site, 'GET', '/cuisines?filters[name]=Andean')).meta.pagination.total, 0);
  const label = await page.locator('label').filter({ hasText: 'Type the name of the site' }).textContent();
  await page.getByLabel(/^Type the name of the site: /).fill('another');
  await page.getByLabel('Current password').fill(owner.password);
  const act = page.getByRole('button', { name: 'Import', exact: true });
  await act.click();
  await page.getByText('This is not the name of the site').first().waitFor();
  await page.getByLabel(/^Type the name of the site: /).fill(label.replace(/^.*: /, ''));
  await act.click();
  await page.getByText(/^wrong\.ndjson was imported\. The backup .*by-hand.* has what was there before\.$/).waitFor();
  assert.equal((await content(site, 'GET', '/cuisines?filters[name]=Andean')).meta.pagination.total, 1);
  await page.getByRole('button', { name: 'Send the file' }).waitFor(); // the former one has gone
});

test('an encrypted archive needs its key, and one that is damaged is not imported', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/import');
  await sendLines(page, 'odd.tar.gz.enc', ['\u0000 nothing of any kind']);
  await page.getByRole('button', { name: 'Look at what it would do' }).click();
  await page.getByText(/The file is encrypted, and needs its key/).first().waitFor();
  await page.getByLabel('Key of the encrypted archive').fill('some key');
  await page.getByRole('radio', { name: /^Merge/ }).check();
  await page.getByRole('button', { name: 'Look at what it would do' }).click();
  await page.getByText(/This file cannot be imported\. odd\.tar\.gz\.enc/).waitFor();
  await page.getByRole('button', { name: 'Remove the file' }).click();
  await page.getByRole('button', { name: 'Send the file' }).waitFor();
});

test('what an import would do, at both widths', async (t) => {
  await everyLook(t, browser, site, 'import', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/import');
    await sendLines(page, 'more.ndjson', [line('Nordic'), '{"type": "api::none.none", "data": {}}']);
    await page.getByRole('radio', { name: /^Replace/ }).check();
    await page.getByRole('checkbox', { name: /^Leave out/ }).check();
    await page.getByRole('button', { name: 'Look at what it would do' }).click();
    await page.getByText('All content that is there now is deleted; files and users stay.').waitFor();
  });
});
