// Suggestions of a language model: a person takes them or leaves them, and the history says so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { everyLook, look, ownersApi, share, signedIn, signIn } from './browser.mjs';
import { serve } from './site.mjs';

process.env.QUIRE_MODEL_KEY = 'key-of-the-test';

const received = []; // what the model gets
let answer = (texts) => texts.map((text) => `de: ${text}`);

// model is a server that answers as a language model; null is an error.
async function model(t) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    received.push({ key: request.headers.authorization, body });
    const { content } = JSON.parse(body).messages[1];
    const said = answer(typeof content === 'string' ? JSON.parse(content) : []);
    response.writeHead(said === null ? 500 : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(said) } }] }));
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/v1/chat/completions`;
}

let shared, id, ask;
share(
  async (all) => {
    shared = all;
    ask = await ownersApi(all);
    id = await article('The Blue Door');
  },
  async (t) => serve(t, './kinds/', undefined, { admin: { model: { url: await model(t), name: 'fake-1', pictures: true, calls: 1000 } } }),
);

// article makes an article in English.
async function article(title) {
  const body = [{ type: 'paragraph', children: [{ type: 'text', text: 'Come ' }, { type: 'text', text: 'early', bold: true }] }];
  const { data } = await ask('POST', '/content/articles?status=draft&locale=en', { data: { title, summary: 'Fish on the quay', body, internal_note: 'CANARY' } });
  return data.documentId;
}

const path = (id, locale) => `/content/api::article.article/${id}?locale=${locale}`;
const field = (page, name) => page.getByRole('textbox', { name, exact: true });

// fill asks for suggestions for the German version from the English one.
async function fill(page) {
  await page.getByRole('button', { name: 'Locale: German' }).click();
  await page.getByRole('group', { name: 'Fill with suggestions from' }).getByRole('menuitem', { name: 'English' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suggestions from English' });
  await dialog.waitFor();
  return dialog;
}

test('a locale is filled: one suggestion is taken and one is left, with the keyboard, and the history says so', async (t) => {
  const page = await signedIn(t, shared.browser, shared.site, path(id, 'de'));
  await field(page, 'Title').waitFor();
  const dialog = await fill(page);
  const take = dialog.getByRole('button', { name: 'Take the suggestion for Title' });
  await dialog.getByRole('button', { name: 'Take the suggestion for Body' }).waitFor();
  await dialog.getByText('de: The Blue Door').waitFor();
  await take.focus();
  await page.keyboard.press('Enter');
  await page.locator('button:focus', { hasText: 'Take' }).and(dialog.getByRole('button', { name: 'Take the suggestion for Summary' })).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.getByRole('listitem').getByText('Left', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Take 1 suggestion' }).click();
  await page.locator('button:focus').and(dialog.getByRole('button', { name: 'Close' }).last()).waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await field(page, 'Title').inputValue(), 'de: The Blue Door');
  assert.equal(await field(page, 'Summary').inputValue(), '');
  assert.equal(await page.getByText('Has a suggestion of the language model').count(), 2);
  assert.equal((await ask('GET', `/content/articles/${id}?locale=de&status=draft`)).status, 404, 'nothing is saved yet');

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Has a suggestion of the language model').first().waitFor({ state: 'detached' });
  const { data } = await ask('GET', `/content/articles/${id}?locale=de&status=draft`);
  assert.equal(data.title, 'de: The Blue Door');
  assert.equal(data.summary, null);
  assert.deepEqual(data.body[0].children, [{ type: 'text', text: 'de: Come ' }, { type: 'text', text: 'de: early', bold: true }]);
  await page.goto(`/admin/content/api::article.article/${id}/history?locale=de`);
  await page.getByText('with suggestions of fake-1').waitFor();
  await page.goto(`/admin/content/api::article.article/${id}/history?locale=en`);
  await page.getByRole('heading', { name: /History of/ }).waitFor();
  assert.equal(await page.getByText('with suggestions').count(), 0);

  const sent = JSON.stringify(received);
  assert.ok(sent.includes('Fish on the quay') && !sent.includes('CANARY'), sent);
  assert.ok(received.every(({ key }) => key === 'Bearer key-of-the-test'));
});

test('a text is shortened, also after the model has failed once', async (t) => {
  const one = await article('A long title of an article');
  const page = await signedIn(t, shared.browser, shared.site, path(one, 'en'));
  answer = () => null;
  t.after(() => (answer = (texts) => texts.map((text) => `de: ${text}`)));
  await page.getByRole('button', { name: 'Suggestions for Title' }).click();
  await page.getByRole('menuitem', { name: 'Shorten…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Shorten Title' });
  await dialog.getByText('The language model answers with an error (500)').waitFor();
  await look(page, 'suggestion-failed');
  answer = () => ['A title'];
  await dialog.getByRole('button', { name: 'Try again: Title' }).click();
  await dialog.getByRole('button', { name: 'Take the suggestion for Title' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await field(page, 'Title').inputValue(), 'A title');
});

test('a picture is described', async (t) => {
  const form = new FormData();
  form.append('files', new Blob([readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url))], { type: 'image/jpeg' }), 'quay.jpg');
  await fetch(`${shared.site.origin}/api/upload`, { method: 'POST', headers: { Authorization: `Bearer ${shared.site.token}` }, body: form });
  answer = () => ['A quay in the morning'];
  t.after(() => (answer = (texts) => texts.map((text) => `de: ${text}`)));
  const page = await signedIn(t, shared.browser, shared.site, '/media');
  await page.getByRole('option', { name: /^quay.jpg/ }).dblclick();
  await page.getByRole('button', { name: 'Suggest an alternative text' }).click();
  await page.getByRole('button', { name: 'Take the suggestion for Alternative text' }).click();
  const text = page.getByRole('textbox', { name: 'Alternative text' });
  assert.equal(await text.inputValue(), 'A quay in the morning');
  assert.match(received.at(-1).body, /data:image\/jpeg;base64,/);
});

test('suggestions look as they should', async (t) => {
  await everyLook(t, shared.browser, shared.site, 'suggestions', async (page) => {
    await page.goto(`/admin${path(id, 'de')}`);
    await signIn(page);
    await field(page, 'Title').waitFor();
    const dialog = await fill(page);
    await dialog.getByRole('button', { name: 'Take the suggestion for Body' }).waitFor();
  });
});
