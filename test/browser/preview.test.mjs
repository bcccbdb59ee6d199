// The page of a document beside its form: a front end without packages, from examples, and one
// that was made for Strapi's Live Preview.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { bothThemes, enter, open, ownersApi, share, sizes } from './browser.mjs';
import { plainFront } from './front.mjs';
import { content, serve } from './site.mjs';

const uid = 'api::restaurant.restaurant';
let shared;
share(
  async (all) => (shared = { ...all, api: await ownersApi(all) }),
  async (t) => {
    const site = await serve(t);
    const [plain, strapi] = [await plainFront(t, site.origin), await strapiFront(t, site.origin)];
    const file = join(site.folder, 'site.json');
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    settings.preview = { [uid]: `${plain}/{slug}`, 'api::story.story': `${strapi}/{slug}` };
    settings.url = site.origin;
    writeFileSync(file, JSON.stringify(settings));
    await site.restart();
    return site;
  },
);

// strapiFront starts a front end with the shape of LaunchPad's: it reads with Strapi's header,
// says that it is ready, runs the script that it gets, and reads again when it is asked to.
async function strapiFront(t, quire) {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Story</title><main><h1></h1><p></p></main><script>
    const token = new URLSearchParams(location.search).get('previewToken');
    async function show() {
      const query = new URLSearchParams({ previewToken: token, 'filters[slug]': location.pathname.slice(1), 'populate[body][populate]': '*' });
      const { data } = await (await fetch('${quire}/api/stories?' + query, { headers: { 'strapi-encode-source-maps': 'true' } })).json();
      document.querySelector('h1').textContent = data[0].title;
      document.querySelector('p').textContent = data[0].body.find((part) => part.__component === 'block.quote')?.quote ?? '';
      window.shows = (window.shows ?? 0) + 1;
    }
    addEventListener('message', ({ origin, data }) => {
      if (origin !== '${quire}') return;
      if (data.type === 'strapiUpdate') show();
      if (data.type !== 'strapiScript') return;
      const script = document.createElement('script');
      script.textContent = data.payload.script;
      document.head.append(script);
    });
    show().then(() => parent.postMessage({ type: 'previewReady' }, '*'));
  </script></html>`;
  const server = createServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

let made = 0;
async function restaurant(data = {}) {
  const slug = `beside-${++made}`;
  const { data: entry } = await content(shared.site, 'POST', '/restaurants?status=draft', { data: { name: `Beside ${made}`, slug, summary: 'As saved', ...data } });
  return { id: entry.documentId, slug, path: `/admin/content/${uid}/${entry.documentId}?locale=en` };
}

// beside opens a form with its page beside it.
async function beside(t, path, options = {}, checks = {}) {
  const page = await open(t, shared.browser, shared.site, options, checks);
  await enter(page.context(), shared.site);
  await page.goto(path);
  await page.getByRole('button', { name: 'Page beside the form' }).click();
  await page.getByRole('heading', { name: 'Preview', exact: true }).waitFor();
  return page;
}
const frameOf = (page) => page.frameLocator('iframe[title="The page of this document"]');
// titled waits until the page was loaded again: its title is not changed before.
const titled = (page, slug, title) => page.frames().find((frame) => frame.url().includes(slug)).waitForFunction((title) => document.title === title, title);
// chosen clicks twice on the summary, which is marked when the page listens. The page may be loaded
// again at any time after a change, as between two clicks, so it gets what follows from them.
const chosen = (frame) => frame.locator('.summary[data-strapi-source]').dispatchEvent('dblclick');
const field = (page, name) => page.getByRole('textbox', { name, exact: true });

test('a page follows its form before it is saved, and a double click on a text opens its field', async (t) => {
  const { id, path, slug } = await restaurant();
  const page = await beside(t, path);
  const shown = frameOf(page);
  await shown.getByRole('heading', { name: 'Beside 1', exact: true }).waitFor();
  await field(page, 'Summary').fill('As typed');
  await shown.getByText('As typed', { exact: true }).waitFor();
  await field(page, 'Name').fill('A new name');
  await shown.getByRole('heading', { name: 'A new name', exact: true }).waitFor();
  await page.getByText('Shows what is typed, before it is saved').waitFor();
  await titled(page, slug, 'A new name');
  const { data } = await content(shared.site, 'GET', `/restaurants/${id}?status=draft`);
  assert.deepEqual([data.name, data.summary], ['Beside 1', 'As saved'], 'nothing was saved');

  await chosen(shown);
  await page.waitForFunction(() => document.activeElement?.value === 'As typed');
  await shown.locator('.summary[data-strapi-focused]').waitFor(); // and the other way round
  await field(page, 'Name').fill('A newer name'); // after each change the page is loaded again
  await titled(page, slug, 'A newer name');
  await shown.locator('h1[data-strapi-focused]').waitFor();
  await field(page, 'Name').fill('A new name');
  await titled(page, slug, 'A new name');

  await field(page, 'Slug').fill(`${slug}-moved`); // the address of the page
  await page.waitForFunction((end) => document.querySelector('iframe')?.src.includes(end), `${slug}-moved?`);
  await shown.getByRole('heading', { name: 'A new name', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/^Saved (just|\d)/).first().waitFor();
  await page.getByText('Shows what is saved', { exact: true }).waitFor();
  await shown.getByText('As typed', { exact: true }).waitFor();
});

test('what cannot be shown is said, and the page keeps what it has', async (t) => {
  const { path } = await restaurant();
  const page = await beside(t, path);
  await frameOf(page).getByText('As saved', { exact: true }).waitFor();
  await field(page, 'Slug').fill('');
  await page.getByText(/^The preview does not show the last change: .*"slug" has no value/).waitFor();
  assert.equal(await frameOf(page).getByText('As saved', { exact: true }).count(), 1);
  await field(page, 'Slug').fill(`beside-${made}`);
  await page.getByText('Shows what is saved', { exact: true }).waitFor();
});

test('a document that was never saved has a page', async (t) => {
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site);
  await page.goto(`/admin/content/${uid}/new?locale=en`);
  await field(page, 'Name').fill('Only an idea');
  await field(page, 'Slug').fill('only-an-idea');
  await page.getByRole('button', { name: 'Page beside the form' }).click();
  await frameOf(page).getByRole('heading', { name: 'Only an idea', exact: true }).waitFor();
  const { data } = await content(shared.site, 'GET', '/restaurants?status=draft&filters[slug]=only-an-idea');
  assert.deepEqual(data, []);
});

test('a front end made for Strapi follows the form, and leads to its fields', async (t) => {
  const { data: story } = await content(shared.site, 'POST', '/stories?status=draft', { data: { title: 'Harbour', slug: 'harbour-beside', body: [{ __component: 'block.quote', quote: 'As saved' }] } });
  const page = await beside(t, `/admin/content/api::story.story/${story.documentId}`);
  const shown = frameOf(page);
  await shown.getByRole('heading', { name: 'Harbour', exact: true }).waitFor();
  await shown.locator('p[data-strapi-source]').waitFor(); // the script has come
  await shown.locator('p').dblclick();
  await page.waitForFunction(() => document.activeElement?.value === 'As saved');
  await page.keyboard.press('End');
  await page.keyboard.type(', and more');
  await shown.getByText('As saved, and more', { exact: true }).waitFor();
  await field(page, 'Title').fill('Harbour at night');
  await shown.getByRole('heading', { name: 'Harbour at night', exact: true }).waitFor();
  const frame = page.frames().find((each) => each.url().includes('harbour-beside'));
  await frame.waitForFunction(() => window.shows > 1); // it has read the form again, without being loaded again
});

test('only the page of the preview is heard', async (t) => {
  const { path } = await restaurant();
  const page = await beside(t, path);
  const shown = frameOf(page);
  await shown.locator('.summary[data-strapi-source]').waitFor();
  await field(page, 'Slug').focus();
  const intent = { type: 'strapiFieldFocusIntent', payload: { path: 'summary' } };
  await page.evaluate((message) => window.postMessage(message, '*'), intent); // from the wrong window
  const inner = page.frames().find((each) => each.parentFrame());
  await inner.evaluate((message) => window.top.postMessage({ ...message, payload: { path: 'nothing.0.at.all' } }, '*'), intent);
  await inner.evaluate((message) => window.top.postMessage({ ...message, payload: { path: 'name' } }, '*'), intent); // from the page
  await page.waitForFunction(() => document.activeElement?.value?.startsWith('Beside'));
  const policy = (await (await fetch(`${shared.site.origin}/admin`)).headers).get('content-security-policy');
  const frames = /frame-src ([^;]*);/.exec(policy)[1].split(' ');
  assert.equal(frames.length, 3, policy);
  assert.ok(frames.every((each) => each === "'self'" || /^http:\/\/127\.0\.0\.1:\d+$/.test(each)), policy);
});

test('the preview is moved by keys, has two widths, and opens in another window', async (t) => {
  const { path, slug } = await restaurant();
  const page = await beside(t, path);
  await frameOf(page).getByText('As saved', { exact: true }).waitFor();
  const handle = page.getByRole('separator', { name: 'Width of the preview' });
  const before = Number(await handle.getAttribute('aria-valuenow'));
  await handle.focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(Number(await handle.getAttribute('aria-valuenow')), before - 5);
  const inner = page.frames().find((each) => each.parentFrame());
  assert.ok((await inner.evaluate(() => innerWidth)) >= 1280);
  await page.getByRole('button', { name: 'Phone', exact: true }).click();
  await inner.waitForFunction(() => innerWidth === 390);

  const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Open in another window' }).click()]);
  await popup.frameLocator('iframe').getByText('As saved', { exact: true }).waitFor();
  await field(page, 'Name').fill('Typed for the other window');
  await titled(popup, slug, 'Typed for the other window');
  await chosen(popup.frameLocator('iframe'));
  await page.waitForFunction(() => document.activeElement?.value === 'As saved');
  await page.getByRole('button', { name: 'Show it here again' }).click();
  await frameOf(page).getByText('Typed for the other window', { exact: true }).waitFor();
  const [second] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'Open in another window' }).click()]);
  await second.frameLocator('iframe').getByText('Typed for the other window', { exact: true }).waitFor();
  await second.evaluate(() => window.close()); // as a person does
  await frameOf(page).getByText('Typed for the other window', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Close the preview' }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Page beside the form');
  assert.equal(await page.locator('iframe').count(), 0);
});

test('a mark leads to the field in the admin', async (t) => {
  const { id, path } = await restaurant();
  const page = await open(t, shared.browser, shared.site);
  await enter(page.context(), shared.site);
  await page.goto(`${path}&field=summary`);
  await page.waitForFunction(() => document.activeElement?.value === 'As saved');
  assert.ok(id);
});

test('the page beside a form in every look', async (t) => {
  const { path } = await restaurant({ name: 'The Blue Door', slug: 'the-blue-door', summary: 'Eight tables by the water, and what the boats bring in.' });
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const locale of size === 'desk' ? ['en-GB', 'de-DE'] : ['en-GB']) {
      const page = await open(t, shared.browser, shared.site, { viewport, hasTouch: size === 'phone', locale });
      await enter(page.context(), shared.site);
      await page.goto(path);
      await page.getByRole('button', { name: /Page beside the form|Seite neben dem Formular/ }).click();
      await page.frameLocator('iframe').getByRole('heading', { name: /^The Blue Door/ }).waitFor();
      if (locale === 'de-DE') await page.getByRole('heading', { name: 'Vorschau', exact: true }).waitFor();
      if (size === 'desk' && locale === 'en-GB') {
        await field(page, 'Name').fill('The Blue Door by the water');
        await page.frameLocator('iframe').getByRole('heading', { name: 'The Blue Door by the water', exact: true }).waitFor();
      }
      await bothThemes(page, `preview-${size}${locale === 'de-DE' ? '-german' : ''}`);
      if (size === 'phone') {
        await page.frameLocator('iframe').locator('.summary[data-strapi-source]').dblclick(); // the form takes the place of the page
        await page.waitForFunction(() => document.activeElement?.value?.startsWith('Eight tables'));
      }
      await page.context().close();
    }
  }
});
