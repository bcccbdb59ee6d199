// A site that is reloaded with another schema while its documents are open.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, look, signedIn } from './browser.mjs';
import { content, serve, setUp } from './site.mjs';

const uid = 'api::note.note';
const before = { title: { type: 'string' }, summary: { type: 'text' }, aside: { type: 'string' }, author: { type: 'string' }, secret: { type: 'password' } };
const after = { title: { type: 'string' }, summary: { type: 'text' }, subtitle: { type: 'string', required: true }, author: { type: 'component', component: 'part.person' }, secret: { type: 'password' } };

function write(site, attributes) {
  const type = join(site, 'src/api/note/content-types/note');
  mkdirSync(type, { recursive: true });
  mkdirSync(join(site, 'src/components/part'), { recursive: true });
  writeFileSync(join(site, 'src/components/part/person.json'), JSON.stringify({ collectionName: 'persons', info: { displayName: 'Person' }, attributes: { name: { type: 'string' } } }));
  const info = { singularName: 'note', pluralName: 'notes', displayName: 'Note' };
  writeFileSync(join(type, 'schema.json'), JSON.stringify({ kind: 'collectionType', collectionName: 'notes', info, options: { draftAndPublish: true }, attributes }));
}

test('an open document gets the form of a changed schema, and keeps what was typed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-reload-'));
  t.after(() => rmSync(folder, { recursive: true }));
  write(folder, before);
  writeFileSync(join(folder, 'site.json'), '{}');
  const site = await serve(t, folder, undefined, undefined, { watch: true });
  await setUp(site);
  const { data: note } = await content(site, 'POST', '/notes?status=draft', { data: { title: 'Stored' } });
  const browser = await launch(t);
  const page = await signedIn(t, browser, site, `/content/${uid}/${note.documentId}`);
  const fresh = await signedIn(t, browser, site, `/content/${uid}/new`);
  const field = (of, name) => of.getByLabel(name, { exact: true });
  await field(page, 'Title').fill('Typed');
  await field(page, 'Aside').fill('Soon gone');
  await field(page, 'Author').fill('Ada');
  await field(page, 'Secret').fill('a password');
  await field(page, 'Summary').fill('Typed as well');
  await field(fresh, 'Title').fill('A new one');

  write(site.folder, after);
  await field(page, 'Subtitle').waitFor();
  await page.getByText('Aside, Author are no longer part of this form').waitFor();
  assert.equal(await field(page, 'Title').inputValue(), 'Typed');
  assert.equal(await field(page, 'Summary').inputValue(), 'Typed as well');
  assert.equal(await field(page, 'Secret').inputValue(), 'a password');
  await page.waitForFunction(() => document.activeElement?.matches('textarea') && document.activeElement.selectionStart === 'Typed as well'.length);
  await page.keyboard.type(' and further');
  await look(page, 'editor-reshaped');
  await field(page, 'Subtitle').fill('New');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/^Saved (just|\d)/).first().waitFor();
  const { data } = await content(site, 'GET', `/notes/${note.documentId}?status=draft&populate=*`);
  assert.deepEqual([data.title, data.summary, data.subtitle, data.author], ['Typed', 'Typed as well and further', 'New', null]);

  await field(fresh, 'Subtitle').waitFor();
  assert.equal(await field(fresh, 'Title').inputValue(), 'A new one');
  await fresh.getByRole('button', { name: 'Save', exact: true }).click();
  await fresh.getByText(/^Saved (just|\d)/).first().waitFor();
});
