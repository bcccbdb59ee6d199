import assert from 'node:assert/strict';
import test from 'node:test';
import { readFileSync } from 'node:fs';
import { strapi } from '@strapi/client';
import { serve } from './site.mjs';

const wide = readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url));

test('files are uploaded, listed, renamed, fetched and deleted', async (t) => {
  const { origin, api, token } = await serve(t);
  const client = strapi({ baseURL: api, auth: token });

  const [uploaded] = await client.files.upload(new Blob([wide], { type: 'image/jpeg' }), {
    filename: 'wide.jpg',
    mimetype: 'image/jpeg',
    fileInfo: { name: 'The quay', alternativeText: 'boats', caption: 'at noon' },
  });
  assert.equal(uploaded.name, 'The quay');
  assert.equal(uploaded.alternativeText, 'boats');
  assert.equal(uploaded.width, 1600);
  assert.deepEqual(Object.keys(uploaded.formats).sort(), ['large', 'medium', 'small', 'thumbnail']);

  const second = await client.files.upload(Buffer.from('Soup 4.00\n'), { filename: 'menu.txt', mimetype: 'text/plain' });
  assert.equal(second[0].mime, 'text/plain');

  const files = await client.files.find({ sort: 'name:asc', filters: { mime: { $contains: 'image' } } });
  assert.deepEqual(files.map((file) => file.id), [uploaded.id]);
  assert.equal((await client.files.find()).length, 2);

  const renamed = await client.files.update(uploaded.id, { name: 'The old quay', caption: null });
  assert.equal(renamed.name, 'The old quay');
  assert.equal(renamed.alternativeText, 'boats');
  assert.equal(renamed.caption, null);
  assert.equal((await client.files.findOne(uploaded.id)).name, 'The old quay');

  const fetched = await fetch(origin + renamed.url);
  assert.equal(fetched.headers.get('content-type'), 'image/jpeg');
  assert.ok(wide.equals(Buffer.from(await fetched.arrayBuffer())));
  assert.equal((await fetch(origin + renamed.formats.thumbnail.url)).status, 200);

  const restaurants = client.collection('restaurants');
  const { data: made } = await restaurants.create({ name: 'The Pier', photo: uploaded.id });
  const shown = await restaurants.findOne(made.documentId, { populate: 'photo' });
  assert.equal(shown.data.photo.name, 'The old quay');

  assert.equal((await client.files.delete(uploaded.id)).id, uploaded.id);
  await assert.rejects(client.files.findOne(uploaded.id), (error) => error.response?.status === 404);
  assert.equal((await fetch(origin + renamed.url)).status, 404);
  const left = await restaurants.findOne(made.documentId, { populate: 'photo' });
  assert.equal(left.data.photo, null);
});

test('what the client may not do is refused', async (t) => {
  const { api } = await serve(t);
  const nobody = strapi({ baseURL: api });
  await assert.rejects(nobody.files.upload(Buffer.from('x'), { filename: 'x.txt', mimetype: 'text/plain' }), (error) => error.response?.status === 403);
  await assert.rejects(nobody.files.find(), (error) => error.response?.status === 403);
});
