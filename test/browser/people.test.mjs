// People: accounts of the admin, made and changed by whoever may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, open, share, signedIn, signIn } from './browser.mjs';
import { api, owner } from './site.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared));

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

test('somebody is added, chooses a password by a link, gets another role, and is removed', async (t) => {
  const page = await signedIn(t, browser, site);
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog', { name: 'Add a person' });
  await form.getByRole('button', { name: 'Add a person' }).click();
  await form.getByText('Enter a name').waitFor();
  await form.getByLabel('Name').fill('Grace Hopper');
  await form.getByLabel('Email').fill(owner.email);
  await form.getByLabel('Role').selectOption({ label: 'Author' });
  await form.getByRole('button', { name: 'Add a person' }).click();
  await form.getByText('Another account has this email').waitFor();
  await form.getByLabel('Email').fill('grace@example.org');
  await form.getByRole('button', { name: 'Add a person' }).click();

  const shown = page.getByRole('dialog', { name: 'Link for Grace Hopper' });
  const link = await shown.getByLabel('Link', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Grace Hopper').getByText('has not chosen a password').waitFor();

  const hers = await open(t, browser, site);
  await hers.goto(link);
  await hers.getByLabel('Password', { exact: true }).fill('nanoseconds');
  await hers.getByRole('button', { name: /password/i }).last().click();
  await hers.getByRole('navigation').first().waitFor();
  assert.equal(await hers.getByRole('link', { name: 'People', exact: true }).count(), 0);

  await row(page, 'Grace Hopper').getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Grace Hopper' });
  await edit.getByLabel('Role').selectOption({ label: 'Editor' });
  await edit.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Grace Hopper').getByText('Editor', { exact: true }).waitFor();

  await row(page, 'Grace Hopper').getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Grace Hopper was removed').first().waitFor();
  await row(page, 'Grace Hopper').waitFor({ state: 'detached' });
  const gone = await open(t, browser, site);
  await gone.goto('/admin/');
  await gone.getByLabel('Email', { exact: true }).fill('grace@example.org');
  await gone.getByLabel('Password', { exact: true }).fill('nanoseconds');
  await gone.getByRole('button', { name: 'Sign in' }).click();
  await gone.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
});

test('somebody with two roles may do what one of them allows', async (t) => {
  const page = await signedIn(t, browser, site, '/people');
  const role = { name: 'Releasers', rights: { types: {}, releases: true } };
  const { id } = (await api(page.context(), site, 'POST', '/roles', role)).data;
  await page.reload();
  await page.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog', { name: 'Add a person' });
  await form.getByLabel('Name').fill('Lise Meitner');
  await form.getByLabel('Email').fill('lise@example.org');
  await form.getByLabel('Role').selectOption({ label: 'Reader' });
  assert.equal(await form.getByRole('checkbox', { name: 'Reader' }).count(), 0);
  await form.getByRole('checkbox', { name: 'Releasers' }).check();
  await form.getByRole('button', { name: 'Add a person' }).click();
  const shown = page.getByRole('dialog', { name: 'Link for Lise Meitner' });
  const link = await shown.getByLabel('Link', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Lise Meitner').getByText('Reader, Releasers').waitFor();

  const hers = await open(t, browser, site);
  await hers.goto(link);
  await hers.getByLabel('Password', { exact: true }).fill('protactinium');
  await hers.getByRole('button', { name: /password/i }).last().click();
  const menu = hers.getByRole('navigation').first();
  await menu.getByRole('link', { name: 'Releases', exact: true }).waitFor();
  await menu.getByRole('link', { name: 'Restaurant', exact: true }).first().waitFor();

  await row(page, 'Lise Meitner').getByRole('button', { name: 'Actions for Lise Meitner' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Lise Meitner' });
  assert.equal(await edit.getByRole('checkbox', { name: 'Releasers' }).isChecked(), true);
  await edit.getByRole('checkbox', { name: 'Releasers' }).uncheck();
  await edit.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Lise Meitner').getByText('Reader', { exact: true }).waitFor();
  await hers.reload();
  await menu.getByRole('link', { name: 'Restaurant', exact: true }).first().waitFor();
  assert.equal(await menu.getByRole('link', { name: 'Releases', exact: true }).count(), 0);
  const lise = (await api(page.context(), site, 'GET', '/accounts')).data.find((one) => one.name === 'Lise Meitner');
  await api(page.context(), site, 'DELETE', `/accounts/${lise.id}`);
  await api(page.context(), site, 'DELETE', `/roles/${id}`);
});

test('who may not change accounts is not shown the people', async (t) => {
  const page = await open(t, browser, site);
  await enter(page.context(), site);
  const made = await api(page.context(), site, 'POST', '/accounts', { name: 'Edith', email: 'edith@example.org', role: 'editor', password: 'first compiler' });
  assert.equal(made.status, 201);
  await page.context().clearCookies();
  await page.goto('/admin/people');
  await signIn(page, { email: 'edith@example.org', password: 'first compiler' });
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
});

test('a role is made, limits what somebody sees and does, and is removed', async (t) => {
  const page = await signedIn(t, browser, site, '/people');
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await page.getByRole('button', { name: 'Duplicate Reader' }).click();
  await page.getByLabel('Name').fill('Translators');
  assert.equal(await page.getByRole('checkbox', { name: 'Read: Cook' }).isChecked(), true);
  await page.getByRole('checkbox', { name: 'Read: Cook' }).uncheck();
  await page.getByRole('checkbox', { name: 'Update: Restaurant' }).check();
  await page.getByRole('button', { name: 'Limits of Restaurant' }).click();
  await page.getByRole('menuitem', { name: 'Limits' }).click();
  const limits = page.getByRole('dialog', { name: 'Limits of Restaurant' });
  await limits.getByRole('combobox', { name: 'How Name is seen' }).selectOption('read only');
  await limits.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Translators').getByText('0', { exact: true }).waitFor();

  const roles = (await api(page.context(), site, 'GET', '/roles')).data;
  const { id } = roles.find((role) => role.name === 'Translators');
  await api(page.context(), site, 'POST', '/accounts', { name: 'Tove', email: 'tove@example.org', role: id, password: 'moominvalley' });
  const hers = await open(t, browser, site);
  await hers.goto('/admin/content/api::restaurant.restaurant');
  await signIn(hers, { email: 'tove@example.org', password: 'moominvalley' });
  await hers.getByRole('grid').getByRole('link').first().click();
  await hers.getByLabel('Name', { exact: true }).waitFor();
  assert.equal(await hers.getByLabel('Name', { exact: true }).isEditable(), false);
  assert.equal(await hers.getByRole('navigation').getByRole('link', { name: 'Cook', exact: true }).count(), 0);

  await page.getByRole('link', { name: 'Translators', exact: true }).click();
  await page.getByRole('button', { name: 'Remove role' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove role' }).click();
  await page.getByText('Accounts have this role; give them another one first').first().waitFor();
  const tove = (await api(page.context(), site, 'GET', '/accounts')).data.find((one) => one.name === 'Tove');
  await api(page.context(), site, 'DELETE', `/accounts/${tove.id}`);
  await page.getByRole('button', { name: 'Remove role' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove role' }).click();
  await page.getByText('Translators was removed').first().waitFor();
  await row(page, 'Translators').waitFor({ state: 'detached' });
});

test('a role reaches only documents of the team that an account has', async (t) => {
  const page = await signedIn(t, browser, site, '/people/roles/new?from=editor');
  await page.getByLabel('Name').fill('Team');
  await page.getByRole('button', { name: 'Limits of Restaurant' }).click();
  await page.getByRole('menuitem', { name: 'Limits' }).click();
  const limits = page.getByRole('dialog', { name: 'Limits of Restaurant' });
  await limits.getByRole('combobox', { name: 'Documents' }).selectOption('Only documents where …');
  await limits.getByRole('combobox', { name: 'Attribute', exact: true }).selectOption('name');
  await limits.getByRole('combobox', { name: 'Compared with' }).selectOption('is the account’s');
  await limits.getByRole('textbox', { name: 'Name of the account’s value' }).fill('place');
  await limits.getByRole('button', { name: 'Done' }).click();
  await page.getByText('name is the account’s place').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Team').waitFor();

  const content = async (path) => (await api(page.context(), site, 'GET', `/content/restaurants${path}`)).data;
  const [first] = await content('?pagination[pageSize]=1');
  const { id } = (await api(page.context(), site, 'GET', '/roles')).data.find((role) => role.name === 'Team');
  await api(page.context(), site, 'POST', '/accounts', { name: 'Rosa', email: 'rosa@example.org', role: id, password: 'one place only' });
  await page.goto('/admin/people');
  await row(page, 'Rosa').getByRole('button', { name: /Rosa/ }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Add value' }).click();
  await form.getByRole('textbox', { name: 'Name', exact: true }).last().fill('place');
  await form.getByRole('textbox', { name: 'Value', exact: true }).fill(first.name);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });

  const hers = await open(t, browser, site);
  await hers.goto('/admin/content/api::restaurant.restaurant');
  await signIn(hers, { email: 'rosa@example.org', password: 'one place only' });
  await hers.getByRole('grid').getByRole('link', { name: first.name }).waitFor();
  assert.equal(await hers.getByRole('grid').getByRole('link').count(), 1);
});

test('a built-in role is shown and not changed', async (t) => {
  const page = await signedIn(t, browser, site, '/people/roles/editor');
  await page.getByText('This role is built in and cannot be changed.').waitFor();
  assert.equal(await page.getByRole('checkbox', { name: 'Read: Cook' }).isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
});

test('a token is made, shown once, opens what it names, and is revoked', async (t) => {
  const page = await signedIn(t, browser, site, '/people/tokens');
  await page.getByRole('button', { name: 'Make a token' }).click();
  const form = page.getByRole('dialog', { name: 'Make a token' });
  await form.getByLabel('Name').fill('front end');
  await form.getByLabel('Type').selectOption('Custom');
  await form.getByRole('button', { name: 'Make a token' }).click();
  await form.getByText('Choose what the token may do').waitFor();
  await form.getByRole('checkbox', { name: 'Cook: find', exact: true }).check();
  await form.getByRole('button', { name: 'Make a token' }).click();
  const shown = page.getByRole('dialog', { name: 'Token front end' });
  const token = await shown.getByLabel('Token', { exact: true }).inputValue();
  const ask = async (path) => (await fetch(`${site.origin}/api${path}`, { headers: { Authorization: `Bearer ${token}` } })).status;
  assert.deepEqual([await ask('/cooks'), await ask('/visits')], [200, 403]);
  await shown.getByRole('button', { name: 'Done' }).click();
  await row(page, 'front end').getByText('1 action').waitFor();
  await row(page, 'front end').getByRole('button', { name: 'Revoke front end' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('front end was revoked').first().waitFor();
  assert.equal(await ask('/cooks'), 401);
});

test('a role of users is made, gives what it says, and shows what it may see', async (t) => {
  const page = await signedIn(t, browser, site, '/people/site-roles');
  await page.getByRole('button', { name: 'Add a role' }).click();
  await page.getByLabel('Name').fill('Guests');
  await page.getByRole('checkbox', { name: 'Visit: find', exact: true }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Guests' }).click();
  await page.getByLabel('Path').fill('/api/visits?fields=id');
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await page.getByText('Answered', { exact: true }).waitFor();
  await page.getByText('"pagination"').waitFor();
  await page.getByLabel('Path').fill('/api/cooks?status=draft');
  await page.getByLabel('Path').press('Enter');
  await page.getByText('Refused with 403').waitFor();

  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'Add a user' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add a user' });
  await form.getByLabel('Username').fill('grace');
  await form.getByLabel('Email').fill('grace@example.com');
  await form.getByLabel('Password', { exact: true }).fill('nanoseconds');
  await form.getByLabel('Role').selectOption('Guests');
  await form.getByRole('button', { name: 'Add a user' }).click();
  await row(page, 'grace').getByText('Guests').waitFor();
  const signIn = () =>
    fetch(`${site.origin}/api/auth/local`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ identifier: 'grace', password: 'nanoseconds' }),
    });
  const { jwt } = await (await signIn()).json();
  const visits = await fetch(`${site.origin}/api/visits`, { headers: { Authorization: `Bearer ${jwt}` } });
  assert.equal(visits.status, 200);
  await row(page, 'grace').getByRole('button', { name: 'Actions for grace' }).click();
  await page.getByRole('menuitem', { name: 'Block' }).click();
  await page.getByText('grace was blocked and signed out').first().waitFor();
  assert.equal((await signIn()).status, 400);
  await row(page, 'grace').getByRole('button', { name: 'Actions for grace' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('grace was removed').first().waitFor();
});

test('a role that site.json sets is shown and not changed', async (t) => {
  const page = await signedIn(t, browser, site, '/people/site-roles');
  await page.getByRole('link', { name: 'Public' }).click();
  await page.getByText('This role is set in site.json').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
});

test('people speak German', async (t) => {
  const page = await signedIn(t, browser, site, '/people', { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Person hinzufügen' }).waitFor();
});

test('the people can be used by all', async (t) => {
  await everyLook(t, browser, site, 'people', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/people');
    await row(page, 'Ada Lovelace').waitFor();
  });
  await everyLook(t, browser, site, 'role', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/people/roles/new?from=author');
    await page.getByRole('checkbox', { name: 'Read: Cook' }).waitFor();
  });
  await everyLook(t, browser, site, 'token', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/people/tokens');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByLabel('Type').selectOption('Custom');
    await page.getByRole('checkbox', { name: 'Cook: find', exact: true }).waitFor();
  });
  await everyLook(t, browser, site, 'site-role', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/people/site-roles');
    await page.getByRole('link', { name: 'Authenticated' }).click();
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await page.getByText(/^Answered|^Refused/).waitFor();
  });
  await everyLook(t, browser, site, 'users', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/people/users');
    await page.getByRole('heading', { name: 'Users' }).first().waitFor();
  });
});
