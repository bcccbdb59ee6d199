// Signing in, setting up, and what is around all pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, everyLook, look, open, share, signIn, sizes } from './browser.mjs';
import { api, owner, serve } from './site.mjs';

// Each test has a browser context of its own; those of the file share a program and a browser.
let shared;
share((all) => (shared = all));

// focused waits until an element has the focus.
const focused = async (page, element) => page.waitForFunction((one) => one === document.activeElement, await element.elementHandle());

test('the page at the top of a demo shows what to try', async (t) => {
  await everyLook(t, shared.browser, shared.site, 'demo', async (page) => {
    await page.goto('/');
    await page.getByRole('heading', { name: 'The demo is running' }).waitFor();
  });
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/');
  await page.getByRole('link', { name: 'Where they cook seafood, and who cooks' }).click();
  await page.getByText('"cook":{').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Docs of the API' }).click();
  await page.waitForURL((url) => url.pathname === '/api/docs');
  await page.goto('/');
  await page.getByRole('link', { name: 'Admin', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('the page at the top leads to the admin', async (t) => {
  const page = await open(t, shared.browser, await serve(t, null, []));
  await page.goto('/');
  await look(page, 'welcome');
  await page.getByRole('link', { name: 'Admin' }).click();
  await page.getByText('This site has no account yet').waitFor();
  await page.waitForURL((url) => url.pathname === '/admin/');
});

test('the link of the first start makes an account, once', async (t) => {
  const site = await serve(t);
  const page = await open(t, shared.browser, site);
  await page.goto('/admin/');
  await page.getByText('This site has no account yet').waitFor();
  await page.goto(site.setup);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Enter your name.').waitFor();
  await look(page, 'setup-errors');
  await page.getByLabel('Name', { exact: true }).fill(owner.name);
  await page.getByLabel('Email', { exact: true }).fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Account of ${owner.name}` }).waitFor();
  await page.waitForURL((url) => url.hash === ''); // the token is not left in the address

  const other = await open(t, shared.browser, site);
  await other.goto(site.setup);
  await other.getByText('This link is not valid any more').waitFor();
});

test('the link of an owner lets somebody choose a password', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  const made = await api(page.context(), shared.site, 'POST', '/accounts', { name: 'Grace Hopper', email: 'grace@example.org', role: 'editor', password: 'not yet chosen' });
  assert.equal(made.error, undefined);
  const link = await api(page.context(), shared.site, 'POST', `/accounts/${made.data.id}/reset-link`, {});
  assert.equal(link.error, undefined);

  const other = await open(t, shared.browser, shared.site);
  await other.goto(link.data.path);
  await other.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await other.getByText('Grace Hopper, grace@example.org').waitFor();
  await look(other, 'reset');
  await other.getByLabel('Password', { exact: true }).fill('nanoseconds');
  await other.getByRole('button', { name: 'Set password' }).click();
  await other.getByRole('button', { name: 'Account of Grace Hopper' }).waitFor();
});

test('a wrong password is said, and the right one signs in', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Enter your email address.').waitFor();
  await focused(page, page.getByLabel('Email'));
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Email or password is wrong.').waitFor();
  await look(page, 'signin-wrong');
  await signIn(page);
});

test('a page asked for is shown after signing in', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/content/api::restaurant.restaurant');
  await signIn(page);
  await page.getByRole('heading', { name: 'Restaurant' }).first().waitFor();
});

test('a session that ends is renewed over the page, and what was asked goes on', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  await api(page.context(), shared.site, 'DELETE', '/session');
  await page.getByRole('link', { name: 'Cuisine' }).dispatchEvent('click'); // the dialog may be there before, with all else inert
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  await look(page, 'signin-again');
  assert.equal(await dialog.getByLabel('Email').inputValue(), owner.email);
  await page.keyboard.press('Escape');
  assert.ok(await dialog.isVisible(), 'Escape does not close it');
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Seafood').first().waitFor();
});

test('signing out ends the session of the browser', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  await page.getByRole('button', { name: `Account of ${owner.name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal((await api(page.context(), shared.site, 'GET', '/session')).status, 401);
});

test('the palette opens what keys choose, and gives the focus back', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  const search = page.getByRole('button', { name: 'Search', exact: true });
  await search.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await page.keyboard.press('Escape');
  await focused(page, search);

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
  await page.keyboard.type('cuis');
  const first = page.getByRole('option', { selected: true });
  await page.getByRole('option', { name: 'Cuisine', exact: true }).waitFor();
  await page.locator('[role=listbox][aria-busy=false]').waitFor();
  while ((await first.textContent())?.trim() !== 'Cuisine') await page.keyboard.press('ArrowDown');
  const input = page.getByRole('combobox', { name: 'Search and commands' });
  assert.equal(await input.getAttribute('aria-activedescendant'), await first.getAttribute('id'));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin/content/api::cuisine.cuisine');
  await page.waitForFunction(() => document.activeElement?.id === 'main');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('night mark');
  await page.getByRole('group', { name: 'Documents' }).getByRole('option', { name: /^Night Market/ }).waitFor();
  await look(page, 'palette-document');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin/content/api::restaurant.restaurant/*');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new story');
  await page.getByRole('option', { name: 'New Story', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/admin/content/api::story.story/new*');
});

test('what can be done on a page is in the palette and in the help on keys', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/content/api::cuisine.cuisine');
  await signIn(page);
  await page.getByText('Seafood').first().waitFor();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Search this list').waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await focused(page, page.getByRole('searchbox', { name: 'Search' }));
  await page.keyboard.type('/c');
  assert.equal(await page.getByRole('searchbox', { name: 'Search' }).inputValue(), '/c');

  await page.goto('/admin/single/api::homepage.homepage');
  await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
  await page.getByLabel('Intro').fill('Six places, chosen slowly.');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('save');
  await page.getByRole('option', { name: 'Save' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByText(/^Saved/).first().waitFor();
});

test('the theme and the language are chosen, and kept', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  const account = page.getByRole('button', { name: `Account of ${owner.name}` });
  await account.click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  assert.equal(await ground(), 'dark');
  await account.click();
  const kept = page.waitForResponse((answer) => answer.url().endsWith('/session') && answer.request().method() === 'PUT');
  await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
  await page.getByRole('button', { name: 'Suchen' }).first().waitFor();
  await kept;
  await page.reload();
  await page.getByRole('button', { name: `Konto von ${owner.name}` }).waitFor();
  assert.equal(await ground(), 'dark');
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  await look(page, 'home-german');

  const other = await open(t, shared.browser, shared.site);
  await other.goto('/admin/');
  await signIn(other);
  await other.getByRole('button', { name: `Konto von ${owner.name}` }).waitFor(); // the account has its language everywhere
  await api(other.context(), shared.site, 'PUT', '/session', { language: '' });
});

test('a browser that asks for German gets it', async (t) => {
  const page = await open(t, shared.browser, shared.site, { locale: 'de-DE' });
  await page.goto('/admin/');
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
});

test('on a phone the navigation is a drawer that closes after a choice', async (t) => {
  const page = await open(t, shared.browser, shared.site, { viewport: sizes.phone, hasTouch: true });
  await page.goto('/admin/');
  await signIn(page);
  await page.getByRole('button', { name: 'Open navigation' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('link', { name: 'Cuisine' }).waitFor();
  await look(page, 'drawer');
  await drawer.getByRole('link', { name: 'Cuisine' }).click();
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Cuisine' }).first().waitFor();
});

// small lists what can be pressed on a page and is smaller than a finger needs. A link within
// a sentence is as high as its line.
const small = (page) =>
  page.locator('main').locator('a, button, summary, select, input').evaluateAll((all) =>
    all.flatMap((one) => {
      const { width, height } = (one.closest('label') ?? one).getBoundingClientRect();
      const hidden = width <= 1 || one.closest('.visually-hidden, [hidden], details:not([open]) > :not(summary)') || getComputedStyle(one).opacity === '0';
      const within = one.localName === 'a' && [...one.parentElement.childNodes].some((other) => other.nodeType === Node.TEXT_NODE && other.data.trim() !== '');
      return !hidden && !within && (Math.round(width) < 24 || Math.round(height) < 24) ? [`${one.localName} ${one.ariaLabel || one.textContent || one.id}: ${width} by ${height}`] : [];
    }),
  );

test('what can be pressed on a phone is large enough for a finger, on every screen', async (t) => {
  const page = await open(t, shared.browser, shared.site, { viewport: sizes.phone, hasTouch: true });
  await page.goto('/admin/');
  await signIn(page);
  const screens = [
    ['/', 'heading', /^Welcome/],
    ['/content/api::restaurant.restaurant', 'checkbox', /^Select (?!all)/],
    ['/types', 'link', 'Restaurant'],
    ['/types/api::restaurant.restaurant', 'link', 'All types'],
    ['/media', 'heading', 'Media'],
    ['/releases', 'heading', 'Releases'],
    ['/people', 'heading', 'People'],
    ['/people/roles', 'heading', 'Roles'],
    ['/settings', 'heading', 'Settings'],
    ['/operation/backups', 'heading', 'Backups'],
    ['/operation/audit', 'heading', 'Audit log'],
    ['/operation/webhooks', 'heading', 'Webhooks'],
    ['/changes', 'heading', 'Approvals'],
  ];
  for (const [path, role, name] of screens) {
    await page.goto(`/admin${path}`);
    await page.getByRole(role, { name }).first().waitFor();
    await drawn(page);
    assert.deepEqual(await small(page), [], path);
  }
});

test('keys lead from the skip link to the content, and ? shows all keys', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
  await page.evaluate(() => document.activeElement?.blur?.());
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await focused(page, page.getByRole('main'));
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByText('Ctrl+K').waitFor();
  await look(page, 'shortcuts');
  await help.getByRole('switch', { name: 'Shortcuts of a single key' }).click();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  assert.equal(await help.isVisible(), false);
});

test('a server that is gone is said, and that it is back', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  await page.context().setOffline(true);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('blue');
  await page.getByText('The server cannot be reached').first().waitFor();
  await look(page, 'offline');
  await page.context().setOffline(false);
  await page.getByText('The server cannot be reached').first().waitFor({ state: 'detached' });
});

test('a piece that cannot be loaded is said, and comes with the next load', async (t) => {
  const page = await open(t, shared.browser, shared.site, {}, { mayFail: true });
  await page.goto('/admin/');
  await signIn(page);
  await page.route('**/editor.js', (route) => route.abort());
  await page.goto('/admin/single/api::homepage.homepage');
  await page.getByRole('heading', { name: 'This page has failed' }).waitFor();
  await look(page, 'failed');
  await page.unroute('**/editor.js');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
});

test('going back asks nothing where nothing was typed, and shows what was there', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/content/api::cuisine.cuisine');
  await signIn(page);
  await page.getByRole('link', { name: 'Story' }).click();
  await page.getByRole('heading', { name: 'Story' }).first().waitFor();
  await page.waitForFunction(() => document.title.startsWith('Story · '));
  await page.goBack();
  await page.getByRole('heading', { name: 'Cuisine' }).first().waitFor();
  await page.goForward();
  await page.getByRole('heading', { name: 'Story' }).first().waitFor();
});

test('every screen is clear in both themes and widths', async (t) => {
  const { browser, site } = shared;
  await everyLook(t, browser, site, 'signin', async (page) => {
    await page.goto('/admin/');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });
  await everyLook(t, browser, site, 'home', async (page) => {
    await page.goto('/admin/');
    await signIn(page);
  });
  await everyLook(t, browser, site, 'palette', async (page) => {
    await page.goto('/admin/');
    await signIn(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('a');
    await page.getByRole('option').first().waitFor();
  });
  await everyLook(t, browser, site, 'missing', async (page) => {
    await page.goto('/admin/nowhere');
    await signIn(page);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });
});
