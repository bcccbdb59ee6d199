// Review: Ada asks Ben to look, Ben comments on a field, Ada answers and resolves, Ben moves the
// document to the stage from which Ada may publish it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, open, ownersApi, share } from './browser.mjs';
import { serve } from './site.mjs';

const uid = 'api::article.article';
const ben = { name: 'Ben', email: 'ben@example.org', password: 'analytical engine' };
const ana = { name: 'Ana', email: 'ana@example.org', password: 'analytical engine' };
let shared;
share(
  async (all) => {
    shared = { ...all, api: await ownersApi(all) };
    const role = await shared.api('POST', '/roles', { name: 'Reviewers', rights: { types: { '*': { actions: ['read'] } } } });
    await shared.api('POST', '/accounts', { ...ben, role: role.data.id });
    await shared.api('POST', '/accounts', { ...ana, role: 'editor' });
  },
  (t) => serve(t, 'kinds'),
);

async function article(title) {
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title, slug: title.toLowerCase().replaceAll(' ', '-') } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  return answer.data.documentId;
}
const pathOf = (id) => `/content/${uid}/${id}?locale=en`;

async function opened(t, path, as, options = {}) {
  const page = await open(t, shared.browser, shared.site, options, { mayFail: true });
  await enter(page.context(), shared.site, as);
  await page.goto(`/admin${path}`);
  return page;
}
const review = (page) => page.getByRole('region', { name: 'Review' });
const press = (where, name) => where.getByRole('button', { name, exact: true }).click();

async function stage(page, name) {
  await review(page).getByLabel('Stage').selectOption({ label: name });
  await press(review(page), 'Save review');
  await page.getByText('The review was saved').first().waitFor();
}

test('the stages of a type are set', async (t) => {
  const page = await opened(t, '/settings/stages');
  await page.getByLabel('Content type').selectOption(uid);
  await page.getByText('This type has no stages.').waitFor();
  for (const [i, name] of ['Writing', 'In review', 'Ready'].entries()) {
    await press(page, 'Add a stage');
    await page.getByLabel(`Name of stage ${i + 1}`).fill(name);
  }
  const group = (name) => page.getByRole('group', { name });
  await group('Documents come to “Ready” from').getByLabel('In review').check();
  await group('Who may move documents to “Ready”').getByLabel('Reviewers').check();
  await page.getByLabel('Publish from').selectOption('Ready');
  await press(page, 'Save stages');
  await page.getByText('The stages were saved').first().waitFor();
  await page.reload();
  await page.getByLabel('Name of stage 3').waitFor();
  assert.ok(await group('Who may move documents to “Ready”').getByLabel('Reviewers').isChecked());
});

test('a document is reviewed by two people, and published', async (t) => {
  const id = await article('Blue Door');
  const adas = await opened(t, pathOf(id), ana);
  await press(adas, 'Publish');
  await adas.getByText('This document is in the stage “Writing”; it can be published from “Ready” only.').first().waitFor();
  await review(adas).getByLabel('Assigned to').selectOption('Ben');
  await review(adas).getByLabel('Until').fill('2031-05-11');
  await stage(adas, 'In review');

  const bens = await opened(t, '/', ben);
  await bens.getByRole('heading', { name: 'Needs my review' }).waitFor();
  await bens.getByRole('link', { name: 'Blue Door' }).first().click();
  await review(bens).getByLabel('New comment').fill('@An');
  await press(review(bens), 'Mention Ana');
  await review(bens).getByLabel('New comment').pressSequentially('is it blue?');
  await review(bens).getByLabel('About').selectOption('Title');
  await press(review(bens), 'Comment');
  await review(bens).getByText('@Ana is it blue?').waitFor();

  await review(adas).getByText('@Ana is it blue?').waitFor(); // Ada's form is open, and hears of it
  await press(adas, '1 thread of comments');
  const thread = review(adas).getByRole('article', { name: 'Thread about Title' });
  await adas.waitForFunction(() => document.activeElement?.matches('.thread'));
  await thread.getByRole('button', { name: 'Answer' }).focus();
  await adas.keyboard.press('Enter');
  await adas.waitForFunction(() => document.activeElement?.matches('textarea')); // the answer is written at once
  await adas.keyboard.type('As the sea');
  await adas.keyboard.press('Control+Enter');
  await thread.getByText('As the sea').waitFor();
  await press(thread, 'Resolve');
  await review(adas).getByText('1 resolved thread').waitFor();

  await review(bens).getByText('1 resolved thread').waitFor();
  await stage(bens, 'Ready');
  await review(adas).getByText('Published from “Ready” only').waitFor({ state: 'detached' });
  await press(adas, 'Publish');
  await adas.getByText('Published', { exact: true }).first().waitFor();
  assert.equal((await fetch(`${shared.site.origin}/api/articles/${id}`)).status, 200);
});

test('what is said of a document looks right, also in German', async (t) => {
  const id = await article('Red Door');
  const me = (await shared.api('GET', '/session')).data.account.id;
  const place = `/reviews/${uid}/${id}`;
  await shared.api('POST', `${place}/comments`, { text: 'A long comment about the title, which goes over more than one line', field: 'title' });
  await shared.api('PUT', place, { assignee: me, due: '2031-05-11' });
  await everyLook(t, shared.browser, shared.site, 'review', async (page) => {
    await enter(page.context(), shared.site);
    await page.goto(`/admin${pathOf(id)}`);
    await review(page).getByText('A long comment').waitFor();
    await review(page).getByRole('button', { name: 'Answer' }).click();
    await review(page).scrollIntoViewIfNeeded();
  });
  await everyLook(t, shared.browser, shared.site, 'stages', async (page) => {
    await enter(page.context(), shared.site);
    await page.goto('/admin/settings/stages');
    await page.getByRole('button', { name: 'Save stages' }).waitFor();
  });
  await everyLook(t, shared.browser, shared.site, 'home-review', async (page) => {
    await enter(page.context(), shared.site);
    await page.goto('/admin/');
    await page.getByRole('heading', { name: 'Needs my review' }).waitFor();
  });
  const german = await opened(t, pathOf(id), undefined, { locale: 'de-DE' });
  await german.getByRole('region', { name: 'Prüfung' }).getByLabel('Neuer Kommentar').waitFor();
  await german.getByRole('button', { name: 'Veröffentlichen', exact: true }).click();
  await german.getByText('Dieses Dokument ist in der Stufe „Writing“; veröffentlicht wird es nur aus „Ready“.').first().waitFor();
});

test('a list shows stages and assignees, and is filtered by them', async (t) => {
  const page = await opened(t, `/content/${uid}`);
  const [first, second] = [await article('Only begun'), await article('Far along')];
  await shared.api('PUT', `/reviews/${uid}/${second}?locale=en`, { stage: (await shared.api('GET', `/reviews/${uid}/${second}?locale=en`)).data.stages.find(({ name }) => name === 'In review').id });
  const people = (await shared.api('GET', `/reviews/${uid}/${first}/people?locale=en`)).data;
  await shared.api('PUT', `/reviews/${uid}/${first}?locale=en`, { assignee: people.find(({ name }) => name === 'Ben').id });
  await page.reload();
  const row = (title) => page.getByRole('row').filter({ hasText: title });
  await row('Far along').getByText('In review').waitFor();
  await row('Only begun').getByText('Writing · Ben').waitFor();
  const filter = async (name, value) => {
    await press(page, 'Filter');
    await page.getByRole('combobox', { name: 'Filter by …' }).fill(name);
    await page.getByRole('option', { name, exact: true }).click();
    await page.getByRole('group', { name: 'Value' }).getByLabel(value).check();
    await press(page, 'Apply filter');
  };
  await filter('Stage', 'In review');
  await row('Only begun').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /Stage is In review/ }).first().waitFor();
  await page.reload();
  await row('Far along').waitFor();
  await press(page, 'Clear all');
  await filter('Assigned to', 'Ben');
  await row('Far along').waitFor({ state: 'detached' });
  await row('Only begun').waitFor();
  await page.getByRole('button', { name: /Assigned to is Ben/ }).first().waitFor();
});
