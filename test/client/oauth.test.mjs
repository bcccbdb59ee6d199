// A program connects by OAuth with the client of the protocol's SDK: it knows only the address.
import assert from 'node:assert/strict';
import test from 'node:test';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually, serve } from './site.mjs';

const redirect = 'http://127.0.0.1:33418/callback';

// signIn makes the first account, and returns what asks the admin in its name.
async function signIn(site) {
  const [, token] = await eventually(() => /setup#(\w+)/.exec(site.said()) ?? assert.fail('no link'));
  const headers = { 'Content-Type': 'application/json', 'X-Quire-Admin': '1' };
  const ask = (method, path, body) => fetch(`${site.origin}/admin/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const entered = await ask('POST', '/setup', { token, name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' });
  assert.equal(entered.status, 200, await entered.clone().text());
  headers.Cookie = entered.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
  return ask;
}

// Program keeps what a program keeps: its registration, tokens and verifier.
class Program {
  redirectUrl = redirect;
  clientMetadata = { client_name: 'SDK', redirect_uris: [redirect], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.given; }
  saveTokens(tokens) { this.given = tokens; }
  redirectToAuthorization(address) { this.address = address; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  codeVerifier() { return this.verifier; }
  invalidateCredentials() { this.given = undefined; }
}

test('the client of the SDK registers, is connected by a person, and renews its token', async (t) => {
  const site = await serve(t, (settings) => (settings.mcp = { enabled: true }));
  const ask = await signIn(site);
  const program = new Program();
  const transport = () => new StreamableHTTPClientTransport(new URL(`${site.origin}/mcp`), { authProvider: program });
  const first = transport();
  await assert.rejects(new Client({ name: 'test', version: '1' }).connect(first), UnauthorizedError);
  assert.equal(program.address.origin + program.address.pathname, `${site.origin}/oauth/authorize`);
  assert.equal(program.address.searchParams.get('resource'), `${site.origin}/mcp`);

  const query = program.address.search.slice(1);
  const decided = await ask('POST', '/assistants/connect', { query, allow: true, name: 'SDK', days: 30, limits: { readOnly: true } });
  const back = new URL((await decided.json()).data.back);
  assert.equal(back.origin + back.pathname, redirect);
  await first.finishAuth(back.searchParams.get('code'));
  assert.match(program.given.access_token, /^qra_/);

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport());
  t.after(() => client.close());
  assert.ok((await client.listTools()).tools.length > 0);

  const former = program.given;
  program.given = { ...former, access_token: `qra_${'0'.repeat(64)}` }; // as if its hour were over
  assert.ok((await client.listTools()).tools.length > 0);
  assert.notEqual(program.given.access_token, former.access_token);
  assert.notEqual(program.given.refresh_token, former.refresh_token);

  const [own] = (await (await ask('GET', '/assistants')).json()).data;
  assert.equal(own.client, 'SDK');
  assert.equal((await ask('DELETE', `/assistants/${own.id}`)).status, 204);
  await assert.rejects(client.listTools(), UnauthorizedError);
});
