// Users sign in at a provider that others wrote, as in a browser: through its pages, and back
// to the page of a front end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'node:test';
import { strapi } from '@strapi/client';
import Provider from 'oidc-provider';
import { freeAddress, serve } from './site.mjs';

const page = 'https://front.example.org/connect/house/redirect';
const secret = 'a-secret-that-the-provider-made-for-the-site';
process.env.CONNECT_HOUSE_SECRET = secret;

// provide starts a provider that knows the site at an address.
async function provide(t, site) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      { client_id: 'site', client_secret: secret, redirect_uris: [`${site}/api/connect/house/callback`], response_types: ['code'], grant_types: ['authorization_code'] },
      { client_id: 'other', client_secret: 'another', redirect_uris: ['https://other.example.org/in'], response_types: ['code'], grant_types: ['authorization_code'] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: id !== 'mallory', name: id, preferred_username: id }),
    }),
  });
  server.on('request', provider.callback());
  t.after(() => server.close());
  return issuer;
}

// browser keeps cookies, and sends them back to the paths that they are for.
class Browser {
  cookies = new Map();

  async go(url, form) {
    const { pathname } = new URL(url);
    const sent = [...this.cookies.values()].filter((c) => pathname.startsWith(c.path)).map((c) => c.pair);
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET', redirect: 'manual', headers: { cookie: sent.join('; ') }, body: form && new URLSearchParams(form),
    });
    for (const line of answer.headers.getSetCookie()) {
      const pair = line.split(';')[0];
      const path = /; ?path=([^;]*)/i.exec(line)?.[1] ?? '/';
      const key = pair.split('=')[0] + path;
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.cookies.delete(key);
      else this.cookies.set(key, { pair, path });
    }
    return answer;
  }

  // signIn begins at a page of the site and does what the pages of the provider ask for. It
  // returns the address of the front end at which it ends.
  async signIn(begin, login) {
    let url = begin;
    let form;
    for (let step = 0; step < 20; step++) {
      const answer = await this.go(url, form);
      form = undefined;
      if (answer.status === 302 || answer.status === 303) {
        url = new URL(answer.headers.get('location'), url).href;
        if (url.startsWith(page)) return new URL(url);
        continue;
      }
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      const prompt = /name="prompt" value="(\w+)"/.exec(text)[1];
      url = new URL(/action="([^"]+)"/.exec(text)[1], url).href;
      form = prompt === 'login' ? { prompt, login, password: 'any' } : { prompt };
    }
    assert.fail('the provider asks for ever more');
  }
}

async function open(t) {
  const address = await freeAddress();
  const issuer = await provide(t, `http://${address}`);
  const { api } = await serve(t, (settings) => {
    settings.url = `http://${address}`;
    settings.auth = { ...settings.auth, rateLimit: { enabled: false }, providers: { house: { issuer, clientId: 'site', callbacks: [page] } } };
  }, address);
  return { api };
}

test('a user signs in at a provider, and is the same the next time', async (t) => {
  const { api } = await open(t);
  const front = await new Browser().signIn(`${api}/connect/house`, 'ana');
  const answer = await fetch(`${api}/auth/house/callback${front.search}`);
  const { jwt, user } = await answer.json();
  assert.equal(answer.status, 200);
  assert.deepEqual([user.username, user.email, user.provider, user.confirmed], ['ana', 'ana@example.org', 'house', true]);
  const ana = strapi({ baseURL: api, auth: jwt });
  assert.equal((await (await ana.fetch('/users/me')).json()).documentId, user.documentId);

  const again = await new Browser().signIn(`${api}/connect/house?callback=${encodeURIComponent(`${page}?state=mine`)}`, 'ana');
  assert.equal(again.searchParams.get('state'), 'mine');
  const second = await (await fetch(`${api}/auth/house/callback${again.search}`)).json();
  assert.equal(second.user.documentId, user.documentId);
  const used = await fetch(`${api}/auth/house/callback${again.search}`);
  assert.equal(used.status, 400);
});

test('an address that the provider has not verified makes no user', async (t) => {
  const { api } = await open(t);
  const front = await new Browser().signIn(`${api}/connect/house`, 'mallory');
  const answer = await fetch(`${api}/auth/house/callback${front.search}`);
  assert.equal(answer.status, 400);
  assert.equal((await answer.json()).error.message, 'Email was not verified by the provider.');
});

test('another browser cannot end what one began', async (t) => {
  const { api } = await open(t);
  const victim = new Browser();
  const attacker = new Browser();
  await victim.go(`${api}/connect/house`);
  let stolen;
  attacker.go = async function (url, form) {
    if (url.startsWith(`${api}/connect/house/callback`)) {
      stolen = url; // which the victim is sent to
      return victim.go(url);
    }
    return Browser.prototype.go.call(this, url, form);
  };
  const front = await attacker.signIn(`${api}/connect/house`, 'mallory');
  assert.ok(stolen.includes('code='));
  assert.equal(front.searchParams.get('error'), 'oauth_error');
  assert.equal(front.searchParams.get('access_token'), null);
});
