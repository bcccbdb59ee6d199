// What an editor does in a day, by the names and roles of what is on the page alone: open a page,
// click a headline in it, change it, see it before it is saved, ask a colleague to look, answer the
// comment, and publish.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bothThemes, enter, open, ownersApi, share } from './browser.mjs';
import { plainFront } from './front.mjs';
import { content, serve } from './site.mjs';

const uid = 'api::restaurant.restaurant';
const ana = { name: 'Ana Lovelace', email: 'ana@example.org', password: 'analytical engine' };
const ben = { name: 'Ben Babbage', email: 'ben@example.org', password: 'analytical engine' };
let shared;
share(
  async (all) => {
    shared = { ...all, api: await ownersApi(all) };
    const role = await shared.api('POST', '/roles', { name: 'Reviewers', rights: { types: { '*': { actions: ['read'] } } } });
    for (const [account, of] of [[ana, 'editor'], [ben, role.data.id]]) assert.equal((await shared.api('POST', '/accounts', { ...account, role: of })).status, 201);
    const stages = [{ id: 'a', name: 'Writing' }, { id: 'b', name: 'In review' }, { id: 'c', name: 'Ready', from: ['b'], roles: [role.data.id] }];
    assert.equal((await shared.api('PUT', `/workflows/${uid}`, { version: '', workflow: { stages, publish: 'c' } })).status, 200);
  },
  async (t) => {
    const site = await serve(t);
    const file = join(site.folder, 'site.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    settings.preview = { [uid]: `${await plainFront(t, site.origin)}/{slug}` };
    settings.url = site.origin;
    writeFileSync(file, JSON.stringify(settings));
    await site.restart();
    return site;
  },
);

async function signedIn(t, account) {
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site, account);
  await page.goto('/admin/');
  return page;
}

const press = (where, name) => where.getByRole('button', { name, exact: true }).click();
const review = (page) => page.getByRole('region', { name: 'Review', exact: true });

async function move(page, stage) {
  await review(page).getByLabel('Stage').selectOption({ label: stage });
  await press(review(page), 'Save review');
  await page.getByText('The review was saved').first().waitFor();
}

// opened clicks on a text of the page until its field has the focus: the page listens when it has
// been loaded and has been told of the form.
async function opened(text, field) {
  for (let focused = false; !focused; focused = await field.evaluate((control) => control === document.activeElement)) await text.dblclick();
}

test('an editor changes a headline in the page, has it looked at, and publishes it', async (t) => {
  const { data: before } = await content(shared.site, 'GET', '/restaurants?filters[name]=Crumb');
  const published = async () => (await content(shared.site, 'GET', `/restaurants/${before[0].documentId}`)).data.name;

  const anas = await signedIn(t, ana);
  await anas.getByRole('navigation').getByRole('link', { name: 'Restaurant' }).click();
  await anas.getByRole('link', { name: 'Crumb' }).first().click();
  await press(anas, 'Page beside the form');
  const shown = anas.getByTitle('The page of this document').contentFrame();
  const name = anas.getByRole('textbox', { name: 'Name', exact: true });
  await opened(shown.getByRole('heading', { name: 'Crumb', exact: true }), name);
  await anas.keyboard.press('Control+A');
  await anas.keyboard.type('Crumb on the quay');
  await shown.getByRole('heading', { name: 'Crumb on the quay', exact: true }).waitFor();
  await anas.getByText('Shows what is typed, before it is saved').waitFor();
  await press(anas, 'Save');
  await anas.getByText('Shows what is saved', { exact: true }).waitFor();
  await review(anas).getByLabel('Assigned to').selectOption('Ben Babbage');
  await move(anas, 'In review');

  const bens = await signedIn(t, ben);
  await bens.getByRole('heading', { name: 'Needs my review' }).waitFor();
  await bens.getByRole('link', { name: 'Crumb on the quay' }).first().click();
  await review(bens).getByLabel('New comment').fill('@Ana');
  await press(review(bens), 'Mention Ana Lovelace');
  await review(bens).getByLabel('New comment').pressSequentially('did they move?');
  await review(bens).getByLabel('About').selectOption('Name');
  await press(review(bens), 'Comment');

  const thread = review(anas).getByRole('article', { name: 'Thread about Name' });
  await thread.getByText('@Ana Lovelace did they move?').waitFor();
  await press(thread, 'Answer');
  await thread.getByRole('textbox').fill('In May, to the old mill.');
  await press(thread, 'Send answer');
  await thread.getByText('In May, to the old mill.').waitFor();
  await review(anas).scrollIntoViewIfNeeded();
  await bothThemes(anas, 'editor-script');
  assert.equal(await published(), 'Crumb', 'nothing is published before a person says so');

  await review(bens).getByText('In May, to the old mill.').waitFor();
  await press(review(bens), 'Resolve');
  await move(bens, 'Ready');
  await review(anas).getByText('Published from “Ready” only').waitFor({ state: 'detached' });
  await press(anas, 'Publish');
  await anas.getByText('Published', { exact: true }).first().waitFor();
  assert.equal(await published(), 'Crumb on the quay');
});
