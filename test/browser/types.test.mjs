// Content types: made, changed and removed by somebody who sees before what it does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { everyLook, look, share, signedIn, signIn } from './browser.mjs';
import { content } from './site.mjs';

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
    await look(page, `types-list-${size}`);
    await page.goto(`${site.origin}/admin/types/api::cook.cook`);
    await page.getByRole('button', { name: 'Edit bio' }).click();
    const form = page.getByRole('dialog', { name: 'Edit bio' });
    await form.getByLabel('Required to publish').check();
    await look(page, `types-form-${size}`);
    await form.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByRole('dialog', { name: 'Review changes' }).getByText('This happens when').waitFor();
    await look(page, `types-review-${size}`);
    await page.getByRole('dialog', { name: 'Review changes' }).getByRole('button', { name: 'Cancel' }).click();
  }));
