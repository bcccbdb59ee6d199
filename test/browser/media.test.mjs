// The media library: folders, files, what is said about them, and what uses them.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn, signIn } from './browser.mjs';
import { api, content, serve } from './site.mjs';

const picture = (name) => ({ name, mimeType: 'image/jpeg', buffer: readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url)) });
const text = (name, said = name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`about ${said}`) });

let browser, site;
share((shared) => ({ browser, site } = shared), (t) => serve(t, undefined, []));

const files = (page) => page.getByRole('listbox', { name: /Files in/ });
const file = (page, name) => files(page).getByRole('option', { name: new RegExp(`^${name.replace('.', '\\.')}`) });
const tree = (page) => page.getByRole('tree', { name: 'Folders' });
const branch = (page, name) => tree(page).getByRole('treeitem', { name });

// choose uploads files by the button of the page: all as Playwright's payloads, or all as paths.
async function choose(page, list) {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).first().click();
  await (await asked).setFiles(list);
  for (const one of list) await file(page, one.name ?? basename(one)).waitFor();
}

async function makeFolder(page, name) {
  await page.getByRole('button', { name: 'New folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'New folder' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Make folder' }).click();
  await branch(page, name).waitFor();
}

test('an empty library says what belongs there; files come by the button, by drop and by paste', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.getByRole('link', { name: 'Media', exact: true }).click();
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  await choose(page, [picture('quay.jpg'), text('notes.txt')]);
  await page.getByText('2 files were uploaded').first().waitFor();
  for (const [event, name] of [['drop', 'dropped.txt'], ['paste', 'pasted.txt']]) {
    await page.evaluate(
      ([kind, called]) => {
        const data = new DataTransfer();
        data.items.add(new File(['about it'], called, { type: 'text/plain' }));
        const at = kind === 'drop' ? document.querySelector('[role=listbox]') : document.body;
        at.dispatchEvent(kind === 'drop' ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }) : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      },
      [event, name],
    );
    await file(page, name).waitFor();
  }
});

test('folders are made, files and folders move by keyboard and by drag, and a folder is renamed', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await makeFolder(page, 'Trips');
  await makeFolder(page, 'Rome');
  await page.getByRole('button', { name: 'New folder' }).click();
  const dialog = page.getByRole('dialog', { name: 'New folder' });
  await dialog.getByLabel('Name').fill('Rome');
  await dialog.getByRole('button', { name: 'Make folder' }).click();
  await dialog.getByText('There is a folder "Rome" here already').waitFor();
  await page.keyboard.press('Escape');

  await branch(page, 'Rome').dragTo(branch(page, 'Trips'));
  await page.getByText('1 was moved to Trips').first().waitFor();
  await file(page, 'notes.txt').dragTo(branch(page, 'Trips'));
  await file(page, 'notes.txt').waitFor({ state: 'detached' });

  await files(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('2 selected').waitFor({ state: 'detached' });

  await file(page, 'dropped.txt').click({ modifiers: ['ControlOrMeta'] });
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Folder').selectOption({ label: '    Rome' });
  await page.getByRole('button', { name: 'Move here' }).click();
  await file(page, 'dropped.txt').waitFor({ state: 'detached' });

  await branch(page, 'Trips').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await file(page, 'dropped.txt').waitFor();
  await page.getByRole('button', { name: 'Actions for the folder Rome' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  const rename = page.getByRole('dialog', { name: 'Change “Rome”' });
  await rename.getByLabel('Name').fill('Roma');
  await rename.getByRole('button', { name: 'Save' }).click();
  await branch(page, 'Roma').waitFor();
});

test('a search finds below the folder with each key, and filters are words that can be removed', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  const search = page.getByLabel('Search files');
  await search.pressSequentially('dropp', { delay: 45 }); // each letter goes on after the one before has come into the address
  await page.waitForURL((url) => url.searchParams.get('q') === 'dropp');
  assert.equal(await search.inputValue(), 'dropp', 'no letter is lost');
  await page.getByText('1 file', { exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('[role=listbox] [role=option]').length === 1);
  await file(page, 'dropped.txt').waitFor();
  await page.getByLabel('Search files').fill('');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('menuitemradio', { name: 'Pictures' }).click();
  await file(page, 'notes.txt').waitFor({ state: 'detached' });
  await file(page, 'quay.jpg').waitFor();
  await page.getByRole('button', { name: 'Remove the filter Pictures' }).click();
  await file(page, 'pasted.txt').waitFor();
  const remembered = () => page.waitForResponse((answer) => answer.url().endsWith('/preferences') && answer.request().method() === 'PUT');
  const asList = remembered();
  await page.getByRole('button', { name: 'List', exact: true }).click();
  await asList;
  await page.reload();
  await file(page, 'pasted.txt').waitFor();
  assert.equal(await page.getByRole('button', { name: 'List', exact: true }).getAttribute('aria-pressed'), 'true');
  const asGrid = remembered();
  await page.getByRole('button', { name: 'Grid', exact: true }).click();
  await asGrid; // the other tests of this account find it so
});

test('a file is described, gets a focal point by a click and by keys, and is replaced under its address', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await file(page, 'quay.jpg').click();
  const drawer = page.getByRole('dialog', { name: 'quay.jpg' });
  await drawer.getByLabel('Alternative text').fill('The quay in the morning');
  await drawer.getByLabel('Caption').fill('April');
  const point = drawer.getByRole('button', { name: /Focal point/ });
  await drawer.getByRole('img').click({ position: { x: 10, y: 10 } });
  await point.focus();
  await page.keyboard.press('Home');
  for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+ArrowLeft');
  for (let i = 0; i < 10; i++) await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('ArrowRight');
  await drawer.getByRole('button', { name: 'Focal point: 1 % from the left, 0 % from the top. Arrow keys move it' }).waitFor();
  await drawer.getByText('Nothing that you see links to it.').waitFor();
  const asked = page.waitForEvent('filechooser');
  await drawer.getByRole('button', { name: 'Replace' }).click();
  const before = await content(site, 'GET', '/upload/files?filters[name]=quay.jpg');
  await (await asked).setFiles([picture('other.jpg')]);
  await page.getByText('quay.jpg was replaced; its address is the same').first().waitFor();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'detached' });
  const [stored] = await content(site, 'GET', '/upload/files?filters[name]=quay.jpg');
  assert.deepEqual([stored.alternativeText, stored.caption, stored.focalPoint, stored.url], ['The quay in the morning', 'April', { x: 1, y: 0 }, before[0].url]);
  assert.notEqual(stored.hash, before[0].hash);
});

test('alternative texts are typed one after another', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await choose(page, [picture('one.jpg'), picture('two.jpg')]);
  await page.getByRole('link', { name: 'Pictures without alternative text' }).click();
  const inputs = page.getByRole('textbox', { name: /Alternative text of/ });
  await inputs.first().focus();
  await page.keyboard.type('A first picture');
  await page.keyboard.press('Enter');
  await page.keyboard.type('A second picture');
  await page.keyboard.press('Enter');
  await page.getByText('Saved').nth(1).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'All pictures have an alternative text' }).waitFor();
});

test('many are described at once; what is used is named before it is deleted', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await file(page, 'one.jpg').click({ modifiers: ['ControlOrMeta'] });
  await file(page, 'two.jpg').click();
  await page.getByRole('button', { name: 'Describe' }).click();
  const describe = page.getByRole('dialog', { name: 'Describe 2 files' });
  await describe.getByLabel('Set the caption').check();
  await describe.getByLabel('Caption', { exact: true }).fill('Both');
  await describe.getByRole('button', { name: 'Save' }).click();
  await page.getByText('2 files were described').first().waitFor();
  const found = await content(site, 'GET', '/upload/files?filters[caption]=Both');
  assert.equal(found.length, 2);

  await branch(page, 'Trips').click();
  await file(page, 'notes.txt').waitFor();
  await page.getByRole('button', { name: 'Actions for the folder Trips' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Trips”?' });
  await dialog.getByText('With it all that is in it is deleted: 2 files and 1 folder.').waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await branch(page, 'Trips').waitFor({ state: 'detached' });
  assert.equal((await content(site, 'GET', '/upload/files?filters[name]=notes.txt')).length, 0);
});

test('the picker of a document looks into folders', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await makeFolder(page, 'Covers');
  await branch(page, 'Covers').click();
  await page.getByRole('heading', { name: 'No files in this folder' }).waitFor();
  await choose(page, [picture('cover.jpg')]);
  await page.goto('/admin/content/api::restaurant.restaurant/new');
  await page.getByRole('button', { name: /Choose a file for|Choose files for/ }).first().click();
  const picker = page.getByRole('dialog', { name: /Choose for/ });
  await picker.getByRole('button', { name: /one\.jpg/ }).waitFor();
  await picker.getByLabel('Folder').selectOption({ label: 'Covers' });
  await picker.getByRole('button', { name: /one\.jpg/ }).waitFor({ state: 'detached' });
  await picker.getByRole('button', { name: /cover\.jpg/ }).waitFor();
});

test('an upload goes on where it was after the program was killed, and one that is stopped is gone', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await choose(page, [text('before.txt')]);
  const folder = mkdtempSync(join(tmpdir(), 'quire-long-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const large = Buffer.alloc(20 << 20, 'a line of a long text\n');
  writeFileSync(join(folder, 'long.txt'), large);
  const offsets = [];
  let killed = false;
  await page.route('**/media/uploads/*?offset=*', async (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    offsets.push(offset);
    if (offset === 0 || killed) return route.continue();
    killed = true;
    await site.restart('SIGKILL');
    return route.abort('connectionreset');
  });
  await choose(page, [join(folder, 'long.txt')]);
  assert.deepEqual(offsets, [0, 8 << 20, 8 << 20, 16 << 20]);
  const found = await content(site, 'GET', '/upload/files?filters[name]=long.txt');
  assert.equal(found.length, 1);
  const served = Buffer.from(await (await fetch(site.origin + found[0].url)).arrayBuffer());
  assert.ok(served.equals(large));

  await page.unroute('**/media/uploads/*?offset=*');
  let held;
  const stuck = new Promise((resolve) => (held = resolve));
  await page.route('**/media/uploads/*?offset=*', () => held());
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await asked).setFiles([text('stopped.txt')]);
  await stuck;
  const gone = page.waitForResponse((answer) => answer.request().method() === 'DELETE' && answer.url().includes('/media/uploads/'));
  await page.getByRole('button', { name: 'Stop uploading stopped.txt' }).click();
  assert.equal((await gone).status(), 204);
  await page.getByRole('button', { name: 'Stop uploading stopped.txt' }).waitFor({ state: 'detached' });
});

test('who may only read the files changes none of them', async (t) => {
  const page = await open(t, browser, site);
  await enter(page.context(), site);
  await api(page.context(), site, 'POST', '/accounts', { name: 'Rita', email: 'rita@example.org', role: 'reader', password: 'reads only files' });
  await page.context().clearCookies();
  await page.goto('/admin/media');
  await signIn(page, { email: 'rita@example.org', password: 'reads only files' });
  await file(page, 'one.jpg').click();
  const drawer = page.getByRole('dialog', { name: 'one.jpg' });
  assert.equal(await drawer.getByLabel('Caption').isEditable(), false);
  assert.equal(await drawer.getByRole('button', { name: /Save|Edit|Replace|Delete/ }).count(), 0);
  assert.equal(await page.getByRole('button', { name: /Upload files|New folder/ }).count(), 0);
});

test('a picture is turned and cut by numbers and by the mouse, and its original comes back', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await choose(page, [picture('pier.jpg')]);
  await file(page, 'pier.jpg').click();
  const drawer = page.getByRole('dialog', { name: 'pier.jpg', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Edit “pier.jpg”' });
  const becomes = (width, height) => dialog.getByText(`The picture becomes ${width.toLocaleString('en-GB')} × ${height.toLocaleString('en-GB')} pixels.`).waitFor();
  // served is the size of the picture at its address, which the drawer shows and everybody gets.
  const served = async () => {
    const [{ url, width, height }] = await content(site, 'GET', '/upload/files?filters[name]=pier.jpg');
    const got = await page.evaluate(async (address) => {
      const bitmap = await createImageBitmap(await (await fetch(address, { cache: 'reload' })).blob());
      return [bitmap.width, bitmap.height];
    }, url);
    assert.deepEqual(got, [width, height]);
    await page.waitForFunction(([w, h]) => [...document.querySelectorAll('.media-preview-picture img')].some((img) => img.naturalWidth === w && img.naturalHeight === h), got);
    return got;
  };
  await drawer.getByRole('button', { name: 'Edit picture' }).click();
  assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
  assert.equal(await dialog.getByRole('button', { name: 'Restore the original' }).count(), 0);
  await becomes(1600, 900);
  await dialog.getByRole('button', { name: 'Turn right' }).click();
  await becomes(900, 1600);
  await dialog.getByLabel('Left').fill('100');
  await dialog.getByLabel('Top').fill('200');
  await becomes(800, 1400);
  await dialog.getByLabel('Width').fill('400');
  await dialog.getByLabel('Height').fill('600');
  await becomes(400, 600);
  await dialog.getByLabel('Ratio').selectOption('16:9');
  await becomes(900, 506);
  await dialog.getByLabel('Width').fill('480');
  await becomes(480, 270);
  await dialog.getByRole('button', { name: 'Turn left' }).click();
  await becomes(270, 480);
  await dialog.getByRole('button', { name: 'Turn right' }).click();
  await becomes(480, 270);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('pier.jpg was edited; its address is the same').first().waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await served(), [480, 270]);

  await drawer.getByRole('button', { name: 'Edit picture' }).click();
  assert.equal(await dialog.getByRole('button', { name: 'Turn right' }).count(), 0);
  await dialog.getByRole('button', { name: 'Restore the original' }).click();
  await becomes(1600, 900);
  assert.deepEqual(await served(), [1600, 900]);
  const part = await dialog.locator('.media-edit-part').boundingBox();
  const drag = async (x, y, toX, toY) => {
    await page.mouse.move(part.x + part.width * x, part.y + part.height * y);
    await page.mouse.down();
    await page.mouse.move(part.x + part.width * toX, part.y + part.height * toY, { steps: 4 });
    await page.mouse.up();
  };
  await drag(0.99, 0.99, 0.49, 0.49);
  const wide = Number(await dialog.getByLabel('Width').inputValue());
  assert.ok(Math.abs(wide - 800) < 10, `${wide} is about half of 1600`);
  await drag(0.25, 0.25, 2, 0.5);
  assert.equal(await dialog.getByLabel('Left').inputValue(), String(1600 - wide));
  assert.equal(await dialog.getByLabel('Width').inputValue(), String(wide));
});

test('the library can be used by all, and speaks German', async (t) => {
  const page = await signedIn(t, browser, site, '/media');
  await makeFolder(page, 'Spring');
  await everyLook(t, browser, site, 'media', async (shown) => {
    await enter(shown.context(), site);
    await shown.goto('/admin/media');
    await file(shown, 'one.jpg').waitFor();
  });
  await everyLook(t, browser, site, 'media-file', async (shown) => {
    await enter(shown.context(), site);
    await shown.goto('/admin/media');
    await file(shown, 'one.jpg').click();
    await shown.getByText('Nothing that you see links to it.').waitFor();
  });
  await everyLook(t, browser, site, 'media-edit', async (shown) => {
    await enter(shown.context(), site);
    await shown.goto('/admin/media');
    await file(shown, 'one.jpg').click();
    await shown.getByRole('button', { name: 'Edit picture' }).click();
    await shown.getByRole('spinbutton', { name: 'Left' }).fill('200');
    await shown.getByText('The picture becomes 1,400 × 900 pixels.').waitFor();
  });
  const german = await signedIn(t, browser, site, '/media', { locale: 'de-DE' });
  await german.getByRole('button', { name: 'Dateien hochladen' }).waitFor();
});
