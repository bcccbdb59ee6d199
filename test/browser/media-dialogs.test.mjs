// Each dialog of the media library, and the page of alternative texts, can be used by all.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bothThemes, enter, everyLook, share } from './browser.mjs';
import { content, serve } from './site.mjs';

const wide = readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url));

let browser, site;
share((shared) => ({ browser, site } = shared), async (t) => {
  const begun = await serve(t, undefined);
  const form = new FormData();
  for (const name of ['quay.jpg', 'pier.jpg']) form.append('files', new Blob([wide], { type: 'image/jpeg' }), name);
  const stored = await (await fetch(`${begun.origin}/api/upload`, { method: 'POST', headers: { Authorization: `Bearer ${begun.token}` }, body: form })).json();
  // What is used is named before it is deleted.
  const { data } = await content(begun, 'GET', '/restaurants?pagination[pageSize]=1');
  await content(begun, 'PUT', `/restaurants/${data[0].documentId}`, { data: { photo: stored[0].id } });
  return begun;
});

const file = (page, name) => page.getByRole('option', { name: new RegExp(`^${name}`) });

// looks looks at a page in each theme and width, at what show opens one after another.
async function looks(t, name, show) {
  await everyLook(t, browser, site, name, async (page, size) => {
    await enter(page.context(), site);
    await page.goto('/admin/media');
    await file(page, 'quay.jpg').waitFor();
    await show(page, (what) => bothThemes(page, `media-${what}-${size}`));
  });
}

const closed = async (page, dialog) => {
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
};

test('the page of alternative texts, saved and not', async (t) => {
  await looks(t, 'media-texts', async (page, seen) => {
    await page.goto('/admin/media/texts');
    const input = page.getByRole('textbox', { name: /Alternative text of/ });
    await input.first().waitFor();
    await seen('texts-first');
    await page.route('**/media/describe', (route) => route.fulfill({ json: {} })); // so that the next look finds it again
    await input.first().fill('The quay in the morning');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').first().waitFor();
  });
});

test('dialogs of folders', async (t) => {
  let made = 0;
  await looks(t, 'media-folder-delete', async (page, seen) => {
    const name = `Trips ${++made}`;
    await page.getByRole('button', { name: 'New folder' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make folder' }).click();
    await dialog.getByText('Enter a name').waitFor();
    await seen('folder-new');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Make folder' }).click();
    await page.locator('.media-folder', { hasText: name }).click();
    const actions = page.getByRole('button', { name: `Actions for the folder ${name}` });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Change' }).waitFor();
    await seen('folder-actions');
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    await dialog.getByLabel('Private').check();
    await seen('folder-change');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.locator('.media-crumb', { hasText: name }).getByText('Private').waitFor({ state: 'attached' });
    await seen('folder-private');
    await actions.click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    await closed(page, dialog);
    await actions.click();
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await dialog.getByRole('button', { name: 'Move here' }).waitFor();
    await seen('folder-move');
    await closed(page, dialog);
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByText('The folder is empty.').waitFor();
  });
});

test('dialogs of files: describing, moving, deleting, editing an edited one', async (t) => {
  await looks(t, 'media-edited', async (page, seen) => {
    const dialog = page.getByRole('dialog');
    await file(page, 'quay.jpg').locator('.media-check').click();
    await page.getByText('1 selected').first().waitFor();
    await seen('selected');
    await page.getByRole('button', { name: 'Describe' }).click();
    await dialog.getByLabel('Set the caption').check();
    await seen('describe');
    await closed(page, dialog);
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.getByRole('button', { name: 'Move here' }).waitFor();
    await seen('move');
    await closed(page, dialog);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('1 of them is used.').waitFor();
    await seen('delete');
    await closed(page, dialog);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await file(page, 'pier.jpg').click();
    await page.getByRole('button', { name: 'Edit picture' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit “pier.jpg”' });
    const turn = edit.getByRole('button', { name: 'Turn right' });
    await turn.or(edit.getByRole('button', { name: 'Restore the original' })).waitFor();
    if (await turn.isVisible()) {
      await turn.click();
      await edit.getByRole('button', { name: 'Save' }).click();
      await edit.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Edit picture' }).click();
    }
    await edit.getByText('This picture was edited.').waitFor();
  });
});

test('uploads under way, and one that failed', async (t) => {
  await looks(t, 'media-uploads', async (page, seen) => {
    let answer;
    const asked = new Promise((resolve) => (answer = resolve));
    await page.route('**/media/uploads*', (route) => answer(route));
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload files' }).first().click();
    await (await chosen).setFiles([{ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from('text') }]);
    const route = await asked;
    await page.getByText('1 file is on its way').waitFor();
    await seen('uploads-under-way');
    await route.fulfill({ status: 413, json: { data: null, error: { status: 413, name: 'PayloadTooLargeError', message: 'long.txt is larger than the site takes', details: {} } } });
    await page.getByRole('button', { name: 'Try again: long.txt' }).waitFor();
  });
});
