// What a page asks for when it starts, and what it says when the answer is none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, open, signedIn } from './browser.mjs';
import { serve, setUp } from './site.mjs';

test('a start asks for nothing twice', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const browser = await launch(t);
  const page = await signedIn(t, browser, site);
  await page.getByRole('navigation').waitFor();
  await page.goto('about:blank'); // the page of before may still ask
  const asked = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/admin/api/')) asked.push(pathname.replace('/admin/api/v1', ''));
  });
  await page.goto('/admin/content/api::cuisine.cuisine');
  await page.getByRole('row').nth(1).waitFor();
  for (const path of ['/session', '/schema', '/preferences']) {
    assert.equal(asked.filter((each) => each === path).length, 1, `${path} among ${asked.join(' ')}`);
  }
});

test('what the page says itself is in the language of who reads it', async (t) => {
  const site = await serve(t);
  await setUp(site);
  const page = await open(t, await launch(t), site, { locale: 'de-DE' });
  await page.goto('/admin/');
  await page.getByLabel('E-Mail', { exact: true }).fill('ada@example.org');
  await page.getByLabel('Passwort', { exact: true }).fill('difference engine');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByText('Der Server ist nicht erreichbar').first().waitFor();
  await page.context().setOffline(false);
  await page.route('**/admin/api/v1/session', (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }));
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByText('hat an seiner Stelle geantwortet (HTTP 502)').first().waitFor();
});
