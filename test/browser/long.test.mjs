// A form of more fields than a screen shows, of which only those in sight are drawn.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { launch, look, signedIn } from './browser.mjs';
import { serve, setUp } from './site.mjs';

const fields = 300;

// survey is the folder of a site whose one type has so many attributes, the last of them a
// number.
function survey(t) {
  const folder = mkdtempSync(join(tmpdir(), 'quire-long-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const type = join(folder, 'src/api/survey/content-types/survey');
  mkdirSync(type, { recursive: true });
  const attributes = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`answer${i}`, { type: i === fields - 1 ? 'integer' : 'string' }]));
  const info = { singularName: 'survey', pluralName: 'surveys', displayName: 'Survey' };
  writeFileSync(join(type, 'schema.json'), JSON.stringify({ kind: 'collectionType', collectionName: 'surveys', info, options: { draftAndPublish: true }, attributes }));
  writeFileSync(join(folder, 'site.json'), '{}');
  return folder;
}

test('in a long form a fault far below is led to, every field is reached by Tab, and search finds it', async (t) => {
  const site = await serve(t, survey(t));
  await setUp(site);
  const page = await signedIn(t, await launch(t), site, '/content/api::survey.survey/new');
  const last = page.getByLabel(`Answer${fields - 1}`, { exact: true });
  await page.getByLabel('Answer0', { exact: true }).fill('First');
  const drawn = await page.evaluate(() => [...document.querySelectorAll('.form-part')].filter((part) => part.firstElementChild?.checkVisibility({ contentVisibilityAuto: true })).length);
  assert.ok(drawn < fields / 10 / 2, `${drawn} parts of the form are drawn`);
  await last.fill('many');
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByRole('button', { name: `Answer${fields - 1}` }).waitFor();
  await page.waitForFunction((id) => document.activeElement?.id === id, await last.getAttribute('id'));
  assert.ok(await last.evaluate((field) => field.getBoundingClientRect().bottom <= innerHeight && field.getBoundingClientRect().top >= 0), 'it is in sight');
  await page.keyboard.press('Shift+Tab');
  await page.waitForFunction((id) => document.activeElement?.id === id, await page.getByLabel(`Answer${fields - 2}`, { exact: true }).getAttribute('id'));
  assert.ok(await page.evaluate(() => window.find('Answer150', false, false, true)), 'search in the page');
  await look(page, 'editor-long');
});
