// What is done to whole documents: at a time, by links for others, copied; and files that
// are pasted and dropped.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { everyLook, enter, open, ownersApi, share, signIn } from './browser.mjs';
import { api, owner, serve, setUp, soon } from './site.mjs';

const uid = 'api::article.article';
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==';

let shared;
share(
  async (all) => (shared = { ...all, api: await ownersApi(all) }),
  (t) => serve(t, 'kinds'),
);

let made = 0;
async function article(data = {}) {
  made++;
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title: `Deed ${made}`, slug: `deed-${made}`, ...data } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  return { id: answer.data.documentId, path: `/content/${uid}/${answer.data.documentId}` };
}
const stored = async (id, more = '') => (await shared.api('GET', `/content/articles/${id}?status=draft&populate[*]=2${more}`)).data;

// opened shows a path of the admin to somebody who signs in there.
async function opened(t, path, who = owner, options = {}) {
  const page = await open(t, shared.browser, shared.site, options);
  await page.goto(`/admin${path}`);
  await signIn(page, who);
  return page;
}
const title = (page) => page.getByRole('textbox', { name: 'Title', exact: true });
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const choose = async (page, name) => {
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name }).click();
};
async function save(page) {
  await press(page, 'Save');
  await page.getByText(/^Saved (just|\d)/).first().waitFor();
}

// give pastes or drops files where a person would.
async function give(place, kind, files) {
  await place.evaluate(
    (element, [event, list]) => {
      const data = new DataTransfer();
      for (const { name, type, base64 } of list) data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
      const box = element.getBoundingClientRect();
      const shared = { bubbles: true, cancelable: true, composed: true };
      if (event === 'paste') return void element.dispatchEvent(new ClipboardEvent('paste', { ...shared, clipboardData: data }));
      for (const name of ['dragenter', 'dragover', 'drop']) {
        element.dispatchEvent(new DragEvent(name, { ...shared, dataTransfer: data, clientX: box.left + 8, clientY: box.top + 8 }));
      }
    },
    [kind, files],
  );
}
const picture = (name) => ({ name, type: 'image/png', base64: png });

test('files are pasted and dropped into a field of files', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  const [gallery, cover] = ['Gallery', 'Cover'].map((name) => page.getByRole('group', { name, exact: true }));
  await gallery.waitFor();
  await give(gallery, 'drop', [picture('dropped.png'), picture('second.png')]);
  await gallery.getByRole('textbox', { name: 'Alternative text of second.png' }).waitFor();
  await gallery.getByRole('textbox', { name: 'Alternative text of dropped.png' }).waitFor();
  await give(gallery, 'paste', [picture('pasted.png')]);
  await gallery.getByRole('textbox', { name: 'Alternative text of pasted.png' }).waitFor();
  await give(cover, 'drop', [{ name: 'notes.txt', type: 'text/plain', base64: btoa('notes') }]);
  await page.getByText('Cover does not take files such as notes.txt.').first().waitFor();
  await give(cover, 'paste', [picture('cover.png')]);
  await cover.getByRole('textbox', { name: 'Alternative text of cover.png' }).waitFor();
  await save(page);
  const entry = await stored(id);
  assert.deepEqual(entry.gallery.map(({ name }) => name).sort(), ['dropped.png', 'pasted.png', 'second.png']);
  assert.equal(entry.cover.name, 'cover.png');
});

test('pictures are pasted and dropped into a text', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  const body = page.getByRole('textbox', { name: 'Body' });
  await body.click();
  await page.keyboard.type('Before');
  await give(body, 'paste', [picture('pasted.png')]);
  await body.getByRole('img').first().waitFor();
  await give(body, 'drop', [picture('dropped.png')]);
  await body.getByRole('img').nth(1).waitFor();
  await save(page);
  const images = (await stored(id)).body.filter(({ type }) => type === 'image').map(({ image }) => image.name);
  assert.deepEqual(images.sort(), ['dropped.png', 'pasted.png']);
});

test('what is scheduled is done at its time, and is seen where the document is open', async (t) => {
  const { id, path } = await article();
  const page = await opened(t, path);
  await title(page).waitFor();
  await choose(page, 'Schedule…');
  const dialog = page.getByRole('dialog', { name: 'Schedule' });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
  await dialog.getByLabel('When').fill(tomorrow);
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  const side = page.getByRole('complementary', { name: 'About this document' });
  await side.getByText('Scheduled').waitFor();
  const schedule = `/content/articles/${id}/schedule`;
  const { data: [planned] } = await shared.api('GET', schedule);
  assert.equal(planned.at, `${tomorrow}.000Z`);

  await shared.api('DELETE', `${schedule}/${planned.id}`);
  const again = await soon((at) => shared.api('POST', `/content/articles/${id}/actions/publish`, { at }));
  assert.equal(again.status, 202, JSON.stringify(again));
  await side.getByText('Everybody sees this.').waitFor();
  await side.getByText('Scheduled').waitFor({ state: 'detached' });
  const seen = await fetch(`${shared.site.origin}/api/articles/${id}`);
  assert.equal(seen.status, 200);
});

test('what waits for a hook that is down says why, and when it is tried again', async (t) => {
  const hook = createServer((_, response) => hook.emit('asked', response.writeHead(500).end())).listen(0, '127.0.0.1');
  t.after(() => hook.close());
  await once(hook, 'listening');
  const url = `http://127.0.0.1:${hook.address().port}/`;
  const site = await serve(t, 'kinds', undefined, { hooks: [{ name: 'prices', url, events: ['publish'] }] });
  await setUp(site);
  const { browser } = shared;
  const ask = await ownersApi({ browser, site, t });
  const { data } = await ask('POST', '/content/articles?status=draft', { data: { title: 'Waits', slug: 'waits' } });
  const first = once(hook, 'asked');
  const planned = await soon((at) => ask('POST', `/content/articles/${data.documentId}/actions/publish`, { at }));
  assert.equal(planned.status, 202, JSON.stringify(planned));
  await first;
  await once(hook, 'asked'); // again: so it is stored by now that it waits
  const shows = async (page, again) => {
    await enter(page.context(), site);
    await page.goto(`/admin/content/${uid}/${data.documentId}`);
    const schedule = page.getByRole('complementary').locator('.side-section').filter({ has: page.locator('#side-schedule') });
    await schedule.getByText('The hook "prices" could not be asked').waitFor();
    await schedule.getByText(again).waitFor();
  };
  await everyLook(t, browser, site, 'editor-waits', (page) => shows(page, /Tried again .*\d:\d\d/));
  await shows(await open(t, browser, site, { locale: 'de-DE' }), /Nächster Versuch: .*\d:\d\d/);
});

test('a preview link opens the draft without a session until its account has another password', async (t) => {
  const { id, path } = await article({ summary: 'Only a draft' });
  const person = { name: 'Pia', email: 'pia@example.org', password: 'a first password' };
  const hired = await shared.api('POST', '/accounts', { ...person, role: 'editor' });
  assert.equal(hired.status, 201, JSON.stringify(hired));
  const page = await opened(t, path, person, { permissions: ['clipboard-read', 'clipboard-write'] });
  await title(page).waitFor();
  await choose(page, 'Copy preview link');
  await page.getByText(/^The preview link was copied. It is valid until/).first().waitFor();
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  assert.equal(link.origin, 'https://example.org');
  const token = link.searchParams.get('previewToken');
  const ask = (query) => fetch(`${shared.site.origin}/api/articles/${id}?${query}`);
  assert.equal((await ask('')).status, 404);
  const shown = await ask(`previewToken=${token}`);
  assert.equal((await shown.json()).data.summary, 'Only a draft');
  const { status } = await api(page.context(), shared.site, 'PUT', '/session/password', { current: person.password, password: 'a second password' });
  assert.equal(status, 204);
  assert.ok([401, 403].includes((await ask(`previewToken=${token}`)).status));
});

test('a copy has what the document has in all languages, and an address of its own', async (t) => {
  const { id, path } = await article({ title: 'Twice', slug: 'twice', summary: 'In English', seats: 7 });
  await shared.api('PUT', `/content/articles/${id}?locale=de&status=draft`, { data: { title: 'Zweimal', summary: 'Auf Deutsch' } });
  const page = await opened(t, path);
  await title(page).waitFor();
  await choose(page, 'Duplicate');
  await page.getByText('“Twice” was duplicated; this is the copy').first().waitFor();
  await page.waitForURL((url) => url.pathname.includes(uid) && !url.pathname.endsWith(id));
  const copy = new URL(page.url()).pathname.split('/').pop();
  await page.waitForFunction(() => [...document.querySelectorAll('input')].every((field) => field.value !== 'twice')); // the form of the other is gone
  assert.equal(await page.getByRole('textbox', { name: 'Summary' }).inputValue(), 'In English');
  const [english, german] = [await stored(copy, '&locale=en'), await stored(copy, '&locale=de')];
  assert.deepEqual([english.summary, english.seats, german.summary], ['In English', 7, 'Auf Deutsch']);
  assert.ok(english.slug === null || english.slug !== 'twice', `the address is ${english.slug}`);
  await page.getByRole('textbox', { name: 'Slug' }).fill('twice-more');
  await save(page);
  await press(page, 'Publish');
  await page.getByText('Everybody sees this.').waitFor();
  assert.equal((await stored(id)).slug, 'twice');
  assert.equal((await stored(copy)).slug, 'twice-more');
});
