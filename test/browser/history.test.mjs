// The versions of a document: what differs between two, and the way back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyLook, look, open, share, signIn } from './browser.mjs';
import { api } from './site.mjs';

let shared;
share(async (all) => {
  shared = all;
  await write(all.t);
});

const route = '/content/restaurants';
const text = (value, more) => ({ type: 'text', text: value, ...more });

// write changes The Blue Door twice, publishes the first change, and changes what is shown alone of the homepage.
async function write(t) {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/');
  await signIn(page);
  const ask = async (method, path, data) => {
    const answer = await api(page.context(), shared.site, method, path, data);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const { data } = await ask('GET', `${route}?filters[name]=The+Blue+Door&status=draft&populate=*`);
  const [door] = data;
  shared.id = door.documentId;
  const one = `${route}/${door.documentId}`;
  await ask('PUT', `${one}?status=draft`, {
    data: {
      summary: 'Grilled fish and mussels on the quay, whatever the boats brought in today.',
      seats: 48,
      description: [
        { type: 'heading', level: 2, children: [text('When to come')] },
        { type: 'paragraph', children: [text('Come '), text('very', { bold: true }), text(' early: the last table goes at six.')] },
        { type: 'list', format: 'unordered', children: [{ type: 'list-item', children: [text('Mussels on Thursdays')] }] },
      ],
      opening: [{ ...door.opening[1], from: '16:30:00' }, { day: 'sun', from: '12:00:00', to: '20:00:00' }],
    },
  });
  await ask('POST', `${one}/actions/publish`, {});
  await ask('PUT', `${one}?status=draft`, { data: { name: 'The Red Door', photo: null, cook: null, facts: { terrace: false, dogs: 'on a lead' } } });
}

const path = () => `/admin/content/api::restaurant.restaurant/${shared.id}/history?locale=en`;

async function show(page) {
  await page.goto(path());
  await signIn(page);
  await page.getByRole('heading', { name: 'History of The Red Door' }).waitFor();
}

test('each version says what it changed', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await show(page);
  const changes = page.getByRole('region', { name: 'What differs' });
  await changes.locator('del', { hasText: /Removed: Blue$/ }).waitFor();
  assert.match(await changes.locator('ins').first().textContent(), /Red/);
  await changes.getByText('the-blue-door.jpg').waitFor();
  await changes.locator('del', { hasText: 'Inês Prado' }).waitFor();

  const versions = page.getByRole('navigation', { name: 'Versions' });
  await versions.getByRole('button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await changes.locator('ins', { hasText: 'and mussels' }).waitFor();
  await changes.getByText('Mussels on Thursdays').waitFor();
  await changes.locator('.change-part.removed').waitFor();
});

test('the draft is compared with what is published', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await show(page);
  await page.getByLabel('Compared with').selectOption({ label: 'what is published' });
  const changes = page.getByRole('region', { name: 'What differs' });
  await changes.locator('del', { hasText: /Removed: Blue$/ }).waitFor();
  assert.equal(await changes.getByText('Summary').count(), 0, 'what is the same in both is not shown');
  await page.getByLabel('All fields').check();
  await changes.getByText('Summary', { exact: true }).waitFor();
});

test('the history looks as it should', async (t) => {
  await everyLook(t, shared.browser, shared.site, 'history', async (page) => {
    await show(page);
    await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').nth(2).click();
    await page.getByText('Mussels on Thursdays').waitFor();
  });
});

test('a version is restored, and that is undone', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await show(page);
  const versions = page.getByRole('navigation', { name: 'Versions' });
  await versions.getByRole('button').last().click();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('region', { name: 'Notifications' }).getByText(/^The version of .* is back/).waitFor();
  const name = async () => (await api(page.context(), shared.site, 'GET', `${route}/${shared.id}?status=draft`)).data.name;
  assert.equal(await name(), 'The Blue Door');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'History of The Red Door' }).waitFor();
  await page.getByRole('region', { name: 'Notifications' }).getByText(/^The version of .* is back/).waitFor();
  assert.equal(await name(), 'The Red Door');
});

test('a single type has a history', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await page.goto('/admin/single/api::homepage.homepage/history');
  await signIn(page);
  await page.getByRole('navigation', { name: 'Versions' }).getByRole('button').first().waitFor();
  await look(page, 'history-single');
});
