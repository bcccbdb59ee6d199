// The first screen: where somebody goes on from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, share, signedIn } from './browser.mjs';
import { api, content, serve, setUp } from './site.mjs';

let browser;
share((shared) => ({ browser } = shared), null);

const panel = (page, name) => page.getByRole('main').locator('section').filter({ has: page.getByRole('heading', { name }) });

test('the home shows own drafts, what was changed by whom, and what is to come', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await signedIn(t, browser, site, '/content/api::restaurant.restaurant');
  const made = await api(page.context(), site, 'POST', '/content/restaurants?status=draft&locale=en', { data: { name: 'The Green Gate' } });
  assert.equal(made.status, 201);
  await content(site, 'POST', `/restaurants/${made.data.documentId}/actions/publish?locale=en`, { at: '2031-12-24T18:00:00Z' });
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await panel(page, 'Your drafts').getByRole('link', { name: /The Green Gate/ }).waitFor();
  await panel(page, 'Recently changed').getByText(/by Ada Lovelace/).first().waitFor();
  await panel(page, 'Scheduled').getByText(/will be published .*2031/).waitFor();
  await panel(page, 'Your drafts').getByRole('link', { name: /The Green Gate/ }).click();
  await page.waitForURL(new RegExp(`/content/api::restaurant.restaurant/${made.data.documentId}\\?locale=en`));
});

test('an empty site says what to do first', async (t) => {
  const site = await serve(t, undefined, []);
  await setUp(site);
  const page = await signedIn(t, browser, site);
  await page.getByRole('heading', { name: 'Four steps to a site that shows something' }).waitFor();
  assert.equal(await page.getByRole('listitem').filter({ hasText: 'Describe what there is' }).getByText('Done').count(), 1);
  await page.getByRole('link', { name: /^Open / }).click();
  await page.getByRole('button', { name: 'Create the first entry' }).waitFor();
});

test('the home can be used by all', async (t) => {
  const site = await serve(t);
  const empty = await serve(t, undefined, []);
  await setUp(site);
  await setUp(empty);
  for (const [name, shown] of [['home', site], ['home-empty', empty]]) {
    await everyLook(t, browser, shown, name, async (page) => {
      await signIn(page, shown);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
    });
  }
});

async function signIn(page, site) {
  await enter(page.context(), site);
  await page.goto('/admin/');
}

test('the home is arranged: a note, a number and a chart, in the order that somebody wants', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await signedIn(t, browser, site);
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Arrange the first screen' });
  const add = drawer.getByLabel('Add a part');
  await add.selectOption({ label: 'Note' });
  await drawer.getByRole('button', { name: 'Save' }).and(page.locator('[aria-disabled]')).waitFor(); // a note needs a text
  await drawer.getByRole('textbox', { name: 'Text' }).fill('The menu changes on Friday.');
  await drawer.getByRole('button', { name: 'Move Note', exact: true }).press('ArrowUp');
  await add.selectOption({ label: 'Number' });
  await drawer.getByLabel('Entries of').last().selectOption({ label: 'Restaurant' });
  await add.selectOption({ label: 'Chart' });
  await drawer.getByLabel('Entries of').last().selectOption({ label: 'Restaurant' });
  await add.selectOption({ label: 'Chart' });
  await drawer.getByLabel('Entries of').last().selectOption({ label: 'Restaurant' });
  await drawer.getByLabel('Grouped by').last().selectOption({ label: 'Created (month)' });
  await drawer.getByRole('button', { name: 'Remove Recently changed' }).click();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByText('The menu changes on Friday.').waitFor();
  const { meta } = await content(site, 'GET', '/restaurants?status=draft&locale=en&pagination[pageSize]=1');
  const number = page.getByRole('link', { name: /of Restaurant$/ });
  assert.equal(await number.textContent(), String(meta.pagination.total));
  await panel(page, /^Restaurant by (?!Created)/).getByRole('listitem').first().waitFor();
  const months = panel(page, /^Restaurant by Created \(month\)$/).getByRole('listitem');
  await months.filter({ hasText: new RegExp(`^${new Date().toLocaleString('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })}${meta.pagination.total}$`) }).waitFor();
  assert.equal(await panel(page, 'Recently changed').count(), 0);
  await page.reload();
  await page.getByText('The menu changes on Friday.').waitFor(); // it is stored
  await everyLook(t, browser, site, 'home-arranged', async (other) => {
    await signIn(other, site);
    await panel(other, /month/).getByRole('listitem').first().waitFor();
  });
  await page.getByRole('button', { name: 'Arrange', exact: true }).click();
  await drawer.getByRole('button', { name: 'Back to the usual screen' }).click();
  await panel(page, 'Recently changed').waitFor();
});
