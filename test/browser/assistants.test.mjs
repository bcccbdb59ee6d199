// Assistants: programs that work in the name of an account, made and connected by people.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { enter, everyLook, open, ownersApi, share, signedIn, signIn } from './browser.mjs';
import { api, serve } from './site.mjs';

let browser, site, asOwner;
share(
  async (shared) => {
    ({ browser, site } = shared);
    asOwner = await ownersApi(shared);
  },
  (t) => serve(t, undefined, [], { mcp: { enabled: true } }),
);

const row = (page, name) => page.getByRole('row').filter({ hasText: name });

// tool calls a tool as a program does that has a token.
async function tool(token, name, args) {
  const answer = await fetch(`${site.origin}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Mcp-Protocol-Version': '2025-06-18' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  return { status: answer.status, text: await answer.text() };
}

test('a token is made, copied, used and ended, and what it wrote says whose assistant it was', async (t) => {
  const page = await signedIn(t, browser, site, '/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('button', { name: /Ada Lovelace/ }).click();
  await page.getByRole('menuitem', { name: 'My assistants' }).click();
  await page.getByRole('button', { name: 'Add an assistant' }).click();
  const form = page.getByRole('dialog', { name: 'Add an assistant' });
  await form.getByRole('button', { name: 'Add an assistant' }).click();
  await form.getByText('Enter a name.').waitFor();
  await form.getByLabel('Name').fill('Claude');
  await form.getByLabel('All content types that I may read').uncheck();
  await form.getByRole('button', { name: 'Add an assistant' }).click();
  await form.getByText('Choose a content type.').waitFor();
  await form.getByLabel('Story', { exact: true }).check();
  await form.getByRole('button', { name: 'Add an assistant' }).click();

  const made = page.getByRole('dialog', { name: 'Claude is ready' });
  assert.equal(await made.getByLabel('Address', { exact: true }).inputValue(), `${site.origin}/mcp`);
  const token = await made.getByLabel('Token', { exact: true }).inputValue();
  await made.getByRole('button', { name: 'Copy Settings of the program' }).click();
  await page.getByText('Copied').first().waitFor();
  const settings = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  assert.deepEqual(settings.mcpServers.quire, { type: 'http', url: `${site.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } });
  await made.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Claude').getByText('write drafts · 1 content type').waitFor();

  const wrote = await tool(token, 'write', { items: [{ type: 'api::story.story', data: { title: 'A story' } }] });
  assert.equal(wrote.status, 200, wrote.text);
  const { data: stories } = await asOwner('GET', '/content/stories?status=draft');
  assert.equal(stories.length, 1, wrote.text);
  await page.goto(`/admin/content/api::story.story/${stories[0].documentId}/history`);
  await page.getByText("Ada Lovelace's assistant (Claude)").first().waitFor();

  await page.goto('/admin/assistants');
  await row(page, 'Claude').getByRole('button', { name: 'End Claude' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await page.getByText('Claude was ended').first().waitFor();
  await page.getByText('You have no assistant').waitFor();
  assert.equal((await tool(token, 'find', { type: 'api::story.story' })).status, 401);
  await page.goto('/admin/operation/audit');
  await page.getByText("Ada Lovelace's assistant (Claude)").first().waitFor();
});

test('what needs a person waits for one, who approves it, and takes it back', async (t) => {
  const { data: made } = await asOwner('POST', '/assistants', { name: 'Robot', days: 30, limits: { publish: 'ask', delete: 'no' } });
  const written = await tool(made.token, 'write', { items: [{ type: 'api::story.story', data: { title: 'A robot story' } }] });
  const { data: stories } = await asOwner('GET', '/content/stories?status=draft&filters[title]=A%20robot%20story');
  const documentId = stories[0].documentId;
  const waits = await tool(made.token, 'act', { action: 'publish', items: [{ type: 'api::story.story', documentId }] });
  assert.match(waits.text, /Waiting for approval/, written.text);

  const page = await signedIn(t, browser, site, '/');
  await page.getByRole('link', { name: 'publish documents (1)' }).click();
  await page.getByRole('heading', { name: 'A robot story' }).waitFor();
  assert.equal((await asOwner('GET', `/content/stories/${documentId}`)).status, 404);
  await page.getByRole('button', { name: 'Approve and do all of it' }).click();
  await page.getByText('All changes were made').first().waitFor();
  assert.equal((await asOwner('GET', `/content/stories/${documentId}`)).status, 200);

  await page.goto('/admin/assistants');
  await row(page, 'Robot').getByRole('link', { name: 'Take back what Robot did' }).click();
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByRole('heading', { name: 'A robot story' }).first().waitFor();
  await page.getByRole('button', { name: 'Take all of it back' }).click();
  await page.getByText(/as (it was|they were)/).first().waitFor();
  assert.equal((await asOwner('GET', `/content/stories/${documentId}?status=draft`)).status, 404);
  assert.equal((await asOwner('DELETE', `/assistants/${made.id}`)).status, 204);
});

// program listens where a browser is sent back, registers, and gives the address to begin at.
async function program(t, name, elsewhere) {
  let came;
  const back = new Promise((resolve) => (came = resolve));
  const listener = createServer((request, response) => {
    response.end('You can close this page.');
    if (request.url.startsWith('/callback')) came(new URL(request.url, 'http://localhost').searchParams);
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  t.after(() => listener.close());
  const redirect = elsewhere ?? `http://127.0.0.1:${listener.address().port}/callback`;
  const registered = await fetch(`${site.origin}/oauth/register`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ client_name: name, redirect_uris: [redirect] }) });
  const { client_id } = await registered.json();
  const verifier = randomBytes(40).toString('hex');
  const query = new URLSearchParams({
    response_type: 'code', client_id, redirect_uri: redirect, state: 'my state', resource: `${site.origin}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
  });
  const exchange = async (code) => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, client_id, redirect_uri: redirect, code_verifier: verifier });
    return (await fetch(`${site.origin}/oauth/token`, { method: 'POST', body })).json();
  };
  return { address: `/oauth/authorize?${query}`, back, exchange };
}

test('a program is connected by somebody who signs in for it', async (t) => {
  const asked = await program(t, 'Desk');
  const page = await open(t, browser, site);
  await page.goto(asked.address);
  await signIn(page);
  await page.getByText('“Desk” asks to work on this site').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Desk');
  await page.getByLabel('It may only read').check();
  await page.getByRole('button', { name: 'Connect' }).click();
  const answer = await asked.back;
  assert.equal(answer.get('state'), 'my state');
  await page.getByText('You can close this page.').waitFor();
  const { access_token } = await asked.exchange(answer.get('code'));
  assert.equal((await tool(access_token, 'find', { type: 'api::story.story' })).status, 200);
  await page.goto('/admin/assistants');
  await row(page, 'Desk').getByText('read', { exact: true }).waitFor();
});

test('a program that somebody refuses gets nothing', async (t) => {
  const asked = await program(t, 'Stranger');
  const page = await signedIn(t, browser, site);
  await page.goto(asked.address);
  await page.getByRole('button', { name: 'Refuse' }).click();
  const answer = await asked.back;
  assert.equal(answer.get('error'), 'access_denied');
  assert.equal(answer.get('code'), null);
  await page.getByText('You can close this page.').waitFor();
  await page.goto(asked.address.replace(/redirect_uri=[^&]*/, 'redirect_uri=https%3A%2F%2Fevil.example%2F'));
  await page.getByRole('alert').getByText('redirect_uri').waitFor();
});

// Anybody can register a program with any address, so a wrong request sends nobody there.
test('a wrong request leads to another site only if somebody wants that', async (t) => {
  const asked = await program(t, 'Wrong');
  const page = await signedIn(t, browser, site);
  await page.goto(asked.address.replace('response_type=code', 'response_type=token'));
  await page.getByText('“Wrong” has asked wrongly and gets nothing.').waitFor();
  await page.getByRole('button', { name: /^Go back to 127/ }).click();
  assert.equal((await asked.back).get('error'), 'unsupported_response_type');
  await page.getByText('You can close this page.').waitFor();
});

test('a host that only begins like this computer is another one', async (t) => {
  const page = await signedIn(t, browser, site);
  const asked = await program(t, 'Near', 'https://localhost.evil.example/callback');
  await page.goto(asked.address);
  await page.getByText('Your browser then goes to localhost.evil.example.').waitFor();
});

test('whoever may change an account ends its assistants', async (t) => {
  const email = 'grace@example.org';
  await asOwner('POST', '/accounts', { name: 'Grace Hopper', email, role: 'editor', password: 'nanoseconds' });
  const hers = await browser.newContext();
  t.after(() => hers.close());
  await enter(hers, site, { email, password: 'nanoseconds' });
  assert.equal((await api(hers, site, 'POST', '/assistants', { name: 'Cobol', days: 7, limits: {} })).status, 201);
  const page = await signedIn(t, browser, site, '/people');
  await row(page, 'Grace Hopper').getByRole('button', { name: 'Actions for Grace Hopper' }).click();
  await page.getByRole('menuitem', { name: 'Assistants' }).click();
  const list = page.getByRole('dialog', { name: 'Assistants of Grace Hopper' });
  await list.getByRole('button', { name: 'End Cobol' }).click();
  await page.getByRole('dialog', { name: 'End the assistant' }).getByRole('button', { name: 'End' }).click();
  await list.getByText('Grace Hopper has no assistant.').waitFor();
});

test('the pages on assistants have everyLook, in both languages', async (t) => {
  await asOwner('POST', '/assistants', { name: 'A look', days: 30, limits: { publish: 'ask' } });
  await everyLook(t, browser, site, 'assistants', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/assistants');
    await row(page, 'A look').waitFor();
  });
  await everyLook(t, browser, site, 'assistant-form', async (page) => {
    await enter(page.context(), site);
    await page.goto('/admin/assistants');
    await page.getByRole('button', { name: 'Add an assistant' }).click();
    await page.getByLabel('All content types that I may read').uncheck();
  });
  const asked = await program(t, 'A look');
  await everyLook(t, browser, site, 'connect', async (page) => {
    await enter(page.context(), site);
    await page.goto(asked.address);
    await page.getByRole('button', { name: 'Connect' }).waitFor();
  });
  const page = await signedIn(t, browser, site, '/assistants', { locale: 'de-DE' });
  await page.getByRole('heading', { name: 'Meine Assistenten' }).waitFor();
  await page.getByText('mit Zustimmung veröffentlichen').waitFor();
});
