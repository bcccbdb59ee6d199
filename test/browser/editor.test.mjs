// The editor of documents: every kind of field, and that nothing typed is ever lost. The
// site in kinds has an attribute of every type.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, look, open, ownersApi, share, sizes } from './browser.mjs';
import { api, owner, serve, setUp } from './site.mjs';

const uid = 'api::article.article';
const picture = {
  name: 'door.png',
  mimeType: 'image/png',
  buffer: Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==', 'base64'),
};

let shared;
share(
  async (all) => {
    shared = { ...all, api: await ownersApi(all) };
    for (const name of ['Ada', 'Grace', 'Mary']) await shared.api('POST', '/content/authors?status=draft', { data: { name } });
    for (const name of ['red', 'green', 'blue', 'white']) await shared.api('POST', '/content/tags', { data: { name } });
  },
  (t) => serve(t, 'kinds'),
);

// opened shows a path below /admin to somebody who is signed in.
async function opened(t, path, options) {
  const page = await open(t, shared.browser, shared.site, options);
  await enter(page.context(), shared.site, options?.as);
  await page.goto(`/admin${path}`);
  await title(page).waitFor();
  return page;
}

let made = 0;
async function article(data = {}) {
  made++;
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title: `Article ${made}`, slug: `article-${made}`, ...data } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  return { id: answer.data.documentId, path: `/content/${uid}/${answer.data.documentId}` };
}
const stored = async (id) => (await shared.api('GET', `/content/articles/${id}?status=draft&populate[*]=2`)).data;

const title = (page) => page.getByRole('textbox', { name: 'Title', exact: true });
const summary = (page) => page.getByRole('textbox', { name: 'Summary' });
// whole waits until all that the page of a document loads is there.
async function whole(page) {
  for (const name of ['Body', 'Notes', 'Facts']) await page.getByRole('textbox', { name }).waitFor();
  await page.getByRole('region', { name: 'Review' }).waitFor();
}
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const says = (page, text) => page.getByText(text).first().waitFor();
async function save(page) {
  await press(page, 'Save');
  await says(page, /^Saved (just|\d)/);
}

// idOf returns the id of the document that is shown. The address of a new one has it soon
// after it was saved.
async function idOf(page) {
  const address = /\/([a-z0-9]{24})\?/;
  await page.waitForURL(address);
  return address.exec(page.url())[1];
}

// typed waits until a text is kept on the device.
async function kept(page, text) {
  await page.waitForFunction(
    (wanted) =>
      new Promise((answer) => {
        const opening = indexedDB.open('quire-admin');
        opening.onsuccess = () => {
          const all = opening.result.transaction('records').objectStore('records').getAll();
          all.onsuccess = () => answer(JSON.stringify(all.result).includes(wanted));
        };
      }),
    text,
  );
}

test('a field is found by its label alone, also when it is required or was just changed', async (t) => {
  const page = await opened(t, `/content/${uid}/new`);
  await page.getByLabel('Title', { exact: true }).fill('The Blue Door');
  for (const [label, text] of [['Summary', 'A door'], ['Contact', 'ada@example.org'], ['Seats', '4'], ['Body', 'Blocks'], ['Facts', '1']]) {
    await page.getByLabel(label).fill(text);
    await page.getByLabel(label).blur();
  }
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Upload for Cover' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Upload for Cover' }).count(), 1);
});

test('an article with every kind of attribute is written, published, seen, changed and taken back', async (t) => {
  const page = await opened(t, `/content/${uid}/new`);
  await title(page).fill('The Blue Door');
  await summary(page).fill('A door that is blue');
  await page.getByRole('textbox', { name: 'Body' }).click();
  await page.keyboard.type('Hello blocks');
  await page.getByRole('textbox', { name: 'Notes' }).click();
  await page.keyboard.type('Hello *Markdown*');
  await page.getByLabel('Contact').fill('ada@example.org');
  await page.getByLabel('Secret', { exact: true }).fill('open sesame');
  await page.getByLabel('Mood').selectOption('calm');
  await page.getByLabel('Seats').fill('42');
  await page.getByLabel('Views').fill('9223372036854775807');
  await page.getByLabel('Ratio').fill('0.1');
  await page.getByLabel('Price').fill('12.50');
  await page.getByRole('switch', { name: 'Featured' }).check({ force: true });
  await page.getByLabel('Opened').fill('2026-03-01');
  await page.getByLabel('Opens').fill('08:30');
  await page.getByLabel('Held').fill('2026-03-01T10:00');
  await page.getByLabel('Seen').fill('2026-03-01T11:00');
  await page.getByRole('textbox', { name: 'Facts' }).fill('{"digits": 12345678901234567890}');
  await page.getByRole('textbox', { name: 'Code' }).fill('ABC-12');
  await page.getByLabel('Internal note').fill('not public');

  await page.locator('input[type=file]').first().setInputFiles(picture);
  await page.getByRole('textbox', { name: 'Alternative text of door.png' }).fill('A blue door');
  await press(page, 'Choose files for Gallery');
  await page.getByRole('dialog').getByRole('button', { name: 'door.png' }).click();
  await press(page, 'Add 1 file');

  await page.getByRole('combobox', { name: 'Author' }).fill('Gra');
  await page.getByRole('option', { name: 'Grace' }).click();
  for (const tag of ['red', 'green', 'blue']) {
    await page.getByRole('combobox', { name: 'Tags' }).fill(tag);
    await page.getByRole('option', { name: tag }).first().click();
  }
  await page.getByLabel('Kind of About').selectOption({ label: 'Tag' });
  await page.getByRole('combobox', { name: 'About', exact: true }).fill('white');
  await page.getByRole('option', { name: 'white' }).first().click();

  await press(page, 'Add Seo');
  await page.getByLabel('Meta title').fill('Blue');
  await press(page, 'Add Hours');
  await page.getByLabel('Day').selectOption('mon');
  await press(page, 'Add to Sections');
  await page.getByRole('menuitem', { name: 'Quote' }).click();
  await page.getByRole('textbox', { name: 'Quote' }).fill('Well said');
  await save(page);

  const id = await idOf(page);
  const draft = await stored(id);
  assert.deepEqual(
    [draft.slug, draft.summary, draft.body[0].children[0].text, draft.notes, draft.contact, draft.mood, draft.seats, draft.views, draft.ratio, draft.price, draft.featured],
    ['the-blue-door', 'A door that is blue', 'Hello blocks', 'Hello *Markdown*', 'ada@example.org', 'calm', 42, '9223372036854775807', 0.1, 12.5, true],
  );
  assert.deepEqual([draft.opened, draft.opens, draft.held, draft.seen, draft.code, draft.internal_note], ['2026-03-01', '08:30:00', '2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z', 'ABC-12', 'not public']);
  assert.deepEqual([draft.cover.name, draft.gallery.length, draft.author.name, draft.tags.map((x) => x.name), draft.about.map((x) => x.name)], ['door.png', 1, 'Grace', ['red', 'green', 'blue'], ['white']]);
  assert.deepEqual([draft.seo.metaTitle, draft.hours[0].day, draft.sections.map((x) => x.quote)], ['Blue', 'mon', ['Well said']]);
  const raw = await page.request.get(`/admin/api/v1/content/articles/${id}?status=draft&fields=facts`);
  assert.match(await raw.text(), /"digits":12345678901234567890/, 'no digit of JSON is lost');
  const file = await shared.api('GET', `/content/upload/files/${draft.cover.id}`);
  assert.equal(file.alternativeText, 'A blue door');

  await press(page, 'Publish');
  await says(page, 'Everybody sees this.');
  const published = await (await fetch(`${shared.site.origin}/api/articles/${id}`)).json();
  assert.equal(published.data.title, 'The Blue Door');
  assert.ok(!('internal_note' in published.data) && !('secret' in published.data));

  await title(page).fill('The Red Door');
  await save(page);
  await says(page, 'Modified');
  await press(page, 'Unpublish');
  await says(page, 'Nobody sees it yet.');
  assert.equal((await fetch(`${shared.site.origin}/api/articles/${id}`)).status, 404);
  assert.equal((await stored(id)).title, 'The Red Door');
});

test('a new document begins in its first field', async (t) => {
  const page = await opened(t, `/content/${uid}/new`);
  await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent === 'Title');
  await page.keyboard.type('Typed at once');
  assert.equal(await title(page).inputValue(), 'Typed at once');
  await page.goto(`/admin/content/${uid}`);
  await page.getByRole('link', { name: 'Create new entry' }).or(page.getByRole('button', { name: 'Create new entry' })).first().click();
  await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent === 'Title');
  const { path } = await article();
  await page.goto(`/admin${path}`);
  await title(page).waitFor();
  assert.equal(await title(page).evaluate((field) => field === document.activeElement), false);
});

test('the URL of a new document changes when it is saved, and the page stays', async (t) => {
  const page = await opened(t, `/content/${uid}/new`);
  await title(page).fill('Typing on');
  await title(page).evaluate((field) => (field.dataset.same = 'yes'));
  await page.keyboard.press('Control+s');
  await page.waitForURL(/article\/[a-z0-9]{24}/);
  assert.equal(await title(page).evaluate((field) => field.dataset.same), 'yes');
  assert.equal(await title(page).evaluate((field) => field === document.activeElement), true);
});

test('sections and links are put in order by keyboard, and stay so', async (t) => {
  const { data: tags } = await shared.api('GET', '/content/tags?sort=name');
  const { id, path } = await article({
    tags: tags.map((x) => x.documentId),
    sections: [{ __component: 'section.quote', quote: 'one' }, { __component: 'section.text', heading: 'two' }, { __component: 'section.quote', quote: 'three' }],
  });
  const page = await opened(t, path);
  await page.getByRole('button', { name: 'Move Quote 3', exact: true }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.getByRole('button', { name: 'Move white', exact: true }).focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Move blue', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  await save(page);
  const draft = await stored(id);
  assert.deepEqual(draft.sections.map((x) => x.quote ?? x.heading), ['three', 'one', 'two']);
  assert.deepEqual(draft.tags.map((x) => x.name), ['white', 'green', 'blue', 'red']);
  await page.reload();
  await page.getByRole('button', { name: 'Move Quote 1', exact: true }).waitFor();
  assert.deepEqual((await page.getByRole('list', { name: 'Tags' }).getByRole('button', { name: /^Edit / }).allInnerTexts()), ['white', 'green', 'blue', 'red']);
});

test('a thousand links are as quick as ten, and the last one can be the first', async (t) => {
  const batch = (from) => ({ requests: Array.from({ length: 500 }, (_, i) => ({ method: 'POST', url: '/api/tags', body: { data: { name: `tag ${from + i}` } } })) });
  const tags = [];
  for (const from of [0, 500]) tags.push(...(await shared.api('POST', '/content/_batch', batch(from))).data.map((made) => made.body.data.documentId));
  const { id, path } = await article({ tags });
  const page = await opened(t, path);
  const list = page.getByRole('list', { name: 'Tags' });
  await page.getByText('1,000 links', { exact: true }).waitFor();
  assert.ok((await list.getByRole('listitem').count()) < 60, 'rows out of sight are not on the page');
  await page.getByRole('button', { name: 'Move tag 0', exact: true }).focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Move tag 0');
  await page.keyboard.press('ArrowUp');
  await save(page);
  const names = (await stored(id)).tags.map((tag) => tag.name);
  assert.deepEqual([names.length, names[0], ...names.slice(-3)], [1000, 'tag 1', 'tag 998', 'tag 0', 'tag 999']);
});

test('two clicks on Publish publish once, and what was taken back has one Publish', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await page.getByRole('button', { name: 'Publish', exact: true }).dblclick();
  await press(page, 'Unpublish');
  await page.getByRole('button', { name: 'Publish again' }).waitFor();
  await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Publish', exact: true }).count(), 1);
  const history = await shared.api('GET', `/content/articles/${id}/history`);
  assert.equal(history.data.filter((version) => version.action === 'publish').length, 1, JSON.stringify(history));
});

test('what somebody else saves while one publishes is shown before it is published', async (t) => {
  const { id, path } = await article({ summary: 'Mine' });
  const page = await opened(t, path);
  const before = async (route) => {
    await shared.api('PUT', `/content/articles/${id}?status=draft`, { data: { summary: 'Theirs' } });
    await route.continue();
  };
  await page.route('**/actions/publish*', before, { times: 1 });
  await press(page, 'Publish');
  await says(page, 'Somebody else has saved this document meanwhile.');
  await page.waitForFunction(() => [...document.querySelectorAll('textarea')].some((field) => field.value === 'Theirs'));
  const { data } = await shared.api('GET', `/content/articles/${id}?status=draft&fields=title&include=state`);
  assert.equal(data.state[0].status, 'draft');
  await press(page, 'Publish');
  await says(page, 'Everybody sees this.');
});

test('what is created in place begins in its first field, without a status where it has none', async (t) => {
  const { path } = await article();
  const page = await opened(t, path);
  await page.getByRole('combobox', { name: 'Tags' }).fill('red');
  await page.getByRole('combobox', { name: 'Tags' }).fill('redder');
  await page.getByRole('option', { name: /^Create/ }).click();
  const drawer = page.getByRole('dialog', { name: 'New Tag' });
  await page.waitForFunction(() => document.activeElement?.value === 'redder');
  assert.equal(await drawer.getByText('Draft').count(), 0);
  await drawer.getByLabel('Name', { exact: true }).fill('red');
  await drawer.getByRole('button', { name: 'Save', exact: true }).click();
  await drawer.getByText('Another document has this already.').first().waitFor();
});

test('a document that is not there says so under a heading, and leads back', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site);
  await page.goto(`/admin/content/${uid}/nothing-of-this-name`);
  await page.getByRole('heading', { level: 1, name: 'There is no such document' }).waitFor();
  await look(page, 'editor-missing');
  await page.getByRole('main').getByRole('link', { name: 'Back to Article' }).click();
  await page.waitForURL(/article.article$/);
});

test('a section is moved with the mouse', async (t) => {
  const { id, path } = await article({ sections: ['one', 'two', 'three', 'four'].map((quote) => ({ __component: 'section.quote', quote })) });
  const page = await opened(t, path);
  await whole(page); // what is above has its height
  const handle = page.getByRole('button', { name: 'Move Quote 1', exact: true });
  await handle.scrollIntoViewIfNeeded();
  const from = await handle.boundingBox();
  const to = await page.getByRole('button', { name: 'Move Quote 3', exact: true }).boundingBox();
  await page.mouse.move(from.x + 5, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + to.height, { steps: 5 });
  await page.mouse.up();
  await save(page);
  assert.deepEqual((await stored(id)).sections.map((x) => x.quote), ['two', 'three', 'one', 'four']);
});

test('a component is inserted between others, duplicated, removed and brought back', async (t) => {
  const { id, path } = await article({ sections: [{ __component: 'section.quote', quote: 'one' }, { __component: 'section.quote', quote: 'two' }] });
  const page = await opened(t, path);
  await page.getByRole('button', { name: 'Insert before Quote 2' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Text' }).click();
  await page.getByRole('textbox', { name: 'Heading' }).fill('between');
  await press(page, 'Actions of Quote 1');
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await press(page, 'Delete Quote 4');
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
  await save(page);
  assert.deepEqual((await stored(id)).sections.map((x) => x.quote ?? x.heading), ['one', 'one', 'between', 'two']);
});

test('another locale begins with what all share, and leaves that alone', async (t) => {
  const { id, path } = await article({ title: 'English', featured: true, seats: 7, mood: 'merry', seo: { metaTitle: 'Meta' } });
  const page = await opened(t, `${path}?locale=de`);
  assert.deepEqual([await title(page).inputValue(), await page.getByLabel('Seats').inputValue()], ['', '7']);
  await title(page).fill('Deutsch');
  await save(page);
  const [en, de] = await Promise.all(['en', 'de'].map(async (locale) => (await shared.api('GET', `/content/articles/${id}?status=draft&locale=${locale}&populate=seo`)).data));
  assert.deepEqual([en.title, de.title], ['English', 'Deutsch']);
  for (const each of [en, de]) assert.deepEqual([each.featured, each.seats, each.mood, each.seo.metaTitle], [true, 7, 'merry', 'Meta']);
});

test('a single type is written for the first time', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site);
  await page.goto('/admin/single/api::setting.setting');
  await page.getByRole('textbox', { name: 'Heading' }).fill('Welcome');
  await save(page);
  await press(page, 'Publish');
  await says(page, 'Everybody sees this.');
  assert.equal((await shared.api('GET', '/content/setting')).data.heading, 'Welcome');
});

test('a related document is made and changed beside the page', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await page.getByRole('combobox', { name: 'Author' }).fill('Emmy');
  await page.getByRole('option', { name: 'Create Author “Emmy”' }).click();
  const drawer = page.getByRole('dialog', { name: 'New Author' });
  await drawer.getByLabel('Biography').fill('Mathematician');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await press(page, 'Edit Emmy');
  await page.getByRole('dialog', { name: 'Emmy' }).getByRole('textbox', { name: 'Name' }).fill('Emmy Noether');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Edit Emmy Noether' }).waitFor();
  await save(page);
  const { author } = await stored(id);
  assert.deepEqual([author.name, author.biography], ['Emmy Noether', 'Mathematician']);
});

test('the side names what a document links to, and leads there', async (t) => {
  const find = async (path) => (await shared.api('GET', `/content/${path}`)).data[0].documentId;
  const [ada, red] = [await find('authors?status=draft&filters[name]=Ada'), await find('tags?filters[name]=red')];
  const { path } = await article({ author: ada, tags: [red] });
  const page = await opened(t, path);
  const fold = page.getByText('2 links from here');
  await fold.waitFor();
  const side = page.getByRole('complementary', { name: 'About this document' });
  assert.equal(await side.getByRole('link', { name: 'Ada' }).isVisible(), false);
  await fold.click();
  await side.getByRole('listitem').filter({ hasText: 'red' }).filter({ hasText: 'Tag' }).waitFor();
  await look(page, 'editor-links-from');
  await side.getByRole('link', { name: 'Ada' }).click();
  await page.waitForURL(new RegExp(`api::author.author/${ada}`));
  await page.getByText('1 link to this').waitFor();
});

test('a reload brings back what was typed, and it can be undone and discarded', async (t) => {
  const { path } = await article({ title: 'Before' });
  const page = await opened(t, path);
  await title(page).fill('After');
  await summary(page).fill('A summary');
  await kept(page, 'A summary');
  await page.reload();
  await says(page, /Restored what you typed/);
  assert.equal(await title(page).inputValue(), 'After');
  await title(page).focus();
  await page.keyboard.press('Control+z');
  assert.equal(await summary(page).inputValue(), '');
  await page.keyboard.press('Control+z');
  assert.equal(await title(page).inputValue(), 'Before');
  await page.keyboard.press('Control+y');
  await page.keyboard.press('Control+y');
  assert.equal(await summary(page).inputValue(), 'A summary');
  await press(page, 'Discard');
  assert.equal(await title(page).inputValue(), 'Before');
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
  assert.equal(await title(page).inputValue(), 'After');
});

test('a tab that is closed loses nothing', async (t) => {
  const { path } = await article();
  const page = await opened(t, path);
  await summary(page).fill('typed in a tab that is closed');
  await kept(page, 'typed in a tab that is closed');
  const other = await page.context().newPage();
  await page.close();
  await other.goto(`/admin${path}`);
  await says(other, /Restored what you typed/);
  assert.equal(await summary(other).inputValue(), 'typed in a tab that is closed');
});

test('what is typed is there on another device', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  const autosaved = page.waitForResponse((answer) => answer.url().includes(`/autosaves/${uid}/${id}`) && answer.request().method() === 'PUT' && answer.ok());
  await summary(page).fill('from another device');
  await autosaved;
  assert.equal((await stored(id)).summary, null, 'nothing is written into the document');
  const other = await opened(t, path);
  await says(other, /on another device/);
  assert.equal(await summary(other).inputValue(), 'from another device');
});

test('two windows that change different fields lose neither', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  const other = await opened(t, path);
  await title(other).fill('From the other window');
  await save(other);
  await summary(page).fill('From this window');
  await save(page);
  assert.equal(await title(page).inputValue(), 'From the other window');
  const draft = await stored(id);
  assert.deepEqual([draft.title, draft.summary], ['From the other window', 'From this window']);
});

test('two windows that change the same field are asked', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  const other = await opened(t, path);
  await title(page).fill('Mine');
  await title(other).fill('Theirs');
  await save(other);
  await press(page, 'Save');
  const dialog = page.getByRole('dialog', { name: 'You have changed the same in two windows' });
  await dialog.getByText('Theirs', { exact: true }).waitFor();
  await dialog.getByText('Mine', { exact: true }).waitFor();
  await dialog.getByRole('heading', { name: 'The other window' }).waitFor();
  await look(page, 'editor-conflict');
  await dialog.getByRole('button', { name: 'Keep this' }).click();
  await says(page, /^Saved (just|\d)/);
  assert.equal((await stored(id)).title, 'Mine');
});

test('links that two windows add and remove are merged one by one', async (t) => {
  const { data: tags } = await shared.api('GET', '/content/tags?sort=name&filters[name][$in]=blue&filters[name][$in]=green&filters[name][$in]=red&filters[name][$in]=white');
  const [blue, green, red, white] = tags.map((tag) => tag.documentId);
  const { id, path } = await article({ tags: [blue, green] });
  const page = await opened(t, path);
  const list = page.getByRole('list', { name: 'Tags' });
  await page.getByRole('button', { name: 'Remove blue', exact: true }).click();
  await page.getByRole('combobox', { name: 'Tags' }).fill('red');
  await page.getByRole('option', { name: 'red', exact: true }).click();
  await list.getByText('red').waitFor();
  await shared.api('PUT', `/content/articles/${id}?status=draft`, { data: { tags: [blue, green, white] } });
  await list.getByText('white').waitFor();
  assert.deepEqual(await list.getByRole('button', { name: /^Edit / }).allInnerTexts(), ['green', 'white', 'red']);
  assert.equal(await page.getByRole('button', { name: 'Compare' }).count(), 0, 'nothing is asked');
  await save(page);
  assert.deepEqual((await stored(id)).tags.map((tag) => tag.documentId), [green, white, red]);
});

test('Undo of Discard leaves what was typed since', async (t) => {
  const { path } = await article({ title: 'Before' });
  const page = await opened(t, path);
  await title(page).fill('Discarded');
  await summary(page).fill('Discarded as well');
  await page.getByRole('button', { name: 'More actions', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Discard changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
  await says(page, 'Your changes were discarded');
  await title(page).fill('Typed since');
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
  await says(page, 'Everything is back except Title');
  assert.equal(await title(page).inputValue(), 'Typed since');
  assert.equal(await summary(page).inputValue(), 'Discarded as well');
  await title(page).focus();
  await page.keyboard.press('Control+z');
  assert.equal(await summary(page).inputValue(), '');
  assert.equal(await title(page).inputValue(), 'Typed since');
});

test('others are seen, with where they are, and what they save appears while one types', async (t) => {
  const { id, path } = await article();
  const grace = { email: 'grace@example.org', password: 'nanoseconds everywhere' };
  assert.equal((await shared.api('POST', '/accounts', { name: 'Grace Hopper', role: 'editor', ...grace })).status, 201);
  const page = await opened(t, path);
  const other = await opened(t, path, { as: grace });
  await page.getByRole('list', { name: 'Also here' }).getByText('Grace Hopper has this open').waitFor();
  await summary(other).focus();
  await says(page, 'Grace Hopper is here');
  await title(page).fill('What I type');
  await summary(other).fill('What Grace types');
  await save(other);
  await page.waitForFunction(() => [...document.querySelectorAll('textarea')].some((field) => field.value === 'What Grace types'));
  assert.equal(await title(page).inputValue(), 'What I type');
  await title(other).fill('Another title');
  await save(other);
  await says(page, 'Grace Hopper has changed a field that you have changed too.');
  assert.equal(await title(page).inputValue(), 'What I type');
  await press(page, 'Compare');
  await press(page, 'Take theirs');
  assert.equal(await title(page).inputValue(), 'Another title');
  await summary(page).fill('Mine at last');
  await save(page);
  assert.deepEqual([(await stored(id)).title, (await stored(id)).summary], ['Another title', 'Mine at last']);
});

test('a document that somebody deletes is not lost to who types in it', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await title(page).fill('Still wanted');
  await shared.api('DELETE', `/content/articles/${id}`);
  await says(page, /Somebody has deleted this document/);
  await press(page, 'Save as a new document');
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await says(page, /^Saved (just|\d)/);
  assert.equal((await stored(await idOf(page))).title, 'Still wanted');
});

test('what happens before the stream of a page begins is not missed', async (t) => {
  const { id, path } = await article();
  const page = await open(t, shared.browser, shared.site);
  let begin;
  const held = new Promise((resolve) => (begin = resolve));
  await page.route('**/api/v1/live?*documentId*', async (route) => {
    await held;
    await route.continue();
  });
  await enter(page.context(), shared.site);
  await page.goto(`/admin${path}`);
  await title(page).fill('Still wanted');
  await shared.api('DELETE', `/content/articles/${id}`);
  begin();
  await says(page, /Somebody has deleted this document/);
});

test('a session that expires while one types is renewed, and the save goes on', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await title(page).fill('Typed after the end');
  await api(page.context(), shared.site, 'DELETE', '/session');
  await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click'); // the dialog may be there before, with all else inert
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await says(page, /^Saved (just|\d)/);
  assert.equal((await stored(id)).title, 'Typed after the end');
});

test('a save without a connection waits for it', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await whole(page);
  await page.context().setOffline(true);
  await title(page).fill('Typed offline');
  await press(page, 'Save');
  await says(page, 'Waiting for the server …');
  await summary(page).fill('and typed on');
  await page.context().setOffline(false);
  await says(page, /^Saved (just|\d)/);
  const draft = await stored(id);
  assert.equal(draft.title, 'Typed offline');
});

test('a form stays when a part beside it cannot be loaded', async (t) => {
  const { id, path } = await article();
  const page = await open(t, shared.browser, shared.site, {}, { mayFail: true });
  await enter(page.context(), shared.site);
  await page.route('**/review.js', (route) => route.abort());
  await page.goto(`/admin${path}`);
  await says(page, 'This part of the page could not be loaded.');
  await title(page).fill('Typed all the same');
  await save(page);
  assert.equal((await stored(id)).title, 'Typed all the same');
});

test('a server that is killed loses nothing that is typed', async (t) => {
  const site = await serve(t, 'kinds');
  await setUp(site);
  const page = await open(t, shared.browser, site);
  await enter(page.context(), site);
  await page.goto(`/admin/content/${uid}/new`);
  await title(page).fill('Before the crash');
  await save(page);
  await whole(page);
  const stopped = site.restart('SIGKILL');
  await title(page).fill('During the crash');
  await press(page, 'Save');
  await stopped;
  await says(page, /^Saved (just|\d)/);
  const list = await api(page.context(), site, 'GET', '/content/articles?status=draft&fields=title');
  assert.deepEqual(list.data.map((x) => x.title), ['During the crash']);
});

test('errors are said where they are, listed, and led to', async (t) => {
  const { path } = await article({ sections: [{ __component: 'section.quote' }] });
  const page = await opened(t, path);
  await title(page).fill('x'.repeat(61));
  await says(page, 'Enter at most 60 characters.');
  await says(page, '61 of 60');
  await title(page).fill('');
  await page.getByRole('group', { name: 'Quote 1' }).getByRole('button', { expanded: true }).click();
  await press(page, 'Publish');
  const alert = page.getByRole('alert');
  await alert.getByText('2 fields keep this from being published').waitFor();
  await page.waitForFunction((first) => first === document.activeElement, await title(page).elementHandle());
  await says(page, '1 error');
  await look(page, 'editor-errors');
  await alert.getByRole('button', { name: 'Sections, Quote 1, Quote' }).click();
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  await page.keyboard.type('Said');
  await title(page).fill('Enough');
  await press(page, 'Publish');
  await says(page, 'Everybody sees this.');
});

test('an address that is taken is said, and one that is made gets a number', async (t) => {
  const { path } = await article({ slug: 'taken' });
  const page = await opened(t, `/content/${uid}/new`);
  await title(page).fill('Taken');
  await page.waitForFunction(() => [...document.querySelectorAll('input')].some((field) => field.value === 'taken-2'));
  await page.getByRole('textbox', { name: 'Slug' }).fill('taken');
  await says(page, 'Another document has this already.');
  assert.ok(path);
});

test('a value that must be unique is asked about when its field is left', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site);
  await page.goto('/admin/content/api::tag.tag/new');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('red');
  await name.blur();
  await says(page, 'Another document has this already.');
  await press(page, 'Save');
  await page.getByRole('alert').getByText('1 field keeps this from being saved').waitFor();
  await name.fill('purple');
  await save(page);
});

test('keys save and undo in the drawer that is on top', async (t) => {
  const { path } = await article();
  const page = await opened(t, path);
  await page.getByRole('combobox', { name: 'Author' }).fill('Lise');
  await page.getByRole('option', { name: 'Create Author “Lise”' }).click();
  const drawer = page.getByRole('dialog', { name: 'New Author' });
  await drawer.getByLabel('Biography').fill('Physicist');
  await page.keyboard.press('Control+z');
  assert.equal(await drawer.getByLabel('Biography').inputValue(), '');
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Edit Lise' }).waitFor();
});

test('who may only read changes nothing and is told why', async (t) => {
  const reader = { email: 'reader@example.org', password: 'quiet as a mouse' };
  assert.equal((await shared.api('POST', '/accounts', { name: 'Rea Der', role: 'reader', ...reader })).status, 201);
  const { path } = await article();
  const page = await opened(t, path, { as: reader });
  await says(page, 'Your role may read Article, and not change it.');
  for (const name of ['Save', 'Publish', 'Unpublish']) assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  assert.equal(await title(page).isEditable(), false);
});

test('who may not publish writes drafts', async (t) => {
  const author = { email: 'author@example.org', password: 'words words words' };
  assert.equal((await shared.api('POST', '/accounts', { name: 'Au Thor', role: 'author', ...author })).status, 201);
  const page = await opened(t, `/content/${uid}/new`, { as: author });
  await title(page).fill('By an author');
  await save(page);
  assert.equal(await page.getByRole('button', { name: 'Publish', exact: true }).count(), 0);
  const { path } = await article();
  await page.goto(`/admin${path}`);
  await says(page, 'Your role may change only what you created.');
  assert.equal(await title(page).isEditable(), false);
});

test('the editor looks right, empty and full', async (t) => {
  const { data: tags } = await shared.api('GET', '/content/tags?sort=name');
  const { path } = await article({
    title: 'A title that is long enough to need more than one line',
    summary: 'Long words: Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
    tags: tags.map((x) => x.documentId),
    seo: { metaTitle: 'Meta' },
    hours: [{ day: 'mon' }, { day: 'tue' }],
    sections: [{ __component: 'section.quote', quote: 'one' }, { __component: 'section.text', heading: 'two' }, { __component: 'section.quote', quote: 'three' }, { __component: 'section.cards', heading: 'four', cards: [{ label: 'a' }] }],
  });
  for (const [name, at] of [['editor-full', path], ['editor-new', `/content/${uid}/new`]]) {
    await everyLook(t, shared.browser, shared.site, name, async (page) => {
      await enter(page.context(), shared.site);
      await page.goto(`/admin${at}`);
      await title(page).waitFor();
      await page.getByRole('textbox', { name: 'Facts' }).waitFor();
    });
  }
});

test('what can be pressed in a form on a phone is large enough for a finger', async (t) => {
  const { data: tags } = await shared.api('GET', '/content/tags');
  const { path } = await article({ tags: tags.map((x) => x.documentId), featured: true, hours: [{ day: 'mon' }, { day: 'tue' }], sections: [{ __component: 'section.quote', quote: 'one' }, { __component: 'section.text', heading: 'two' }] });
  const page = await opened(t, path, { viewport: sizes.phone, hasTouch: true });
  await page.getByRole('button', { name: 'Collapse all' }).first().waitFor();
  const small = await page.locator('button, summary, .side-link').evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      const shown = width > 1 && !one.closest('.visually-hidden');
      return shown && (width < 24 || height < 24) ? [`${one.ariaLabel || one.textContent}: ${width} by ${height}`] : [];
    }),
  );
  assert.deepEqual(small, []);
});

test('the form is usable on a phone', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path, { viewport: sizes.phone, hasTouch: true });
  await title(page).fill('From a phone');
  await save(page);
  assert.equal((await stored(id)).title, 'From a phone');
  const past = await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  assert.equal(past, 0, 'the window does not scroll past the end of the form');
});
