import assert from 'node:assert/strict';
import test from 'node:test';
import { everyLook, look, open, share, signedIn, signIn, sizes } from './browser.mjs';
import { api, content, serve, setUp } from './site.mjs';

// What somebody does at /api/docs: builds a query, sends it, reads as somebody else.

let browser;
share((shared) => ({ browser } = shared), null);

const text = (page, name) => page.getByRole('region', { name, exact: true }).innerText();
const answer = async (page) => JSON.parse(await text(page, 'Answer'));
const send = async (page) => {
  const answered = page.waitForResponse((response) => response.url().includes('/api/restaurants?') || response.url().includes('/api/restaurants/'));
  await page.getByRole('button', { name: 'Send' }).click();
  await answered;
  await page.getByRole('status').getByText(/^\d{3} [A-Z][A-Za-z]/).waitFor();
};

// building opens the page on restaurants, with a filter and something populated.
async function building(page) {
  await page.goto('/api/docs#restaurant');
  await page.getByRole('button', { name: 'Add condition' }).first().click();
  await page.getByLabel('Operator').selectOption('$contains');
  await page.getByLabel('Value').fill('Door');
}

test('a query is built, shown in every form and answered', async (t) => {
  const site = await serve(t);
  const page = await open(t, browser, site);
  await page.goto('/api/docs');
  await page.getByRole('navigation').getByRole('link', { name: 'Restaurant' }).click();
  await page.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  const { data } = await content(site, 'GET', '/restaurants?populate=*&pagination[pageSize]=1');
  assert.ok((await text(page, 'An entry of this site')).includes(data[0].documentId), 'the example is an entry of the site');

  const add = page.getByRole('button', { name: 'Add condition' });
  await add.focus();
  await page.keyboard.press('Enter');
  assert.ok(await page.getByLabel('Attribute', { exact: true }).evaluate((control) => control === document.activeElement), 'the focus is in the new condition');
  await page.getByLabel('Operator').selectOption('$contains');
  await page.getByLabel('Value').fill('Door');
  await add.click();
  await page.getByLabel('Attribute', { exact: true }).last().selectOption('cook');
  await page.getByLabel('Attribute of cook').selectOption('name');
  await page.getByLabel('Operator').last().selectOption('$null');
  await page.getByLabel('Operator').last().selectOption('$notNull');
  await page.getByRole('button', { name: 'Add sort key' }).click();
  await page.getByLabel('Direction').selectOption('desc');
  await page.getByRole('combobox', { name: 'Populate', exact: true }).selectOption('choose');
  await page.getByRole('checkbox', { name: /^cook/ }).check();
  await page.getByRole('checkbox', { name: /^cuisines/ }).check();
  await page.getByText('Refine cook').click();
  await page.getByRole('group', { name: 'Populate' }).getByRole('group', { name: 'Fields' }).getByRole('checkbox', { name: 'name' }).check();
  await page.getByLabel('Entries a page').fill('5');

  const query = 'filters[name][$contains]=Door&filters[cook][name][$notNull]=true&sort=name%3Adesc&populate[cuisines]=true&populate[cook][fields][0]=name&pagination[pageSize]=5';
  assert.equal(await text(page, 'URL'), `GET ${site.origin}/api/restaurants?${query}`);
  const call = await text(page, '@strapi/client');
  assert.match(call, /client\.collection\('restaurants'\)\.find\(\{/);
  assert.match(call, /name: \{ \$contains: 'Door' \}/);
  assert.match(await text(page, 'curl'), /^curl -g 'http/);
  await send(page);
  assert.deepEqual(await answer(page), await (await fetch(`${site.origin}/api/restaurants?${query}`)).json());
  await page.getByText(/^\d+ ms$/).waitFor();
  await page.getByText('With a token of full access').waitFor();

  await page.getByRole('button', { name: 'Remove' }).nth(1).click();
  assert.ok(!(await text(page, 'URL')).includes('cook][name'));
  await page.getByLabel('Read').selectOption('count');
  await send(page);
  assert.equal((await answer(page)).data.count, (await content(site, 'GET', '/restaurants/_count?filters[name][$contains]=Door')).data.count);

  await page.getByLabel('Read').selectOption('figures');
  await page.getByRole('button', { name: 'Add grouping' }).click();
  await page.getByRole('group', { name: 'Group by' }).getByLabel('Attribute', { exact: true }).selectOption('cook');
  await page.getByLabel('Attribute of cook').last().selectOption('name');
  await page.getByRole('button', { name: 'Add figure' }).click();
  await page.getByRole('group', { name: 'Figures' }).getByLabel('Attribute', { exact: true }).selectOption('seats');
  await page.getByLabel('Figure', { exact: true }).selectOption('avg');
  await page.getByLabel('How many', { exact: true }).selectOption('true');
  await send(page);
  const figures = '/restaurants/_aggregate?filters[name][$contains]=Door&groupBy=cook.name&count=true&avg=seats';
  assert.deepEqual((await answer(page)).data, (await content(site, 'GET', figures)).data);
  assert.match(await text(page, 'URL'), /_aggregate\?.*groupBy=cook\.name/);
  await look(page, 'docs-figures');
});

test('routes are those of the reader, and found by words', async (t) => {
  const site = await serve(t);
  const page = await open(t, browser, site);
  await page.goto('/api/docs#restaurant-get-restaurants');
  await page.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  await page.getByText('Parameters').first().waitFor();
  const creating = page.getByRole('main').getByText('Create a restaurant').or(page.getByRole('main').locator('summary', { hasText: 'post' }));
  assert.equal(await creating.count(), 0, 'nobody else may write');
  await page.getByLabel('Also show what you may not call').check();
  await page.getByRole('main').locator('summary', { hasText: 'not for you' }).first().waitFor();
  await page.getByLabel('Find a type or a route').fill('post stories');
  await page.getByRole('navigation').getByRole('link', { name: 'post /api/stories', exact: true }).click();
  await page.getByRole('heading', { name: 'Story', level: 1 }).waitFor();
});

test('a token stays in the page, and shows drafts and plans', async (t) => {
  const site = await serve(t);
  await content(site, 'POST', '/restaurants?status=draft', { data: { name: 'Secret Door', slug: 'secret-door' } });
  const page = await open(t, browser, site);
  const carriers = [];
  page.on('request', (request) => {
    assert.ok(request.url().startsWith(`${site.origin}/`) && !request.url().includes(site.token), request.url());
    if (request.headers().authorization) carriers.push(new URL(request.url()).pathname);
  });
  await building(page);
  await send(page);
  assert.ok(!(await text(page, 'Answer')).includes('Secret'));
  assert.ok(await page.getByLabel('Status').locator('option[value=draft]').evaluate((option) => option.disabled));

  const access = page.getByRole('banner');
  await access.getByText('role "public"').click();
  await access.getByLabel('API token').fill('nonsense');
  await access.getByRole('button', { name: 'Use token' }).click();
  await access.getByRole('alert').getByText('does not know the token').waitFor();
  await access.getByLabel('API token').fill(site.token);
  await access.getByRole('button', { name: 'Use token' }).click();
  await access.getByText('token "').waitFor();

  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel('Operator').selectOption('$contains');
  await page.getByLabel('Value').fill('Door');
  await page.getByLabel('Status').selectOption('draft');
  await send(page);
  assert.ok((await text(page, 'Answer')).includes('Secret Door'));
  await page.getByRole('heading', { name: 'Plan' }).waitFor();
  await page.getByText('name contains: words').waitFor();
  assert.match(await text(page, '@strapi/client'), /auth: process\.env\.TOKEN/);
  assert.match(await text(page, 'curl'), /Bearer \$TOKEN/);

  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.body.innerText]));
  assert.ok(!kept.includes(site.token), 'the token is kept nowhere');
  assert.ok(carriers.length > 3 && carriers.every((path) => path.startsWith('/api/')));
  await page.reload();
  await access.getByText('role "public"').waitFor();
});

const closed = { roles: { public: { 'plugin::users-permissions.auth': ['callback'] }, authenticated: { 'plugin::quire.openapi': ['find'], 'api::restaurant.restaurant': ['find'] } } };

test('a site that lets nobody read says how to sign in', async (t) => {
  const site = await serve(t, undefined, [], closed);
  const { role } = (await content(site, 'GET', '/users-permissions/roles')).roles.map((each) => ({ role: each })).find((each) => each.role.type === 'authenticated');
  await content(site, 'POST', '/users', { username: 'mei', email: 'mei@example.org', password: 'long enough 1', role: role.id, confirmed: true });
  const page = await open(t, browser, site);
  const answered = await page.goto('/api/docs');
  assert.equal(answered.status(), 403);
  await page.getByRole('heading', { name: 'Sign in to read about this API' }).waitFor();
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByText('Type or paste a token.').waitFor();
  await page.getByLabel('Username or email').fill('mei');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Invalid identifier or password').waitFor();
  await page.getByLabel('Password').fill('long enough 1');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  await page.getByText('There is no entry that you may see.').waitFor();
  await page.getByRole('banner').getByText('user 1').click();
  await page.getByRole('button', { name: 'Forget it' }).click();
  await page.getByLabel('API token').fill(site.token);
  await page.getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('heading', { name: 'Cook', level: 1 }).waitFor();

  await everyLook(t, browser, site, 'docs-sign-in', async (page) => {
    await page.goto('/api/docs');
    await page.getByRole('heading', { name: 'Sign in to read about this API' }).waitFor();
  });
  const german = await open(t, browser, site, { locale: 'de-AT', viewport: sizes.phone });
  await german.goto('/api/docs');
  await german.getByRole('heading', { name: 'Anmelden, um diese API zu lesen' }).waitFor();
  assert.equal(await german.locator('html').getAttribute('lang'), 'de');
  await look(german, 'docs-sign-in-german');
});

test('the page is fit for everybody, small and large, light and dark', async (t) => {
  const site = await serve(t);
  await everyLook(t, browser, site, 'docs', async (page) => {
    await building(page);
    await page.getByRole('combobox', { name: 'Populate', exact: true }).selectOption('choose');
    await page.getByRole('checkbox', { name: /^cook/ }).check();
    await send(page);
    await page.getByRole('main').locator('summary', { hasText: '_count' }).click();
    await page.evaluate(() => scrollTo(0, 0));
  });
  await everyLook(t, browser, site, 'docs-deep', async (page, size) => {
    await page.goto('/api/docs#restaurant');
    await page.getByRole('banner').locator('summary').first().click();
    await page.getByLabel('API token').fill(site.token);
    await page.getByRole('button', { name: 'Use token' }).click();
    await page.getByRole('banner').getByText('token "').waitFor();
    if (size === 'phone') await page.getByText('Types and routes', { exact: true }).click();
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByRole('button', { name: 'Add condition' }).first().click();
    await page.getByLabel('Attribute', { exact: true }).selectOption('cook');
    await page.getByLabel('Attribute of cook').selectOption('restaurants');
    await page.getByLabel('Attribute of restaurants').selectOption('price');
    await page.getByRole('combobox', { name: 'Populate', exact: true }).selectOption('choose');
    await page.getByRole('checkbox', { name: /^visits/ }).check();
    await page.getByText('Refine visits').click();
    await page.getByRole('combobox', { name: 'Populate in visits' }).selectOption('choose');
    await send(page);
    await page.getByRole('heading', { name: 'Plan' }).waitFor();
  });
});

test('German readers get a German page', async (t) => {
  const site = await serve(t);
  const page = await open(t, browser, site, { locale: 'de-DE' });
  await page.goto('/api/docs#restaurant');
  await page.getByRole('button', { name: 'Bedingung hinzufügen' }).click();
  await page.getByRole('heading', { name: 'Ein Eintrag dieser Website' }).waitFor();
  await page.getByRole('banner').getByText('role "public"').click();
  await page.getByRole('banner').getByText('Als Benutzer anmelden').click();
  await look(page, 'docs-german');
  await page.getByRole('banner').getByLabel('API-Token').press('Escape');
  assert.ok(!(await page.getByRole('banner').getByLabel('API-Token').isVisible()));
});

test('an account of the admin builds queries in its own name', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await signedIn(t, browser, site);
  const role = { name: 'Reads restaurants', rights: { types: { 'api::restaurant.restaurant': { actions: ['read'], hidden: ['seats'] } } } };
  const made = await api(page.context(), site, 'POST', '/roles', role);
  const reader = { name: 'Edith', email: 'edith@example.org', password: 'first compiler' };
  assert.equal((await api(page.context(), site, 'POST', '/accounts', { ...reader, role: made.data.id })).status, 201);

  const theirs = await open(t, browser, site);
  await theirs.goto('/admin/');
  await signIn(theirs, reader);
  await theirs.getByRole('button', { name: 'Account of Edith' }).click();
  const opened = theirs.waitForEvent('popup');
  await theirs.getByRole('menuitem', { name: 'API explorer' }).click();
  const explorer = await opened;
  await explorer.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  assert.equal(await explorer.getByRole('banner').locator('summary').innerText(), 'You are Edith');
  const style = (page, selector) => page.locator(selector).first().evaluate((one) => ['fontFamily', 'fontSize', 'color', 'borderRadius', 'height'].map((name) => getComputedStyle(one)[name]));
  await theirs.evaluate(() => document.querySelector('main').insertAdjacentHTML('beforeend', '<button class="button primary probe">Send</button>'));
  assert.deepEqual(await style(explorer, 'button.primary'), await style(theirs, '.probe'), 'its buttons are those of the admin');
  assert.equal(await explorer.getByRole('navigation').getByRole('link').count(), 1);
  await explorer.getByRole('button', { name: 'Add condition' }).click();
  await explorer.getByLabel('Operator').selectOption('$contains');
  await explorer.getByLabel('Value').fill('Door');
  assert.ok(!(await explorer.getByLabel('Attribute', { exact: true }).innerText()).includes('seats'), 'what the role hides cannot be chosen');
  await explorer.getByRole('button', { name: 'Send' }).click();
  await explorer.getByRole('status').getByText('200 OK').waitFor();
  assert.match((await answer(explorer)).data[0].name, /Door/);
  assert.match(await text(explorer, 'curl'), new RegExp(`TOKEN" '${site.origin}/api/restaurants`));
  await look(explorer, 'docs-in-the-admin');
  await theirs.evaluate(() => localStorage.setItem('quire-theme', 'dark'));
  await theirs.reload();
  await theirs.getByRole('button', { name: 'Account of Edith' }).click();
  const again = theirs.waitForEvent('popup');
  await theirs.getByRole('menuitem', { name: 'API explorer' }).click();
  const dark = await again;
  await dark.getByRole('heading', { name: 'Restaurant', level: 1 }).waitFor();
  assert.equal(await dark.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor), 'rgb(27, 27, 30)', 'the theme is the one that was chosen in the admin');
  assert.equal((await api(theirs.context(), site, 'DELETE', '/session')).status, 204);
  await explorer.getByRole('button', { name: 'Send' }).click();
  await explorer.getByRole('status').getByText('401').waitFor();
});

const withGraphQL = { graphql: { enabled: true } };

// query opens the page on GraphQL.
async function querying(page, name = 'Query') {
  await page.goto('/api/docs#/graphql');
  const editor = page.getByRole('textbox', { name, exact: true });
  await editor.waitFor();
  return editor;
}

test('a query of GraphQL is completed by the schema and answered', async (t) => {
  const site = await serve(t, undefined, [], withGraphQL);
  const page = await open(t, browser, site);
  await page.goto('/api/docs');
  await page.getByRole('navigation').getByRole('link', { name: 'GraphQL' }).click();
  const editor = page.getByRole('textbox', { name: 'Query', exact: true });
  const list = page.getByRole('listbox', { name: 'What can stand here' });
  await editor.fill('');
  await editor.pressSequentially('query ($name: String) { restaur');
  await list.getByRole('option', { name: /^restaurants\b/ }).first().waitFor();
  await editor.press('Escape');
  assert.ok(!(await list.isVisible()), 'Escape closes the list');
  await editor.pressSequentially('ants(fil');
  await editor.press('Enter');
  assert.match(await editor.inputValue(), /restaurants\(filters: $/);
  await editor.pressSequentially('{na');
  await editor.press('Enter');
  await editor.pressSequentially('{eq: $name}}, ');
  await editor.press('Control+Space');
  assert.deepEqual((await list.getByRole('option').allInnerTexts()).map((line) => line.split('\n')[0]).includes('pagination'), true);
  await editor.press('Escape');
  await editor.pressSequentially('sort: "name") { ');
  await editor.press('Control+Space');
  const offered = (await list.getByRole('option').allInnerTexts()).map((line) => line.split('\n')[0]);
  assert.ok(offered.includes('cook') && offered.includes('name') && !offered.includes('owner_note'), `${offered}: a private attribute is not offered`);
  await editor.press('ArrowUp');
  assert.equal(await list.getByRole('option', { selected: true }).innerText().then((line) => line.split('\n')[0]), offered.at(-1));
  await editor.press('Escape');
  await editor.pressSequentially('name seats } }');
  await editor.press('Escape');

  await content(site, 'POST', '/restaurants', { data: { name: 'The Blue Door', slug: 'blue', seats: 42 } });
  await content(site, 'POST', '/restaurants', { data: { name: 'Noodles', slug: 'noodles', seats: 12 } });
  await page.getByLabel('Variables in JSON').fill('{name');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The variables are not JSON.').waitFor();
  await page.getByLabel('Variables in JSON').fill(JSON.stringify({ name: 'Noodles' }));
  await editor.press('Control+Enter');
  await page.getByRole('status').getByText('200 OK').waitFor();
  assert.deepEqual((await answer(page)).data, { restaurants: [{ name: 'Noodles', seats: 12 }] });
});

test('the page is in the language that the browser or the admin asks for, and fits on a phone in each', async (t) => {
  const site = await serve(t);
  const page = await open(t, browser, site, { locale: 'pt-BR', viewport: { ...sizes.phone, height: 2400 }, hasTouch: true });
  const shown = async (language, title) => {
    await page.getByRole('heading', { name: title, exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), language);
    await look(page, `docs-${language}`);
  };
  await page.goto('/api/docs#restaurant');
  await shown('pt', 'Experimentar');
  for (const [language, title] of Object.entries({ es: 'Probar', fr: 'Essayer', it: 'Prova', nl: 'Proberen', pl: 'Wypróbuj', ja: '試す', zh: '试用' })) {
    await page.goto(`/api/docs?language=${language}#restaurant`);
    await shown(language, title);
  }
});

test('GraphQL offers what the reader may use', async (t) => {
  const site = await serve(t, undefined, [], withGraphQL);
  const page = await open(t, browser, site);
  await querying(page);
  await page.getByRole('main').locator('summary', { hasText: /^Query$/ }).click();
  assert.match(await text(page, 'Query'), /restaurants\(filters: RestaurantFiltersInput/);
  assert.ok(!(await text(page, 'Query')).includes('usersPermissionsUsers'));
  assert.equal(await page.getByRole('main').locator('summary', { hasText: /^RestaurantInput$/ }).count(), 0, 'nobody else may write');
  await page.getByRole('banner').getByText('role "public"').click();
  await page.getByRole('banner').getByLabel('API token').fill(site.token);
  await page.getByRole('banner').getByRole('button', { name: 'Use token' }).click();
  await page.getByRole('banner').getByText('token "').waitFor();
  await page.getByRole('main').locator('summary', { hasText: /^Mutation$/ }).click();
  assert.match(await text(page, 'Mutation'), /createRestaurant\(/);
  const editor = page.getByRole('textbox', { name: 'Query', exact: true });
  await editor.fill('{ usersPermissionsUsers { username } }');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('status').getByText('200 OK').waitFor();
  assert.ok(Array.isArray((await answer(page)).data.usersPermissionsUsers));
});

test('the part about GraphQL is fit for everybody, small and large, light and dark', async (t) => {
  const site = await serve(t, undefined, [], withGraphQL);
  await everyLook(t, browser, site, 'docs-graphql', async (page) => {
    const editor = await querying(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('status').getByText('200 OK').waitFor();
    await page.getByRole('main').locator('summary', { hasText: /^Query$/ }).click();
    await editor.press('Control+Home');
    await editor.press('Control+Space');
    await page.getByRole('listbox').waitFor();
    await page.evaluate(() => scrollTo(0, 0));
  });
  const german = await open(t, browser, site, { locale: 'de-DE', viewport: sizes.phone });
  await querying(german, 'Abfrage');
  await german.getByRole('heading', { name: 'Ausprobieren' }).waitFor();
  await look(german, 'docs-graphql-german');
});
