// Signing in to the admin at a provider of OpenID Connect: a real one, on this machine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { Provider } from 'oidc-provider';
import { everyLook, look, open, share, signedIn } from './browser.mjs';
import { api, serve } from './site.mjs';
import { codeOf } from './codes.mjs';

const secret = 'the secret of the client';
const list = '/admin/content/api::restaurant.restaurant?page=1';

let browser, site, groups;

// provide starts a provider for a site. Whoever signs in there is what they say, with groups.
async function provide(t, origin) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'cms', client_secret: secret, redirect_uris: [`${origin}/admin/api/v1/session/openid/callback`] }],
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: id, email: `${id.toLowerCase()}@example.org`, email_verified: true, groups }) }),
    cookies: { keys: ['a key of the test'] },
    features: { devInteractions: { enabled: true } },
  });
  server.on('request', provider.callback());
  return issuer;
}

share(
  async (given) => ({ browser, site } = given),
  async (t) => {
    process.env.ADMIN_OPENID_SECRET = secret;
    const served = await serve(t);
    const issuer = await provide(t, served.origin);
    const file = join(served.folder, 'site.json');
    const openid = {
      issuer,
      clientId: 'cms',
      scopes: ['email', 'profile', 'groups'],
      label: 'Example login',
      roles: { claim: 'groups', map: { writers: 'editor' } },
      createAccounts: true,
    };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), url: served.origin, admin: { openid } }));
    await served.restart();
    return served;
  },
);

// enterAt signs somebody in at the page of the provider, who agrees to what it asks.
async function enterAt(page, name) {
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const button = (page) => page.getByRole('link', { name: 'Example login' });

test('somebody signs in at the provider, and loses the role there', async (t) => {
  groups = ['readers', 'writers'];
  const page = await open(t, browser, site);
  await page.goto(list);
  await button(page).waitFor();
  await look(page, 'openid-sign-in');
  await button(page).click();
  await enterAt(page, 'Grace');
  await page.getByRole('heading', { name: 'Restaurant', exact: true }).waitFor();
  await page.waitForURL(site.origin + list);

  await page.goto('/admin/security');
  await page.getByRole('row').filter({ hasText: 'this one' }).getByText('at the provider').waitFor();
  const { data } = await api(page.context(), site, 'GET', '/session');
  assert.deepEqual([data.account.email, data.account.role.id], ['grace@example.org', 'editor']);
  await look(page, 'openid-security');

  const owner = await signedIn(t, browser, site, '/people');
  await owner.getByRole('row').filter({ hasText: 'grace@example.org' }).getByText('signs in at the provider').waitFor();
  await look(owner, 'openid-people');

  groups = ['readers'];
  await api(page.context(), site, 'DELETE', '/session');
  await page.goto(list);
  await button(page).click();
  await page.getByText('You have no role here').waitFor();
  await page.waitForURL(`${site.origin}/admin/`);
  await look(page, 'openid-refused');
});

test('whoever has a second factor gives it after the provider', async (t) => {
  groups = ['writers'];
  const page = await open(t, browser, site);
  await page.goto(list);
  await button(page).click();
  await enterAt(page, 'Alan');
  await page.getByRole('heading', { name: 'Restaurant', exact: true }).waitFor();

  await page.goto('/admin/security');
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up a second factor' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  const shown = (await dialog.getByTestId('secret').textContent()).replaceAll(' ', '');
  await dialog.getByLabel('Code that the app shows').fill(codeOf(shown));
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();

  await api(page.context(), site, 'DELETE', '/session');
  await page.goto(list);
  await button(page).click();
  await page.getByText('Your account has a second factor').waitFor();
  await page.getByLabel('Code').fill(codeOf(shown, 1));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Restaurant', exact: true }).waitFor();
  await page.waitForURL(site.origin + list);
});

test('the page for signing in looks right with a provider, in both themes and widths', async (t) => {
  await everyLook(t, browser, site, 'openid', async (page) => {
    await page.goto('/admin/?error=state');
    await page.getByText('begun in another browser').waitFor();
    await button(page).waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });
});
