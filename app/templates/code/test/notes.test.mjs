// Calls the API of the running server: TOKEN=… node --test
import assert from 'node:assert/strict';
import test from 'node:test';

const base = process.env.URL ?? 'http://127.0.0.1:1337';
const headers = { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' };

async function call(method, path, data) {
  const response = await fetch(`${base}/api${path}`, { method, headers, body: data && JSON.stringify({ data }) });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
}

test('a note has its number of words', async () => {
  const made = await call('POST', '/notes', { text: 'one two three' });
  assert.equal(made.status, 201);
  assert.equal(made.body.data.words, 3);

  const path = `/notes/${made.body.data.documentId}`;
  assert.equal((await call('PUT', path, { text: 'one' })).body.data.words, 1);
  assert.equal((await call('DELETE', path)).status, 204);
});

test('a note in capitals is refused', async () => {
  const { status, body } = await call('POST', '/notes', { text: 'HELLO' });
  assert.equal(status, 403);
  assert.equal(body.error.message, 'Please do not shout');
});

test('the longest note is found, and the list counts the words', async () => {
  const long = await call('POST', '/notes', { text: 'word '.repeat(1000) });
  const longest = await call('GET', '/notes/longest');
  const list = await call('GET', '/notes');
  await call('DELETE', `/notes/${long.body.data.documentId}`);
  assert.equal(longest.body.data.words, 1000);
  assert.ok(list.body.meta.words >= 1000);
});
