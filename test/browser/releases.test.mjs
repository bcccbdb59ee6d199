// Releases: documents that are published together, from a form or from a list, now or at a
// time; what would keep them from it, and what they did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, open, ownersApi, share } from './browser.mjs';
import { serve, soon } from './site.mjs';

const uid = 'api::article.article';
let shared;
share(
  async (all) => (shared = { ...all, api: await ownersApi(all) }),
  (t) => serve(t, 'kinds'),
);

let made = 0;
async function article(data = {}) {
  made++;
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title: `Page ${made}`, slug: `page-${made}`, ...data } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  return { id: answer.data.documentId, title: answer.data.title };
}
const step = ({ id }, more = {}) => ({ type: uid, documentId: id, action: 'publish', locales: ['en'], ...more });
async function release(name, steps, more = {}) {
  const answer = await shared.api('POST', '/content/_releases', { data: { name, steps, ...more } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  return answer.data.id;
}
const stored = async (id) => (await shared.api('GET', `/content/_releases/${id}`)).data;
const isPublic = async ({ id }) => (await fetch(`${shared.site.origin}/api/articles/${id}`)).status === 200;

// opened shows a path of the admin to somebody who is signed in.
async function opened(t, path, { as, ...options } = {}) {
  const page = await open(t, shared.browser, shared.site, options);
  await enter(page.context(), shared.site, as);
  await page.goto(`/admin${path}`);
  return page;
}
const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const rowOf = (page, text) => page.getByRole('row').filter({ hasText: text });

test('a release is made, filled from a form and from a list, and published', async (t) => {
  const [first, second, third] = [await article(), await article(), await article()];
  const page = await opened(t, '/');
  await page.getByRole('link', { name: 'Releases', exact: true }).click();
  await page.getByRole('heading', { name: 'There is no release yet' }).waitFor();
  await press(page, 'New release');
  const dialog = page.getByRole('dialog', { name: 'New release' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByText('Enter a name.').waitFor();
  await dialog.getByLabel('Name').fill('Winter menu');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Winter menu' }).waitFor();
  await page.getByText('There is nothing in it yet').waitFor();

  await page.goto(`/admin/content/${uid}/${first.id}?locale=en`);
  await page.getByRole('textbox', { name: 'Summary' }).fill('Typed before it is added');
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Add to a release…' }).click();
  const adding = page.getByRole('dialog', { name: 'Add to a release' });
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added to “Winter menu”').first().waitFor();

  await page.goto(`/admin/content/${uid}?q=Page`);
  for (const { title } of [second, third]) await page.getByRole('row').filter({ hasText: title }).getByRole('checkbox').check();
  await press(page, 'Add to a release…');
  const both = page.getByRole('dialog', { name: 'Add 2 documents to a release' });
  await both.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('2 documents were added to “Winter menu”').first().waitFor();
  await page.getByRole('button', { name: 'Open', exact: true }).click();

  await page.getByRole('heading', { level: 1, name: 'Winter menu' }).waitFor();
  for (const { title } of [first, second, third]) await rowOf(page, title).getByText('Draft').waitFor();
  await page.getByText('All of it can be published.').waitFor();
  await press(page, `Take ${third.title} out of the release`);
  await rowOf(page, third.title).waitFor({ state: 'detached' });
  await press(page, 'Publish now');
  await page.getByRole('dialog', { name: 'Publish “Winter menu” now?' }).getByRole('button', { name: 'Publish now' }).click();
  await page.getByText('“Winter menu” was published').first().waitFor();
  await rowOf(page, first.title).getByText('Published', { exact: true }).waitFor();
  assert.deepEqual([await isPublic(first), await isPublic(second), await isPublic(third)], [true, true, false]);
  await rowOf(page, second.title).getByRole('link', { name: 'History' }).click();
  await page.waitForURL(/\/history\?locale=en$/);
  await page.goto('/admin/releases');
  await page.getByRole('region', { name: 'Published' }).getByRole('link', { name: 'Winter menu' }).waitFor();
  const answer = await shared.api('GET', `/content/articles/${first.id}?locale=en`);
  assert.equal(answer.data.summary, 'Typed before it is added', 'what was typed is saved before it is added');
});

test('what would fail is said, with the field, before anything is published', async (t) => {
  const [good, bad] = [await article(), await article({ title: null })];
  const id = await release('Not ready', [step(good), step(bad)]);
  const page = await opened(t, `/releases/${id}`);
  await page.getByText('One document cannot be published as it is.').first().waitFor();
  await rowOf(page, 'Untitled').getByText('Title: Fill this in.').waitFor();
  const publish = page.getByRole('button', { name: 'Publish now', exact: true });
  assert.equal(await publish.getAttribute('aria-disabled'), 'true');
  await shared.api('PUT', `/content/articles/${bad.id}?status=draft&locale=en`, { data: { title: 'Has one now' } });
  await page.reload();
  await page.getByText('All of it can be published.').waitFor();
  await publish.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).click();
  await page.getByText('“Not ready” was published').first().waitFor();
  assert.ok((await isPublic(good)) && (await isPublic(bad)));
});

test('a release is given a time, shown in the calendar, done then, and seen where it is open', async (t) => {
  const one = await article();
  const id = await release('Later', [step(one)]);
  const page = await opened(t, `/releases/${id}`);
  await press(page, 'Schedule…');
  const dialog = page.getByRole('dialog', { name: 'Schedule the release' });
  await dialog.getByLabel('When').fill('2020-01-01T12:00');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.getByText('Choose a moment in the future.').waitFor();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await dialog.getByLabel('When').fill(`${tomorrow}T18:00`);
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await page.getByText(/^“Later” will be published/).first().waitFor();
  assert.equal((await stored(id)).at, `${tomorrow}T18:00:00.000Z`);

  const alone = await article();
  await shared.api('POST', `/content/articles/${alone.id}/actions/publish?locale=en`, { at: `${tomorrow}T19:30:00Z` });
  await page.goto(`/admin/releases/calendar?month=${tomorrow.slice(0, 7)}`);
  const day = page.getByRole('cell').filter({ has: page.locator(`time[datetime="${tomorrow}"]`) });
  await day.getByRole('link', { name: /6:00.PM Later/ }).waitFor();
  await day.getByRole('link', { name: new RegExp(`7:30.PM Publish ${alone.title}`) }).waitFor();
  const month = await page.locator('.calendar-head h2').textContent();
  await page.getByRole('link', { name: 'Month after' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((before) => document.querySelector('.calendar-head h2').textContent !== before, month);
  await page.getByRole('link', { name: 'Month before' }).click();
  await day.getByRole('link', { name: /6:00.PM Later/ }).click();

  await page.getByRole('heading', { level: 1, name: 'Later' }).waitFor();
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Take the time away' }).click();
  await page.getByText('Being prepared').waitFor();
  assert.equal((await stored(id)).state, 'planned');
  const again = await soon((at) => shared.api('PUT', `/content/_releases/${id}`, { data: { at } }));
  assert.equal(again.status, 200, JSON.stringify(again));
  await page.reload();
  await page.getByText(/was published/).waitFor();
  assert.ok(await isPublic(one));
});

test('two people who add to the same release at once lose neither', async (t) => {
  const [first, second] = [await article(), await article()];
  const id = await release('Both', []);
  const page = await opened(t, `/content/${uid}/${first.id}?locale=en`);
  let others = 0;
  await page.route(`**/_releases/${id}`, async (route) => {
    if (route.request().method() === 'PUT' && others++ === 0) await shared.api('PUT', `/content/_releases/${id}`, { data: { steps: [step(second)] } });
    await route.continue();
  });
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Add to a release…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add to a release' });
  await dialog.getByLabel('Release').selectOption({ label: 'Both' });
  await dialog.getByLabel('Languages').selectOption({ label: 'All languages' });
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added to “Both”').first().waitFor();
  const { steps } = await stored(id);
  assert.deepEqual(steps.map(({ documentId, locales }) => [documentId, locales]), [[second.id, ['en']], [first.id, ['*']]]);
});

test('who may not publish prepares releases, and is told who else may publish them', async (t) => {
  const types = { [uid]: { actions: ['read', 'create', 'update'] } };
  const { data: role } = await shared.api('POST', '/roles', { name: 'Writers', rights: { types, releases: true } });
  const { data: reader } = await shared.api('POST', '/roles', { name: 'Readers', rights: { types: { [uid]: { actions: ['read'] } } } });
  const person = async (name, of) => {
    const who = { name, email: `${name.toLowerCase()}@example.org`, password: 'a long password' };
    assert.equal((await shared.api('POST', '/accounts', { ...who, role: of.id })).status, 201);
    return who;
  };
  const { data: author } = await shared.api('POST', '/content/authors?status=draft', { data: { name: 'Mary' } });
  const id = await release('Prepared', [step(await article()), { type: 'api::author.author', documentId: author.documentId, action: 'publish' }]);
  const page = await opened(t, `/releases/${id}`, { as: await person('Pia', role) });
  await page.getByText('Your role may not publish all that is in it.').first().waitFor();
  await page.getByText('One more document is of a type that you may not see.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Publish now', exact: true }).getAttribute('aria-disabled'), 'true');

  const other = await opened(t, '/releases', { as: await person('Rita', reader) });
  await other.getByRole('heading', { name: 'There is no such page' }).waitFor();
  assert.equal(await other.getByRole('link', { name: 'Releases', exact: true }).count(), 0);
});

test('releases can be used by all', async (t) => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const id = await release('For everybody', [step(await article()), step(await article({ title: null }), { locales: ['*'] })]);
  await release('Spring', [step(await article())], { at: tomorrow });
  const shows = (path, ready) => async (page) => {
    await enter(page.context(), shared.site);
    await page.goto(`/admin/releases${path}`);
    await ready(page);
  };
  await everyLook(t, shared.browser, shared.site, 'releases', shows('', (page) => page.getByRole('link', { name: 'For everybody' }).waitFor()));
  await everyLook(t, shared.browser, shared.site, 'release', shows(`/${id}`, (page) => page.getByText('One document cannot be published as it is.').first().waitFor()));
  await everyLook(t, shared.browser, shared.site, 'release-calendar', shows(`/calendar?month=${tomorrow.slice(0, 7)}`, (page) => page.getByRole('link', { name: /Spring/ }).waitFor()));
  const german = await open(t, shared.browser, shared.site, { locale: 'de-DE' });
  await shows('', (page) => page.getByRole('heading', { level: 1, name: 'Veröffentlichungen' }).waitFor())(german);
});
