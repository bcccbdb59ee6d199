import assert from 'node:assert/strict';
import test from 'node:test';
import { strapi } from '@strapi/client';
import { addressOf, asksNull, clientCall, condition, curlCall, given, group, literal, operators, stringify, takesList, typed } from '../../server/docs/query.mjs';
import { serve } from './site.mjs';

// What the page at /api/docs writes down is what Strapi's own client asks.

const Run = Object.getPrototypeOf(async () => {}).constructor;

// call runs the text of a client call, as somebody who pastes it.
function call(text, token) {
  const body = text.replace(/^import .*\n/, '');
  const result = `\nreturn typeof meta === 'undefined' ? { data } : { data, meta };`;
  return new Run('strapi', 'process', body + result)(strapi, { env: { TOKEN: token } });
}

const read = async (address, token) => {
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
  return { status: answer.status, ...(await answer.json()) };
};

async function filled(t) {
  const site = await serve(t);
  const client = strapi({ baseURL: site.api, auth: site.token });
  const { data: mei } = await client.collection('cooks').create({ name: "Mei O'Hara & Söhne" });
  const restaurants = client.collection('restaurants');
  for (const [name, seats, vegetarian] of [['The Blue Door', 42, true], ['Noodles', 12, false], ['Tür 100%', 80, true]]) {
    await restaurants.create({ name, slug: `s-${seats}`, seats, vegetarian, opened: '2020-05-01', cook: mei.documentId });
  }
  await client.collection('stories').create({ title: 'Doors', body: [{ __component: 'block.quote', quote: 'q', by: mei.documentId }] });
  const { types, shapes } = await (await fetch(`${site.api}/docs/types`, { headers: { Authorization: `Bearer ${site.token}` } })).json();
  return { ...site, types, shapes, client };
}

test('what is shown of a question asks the same in every form', async (t) => {
  const { api, token, types, client } = await filled(t);
  const type = (name) => types.find((each) => each.path === `/api/${name}`);
  const { data } = await client.collection('restaurants').find({ sort: 'name' });
  const ask = (name, what, query) => ({ type: type(name), what, id: data[0].documentId, query });
  const and = group('and', [condition(['name'], '$contains', "o'"), condition(['cook', 'name'], '$eq', "Mei O'Hara & Söhne")]);
  for (const question of [
    ask('restaurants', 'list', {}),
    ask('restaurants', 'list', { filters: condition(['name'], '$eq', 'Tür 100%') }),
    ask('restaurants', 'list', { filters: group('or', [and, condition(['seats'], '$between', [40, 100])]), sort: ['vegetarian:desc', 'name:asc'] }),
    ask('restaurants', 'list', { filters: group('not', [condition(['cook', 'id'], '$null', true)]), fields: ['name'], populate: ['cook'], pagination: { page: 1, pageSize: 2 } }),
    ask('restaurants', 'list', { populate: { cook: { fields: ['name'], populate: { restaurants: { sort: 'name:asc' } } }, cuisines: true }, status: 'draft', locale: 'en', _q: 'door' }),
    ask('stories', 'list', { populate: { body: { on: { 'block.quote': { populate: '*' }, 'block.text': { populate: '*' } } } } }),
    ask('restaurants', 'one', { populate: '*' }),
    ask('restaurants', 'one', {}),
    ask('restaurants', 'count', { filters: and, status: 'draft' }),
    ask('restaurants', 'figures', { filters: and, groupBy: 'cook.name,vegetarian', count: 'true', avg: 'seats', sort: 'count:desc', pagination: { pageSize: 2 } }),
  ]) {
    const address = addressOf(api, question);
    const { status, ...wanted } = await read(address, token);
    assert.equal(status, 200, `${address}: ${JSON.stringify(wanted)}`);
    const { data, meta } = await call(clientCall(api, question, true), token);
    assert.deepEqual(data, wanted.data, address);
    if (meta) assert.deepEqual(meta, wanted.meta, address);
    assert.ok(curlCall(api, question, true).endsWith(`'${address}'`) && !address.includes("'"));
    assert.ok(!clientCall(api, question, true).includes(token));
  }
});

// Every operator that the page offers for an attribute is one that the site takes.
test('every operator that is offered is taken', async (t) => {
  const { api, token, types, shapes } = await filled(t);
  const samples = { boolean: 'true', date: '2020-01-01', time: '10:00:00', datetime: '2020-01-01T00:00:00.000Z', timestamp: '2020-01-01T00:00:00.000Z' };
  let asked = 0;
  for (const type of types.filter((each) => !each.single)) {
    const paths = shapes[type.shape].flatMap((m) => (m.shape ? shapes[m.shape].filter((inner) => inner.kind in operators).map((inner) => [[m.name, inner.name], inner]) : [[[m.name], m]]));
    for (const [path, member] of paths) {
      for (const operator of operators[member.kind] ?? []) {
        const one = member.values?.[0] ?? samples[member.kind] ?? '1';
        const value = typed(member.kind, operator, takesList(operator) ? `${one}, ${one}` : one);
        const address = addressOf(api, { type, what: 'count', query: { filters: condition(path, operator, value) } });
        const { status, error } = await read(address, token);
        assert.equal(status, 200, `${address}: ${error?.message}`);
        asked++;
      }
    }
  }
  assert.ok(asked > 500, `${asked} are too few`);
});

test('conditions are put together without changing what they mean', () => {
  const name = condition(['name'], '$eq', 'a');
  assert.equal(group('and', [undefined]), undefined);
  assert.deepEqual(group('and', [name, undefined]), { name: { $eq: 'a' } });
  assert.deepEqual(group('and', [name, condition(['name'], '$ne', 'b')]), { name: { $eq: 'a', $ne: 'b' } });
  assert.deepEqual(group('and', [name, name]), { $and: [name, name] });
  const links = [condition(['cook', 'name'], '$eq', 'a'), condition(['cook', 'born'], '$gt', '1')];
  assert.deepEqual(group('and', links), { $and: links });
  assert.deepEqual(group('or', links), { $or: links });
  assert.deepEqual(group('not', [name]), { $not: name });
  assert.equal(stringify({ a: { b: ['x y', "'&="] }, c: undefined, d: null, e: true }), "a[b][0]=x%20y&a[b][1]=%27%26%3D&d=&e=true");
  assert.equal(literal({ 'a-b': "it's \"so\" \\", n: [1, true] }), `{ 'a-b': 'it\\'s "so" \\\\', n: [1, true] }`);
  assert.deepEqual([typed('integer', '$eq', '7'), typed('integer', '$eq', '7x'), typed('biginteger', '$eq', '7'), typed('string', '$in', ' a, ,b'), typed('string', '$eq', '')], [7, '7x', '7', ['a', 'b'], undefined]);
  assert.ok(asksNull('$null') && typed('string', '$null', '') === true);
  assert.deepEqual(given({ a: '', b: undefined, c: 0 }), { c: 0 });
});
