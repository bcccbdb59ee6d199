// Private folders: made in their dialog, marked by locks, and their pictures are shown here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { share, signedIn } from './browser.mjs';
import { serve } from './site.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared), (t) => serve(t, undefined, []));

const file = (page, name) => page.getByRole('listbox', { name: /Files in/ }).getByRole('option', { name });
const branch = (page, name) => page.getByRole('tree', { name: 'Folders' }).getByRole('treeitem', { name });

async function upload(page, name) {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).first().click();
  await (await asked).setFiles({ name, mimeType: 'image/jpeg', buffer: readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url)) });
}

test('a folder becomes private and public in its dialog; locks show it, and so are its pictures here', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await page.getByRole('button', { name: 'New folder' }).click();
  const made = page.getByRole('dialog', { name: 'New folder' });
  await made.getByLabel('Name').fill('Internal');
  await made.getByLabel('Private').check();
  await made.getByRole('button', { name: 'Make folder' }).click();
  await branch(page, /Internal.*Private/).click();
  await page.getByRole('heading', { name: 'No files in this folder' }).waitFor();
  await upload(page, 'secret.jpg');
  await file(page, /secret.jpg.*Private/).waitFor();
  const shown = file(page, 'secret.jpg').locator('img');
  const source = await shown.evaluate(async (img) => {
    await img.decode();
    return img.getAttribute('src');
  });
  assert.match(source, /^\/uploads\/thumbnail_secret_\w+\.jpg\?access=/);
  const asked = async (path) => (await fetch(new URL(path, site.origin))).status;
  assert.deepEqual([await asked(source), await asked(source.split('?')[0])], [200, 404]);
  await file(page, 'secret.jpg').click();
  await page.getByRole('dialog', { name: 'secret.jpg' }).locator('img').evaluate((img) => img.decode());
  await page.getByRole('dialog', { name: 'secret.jpg' }).getByRole('button', { name: 'Close' }).last().click();

  await page.getByRole('button', { name: 'New folder' }).click();
  await made.getByLabel('Name').fill('Below');
  await made.getByRole('button', { name: 'Make folder' }).click();
  await branch(page, 'Internal').and(page.locator('[aria-expanded=false]')).focus(); // the tree has the new folder
  await page.keyboard.press('ArrowRight');
  await branch(page, 'Below').click();
  await page.getByRole('button', { name: 'Actions for the folder Below' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const below = page.getByRole('dialog', { name: 'Change “Below”' });
  assert.ok(await below.getByLabel('Private').isChecked());
  assert.ok(await below.getByLabel('Private').isDisabled());
  await page.keyboard.press('Escape');

  await branch(page, 'Internal').click();
  await page.getByRole('button', { name: 'Actions for the folder Internal' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const changed = page.getByRole('dialog', { name: 'Change “Internal”' });
  await changed.getByLabel('Private').uncheck();
  await changed.getByRole('button', { name: 'Save' }).click();
  await file(page, /secret.jpg.*Private/).waitFor({ state: 'detached' });
  await file(page, 'secret.jpg').waitFor();
  assert.equal(await asked(source.split('?')[0]), 200);
});
