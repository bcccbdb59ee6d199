// Two people in one text: what each types in another part is merged, and what both change is
// shown to both. The cursor stays where one types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothThemes, drawn, enter, open, ownersApi, share } from './browser.mjs';
import { serve } from './site.mjs';

const uid = 'api::article.article';
const grace = { email: 'grace@example.org', password: 'nanoseconds everywhere' };

let shared;
share(
  async (all) => {
    shared = { ...all, api: await ownersApi(all) };
    assert.equal((await shared.api('POST', '/accounts', { name: 'Grace Hopper', role: 'editor', ...grace })).status, 201);
  },
  (t) => serve(t, 'kinds'),
);

const paragraph = (text) => ({ type: 'paragraph', children: [{ type: 'text', text }] });
const notes = (page) => page.getByRole('textbox', { name: 'Notes' });
const body = (page) => page.getByRole('textbox', { name: 'Body' });
const summary = (page) => page.getByRole('textbox', { name: 'Summary' });
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const notified = (page, text) => page.getByRole('region', { name: 'Notifications' }).getByText(text);

let made = 0;
// both gives Ada’s page and Grace’s page of a new article. Without hears, Ada’s page does not
// know what others store until it saves.
async function both(t, data, { hears = true, ...options } = {}) {
  made++;
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title: `Together ${made}`, slug: `together-${made}`, ...data } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  const id = answer.data.documentId;
  const opened = async (as, heard) => {
    const page = await open(t, shared.browser, shared.site, options);
    if (!heard) await page.route('**/api/v1/live?*', () => {});
    await enter(page.context(), shared.site, as);
    await page.goto(`/admin/content/${uid}/${id}`);
    await body(page).waitFor();
    await notes(page).waitFor();
    return page;
  };
  return { id, ada: await opened(undefined, hears), grace: await opened(grace, true) };
}
const stored = async (id) => (await shared.api('GET', `/content/articles/${id}?status=draft`)).data;
const textOf = (blocks) => blocks.map((block) => block.children.map((child) => child.text).join(''));

// behind puts the cursor behind a text of an editor. The browser tells the editor of it before it
// draws the next frame; keys that come earlier would go to where the cursor was.
async function behind(page, editor, text) {
  await editor.getByText(text, { exact: true }).click();
  await page.keyboard.press('End');
  await drawn(page);
}
async function save(page) {
  const written = page.waitForResponse((response) => response.request().method() === 'PUT' && response.url().includes('/content/articles/') && response.ok());
  await press(page, 'Save');
  await written;
  await page.getByText(/^Saved (just|\d)/).first().waitFor();
}

const names = ['One', 'Two', 'Three', 'Four', 'Five'];
const five = { notes: names.map((name) => `${name} line`).join('\n\n'), body: names.map((name) => paragraph(`${name} block`)), summary: names.join('\n\n') };

test('what two people type in different parts of a text is there for both, whoever saves last', async (t) => {
  const { id, ada, grace: other } = await both(t, five, { hears: false });
  await behind(ada, notes(ada), 'One line');
  await ada.keyboard.type(' of Ada');
  await behind(ada, body(ada), 'One block');
  await ada.keyboard.type(' of Ada');
  await behind(other, notes(other), 'Three line');
  await other.keyboard.type(' of Grace');
  await behind(other, body(other), 'Three block');
  await other.keyboard.type(' of Grace');
  await save(other);
  await save(ada);
  await notified(ada, /^Grace Hopper’s changes in (Body, Notes|Notes, Body) were merged with yours$/).waitFor();
  const draft = await stored(id);
  assert.equal(draft.notes, 'One line of Ada\n\nTwo line\n\nThree line of Grace\n\nFour line\n\nFive line');
  assert.deepEqual(textOf(draft.body), ['One block of Ada', 'Two block', 'Three block of Grace', 'Four block', 'Five block']);
  for (const page of [ada, other]) {
    for (const text of ['One line of Ada', 'Three line of Grace']) await notes(page).getByText(text, { exact: true }).waitFor();
    for (const text of ['One block of Ada', 'Three block of Grace']) await body(page).getByText(text, { exact: true }).waitFor();
  }
  const { data: versions } = await shared.api('GET', `/content/articles/${id}/history?status=draft`);
  assert.ok(versions.length >= 3, JSON.stringify(versions));
});

test('what another person saves comes into a text while one types, without moving the cursor', async (t) => {
  const { id, ada, grace: other } = await both(t, five);
  for (const [field, unit] of [[notes, 'line'], [body, 'block']]) {
    await behind(ada, field(ada), `Three ${unit}`);
    await ada.keyboard.press('ArrowLeft');
    await ada.keyboard.type('x');
    await behind(other, field(other), `One ${unit}`);
    await other.keyboard.type(' of Grace');
    await behind(other, field(other), `Five ${unit}`);
    await other.keyboard.press('Enter');
    await other.keyboard.type('Six');
    await save(other);
    await field(ada).getByText('Six', { exact: true }).waitFor();
    await ada.keyboard.type('y');
    await field(ada).getByText(`Three ${unit.slice(0, -1)}xy${unit.at(-1)}`, { exact: true }).waitFor();
  }
  await summary(ada).fill(`${five.summary}\n\nEnd`);
  for (let n = 0; n < 'Five\n\nEnd'.length; n++) await ada.keyboard.press('ArrowLeft');
  await ada.keyboard.type('x');
  await summary(other).fill(`Before\n\n${five.summary}`);
  await save(other);
  await ada.waitForFunction(() => [...document.querySelectorAll('textarea')].some((field) => field.value.startsWith('Before')));
  await ada.keyboard.type('y');
  assert.equal(await summary(ada).inputValue(), 'Before\n\nOne\n\nTwo\n\nThree\n\nFour\n\nxyFive\n\nEnd');
  await save(ada);
  const draft = await stored(id);
  assert.equal(draft.notes, 'One line of Grace\n\nTwo line\n\nThree linxye\n\nFour line\n\nFive line\nSix');
  assert.deepEqual(textOf(draft.body), ['One block of Grace', 'Two block', 'Three blocxyk', 'Four block', 'Five block', 'Six']);
  assert.equal(draft.summary, 'Before\n\nOne\n\nTwo\n\nThree\n\nFour\n\nxyFive\n\nEnd');
});

test('the same paragraph is shown to both', async (t) => {
  const { id, ada, grace: other } = await both(t, five, { hears: false });
  await behind(ada, body(ada), 'Two block');
  await ada.keyboard.type(' of Ada');
  await behind(other, body(other), 'Two block');
  await other.keyboard.type(' of Grace');
  await save(other);
  await press(ada, 'Save');
  const dialog = ada.getByRole('dialog', { name: 'You and Grace Hopper have changed the same' });
  await dialog.getByText('Two block of Ada').waitFor();
  await dialog.getByText('Two block of Grace').waitFor();
  assert.deepEqual(textOf((await stored(id)).body)[1], 'Two block of Grace', 'nothing is overwritten');
  await dialog.getByRole('button', { name: 'Take theirs' }).click();
  await body(ada).getByText('Two block of Grace', { exact: true }).waitFor();
});

test('undo takes back what one has typed, and leaves what was merged', async (t) => {
  const { ada, grace: other } = await both(t, five);
  for (const [field, unit] of [[notes, 'line'], [body, 'block']]) {
    await behind(ada, field(ada), `One ${unit}`);
    await ada.keyboard.type(' of Ada');
    await behind(other, field(other), `Three ${unit}`);
    await other.keyboard.type(' of Grace');
    await save(other);
    await field(ada).getByText(`Three ${unit} of Grace`, { exact: true }).waitFor();
    await ada.keyboard.press('Control+z');
    await field(ada).getByText(`One ${unit}`, { exact: true }).waitFor();
    await field(ada).getByText(`Three ${unit} of Grace`, { exact: true }).waitFor();
    await ada.keyboard.press('Control+y');
    await field(ada).getByText(`One ${unit} of Ada`, { exact: true }).waitFor();
  }
});

test('a merge is shown, and taken back: then one decides', async (t) => {
  const { id, ada, grace: other } = await both(t, five);
  await behind(ada, body(ada), 'One block');
  await ada.keyboard.type(' of Ada');
  await behind(other, body(other), 'Three block');
  await other.keyboard.type(' of Grace');
  await save(other);
  await notified(ada, 'Grace Hopper’s changes in Body were merged with yours').waitFor();
  const show = ada.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Show' });
  await show.focus();
  await ada.keyboard.press('Enter');
  const dialog = ada.getByRole('dialog', { name: 'Grace Hopper’s changes in Body were merged with yours' });
  await dialog.locator('ins').getByText('of Grace').waitFor();
  await bothThemes(ada, 'editor-merged');
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await body(ada).getByText('Three block', { exact: true }).waitFor();
  await ada.getByText('Grace Hopper has changed a field that you have changed too.').waitFor();
  await press(ada, 'Save');
  const choice = ada.getByRole('dialog', { name: 'You and Grace Hopper have changed the same' });
  await choice.getByText('Three block of Grace').waitFor();
  assert.deepEqual(textOf((await stored(id)).body)[2], 'Three block of Grace', 'nothing is overwritten');
  await choice.getByRole('button', { name: 'Keep mine' }).click();
  await ada.getByText(/^Saved (just|\d)/).first().waitFor();
  assert.deepEqual(textOf((await stored(id)).body), ['One block of Ada', 'Two block', 'Three block', 'Four block', 'Five block']);
});

test('what is merged at Publish is shown before it is published', async (t) => {
  const { id, ada, grace: other } = await both(t, five, { hears: false });
  await behind(ada, body(ada), 'One block');
  await ada.keyboard.type(' of Ada');
  await behind(other, body(other), 'Three block');
  await other.keyboard.type(' of Grace');
  await save(other);
  await press(ada, 'Publish');
  await notified(ada, 'Somebody else has saved this document meanwhile.').waitFor();
  await body(ada).getByText('Three block of Grace', { exact: true }).waitFor();
  const state = async () => (await shared.api('GET', `/content/articles/${id}?status=draft&include=state`)).data.state[0].status;
  assert.deepEqual([textOf((await stored(id)).body)[0], await state()], ['One block of Ada', 'draft']);
  await press(ada, 'Publish');
  await ada.getByText('Everybody sees this.').first().waitFor();
});

test('what is asked is asked again after a reload', async (t) => {
  const { ada, grace: other } = await both(t, five);
  await behind(ada, body(ada), 'Two block');
  await ada.keyboard.type(' of Ada');
  await behind(other, body(other), 'Two block');
  await other.keyboard.type(' of Grace');
  await save(other);
  const asks = ada.getByText('Grace Hopper has changed a field that you have changed too.');
  await asks.waitFor();
  await ada.waitForFunction(
    () =>
      new Promise((answer) => {
        const opening = indexedDB.open('quire-admin');
        opening.onsuccess = () => {
          const all = opening.result.transaction('records').objectStore('records').getAll();
          all.onsuccess = () => answer(JSON.stringify(all.result).includes('Two block of Grace'));
        };
      }),
  );
  await ada.reload();
  await asks.waitFor();
});
