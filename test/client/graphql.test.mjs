// GraphQL with the clients that people use, as they are published.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'node:test';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client/core';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { GraphQLClient } from 'graphql-request';
import { createClient } from 'graphql-sse';
import { serve } from './site.mjs';

const withGraphQL = (settings) => {
  settings.graphql = { enabled: true };
  settings.roles.authenticated = { 'api::cuisine.cuisine': ['find', 'findOne', 'create'] };
};

// filled serves a site with a cook and three restaurants.
async function filled(t) {
  const site = await serve(t, withGraphQL);
  const endpoint = `${site.origin}/graphql`;
  const headers = { Authorization: `Bearer ${site.token}` };
  const owner = new GraphQLClient(endpoint, { headers });
  const { createCook } = await owner.request('mutation { createCook(data: {name: "Mei"}) { documentId } }');
  const create = 'mutation Create($data: RestaurantInput!) { createRestaurant(data: $data) { documentId name } }';
  const restaurants = [];
  for (const [name, seats] of [['Door', 40], ['Noodles', 12], ['Tür 100%', 80]]) {
    restaurants.push((await owner.request(create, { data: { name, seats, cook: createCook.documentId } })).createRestaurant);
  }
  return { ...site, endpoint, headers, owner, cook: createCook.documentId, restaurants };
}

const RESTAURANT = gql`
  query Restaurant($id: ID!) {
    restaurant(documentId: $id) { ...Summary cook { documentId name } }
  }
  fragment Summary on Restaurant { documentId name seats }
`;

test('Apollo Client knows a document again by its documentId', async (t) => {
  const { endpoint, headers, restaurants } = await filled(t);
  let requests = 0;
  const counted = new ApolloLink((operation, forward) => {
    requests++;
    return forward(operation);
  });
  const client = new ApolloClient({
    link: ApolloLink.from([counted, new HttpLink({ uri: endpoint, headers })]),
    cache: new InMemoryCache({ typePolicies: { Restaurant: { keyFields: ['documentId'] }, Cook: { keyFields: ['documentId'] } } }),
  });
  const LIST = gql`query { restaurants(sort: "name") { documentId name seats cook { documentId name } } }`;
  const { data } = await client.query({ query: LIST });
  assert.deepEqual(data.restaurants.map(({ name, cook, __typename }) => [name, cook.name, __typename]), [['Door', 'Mei', 'Restaurant'], ['Noodles', 'Mei', 'Restaurant'], ['Tür 100%', 'Mei', 'Restaurant']]);

  const UPDATE = gql`mutation Update($id: ID!, $seats: Int) { updateRestaurant(documentId: $id, data: { seats: $seats }) { documentId seats } }`;
  const updated = await client.mutate({ mutation: UPDATE, variables: { id: restaurants[0].documentId, seats: 41 } });
  assert.equal(updated.data.updateRestaurant.seats, 41);
  const before = requests;
  const again = await client.query({ query: LIST });
  assert.equal(again.data.restaurants[0].seats, 41, 'the response of the mutation updated the cached list');
  assert.equal(requests, before, 'the list came from the cache');

  const one = await client.query({ query: RESTAURANT, variables: { id: restaurants[0].documentId } });
  assert.deepEqual({ ...one.data.restaurant, cook: one.data.restaurant.cook.name }, { __typename: 'Restaurant', documentId: restaurants[0].documentId, name: 'Door', seats: 41, cook: 'Mei' });
  client.stop();
});

test('Apollo Client pages through a list, and joins the pages', async (t) => {
  const { endpoint, headers } = await filled(t);
  const restaurants = { keyArgs: ['sort'], merge: (known = [], more) => [...known, ...more] };
  const client = new ApolloClient({ link: new HttpLink({ uri: endpoint, headers }), cache: new InMemoryCache({ typePolicies: { Query: { fields: { restaurants } }, Restaurant: { keyFields: ['documentId'] } } }) });
  const PAGE = gql`query Page($start: Int, $limit: Int) { restaurants(sort: "name", pagination: { start: $start, limit: $limit }) { documentId name } }`;
  const first = { query: PAGE, variables: { start: 0, limit: 2 } };
  await client.query(first);
  const watched = client.watchQuery(first);
  await watched.fetchMore({ variables: { start: 2, limit: 2 } });
  assert.deepEqual(client.cache.readQuery(first).restaurants.map(({ name }) => name), ['Door', 'Noodles', 'Tür 100%']);
  client.stop();
});

test('Apollo Client sees what failed, where, and with which code', async (t) => {
  const { endpoint } = await filled(t);
  const client = new ApolloClient({ link: new HttpLink({ uri: endpoint }), cache: new InMemoryCache() });
  const mutation = gql`mutation { createCuisine(data: { name: "Soup" }) { name } }`;
  await assert.rejects(client.mutate({ mutation }), (error) => {
    assert.ok(CombinedGraphQLErrors.is(error));
    assert.deepEqual(error.errors.map(({ path, extensions }) => [path, extensions.code, extensions.error.name]), [[['createCuisine'], 'FORBIDDEN', 'ForbiddenError']]);
    return true;
  });
  const query = gql`query { restaurants(pagination: { limit: 1 }) { name } usersPermissionsUser(documentId: "x") { username } }`;
  const { data, error } = await client.query({ query, errorPolicy: 'all' });
  assert.deepEqual([data.restaurants[0].name, data.usersPermissionsUser], ['Door', null]);
  assert.deepEqual(error.errors.map(({ path }) => path), [['usersPermissionsUser']]);
  client.stop();
});

test('urql reads with variables and fragments, and asks anew after a mutation', async (t) => {
  const { endpoint, headers, restaurants } = await filled(t);
  const client = new Client({ url: endpoint, exchanges: [cacheExchange, fetchExchange], fetchOptions: { headers }, preferGetMethod: false });
  const id = restaurants[1].documentId;
  const { data } = await client.query(RESTAURANT, { id }).toPromise();
  assert.deepEqual([data.restaurant.name, data.restaurant.seats, data.restaurant.cook.name], ['Noodles', 12, 'Mei']);
  const changed = await client.mutation(gql`mutation ($id: ID!) { updateRestaurant(documentId: $id, data: { seats: 13 }) { documentId seats } }`, { id }).toPromise();
  assert.equal(changed.error, undefined);
  assert.equal((await client.query(RESTAURANT, { id }).toPromise()).data.restaurant.seats, 13);
  const wrong = await client.query(gql`query { restaurants(sort: "nope") { name } }`, {}).toPromise();
  assert.deepEqual(wrong.error.graphQLErrors.map(({ message, extensions }) => [message, extensions.code]), [['Invalid key nope', 'BAD_USER_INPUT']]);
});

test('urql reads by GET', async (t) => {
  const { endpoint, restaurants } = await filled(t);
  const client = new Client({ url: endpoint, exchanges: [fetchExchange], preferGetMethod: 'force' });
  const { data, error } = await client.query(RESTAURANT, { id: restaurants[2].documentId }).toPromise();
  assert.equal(error, undefined);
  assert.equal(data.restaurant.name, 'Tür 100%');
});

test('graphql-request signs a user in, who writes', async (t) => {
  const { endpoint } = await filled(t);
  const visitor = new GraphQLClient(endpoint);
  const { register } = await visitor.request('mutation { register(input: {username: "ana", email: "ana@example.org", password: "secret-1"}) { jwt user { username } } }');
  assert.equal(register.user.username, 'ana');
  const { login } = await visitor.request('mutation In($input: UsersPermissionsLoginInput!) { login(input: $input) { jwt } }', { input: { identifier: 'ana@example.org', password: 'secret-1' } });
  const ana = new GraphQLClient(endpoint, { headers: { Authorization: `Bearer ${login.jwt}` } });
  const { me, cuisine } = await ana.request('query { me { username role { type } } cuisine(documentId: "x") { name } }');
  assert.deepEqual([me, cuisine], [{ username: 'ana', role: { type: 'authenticated' } }, null]);
  assert.equal((await ana.request('mutation { createCuisine(data: {name: "Soup"}) { name } }')).createCuisine.name, 'Soup');
  await assert.rejects(ana.request('mutation { deleteCuisine(documentId: "x") { documentId } }'), ({ response }) => {
    assert.deepEqual(response.errors.map(({ extensions }) => extensions.code), ['FORBIDDEN']);
    return true;
  });
  await assert.rejects(visitor.request('query { restaurants { nope } }'), ({ response }) => {
    assert.deepEqual([response.status, response.errors[0].extensions.code], [400, 'GRAPHQL_VALIDATION_FAILED']);
    return true;
  });
});

test('graphql-sse hears of a write over REST, reads, and sees what is refused', async (t) => {
  const { api, endpoint, headers } = await filled(t);
  let connected;
  const begun = new Promise((resolve) => { connected = resolve; });
  const client = createClient({ url: endpoint, headers, retryAttempts: 0 });
  t.after(() => client.dispose());
  const changes = client.iterate({ query: 'subscription { cuisineChanged { action entry { name } } }' }, { connected });
  const next = changes.next();
  await begun;
  const written = await fetch(`${api}/cuisines`, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: '{"data": {"name": "Soup"}}' });
  assert.equal(written.status, 201);
  const { value } = await next;
  assert.equal(value.errors, undefined);
  assert.equal(value.data.cuisineChanged.entry.name, 'Soup');
  await changes.return();

  const all = async (client, query) => {
    const results = [];
    for await (const result of client.iterate({ query })) results.push(result);
    return results;
  };
  assert.deepEqual(await all(client, 'query { restaurants(sort: "name") { name } }'), [{ data: { restaurants: [{ name: 'Door' }, { name: 'Noodles' }, { name: 'Tür 100%' }] } }]);
  const refused = await all(client, 'subscription { cuisineChanged { entry { nope } } }');
  assert.deepEqual(refused.map(({ errors }) => errors.map(({ extensions }) => extensions.code)), [['GRAPHQL_VALIDATION_FAILED']]);
  const visitor = createClient({ url: endpoint, retryAttempts: 0 });
  t.after(() => visitor.dispose());
  const drafts = await all(visitor, 'subscription { restaurantChanged(status: DRAFT) { action } }');
  assert.deepEqual(drafts.map(({ errors }) => errors.map(({ extensions }) => extensions.code)), [['FORBIDDEN']]);
});

test('a file is uploaded over REST, and used in GraphQL', async (t) => {
  const { api, owner, headers, restaurants } = await filled(t);
  const form = new FormData();
  form.append('files', new File([readFileSync(new URL('../../testdata/media/dot.png', import.meta.url))], 'dot.png', { type: 'image/png' }));
  const [file] = await (await fetch(`${api}/upload`, { method: 'POST', headers, body: form })).json();
  const { updateUploadFile } = await owner.request('mutation Name($id: ID!) { updateUploadFile(id: $id, info: {name: "card.png", alternativeText: "The card"}) { name alternativeText } }', { id: file.id });
  assert.deepEqual(updateUploadFile, { name: 'card.png', alternativeText: 'The card' });
  const { updateRestaurant } = await owner.request('mutation Photo($id: ID!, $photo: ID) { updateRestaurant(documentId: $id, data: {photo: $photo}) { photo { documentId name } } }', { id: restaurants[0].documentId, photo: file.id });
  assert.deepEqual(updateRestaurant.photo, { documentId: file.documentId, name: 'card.png' });
});

test('graphql-codegen makes the types of operations that docs/graphql.md shows', (t) => {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = mkdtempSync(join(here, 'types-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const site = join(mkdtempSync(join(tmpdir(), 'quire-codegen-')), 'site');
  t.after(() => rmSync(dirname(site), { recursive: true }));
  const quire = process.env.QUIRE ?? 'quire';
  execFileSync(quire, ['new', site]);
  writeFileSync(join(folder, 'schema.graphql'), execFileSync(quire, ['graphql-schema', site]));
  for (const [name, text] of shown(join(here, '../../docs/graphql.md'))) writeFileSync(join(folder, name), text);
  const run = (program, ...args) => execFileSync('npx', ['--no-install', program, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  run('graphql-codegen', '--config', 'codegen.json');
  const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] };
  const use = (body) => {
    writeFileSync(join(folder, 'use.ts'), `import type { RestaurantsQuery } from './operations';\nexport const names = (data: RestaurantsQuery) => ${body};\n`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    run('tsc', '--project', '.');
  };
  use('data.restaurants.map((one) => [one?.name.toUpperCase(), one?.cook?.name, (one?.seats ?? 0) + 1])');
  const says = (words) => ({ stdout }) => words.test(stdout);
  assert.throws(() => use('data.restaurants.map((one) => one?.slug)'), says(/slug/), 'what the operation does not select has no type');
  assert.throws(() => use('data.restaurants.map((one) => one?.cook.name)'), says(/null/), 'a cook can be missing');
});

// shown returns the files that a page shows: a block of code after a line that names it.
function shown(page) {
  const blocks = readFileSync(page, 'utf8').matchAll(/^`([\w.]+)`:\n\n```\w+\n([\s\S]*?)```/gm);
  const files = [...blocks].map(([, name, text]) => [name, text]);
  assert.deepEqual(files.map(([name]) => name), ['restaurants.graphql', 'codegen.json']);
  return files;
}
