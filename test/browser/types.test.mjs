// Content types: made, changed and removed by somebody who sees before what it does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bothThemes, everyLook, look, share, signedIn, signIn, sizes } from './browser.mjs';
import { api, content, serve, setUp } from './site.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared));

const file = (name) => readFileSync(join(site.folder, 'src/api', name, 'content-types', name, 'schema.json'), 'utf8');

async function apply(page) {
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await review.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The changes are applied').first().waitFor();
  await review.waitFor({ state: 'detached' });
}

// lookTwice looks at what is shown in both widths.
async function lookTwice(page, name) {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    await look(page, `${name}-${size}`);
  }
}

async function add(page, name, kind, more = async () => {}) {
  await page.getByRole('button', { name: 'Add an attribute' }).click();
  const form = page.getByRole('dialog', { name: 'Add an attribute' });
  await form.getByLabel('Name', { exact: true }).fill(name);
  await form.getByLabel('Holds').selectOption({ label: kind });
  await more(form);
  await form.getByRole('button', { name: 'Done' }).click();
  await form.waitFor({ state: 'detached' });
}

test('a type is made with a relation, changes with its content, and is removed', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.getByRole('link', { name: 'Content types', exact: true }).click();
  await page.getByRole('button', { name: 'New type' }).click();
  const begin = page.getByRole('dialog', { name: 'New type' });
  await begin.getByLabel('Name for people').fill('Recipe');
  await begin.getByRole('button', { name: 'Add the type' }).click();
  await add(page, 'title', 'Short text');
  await add(page, 'minutes', 'Whole number', (form) => form.getByLabel('Least').fill('1'));
  await add(page, 'cook', 'Relation', async (form) => {
    await form.getByLabel('Leads to').selectOption({ label: 'Cook' });
    await form.getByLabel('Attribute on the other side').fill('recipes');
  });
  await look(page, 'types-editor');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await review.getByText('src/api/recipe/content-types/recipe/schema.json').click();
  await review.getByText('"singularName": "recipe"').waitFor();
  await look(page, 'types-review');
  await review.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The changes are applied').first().waitFor();
  assert.match(file('recipe'), /"inversedBy": "recipes"/);
  assert.match(file('cook'), /"mappedBy": "cook"/);

  await content(site, 'POST', '/recipes', { data: { title: 'Soup', minutes: 20 } });
  await content(site, 'POST', '/recipes', { data: { minutes: 5 } });
  await page.getByRole('button', { name: 'Edit title' }).click();
  const form = page.getByRole('dialog', { name: 'Edit title' });
  await form.getByLabel('Name', { exact: true }).fill('label');
  await form.getByLabel('Required to publish').check();
  await form.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review changes' }).click();
  await review.getByText('break the new rule until they are changed; documents: 1').waitFor();
  await review.getByText('get another name; documents: 1').waitFor();
  await review.getByRole('button', { name: 'Cancel' }).click();
  await apply(page);
  const { data } = await content(site, 'GET', '/recipes?status=draft&filters[label]=Soup');
  assert.equal(data.length, 1);

  await page.getByRole('button', { name: 'Remove the type' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await apply(page);
  await page.getByRole('main').getByRole('link', { name: 'Recipe', exact: true }).waitFor({ state: 'detached' });
  assert.doesNotMatch(file('cook'), /recipes/);
});

test('a new type is called otherwise before it is applied, and relations change on both sides', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.goto(`${site.origin}/admin/types`);
  await page.getByRole('button', { name: 'New type' }).click();
  const begin = page.getByRole('dialog', { name: 'New type' });
  await begin.getByLabel('Name for people').fill('Feast');
  await begin.getByRole('button', { name: 'Add the type' }).click();
  await add(page, 'title', 'Short text');
  await add(page, 'cook', 'Relation', async (form) => {
    await form.getByLabel('Leads to').selectOption({ label: 'Cook' });
    await form.getByLabel('Attribute on the other side').fill('feasts');
  });
  await page.getByLabel('Name in the API').fill('Big Party');
  await page.getByText('Enter lower-case letters').waitFor();
  await page.getByLabel('Name in the API').fill('party');
  await page.getByLabel('Plural in the API').fill('parties');
  await apply(page);
  await page.waitForURL(/party/);
  assert.match(file('party'), /"pluralName": "parties"/);
  assert.match(file('cook'), /"target": "api::party.party",\n\s+"mappedBy": "cook"/);

  const relation = async (change) => {
    await page.getByRole('button', { name: 'Edit cook', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Edit cook' });
    await change(form);
    await form.getByRole('button', { name: 'Done' }).click();
    await form.waitFor({ state: 'detached' });
    await apply(page);
  };
  await relation(async (form) => {
    await form.getByLabel('How many').selectOption({ label: 'Many Feast have many Cook' });
    await form.getByLabel('Attribute on the other side').fill('banquets');
  });
  assert.match(file('party'), /"relation": "manyToMany",\n\s+"target": "api::cook.cook",\n\s+"inversedBy": "banquets"/);
  assert.match(file('cook'), /"banquets": {\n\s+"type": "relation",\n\s+"relation": "manyToMany"/);
  await relation((form) => form.getByLabel('Attribute on the other side').fill(''));
  assert.doesNotMatch(file('party'), /inversedBy|mappedBy/);
  assert.doesNotMatch(file('cook'), /banquets/);
  await relation(async (form) => {
    await form.getByLabel('Leads to').selectOption({ label: 'Cuisine' });
    await form.getByText('The relation becomes a new one').waitFor();
  });
  assert.match(file('party'), /api::cuisine.cuisine/);
});

test('attributes are moved, and a form is filled in, with the keyboard alone', async (t) => {
  const page = await signedIn(t, browser, site, '/types/api::cuisine.cuisine');
  await page.getByLabel('Name for people').focus();
  for (const label of ['Name in the API', 'Plural in the API', 'Description', 'Drafts are published', 'Documents have languages']) {
    await page.keyboard.press('Tab');
    assert.ok(await page.getByLabel(label, { exact: true }).evaluate((field) => field === document.activeElement), `${label} comes next`);
  }
  await page.getByRole('button', { name: 'Add an attribute' }).focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Add an attribute' });
  await form.waitFor();
  await form.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type('spice');
  await page.keyboard.press('Tab');
  assert.ok(await form.getByLabel('Holds').evaluate((field) => field === document.activeElement));
  await page.keyboard.press('Enter');
  await form.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'detached' });
  const handle = page.getByRole('button', { name: 'Move spice', exact: true });
  await handle.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('spice is now 2 of 3').waitFor({ state: 'attached' });
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByText('spice is now 1 of 3').waitFor({ state: 'attached' });
  assert.ok(await handle.evaluate((button) => button === document.activeElement), 'the handle keeps the focus');
  await page.keyboard.press('Alt+ArrowUp'); // it is the first
  await apply(page);
  assert.match(file('cuisine'), /"attributes": {\n\s+"spice": {\n\s+"type": "string"\n\s+},\n\s+"name"/);
});

test('a component is made, and a zone and a list that take it', async (t) => {
  const page = await signedIn(t, browser, site, '/types');
  await page.getByRole('button', { name: 'New type' }).click();
  const begin = page.getByRole('dialog', { name: 'New type' });
  await begin.getByLabel('Kind').selectOption({ label: 'Component' });
  await begin.getByLabel('Name for people').fill('Tip');
  await begin.getByRole('button', { name: 'Add the type' }).click();
  await add(page, 'text', 'Long text');
  await page.getByLabel('Icon').fill('bulb');
  await page.getByRole('link', { name: 'All types' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Cuisine', exact: true }).click();
  await add(page, 'parts', 'Zone of components', async (form) => {
    await form.getByRole('checkbox', { name: 'Tip' }).check();
    await form.getByLabel('Most').fill('5');
    await lookTwice(page, 'types-zone');
  });
  await add(page, 'tips', 'Component', async (form) => {
    await form.getByLabel('Component', { exact: true }).selectOption({ label: 'Tip' });
    await form.getByRole('checkbox', { name: 'Any number of them' }).check();
  });
  await apply(page);
  assert.match(file('cuisine'), /"components": \[\n\s+"shared.tip"\n\s+\],\n\s+"max": 5/);
  assert.match(file('cuisine'), /"component": "shared.tip",\n\s+"repeatable": true/);
  assert.match(readFileSync(join(site.folder, 'src/components/shared/tip.json'), 'utf8'), /"icon": "bulb"/);
  const { data } = await content(site, 'POST', '/cuisines?populate=*', { data: { name: 'New', parts: [{ __component: 'shared.tip', text: 'Salt' }], tips: [{ text: 'Oil' }, { text: 'Acid' }] } });
  assert.deepEqual([data.parts[0].text, data.tips.length], ['Salt', 2]);
});

test('what would be lost is listed, and goes when somebody agrees', async (t) => {
  const page = await signedIn(t, browser, site, '/types/api::visit.visit');
  const { data } = await content(site, 'GET', '/visits?pagination[pageSize]=1&filters[comment][$notNull]=true&filters[comment][$ne]=');
  assert.equal(data.length, 1);
  await page.getByRole('button', { name: 'Edit comment', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Edit comment' });
  await form.getByLabel('Holds').selectOption({ label: 'Whole number' });
  await form.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await review.getByText(/cannot be converted; documents: \d+/).waitFor();
  await review.getByText('it is not a number').first().waitFor();
  assert.equal(await review.getByRole('button', { name: 'Apply' }).isDisabled(), true);
  await lookTwice(page, 'types-lossy');
  await review.getByRole('checkbox', { name: 'Delete what cannot be converted' }).check();
  await review.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The changes are applied').first().waitFor();
  assert.equal((await content(site, 'GET', `/visits/${data[0].documentId}`)).data.comment, null);

  await page.goto(`${site.origin}/admin/types/api::imprint.imprint`);
  await page.getByRole('button', { name: 'Remove the type' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Review changes' }).click();
  await review.getByText('roles.public.api::imprint.imprint', { exact: true }).waitFor();
  assert.equal(await review.getByRole('button', { name: 'Apply' }).isDisabled(), true);
  await lookTwice(page, 'types-settings');
  await review.getByRole('checkbox', { name: 'Take it out of site.json' }).check();
  await review.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('The changes are applied').first().waitFor();
  const settings = readFileSync(join(site.folder, 'site.json'), 'utf8');
  assert.doesNotMatch(settings, /imprint/);
  assert.match(settings, /api::homepage.homepage/);
});

test('where types are not changed, they are shown, and nothing else is offered', async (t) => {
  const closed = await serve(t, 'kinds');
  await setUp(closed);
  await everyLook(t, browser, closed, 'types-read-only', async (page, size) => {
    await page.goto(`${closed.origin}/admin/types`);
    await signIn(page);
    await page.getByText('Content types are not changed here').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New type' }).count(), 0);
    await bothThemes(page, `types-read-only-list-${size}`);
    await page.getByRole('main').getByRole('table').getByRole('link').first().click();
    await page.getByRole('list', { name: 'Attributes' }).waitFor();
    for (const name of [/^Add an attribute/, /^Edit /, /^Remove/, /^Move /, 'Review changes']) assert.equal(await page.getByRole('main').getByRole('button', { name }).count(), 0, String(name));
    assert.equal(await page.getByLabel('Name in the API').isDisabled(), true);
  });
  const page = await signedIn(t, browser, closed);
  const { status } = await api(page.context(), closed, 'POST', '/types/plan', { types: [] });
  assert.equal(status, 403);
});

test('what is wrong is said at its attribute, and nothing can be applied', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.goto(`${site.origin}/admin/types/api::cook.cook`);
  await add(page, 'nothing', 'Relation');
  await page.getByRole('button', { name: 'Review changes' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await review.getByText('api::cook.cook nothing target').waitFor();
  assert.equal(await review.getByRole('button', { name: 'Apply' }).isDisabled(), true);
});

test('list, editor, form and review look right on every screen', (t) =>
  everyLook(t, browser, site, 'types', async (page, size) => {
    await page.goto(`${site.origin}/admin/types`);
    await signIn(page);
    await page.getByRole('main').getByRole('link', { name: 'Cook', exact: true }).waitFor();
    await bothThemes(page, `types-list-${size}`);
    await page.goto(`${site.origin}/admin/types/api::cook.cook`);
    await page.getByRole('button', { name: 'Edit bio' }).click();
    const form = page.getByRole('dialog', { name: 'Edit bio' });
    await form.getByLabel('Required to publish').check();
    await bothThemes(page, `types-form-${size}`);
    await form.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog', { name: 'Review changes' }).getByText('This happens when').waitFor();
    await bothThemes(page, `types-review-${size}`);
    await page.getByRole('dialog', { name: 'Review changes' }).getByRole('button', { name: 'Cancel' }).click();
  }));
