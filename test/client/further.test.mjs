import assert from 'node:assert/strict';
import test from 'node:test';
import { strapi } from '@strapi/client';
import { serve } from './site.mjs';

// What Strapi's own client knows nothing of goes through it.

test('a list is read from cursor to cursor', async (t) => {
  const { api, token } = await serve(t);
  const cuisines = strapi({ baseURL: api, auth: token }).collection('cuisines');
  for (const name of ['Tapas', 'Soup', 'Grill', 'Bakery', 'Noodles']) await cuisines.create({ name });
  const seen = [];
  for (let after = ''; after !== null; ) {
    const { data, meta } = await cuisines.find({ sort: 'name', pagination: { after, limit: 2 } });
    assert.equal(meta.pagination.total, 5);
    seen.push(...data.map((entry) => entry.name));
    after = meta.pagination.next;
  }
  assert.deepEqual(seen, ['Bakery', 'Grill', 'Noodles', 'Soup', 'Tapas']);
});

test('a locale stands in, levels are populated, and best matches come first', async (t) => {
  const { api, token } = await serve(t);
  const client = strapi({ baseURL: api, auth: token });
  const { data: cook } = await client.collection('cooks').create({ name: 'Mei' });
  const restaurants = client.collection('restaurants');
  await restaurants.create({ name: 'Noodles', slug: 'noodles', summary: 'Behind the door.', cook: cook.documentId });
  const { data: door } = await restaurants.create({ name: 'The Door', slug: 'door' });
  await restaurants.update(door.documentId, { name: 'Die Tür' }, { locale: 'de' });

  const shown = await restaurants.find({ locale: 'de', fallbackLocale: ['en'], sort: 'name', populate: { '*': 2 } });
  assert.deepEqual(shown.data.map((entry) => [entry.name, entry.locale]), [['Die Tür', 'de'], ['Noodles', 'en']]);
  assert.equal(shown.data[1].cook.restaurants[0].name, 'Noodles');
  const found = await restaurants.find({ _q: 'door', sort: ['_rank', 'name'] });
  assert.deepEqual(found.data.map((entry) => entry.name), ['The Door', 'Noodles']);
});

test('what has changed meanwhile is told by a 412', async (t) => {
  const { api, token } = await serve(t);
  const client = strapi({ baseURL: api, auth: token });
  const { data: soup } = await client.collection('cuisines').create({ name: 'Soup' });
  const version = (await client.fetch(`/cuisines/${soup.documentId}`)).headers.get('Quire-Version');
  await client.collection('cuisines').update(soup.documentId, { name: 'Soups' });
  const write = client.fetch(`/cuisines/${soup.documentId}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', 'If-Match': version },
    body: JSON.stringify({ data: { name: 'Stew' } }),
  });
  const { error } = await write.then((answer) => answer.json(), (failure) => failure.response.json());
  assert.equal(error.status, 412);
  assert.deepEqual(error.details.paths, ['name']);
});
