// The editors of blocks, Markdown and JSON.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { enter, everyLook, look, open, ownersApi, share } from './browser.mjs';
import { api, serve } from './site.mjs';

let shared;
share(
  async (all) => (shared = { ...all, api: await ownersApi(all) }),
  (t) => serve(t, 'kinds'),
);

let made = 0;
// write makes an article and opens it.
async function write(t, data = {}, options) {
  made++;
  const answer = await shared.api('POST', '/content/articles?status=draft', { data: { title: `Text ${made}`, slug: `text-${made}`, ...data } });
  assert.equal(answer.status, 201, JSON.stringify(answer));
  const page = await open(t, shared.browser, shared.site, options);
  await enter(page.context(), shared.site);
  await page.goto(`/admin/content/api::article.article/${answer.data.documentId}`);
  await body(page).waitFor();
  await notes(page).waitFor();
  return { page, id: answer.data.documentId };
}

const body = (page) => page.getByRole('textbox', { name: 'Body' });
const notes = (page) => page.getByRole('textbox', { name: 'Notes' });
const facts = (page) => page.getByRole('textbox', { name: 'Facts' });
const toolbar = (page, label) => page.locator('.form-field', { has: page.getByRole('textbox', { name: label }) }).getByRole('toolbar', { name: 'Formatting' });

// stored saves and gives what the server then has, as it has it.
async function stored(page, id) {
  const written = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.url().includes('/content/articles/'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  assert.equal((await written).status(), 200);
  const answer = await page.context().request.get(`${shared.site.origin}/admin/api/v1/content/articles/${id}?status=draft`);
  const source = await answer.text();
  return { ...JSON.parse(source).data, source };
}

// recorded finds the rich text in the recordings of Strapi that it accepts.
function recorded() {
  const kinds = ['paragraph', 'heading', 'list', 'quote', 'code', 'image'];
  const found = [];
  const walk = (value) => {
    if (typeof value !== 'object' || value === null) return;
    const isText = Array.isArray(value) && value.length > 0 && value.every((each) => kinds.includes(each?.type) && each.children?.length > 0);
    if (isText) found.push(...value);
    else Object.values(value).forEach(walk);
  };
  walk(JSON.parse(readFileSync(new URL('../../testdata/suites/02-validation.json', import.meta.url), 'utf8')));
  return found;
}

test('the rich text of Strapi is stored as it was, but for what is typed', async (t) => {
  const odd = { children: [{ text: 'odd', type: 'text', bold: false }, { type: 'text', text: '', 'x-note': 1 }], 'x-align': 'right', type: 'paragraph' };
  const plain = { type: 'paragraph', children: [{ type: 'text', text: 'The end.' }] };
  const blocks = [...recorded(), odd, plain];
  assert.ok(blocks.length > 5);
  const { page, id } = await write(t, { body: blocks });
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Another title');
  const same = await stored(page, id);
  assert.equal(same.title, 'Another title');
  assert.equal(JSON.stringify(same.body), JSON.stringify(blocks));

  await body(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('More.');
  const more = await stored(page, id);
  assert.equal(JSON.stringify(more.body.slice(0, blocks.length)), JSON.stringify(blocks));
  assert.deepEqual(more.body.at(-1), { type: 'paragraph', children: [{ type: 'text', text: 'More.' }] });
});

test('text is typed with signs and keys, and undone with the form', async (t) => {
  const { page, id } = await write(t);
  await body(page).click();
  await page.keyboard.type('## Menu\nFish **fresh** from the boat\n- Mackerel\nMussels');
  await page.keyboard.press('Tab');
  await page.keyboard.type('\nOysters');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Book ');
  await page.keyboard.press('Control+k');
  await page.getByLabel('Address').fill('javascript:alert(1)');
  await page.getByRole('button', { name: 'Add link' }).click();
  await page.getByText('Enter an address').waitFor();
  await page.getByLabel('Address').fill('example.org/book');
  await page.getByLabel('Text', { exact: true }).fill('here');
  await page.getByRole('button', { name: 'Add link' }).click();
  await page.waitForFunction(() => document.activeElement?.isContentEditable);
  await page.keyboard.type('!');
  const text = (value, more) => ({ type: 'text', text: value, ...more });
  const item = (value) => ({ type: 'list-item', children: [text(value)] });
  const written = [
    { type: 'heading', level: 2, children: [text('Menu')] },
    { type: 'paragraph', children: [text('Fish '), text('fresh', { bold: true }), text(' from the boat')] },
    { type: 'list', format: 'unordered', children: [item('Mackerel'), { type: 'list', format: 'unordered', indentLevel: 1, children: [item('Mussels')] }, item('Oysters')] },
    { type: 'paragraph', children: [text('Book '), { type: 'link', url: 'https://example.org/book', children: [text('here')] }, text('!')] },
  ];
  assert.deepEqual((await stored(page, id)).body, written);

  await body(page).click();
  await page.keyboard.press('Control+End');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+z');
  await body(page).getByText('Book').waitFor();
  assert.equal(await body(page).getByRole('link').count(), 0);
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+Shift+z');
  await body(page).getByRole('link', { name: 'here' }).waitFor();
  await body(page).getByText('here!').waitFor();
});

test('the toolbar is one stop of Tab, with arrow keys in it', async (t) => {
  const { page, id } = await write(t, { body: [{ type: 'paragraph', children: [{ type: 'text', text: 'Bold' }] }] });
  await body(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Alt+F10');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await toolbar(page, 'Body').getByRole('button', { name: 'Bold', pressed: true }).waitFor();
  await toolbar(page, 'Body').getByRole('button', { name: 'Kind of block: Paragraph' }).click();
  await page.getByRole('menuitemradio', { name: /^Heading 3/ }).click();
  assert.deepEqual((await stored(page, id)).body, [{ type: 'heading', level: 3, children: [{ type: 'text', text: 'Bold', bold: true }] }]);
});

// paste puts HTML on the clipboard of the page and pastes it.
const paste = (page, html) =>
  body(page).evaluate((target, html) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', html);
    clipboardData.setData('text/plain', 'plain');
    target.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, html);

const word = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p{margin:0}</style></head><body><!--StartFragment-->
<h1 style="color:red">Menu<o:p></o:p></h1><p class=MsoNormal>Fish <b style="mso-bidi-font-weight:normal">and</b>\n chips</p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>One</p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o</span>Two</p><!--EndFragment--></body></html>`;
const docs = `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:700">Bold</span><span style="font-style:italic"> slanted</span></p>
<ul><li aria-level="1"><p><span>One</span></p></li><ul><li aria-level="2"><p><span>Two</span></p></li></ul></ul></b>`;

test('text of Word and Google Docs is pasted clean', async (t) => {
  const { page, id } = await write(t);
  const text = (value, more) => ({ type: 'text', text: value, ...more });
  const item = (value) => ({ type: 'list-item', children: [text(value)] });
  const list = { type: 'list', format: 'unordered', children: [item('One'), { type: 'list', format: 'unordered', indentLevel: 1, children: [item('Two')] }] };
  await body(page).click();
  await paste(page, word);
  assert.deepEqual((await stored(page, id)).body, [
    { type: 'heading', level: 1, children: [text('Menu')] },
    { type: 'paragraph', children: [text('Fish '), text('and', { bold: true }), text(' chips')] },
    list,
  ]);
  await body(page).click();
  await page.keyboard.press('Control+a');
  await paste(page, docs);
  assert.deepEqual((await stored(page, id)).body, [{ type: 'paragraph', children: [text('Bold', { bold: true }), text(' slanted', { italic: true })] }, list]);
});

test('nothing that is pasted breaks the editor or runs', async (t) => {
  const { page, id } = await write(t);
  await body(page).click();
  let seed = 7;
  const below = (n) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % n;
  const tags = ['p', 'div', 'ul', 'ol', 'li', 'h1', 'h5', 'blockquote', 'pre', 'code', 'a', 'b', 'table', 'tr', 'td', 'br', 'img', 'figure', 'o:p', 'svg', 'math', 'li class=sublist'];
  const html = (depth) =>
    Array.from({ length: below(4) + 1 }, () => {
      const tag = tags[below(tags.length)];
      const more = [' href="javascript:window.ran=1"', ' onload="window.ran=1" onerror="window.ran=1" src="x"', ' data-source="{&quot;type&quot;:&quot;x&quot;}" class=unknown', ''][below(4)];
      return depth > 4 || below(3) === 0 ? 'text \n' : `<${tag}${more}>${html(depth + 1)}</${tag.split(' ')[0]}>`;
    }).join('');
  for (let i = 0; i < 150; i++) await paste(page, html(0));
  assert.equal(await page.evaluate(() => 'ran' in window), false);
  assert.ok(!(await stored(page, id)).source.includes('javascript:'));
});

test('a line shows where what is dragged over a text would be dropped', async (t) => {
  const picture = { type: 'image', image: { url: '/uploads/gone.png', alternativeText: 'The menu' }, children: [{ type: 'text', text: '' }] };
  const paragraph = (text) => ({ type: 'paragraph', children: [{ type: 'text', text }] });
  const { page, id } = await write(t, { body: [paragraph('One'), picture, paragraph('Two')] });
  const line = page.locator('.blocks-drop');
  const first = await body(page).getByText('One').boundingBox();
  await body(page).locator('figure img').hover();
  await page.mouse.down();
  await page.mouse.move(first.x + 4, first.y + 3, { steps: 4 });
  await page.mouse.move(first.x + 4, first.y + 4);
  await line.waitFor();
  const { x, y, width, height } = await line.boundingBox();
  assert.ok(height <= 2 && Math.abs(y + height / 2 - first.y) <= 1, `above the first paragraph, at ${first.y}: ${height} from ${y}`);
  assert.ok(Math.abs(x - first.x) <= 1 && Math.abs(width - first.width) <= 2, `as wide as it, ${first.width} from ${first.x}: ${width} from ${x}`);
  await page.mouse.move(first.x + 4, first.y - 200, { steps: 4 });
  await line.waitFor({ state: 'detached' });
  await page.mouse.move(first.x + 4, first.y + 3, { steps: 4 });
  await page.mouse.move(first.x + 4, first.y + 4);
  await line.waitFor();
  await page.mouse.up();
  await line.waitFor({ state: 'detached' });
  assert.deepEqual((await stored(page, id)).body, [picture, paragraph('One'), paragraph('Two')]);
});

test('Markdown is written with keys, and its preview gives the browser no HTML', async (t) => {
  const { page, id } = await write(t);
  await notes(page).click();
  await page.keyboard.type('# Boats\n\nA big catch\n- one\ntwo\n\n');
  await page.keyboard.type('<img src=x onerror=alert(1)> [bad](javascript:alert(1)) [good](https://example.org)');
  await page.keyboard.press('Control+Home');
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowDown');
  for (let i = 0; i < 2; i++) await page.keyboard.press('Control+ArrowRight');
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await page.keyboard.press('Control+b');
  await toolbar(page, 'Notes').getByRole('button', { name: 'Side by side' }).click();
  const preview = page.getByRole('group', { name: 'Preview of the text' });
  await preview.getByRole('heading', { name: 'Boats' }).waitFor();
  await preview.locator('strong', { hasText: 'big' }).waitFor();
  assert.deepEqual(await preview.getByRole('listitem').allTextContents(), ['one', 'two']);
  assert.equal(await preview.locator('img').count(), 0);
  assert.equal(await preview.getByText('bad').getAttribute('href'), null);
  assert.equal(await preview.getByRole('link', { name: 'good' }).getAttribute('href'), 'https://example.org');
  assert.equal((await stored(page, id)).notes, '# Boats\n\nA **big** catch\n- one\n- two\n\n<img src=x onerror=alert(1)> [bad](javascript:alert(1)) [good](https://example.org)');
});

test('Backspace and Delete take a character, a part of one, a line break or what is selected', async (t) => {
  const { page, id } = await write(t);
  await notes(page).click();
  const keys = async (...all) => {
    for (const key of all) await page.keyboard.press(key);
  };
  await page.keyboard.insertText('one👍🏽x');
  await keys('Backspace', 'Backspace', 'Enter'); // the x, and the colour of the thumb
  await page.keyboard.insertText('two\nthree four');
  await keys('Control+Backspace', 'Backspace', 'Home', 'Backspace'); // the line break before three
  await keys('Control+Home', 'Backspace', 'End', 'Delete'); // nothing is before the first line
  await keys('Shift+ArrowLeft', 'Delete', 'Control+End', 'Delete'); // the thumb, and nothing behind the last line
  assert.equal((await stored(page, id)).notes, 'onetwothree');
});

test('JSON says where it is wrong, is formatted, and keeps all digits', async (t) => {
  const { page, id } = await write(t, { facts: { n: 1 } });
  await facts(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('{"n": 12345678901234567890,\n"list": [1, 2\n}');
  await page.getByText('Line 3, column 1: A comma or ] is missing.').click();
  await page.keyboard.type(']');
  await page.getByText('Valid JSON').waitFor();
  await page.getByRole('button', { name: 'Format' }).click();
  const saved = await stored(page, id);
  assert.match(saved.source, /"n":12345678901234567890/);
  assert.deepEqual(saved.facts.list, [1, 2]);
});

test('the editors of text look as they should', async (t) => {
  const text = (value, more) => ({ type: 'text', text: value, ...more });
  const rich = [
    { type: 'heading', level: 2, children: [text('When to come')] },
    { type: 'paragraph', children: [text('Come '), text('very', { bold: true }), text(' early, or write to '), { type: 'link', url: 'mailto:table@example.org', children: [text('us')] }, text('.')] },
    { type: 'list', format: 'ordered', children: [{ type: 'list-item', children: [text('Mackerel')] }, { type: 'list', format: 'unordered', indentLevel: 1, children: [{ type: 'list-item', children: [text('smoked')] }] }] },
    { type: 'quote', children: [text('Worth the walk.')] },
    { type: 'code', language: 'go', children: [text('func main() {\n}')] },
  ];
  const data = { body: rich, notes: '## Boats\n\nA **big** catch, `fresh`:\n\n- one\n- two\n', facts: { terrace: true, seats: [12, 30], dogs: 'on a lead' } };
  const { id } = await write(t, data);
  await everyLook(t, shared.browser, shared.site, 'text', async (page) => {
    await enter(page.context(), shared.site);
    await page.goto(`/admin/content/api::article.article/${id}`);
    await facts(page).waitFor();
    await toolbar(page, 'Notes').getByRole('button', { name: 'Side by side' }).click();
    await body(page).evaluate((element) => element.closest('.form-field').scrollIntoView());
  });
});
