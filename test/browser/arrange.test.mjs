// Forms and lists are arranged for everybody, and views of a list are saved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, look, open, ownersApi, share, signedIn } from './browser.mjs';
import { serve } from './site.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared), (t) => serve(t, './arranged/'));

const clips = '/content/api::clip.clip';
const arranging = '/arrange/api::clip.clip';
const row = (page, name) => page.getByRole('list', { name: 'Form' }).getByRole('button', { name: `Move ${name}`, exact: true });

async function save(page) {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Arranged', { exact: true }).first().waitFor();
}

test('a required attribute that its condition hides need not be filled in', async (t) => {
  const page = await signedIn(t, browser, site, `${clips}/new`);
  await page.getByLabel('Name', { exact: true }).fill('A text');
  await page.getByLabel('Kind').selectOption('text');
  assert.equal(await page.getByLabel('Address').count(), 0);
  await page.getByLabel('Kind').selectOption('video');
  await page.getByLabel('Address').waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Address' }).waitFor();
  await page.getByLabel('Kind').selectOption('text');
  await page.getByLabel('Address').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Published').first().waitFor();
});

test('a form is arranged by keys: a tab, an order, words, a condition, and one field taken out', async (t) => {
  const page = await signedIn(t, browser, site, clips);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Arrange the form and the list' }).click();
  await page.getByRole('heading', { name: 'Arrange: Clip' }).waitFor();
  await row(page, 'Minutes').focus();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('button', { name: 'Add a tab' }).click();
  await page.getByLabel('Name of the tab').fill('Main');
  await page.getByRole('button', { name: 'Add a tab' }).click();
  await page.getByLabel('Name of the tab').first().fill('More');
  for (let i = 0; i < 4; i++) {
    await row(page, 'More').focus();
    await page.keyboard.press('ArrowDown');
  }
  await page.getByRole('button', { name: 'Add a group' }).click();
  await page.getByLabel('Name of the group').fill('First things');
  await row(page, 'First things').focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: 'Words of Name' }).click();
  const dialog = page.getByRole('dialog', { name: 'Words of Name' });
  await dialog.getByLabel('Label').fill('What it is called');
  await dialog.getByLabel('Hint').fill('As in the film');
  await dialog.getByLabel('Placeholder').fill('A Trip to the Moon');
  await look(page, 'arrange-words');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Words of Minutes' }).click();
  const minutes = page.getByRole('dialog', { name: 'Words of Minutes' });
  await minutes.getByLabel('Shown depending on').selectOption({ label: 'Kind' });
  await minutes.getByLabel('Value').selectOption('video');
  await minutes.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Take Code out of the form' }).click();
  await page.getByLabel('Width of Kind').selectOption({ label: 'A third' });
  await save(page);
  await page.goto(`/admin${clips}/new`);
  await page.getByRole('tab', { name: 'Main' }).waitFor();
  await page.getByRole('heading', { name: 'First things' }).waitFor();
  await page.getByText('As in the film').waitFor();
  assert.equal(await page.getByLabel('What it is called').getAttribute('placeholder'), 'A Trip to the Moon');
  assert.equal(await page.getByLabel('Code').count(), 0);
  await page.getByLabel('Kind').selectOption('video');
  await look(page, 'arranged-form');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Address' }).click();
  await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent.includes('Address'));
  await page.getByRole('tab', { name: /More/ }).focus();
  await page.keyboard.press('Home');
  assert.equal(await page.getByRole('tab', { name: /Main/ }).getAttribute('aria-selected'), 'true');
  await page.getByRole('tab', { name: /More/ }).click();
  await page.getByLabel('Minutes').waitFor();
});

test('a field is dragged to another place', async (t) => {
  const page = await signedIn(t, browser, site, arranging);
  const order = () => page.locator('.arrange-line.of-field code').allTextContents();
  await row(page, 'Kind').waitFor();
  const before = await order();
  const [from, to] = [await row(page, 'Kind').boundingBox(), await page.locator('.arrange-line').first().boundingBox()];
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 2, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction((was) => [...document.querySelectorAll('.arrange-line.of-field code')].map((c) => c.textContent).join() !== was, before.join());
  assert.equal((await order())[0], 'kind');
});

test('the columns and the title of entries are the same for everybody, and go back', async (t) => {
  const call = await ownersApi({ browser, site, t });
  await call('POST', '/content/clips?status=draft', { data: { name: 'Named', code: 'C-1' } });
  const page = await signedIn(t, browser, site, arranging);
  await page.getByLabel('Title of an entry').selectOption({ label: 'Code' });
  await page.getByLabel('Add a column').selectOption({ label: 'Minutes' });
  await save(page);
  await page.goto(`/admin${clips}`);
  await page.getByRole('link', { name: 'C-1' }).waitFor();
  await page.getByRole('columnheader', { name: 'Minutes' }).waitFor();
  await page.goto(`/admin${arranging}`);
  await page.getByRole('button', { name: 'Back to the usual form' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Back to the usual form' }).click();
  await page.getByText('Arranged', { exact: true }).first().waitFor();
  await page.goto(`/admin${clips}`);
  await page.getByRole('link', { name: 'Named' }).waitFor();
});

test('a view is saved, shared, chosen and removed', async (t) => {
  const page = await signedIn(t, browser, site, `${clips}?status=draft&sort=-name`);
  await page.getByRole('button', { name: 'Views' }).click();
  const views = page.getByRole('dialog', { name: 'Views' });
  await views.getByLabel('Save this view as').fill('All drafts');
  await views.getByLabel('Share it with everybody').check();
  const box = await views.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 1440, 'the views are inside the window');
  await look(page, 'views');
  await views.getByRole('button', { name: 'Save the view' }).click();
  await page.getByText('“All drafts” is saved').first().waitFor();
  await page.getByRole('button', { name: 'Status: Draft' }).click();
  await page.getByRole('menuitemradio', { name: 'Any status' }).click();
  await page.waitForURL((url) => !url.search.includes('status'));
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: /^All drafts/ }).click();
  await page.waitForURL((url) => url.search.includes('status=draft') && url.search.includes('sort=-name'));
  await page.getByRole('button', { name: 'Views' }).click();
  await views.getByRole('button', { name: 'Remove “All drafts”' }).click();
  await page.getByText('“All drafts” is removed').first().waitFor();
});

test('somebody who may not arrange sees no way to it', async (t) => {
  const eve = { email: 'eve@example.org', password: 'analytical engine' };
  assert.equal((await (await ownersApi({ browser, site, t }))('POST', '/accounts', { name: 'Eve', role: 'editor', ...eve })).status, 201);
  const page = await open(t, browser, site);
  await enter(page.context(), site, eve);
  await page.goto(`/admin${clips}`);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Compact rows' }).or(page.getByRole('menuitemradio').first()).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Arrange the form and the list' }).count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Save this view as').waitFor();
  assert.equal(await page.getByLabel('Share it with everybody').count(), 0);
});

test('arranging looks right in both widths and themes', (t) => everyLook(t, browser, site, 'arrange', async (page) => {
  await enter(page.context(), site);
  await page.goto(`/admin${arranging}`);
  await page.getByRole('heading', { name: 'Arrange: Clip' }).waitFor();
}));
