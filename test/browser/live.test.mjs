// What pages hear of the changes of others, while they are shown and after they were not.
import { test } from 'node:test';
import { open, share, signIn } from './browser.mjs';
import { content } from './site.mjs';

let shared;
share((all) => (shared = all));

// rename gives a cuisine another name over the content API.
async function rename(from, to) {
  const { data } = await content(shared.site, 'GET', `/cuisines?filters[name]=${from}`);
  await content(shared.site, 'PUT', `/cuisines/${data[0].documentId}`, { data: { name: to } });
}

test('a list shows what others write', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  const stream = page.waitForResponse('**/admin/api/v1/live?*');
  await page.goto('/admin/content/api::cuisine.cuisine');
  await signIn(page);
  await page.getByText('Seafood').first().waitFor();
  await stream;
  await rename('Seafood', 'Fish');
  await page.getByText('Fish').first().waitFor();
});

test('a server that comes back brings what was missed', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/content/api::cuisine.cuisine');
  await signIn(page);
  await page.getByText('Bakery').first().waitFor();
  await shared.site.restart();
  await rename('Bakery', 'Bread');
  await page.getByText('Bread').first().waitFor();
});

test('what others write while a stream cannot begin is not missed', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  const refuse = async (route) => {
    await page.getByText('Noodles').first().waitFor();
    await rename('Noodles', 'Ramen');
    await route.abort('connectionrefused');
  };
  await page.route('**/admin/api/v1/live?*', refuse, { times: 1 });
  await page.goto('/admin/content/api::cuisine.cuisine');
  await signIn(page);
  await page.getByText('Ramen').first().waitFor();
});
