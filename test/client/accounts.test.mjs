import assert from 'node:assert/strict';
import test from 'node:test';
import { strapi } from '@strapi/client';
import { serve } from './site.mjs';

const writers = (settings) => {
  settings.roles.authenticated = { 'api::cuisine.cuisine': ['find', 'findOne', 'create', 'update', 'delete'] };
};

const credentials = { identifier: 'ana@example.org', password: 'secret-1' };

// register makes the user of these credentials, without the client's help.
async function register(api) {
  const answer = await fetch(api + '/auth/local/register', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'ana', email: credentials.identifier, password: credentials.password }),
  });
  assert.equal(answer.status, 200);
  return answer.json();
}

// signedIn is a client that signs in by itself before its first request.
const signedIn = (api, options = credentials) =>
  new (strapi({ baseURL: api }).constructor)({ baseURL: api, auth: { strategy: 'users-permissions', options } });

test('a user signs in, lists, creates, updates and deletes', async (t) => {
  const { api } = await serve(t, writers);
  await register(api);
  const visitor = strapi({ baseURL: api });
  assert.deepEqual((await visitor.collection('cuisines').find()).data, []);
  await assert.rejects(visitor.collection('cuisines').create({ name: 'Soup' }), { name: 'HTTPForbiddenError' });

  const ana = signedIn(api);
  assert.equal((await (await ana.fetch('/users/me')).json()).username, 'ana');
  const cuisines = ana.collection('cuisines');
  const { data: soup } = await cuisines.create({ name: 'Soup' });
  assert.equal(soup.name, 'Soup');
  assert.equal((await cuisines.update(soup.documentId, { name: 'Soups' })).data.name, 'Soups');
  assert.equal((await cuisines.findOne(soup.documentId, { fields: ['name'] })).data.name, 'Soups');
  const list = await cuisines.find({ filters: { name: { $startsWithi: 'soup' } }, sort: 'name', pagination: { page: 1, pageSize: 10 } });
  assert.deepEqual(list.data.map((entry) => entry.name), ['Soups']);
  assert.deepEqual(list.meta.pagination, { page: 1, pageSize: 10, pageCount: 1, total: 1 });
  await cuisines.delete(soup.documentId);
  await assert.rejects(cuisines.findOne(soup.documentId), { name: 'HTTPNotFoundError' });
});

test('a wrong password does not sign in', async (t) => {
  const { api } = await serve(t, writers);
  await register(api);
  await assert.rejects(signedIn(api, { ...credentials, password: 'wrong-1' }).fetch('/users/me'));
});

test('signing out voids what the user had signed in with', async (t) => {
  const { api } = await serve(t, writers);
  const { jwt } = await register(api);
  const ana = strapi({ baseURL: api, auth: jwt });
  assert.equal((await ana.fetch('/auth/logout', { method: 'POST' })).status, 200);
  await assert.rejects(ana.fetch('/users/me'), { name: 'HTTPAuthorizationError' });
});

test('a token manages users', async (t) => {
  const { api, token } = await serve(t);
  const owner = strapi({ baseURL: api, auth: token });
  const { roles } = await (await owner.fetch('/users-permissions/roles')).json();
  const users = owner.collection('users');
  const bob = await users.create({ username: 'bob', email: 'bob@example.org', password: 'secret-2', role: roles[0].id });
  assert.equal(bob.role.type, 'authenticated');
  assert.equal((await users.update(bob.id, { username: 'bobby' })).username, 'bobby');
  assert.equal((await users.findOne(bob.id, { populate: 'role' })).role.name, 'Authenticated');
  assert.deepEqual((await users.find({ filters: { email: { $contains: 'bob' } } })).map((user) => user.username), ['bobby']);
  await users.delete(bob.id);
  assert.deepEqual(await users.find(), []);
});
