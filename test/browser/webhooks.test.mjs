// Webhooks: making, changing and testing them, what was tried of late, and sending it again.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { enter, everyLook, open, ownersApi, share, signedIn } from './browser.mjs';
import { content, serve } from './site.mjs';

let browser, site, ask;
share(
  async (shared) => {
    ({ browser, site } = shared);
    ask = await ownersApi(shared);
  },
  (t) => serve(t, undefined, [], { events: { allowPrivate: ['127.0.0.0/8'] } }),
);

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

// receive starts a receiver: what it was sent, with its headers, and the status it answers.
async function receive(t) {
  const receiver = { status: 200, came: [] };
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { event, entry } = JSON.parse(Buffer.concat(parts).toString());
      receiver.came.push({ event, entry, status: receiver.status, headers: request.headers });
      response.writeHead(receiver.status).end();
      server.emit(event);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  receiver.next = (event) => once(server, event);
  receiver.url = `http://127.0.0.1:${server.address().port}/changed`;
  return receiver;
}

// hooked makes a webhook, and removes it after the test.
async function hooked(t, data) {
  const made = await ask('POST', '/content/_webhooks', { data });
  assert.equal(made.status, 201, JSON.stringify(made));
  t.after(() => ask('DELETE', `/content/_webhooks/${made.data.id}`));
  return made.data.id;
}

test('a webhook is made for some types, languages and with a secret header, tested and changed', async (t) => {
  const receiver = await receive(t);
  const page = await signedIn(t, browser, site, '/operation/webhooks');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const form = page.getByRole('dialog', { name: 'Add a webhook' });
  await form.getByRole('button', { name: 'Add a webhook' }).click();
  await form.getByText('Enter a name').waitFor();
  await form.getByText('Enter an address that begins with').waitFor();
  await form.getByLabel('Name', { exact: true }).fill('search');
  await form.getByLabel('Address').fill(receiver.url);
  await form.getByRole('checkbox', { name: 'media.create' }).uncheck();
  await form.getByRole('group', { name: 'Content types' }).getByRole('checkbox', { name: 'Cuisine' }).check();
  await form.getByRole('group', { name: 'Languages' }).getByRole('checkbox', { name: /German/ }).check();
  await form.getByRole('button', { name: 'Add a header' }).click();
  await form.getByLabel('Name of header 1').fill('Host');
  await form.getByLabel('Value of header 1').fill('Bearer hush');
  await form.getByRole('button', { name: 'Add a webhook' }).click();
  await form.getByText(/"Host" is not a header that can be added/).waitFor();
  await form.getByLabel('Name of header 1').fill('Authorization');
  await form.getByRole('button', { name: 'Add a webhook' }).click();
  const secret = page.getByRole('dialog', { name: 'The secret of search' });
  assert.match(await secret.getByLabel('Secret', { exact: true }).inputValue(), /^whsec_/);
  await secret.getByRole('button', { name: 'Done' }).click();

  const act = async (name) => {
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Send a test');
  await page.getByText(/search answered 200 within/).first().waitFor();
  assert.equal(receiver.came[0].headers.authorization, 'Bearer hush');

  await act('Edit');
  const edit = page.getByRole('dialog', { name: 'Edit search' });
  assert.equal(await edit.getByRole('checkbox', { name: 'media.create' }).isChecked(), false);
  assert.equal(await edit.getByRole('checkbox', { name: 'Cuisine' }).isChecked(), true);
  assert.equal(await edit.getByRole('checkbox', { name: /German/ }).isChecked(), true);
  assert.equal(await edit.getByLabel('Name of header 1').inputValue(), 'Authorization');
  assert.equal(await edit.getByLabel('Value of header 1').inputValue(), ''); // it is not shown again
  await edit.getByLabel('Name', { exact: true }).fill('index');
  await edit.getByRole('checkbox', { name: 'All but users, later ones too' }).check();
  await edit.getByRole('button', { name: 'Save' }).click();
  await row(page, 'index').waitFor();
  await act('Send a test');
  await page.getByText(/index answered 200 within/).first().waitFor();
  assert.equal(receiver.came[1].headers.authorization, 'Bearer hush'); // what was not typed again is kept

  await act('Edit');
  const moved = page.getByRole('dialog', { name: 'Edit index' });
  await moved.getByLabel('Address').fill(`${receiver.url}/elsewhere`);
  await moved.getByRole('button', { name: 'Save' }).click();
  await moved.getByText('The address is another one: enter the values of the headers again, or remove them').waitFor();
  await moved.getByRole('button', { name: 'Remove header 1' }).click();
  await moved.getByRole('button', { name: 'Save' }).click();
  await moved.waitFor({ state: 'detached' });
  const tested = receiver.next('trigger-test');
  await act('Send a test');
  await tested;
  assert.equal(receiver.came[2].headers.authorization, undefined);
  await act('Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('There is no webhook yet').waitFor();
});

test('what was tried is listed and filtered, and is sent again', async (t) => {
  const receiver = await receive(t);
  receiver.status = 500;
  const page = await signedIn(t, browser, site);
  const id = await hooked(t, { name: 'feed', url: receiver.url });
  const came = receiver.next('entry.create');
  await content(site, 'POST', '/cuisines', { data: { name: 'Breton' } });
  await came;
  await page.goto('/admin/operation/webhooks');
  await row(page, 'feed').getByText('1 not delivered').waitFor();
  await page.getByRole('link', { name: 'feed' }).click();
  await page.getByRole('heading', { name: 'feed' }).waitFor();
  await page.waitForURL(`/admin/operation/webhooks/${id}`);
  const failed = row(page, 'entry.create').filter({ hasText: 'failed (500)' }).first(); // a slow page sees further attempts
  await failed.getByText('the receiver answered 500').waitFor();
  await failed.getByText(/^again /).waitFor();

  const sendNow = async (route) => {
    receiver.status = 200; // not before, as it is tried again by itself, too
    await route.continue();
  };
  await page.route('**/resend', sendNow, { times: 1 });
  await page.getByRole('button', { name: /^Send now: entry\.create/ }).click();
  await page.getByText('Everything has arrived.').waitFor();
  const arrived = row(page, 'entry.create').filter({ hasText: 'delivered (200)' });
  await arrived.waitFor();
  const filters = page.getByRole('search', { name: 'Filters' });
  await filters.getByLabel('Outcome').selectOption({ label: 'delivered' });
  await failed.waitFor({ state: 'detached' });
  await filters.getByLabel('Event').selectOption('media.create');
  await page.getByText('Nothing was tried that fits these filters').waitFor();
  await filters.getByLabel('Event').selectOption({ label: 'All' });
  await filters.getByLabel('Content type').selectOption({ label: 'Cuisine' });
  const third = receiver.next('entry.create');
  await arrived.first().getByRole('button', { name: /^Send again: entry\.create/ }).click();
  await third;
  const ids = receiver.came.map(({ headers }) => headers['webhook-id']);
  assert.deepEqual(new Set(ids).size, 1, ids.join()); // it is one delivery, as receivers see
  await arrived.nth(1).waitFor();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('status').getByText(/^answered 200 within/).waitFor();
  receiver.status = 410;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('status').getByText(/did not take the test within .* the receiver answered 410/).waitFor();
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await row(page, 'feed').waitFor();
});

test('an address that is not of the public internet is refused where it is typed', async (t) => {
  const page = await signedIn(t, browser, site, '/operation/webhooks');
  await page.getByRole('button', { name: 'Add a webhook' }).first().click();
  const form = page.getByRole('dialog', { name: 'Add a webhook' });
  await form.getByLabel('Name', { exact: true }).fill('inside');
  await form.getByLabel('Address').fill('http://10.0.0.1/');
  await form.getByRole('button', { name: 'Add a webhook' }).click();
  await form.getByText(/the address is of a private network/).waitFor();
});

test('it is there in German', async (t) => {
  const receiver = await receive(t);
  const page = await open(t, browser, site, { locale: 'de-DE' });
  await enter(page.context(), site);
  const id = await hooked(t, { name: 'suche', url: receiver.url });
  await page.goto(`/admin/operation/webhooks/${id}`);
  await page.getByRole('heading', { name: 'Die letzten Versuche' }).waitFor();
  await page.getByText('Alles ist angekommen.').waitFor();
});

test('it is as it should be in every theme and width', async (t) => {
  const receiver = await receive(t);
  receiver.status = 503;
  const id = await hooked(t, { name: 'looks', url: receiver.url, headers: { Authorization: 'a' } });
  const came = receiver.next('entry.create');
  await content(site, 'POST', '/cuisines', { data: { name: 'Norman' } });
  await came;
  await everyLook(t, browser, site, 'webhooks', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/webhooks');
    await row(page, 'looks').waitFor();
  });
  await everyLook(t, browser, site, 'webhook', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/operation/webhooks');
    await page.getByRole('button', { name: 'Actions for looks' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByLabel('Value of header 1').waitFor();
  });
  await everyLook(t, browser, site, 'attempts', async (page) => {
    await enter(page.context(), site);
    await page.goto(`/admin/operation/webhooks/${id}`);
    await row(page, 'failed (503)').first().waitFor();
  });
});
