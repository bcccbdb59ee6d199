// The list of a type, as an editor uses it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothThemes, look, share, signedIn } from './browser.mjs';
import { guide, restaurants } from './guide.mjs';
import { content, serve, setUp } from './site.mjs';

let browser;
share((shared) => ({ browser } = shared), null);

const grid = (page) => page.getByRole('grid');
const rows = (page) => grid(page).getByRole('row').filter({ has: page.getByRole('gridcell') });
const titles = (page) => rows(page).getByRole('link').allTextContents();
const count = (page, text) => page.getByText(text, { exact: true }).first().waitFor();
const header = (page, name) => page.getByRole('columnheader', { name });
const row = (page, name) => rows(page).filter({ hasText: name });

// selected waits for a number in the bar: it is announced, too.
const selected = (page, n) => page.getByRole('region', { name: 'Selection' }).getByText(`${n} selected`).waitFor();

async function open(t, n = 300, path = `${restaurants}?sort=name`, options) {
  const site = await serve(t, undefined, guide(n));
  await setUp(site);
  const page = await signedIn(t, browser, site, path, options);
  await rows(page).first().waitFor();
  return { site, page };
}

// remembered waits until the columns of the list that hold what is wanted are stored. A slow
// page stores those before, too.
const remembered = (page, holds) =>
  page.waitForResponse((answer) => {
    const request = answer.request();
    return answer.url().endsWith('/preferences') && request.method() === 'PUT' && holds(request.postDataJSON()['list.api::restaurant.restaurant'] ?? []);
  });

// firstTitle waits until the first row has a title.
async function firstTitle(page, title) {
  await rows(page).first().getByRole('link', { name: title, exact: true }).waitFor();
}

test('a list shows titles, values and status, and sorts by a click on a header', async (t) => {
  const { page } = await open(t);
  await count(page, '300 entries');
  await firstTitle(page, 'Amber Amber 0000');
  await header(page, 'Name').getByRole('button').click();
  await firstTitle(page, 'Thyme Nectar 0299');
  assert.equal(await header(page, 'Name').getAttribute('aria-sort'), 'descending');
  await page.waitForURL(/sort=-name/);
  const [first, second] = await titles(page);
  assert.ok(first > second);
  assert.ok((await row(page, first).innerText()).includes('Draft') || (await row(page, first).innerText()).includes('Published'));
});

test('a search finds with each key, best matches first', async (t) => {
  const { page } = await open(t, 300, restaurants);
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.pressSequentially('kelp');
  await count(page, '15 entries');
  await search.fill('no such place');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await look(page, 'list-nothing-matches');
  await page.getByRole('button', { name: 'Clear all' }).last().click();
  await count(page, '300 entries');
  assert.equal(await search.inputValue(), '');
});

test('filters are words that can be changed and removed, and the URL holds them', async (t) => {
  const { page } = await open(t);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Filter by' }).fill('seats');
  await page.getByRole('option', { name: 'Seats', exact: true }).click();
  await page.getByLabel('Comparison').selectOption({ label: 'is between' });
  await page.getByLabel('From').fill('10');
  await page.getByLabel('To', { exact: true }).fill('14');
  await page.getByRole('button', { name: 'Apply filter' }).click();
  await count(page, '20 entries');
  await page.getByText('Seats is between 10 and 14').waitFor();
  await page.getByRole('button', { name: 'Any status' }).click();
  await page.getByRole('menuitemradio', { name: 'Draft' }).click();
  await page.getByText('Status is Draft').waitFor();
  await page.getByRole('button', { name: 'Remove filter: Status' }).click();
  await count(page, '20 entries');
  await page.reload();
  await count(page, '20 entries');
  await page.getByRole('button', { name: 'Change filter: Seats is between 10 and 14' }).click();
  await page.getByLabel('To', { exact: true }).fill('10');
  await page.getByRole('button', { name: 'Apply filter' }).click();
  await count(page, '4 entries');
  await page.getByRole('button', { name: 'Remove filter: Seats' }).click();
  await count(page, '300 entries');
});

test('a filter on a relation finds the related document, and its attributes', async (t) => {
  const { page } = await open(t);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Filter by' }).fill('cook');
  await page.getByRole('option', { name: 'Cook', exact: true }).click();
  await page.getByRole('combobox', { name: 'Cook' }).fill('mei');
  await page.getByRole('option', { name: 'Mei Tanaka' }).click();
  await look(page, 'list-filter-relation');
  await page.getByRole('button', { name: 'Apply filter' }).click();
  await count(page, '100 entries');
  await page.reload();
  await page.getByText('Cook is Mei Tanaka').waitFor();
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('combobox', { name: 'Filter by' }).fill('cook › name');
  await page.getByRole('option', { name: 'Cook › Name' }).click();
  await page.getByLabel('Comparison').selectOption({ label: 'starts with' });
  await page.getByLabel('Value').fill('Tom');
  await page.keyboard.press('Enter');
  await count(page, '100 entries');
  await page.getByText('Cook › Name starts with “Tom”').waitFor();
});

test('what is scheduled is listed', async (t) => {
  const { site, page } = await open(t, 30);
  await content(site, 'POST', '/restaurants/place0000000000000000009/actions/publish?locale=en', { at: '2031-12-24T18:00:00Z' });
  await page.getByRole('search').getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitemradio', { name: 'Scheduled' }).click();
  await count(page, '1 entry');
  await row(page, 'Juniper Dune 0009').waitFor();
});

test('a clock says what is to be done to an entry and when', async (t) => {
  const { site, page } = await open(t, 12);
  const plan = (n, action, at, locale = 'en') => content(site, 'POST', `/restaurants/place000000000000000000${n}/actions/${action}?locale=${locale}`, { at });
  await plan('9', 'publish', '2031-12-24T18:00:00Z');
  await plan('9', 'unpublish', '2031-12-31T18:00:00Z');
  await plan('6', 'unpublish', '2031-12-31T18:00:00Z', 'de');
  await page.goto('about:blank'); // the list of before may still ask
  let lists = 0;
  page.on('request', (request) => (lists += request.url().includes('/_schedules') ? 1 : 0));
  await page.goto(`/admin${restaurants}?sort=name`);
  const clock = row(page, 'Juniper Dune 0009').getByText('Scheduled', { exact: true });
  await clock.waitFor({ state: 'attached' });
  const cell = row(page, 'Juniper Dune 0009').getByRole('gridcell', { name: /^Draft/ });
  assert.match(await cell.textContent(), /ScheduledWill be published Dec 24, 2031/);
  assert.equal(lists, 1);
  assert.equal(await grid(page).getByText('Scheduled', { exact: true }).count(), 1);
  await row(page, 'Juniper Dune 0009').locator('.status.scheduled').hover();
  await page.locator('.tooltip').filter({ hasText: 'Will be published Dec 24, 2031' }).waitFor();
  await look(page, 'list-scheduled');
  await page.setViewportSize({ width: 360, height: 740 });
  await clock.waitFor({ state: 'attached' });
  await look(page, 'list-scheduled-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('combobox', { name: 'Language of the entries' }).selectOption('de');
  await row(page, 'Grove Cedar 0006').getByText('Will be unpublished').waitFor({ state: 'attached' });
});

test('another language lists what there is in it, and what is not translated', async (t) => {
  const { page } = await open(t);
  await page.getByRole('combobox', { name: 'Language of the entries' }).selectOption('de');
  await count(page, '100 entries');
  await firstTitle(page, 'Amber Amber 0000 (deutsch)');
  await page.getByRole('search').getByRole('button', { name: 'Status' }).click();
  await page.getByRole('menuitemradio', { name: 'Not translated' }).click();
  await count(page, '200 entries');
});

test('a long list draws no more rows than are in view, and keeps its place', async (t) => {
  const { page } = await open(t, 700);
  await grid(page).focus();
  await page.keyboard.press('End');
  await row(page, '0699').or(row(page, 'Yarrow')).first().waitFor();
  assert.ok((await rows(page).count()) <= 60);
  assert.equal(await grid(page).getAttribute('aria-rowcount'), '701');
  await grid(page).evaluate((element) => (element.scrollTop = 9000));
  await page.waitForFunction(() => {
    const drawn = [...document.querySelectorAll('[role=row]')].filter((row) => row.querySelector('[role=gridcell]'));
    const there = drawn.filter((row) => row.querySelector('a') && row.ariaRowIndex > 200 && row.ariaRowIndex < 320);
    return drawn.length > 20 && there.length === drawn.length;
  });
  const shown = (await titles(page))[10];
  const top = await grid(page).evaluate((element) => element.scrollTop);
  await rows(page).getByRole('link', { name: shown }).click();
  await page.waitForURL(/restaurant\/place0/);
  await page.goBack();
  await rows(page).getByRole('link', { name: shown }).waitFor();
  assert.equal(await grid(page).evaluate((element) => element.scrollTop), top);
});

test('the keyboard alone moves, selects and opens', async (t) => {
  const { page } = await open(t);
  await grid(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await selected(page, 1);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await selected(page, 3);
  await page.keyboard.press('Shift+ArrowUp');
  await selected(page, 2);
  await page.keyboard.press('Shift+ArrowDown');
  await selected(page, 3);
  const active = await grid(page).getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-rowindex'), '5');
  await page.keyboard.press('Control+a');
  await selected(page, 300);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.waitForURL(/restaurant\/place0{18}0/);
  await page.getByRole('textbox', { name: 'Slug' }).waitFor();
});

test('a click selects, a second with Shift selects the rows between', async (t) => {
  const { page } = await open(t);
  await rows(page).nth(2).getByRole('gridcell').nth(3).click();
  await rows(page).nth(12).getByRole('gridcell').nth(3).click({ modifiers: ['Shift'] });
  await selected(page, 11);
  await rows(page).nth(5).getByRole('checkbox').click();
  await selected(page, 10);
  await look(page, 'list-selection');
});

test('many entries are published and unpublished at once, and back', async (t) => {
  const { page } = await open(t, 120, `${restaurants}?status=draft&sort=name`);
  await count(page, '12 entries');
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('12 entries published').first().waitFor();
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.hover(); // so that it stays
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await undo.click();
  await count(page, '12 entries');
  await page.getByRole('button', { name: 'Remove filter: Status' }).click();
  await count(page, '120 entries');
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Unpublish' }).click();
  await page.getByText('120 entries unpublished').first().waitFor();
  await rows(page).getByRole('gridcell', { name: /^Published/ }).first().waitFor({ state: 'detached' });
  assert.equal(await rows(page).getByRole('gridcell', { name: /^Published/ }).count(), 0);
});

test('a job of many is stopped: the rest is as it was, and it is said how many that are', async (t) => {
  const { site, page } = await open(t, 300, `${restaurants}?sort=-name`);
  const neverPublished = async () => (await content(site, 'GET', '/restaurants?status=draft&publicationFilter=never-published&pagination[pageSize]=1')).meta.pagination.total;
  assert.equal(await neverPublished(), 30);
  let batches = 0;
  let goOn;
  const stopped = new Promise((resolve) => (goOn = resolve));
  await page.route('**/_batch', async (route) => {
    if (++batches === 2) await stopped;
    await route.continue();
  });
  await grid(page).focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Selection' });
  await bar.getByText('50').first().waitFor();
  await bar.getByRole('button', { name: 'Stop' }).click();
  goOn();
  await page.getByText('100 entries published. 200 entries were left as they were').first().waitFor();
  await selected(page, 200);
  assert.equal(batches, 2);
  assert.equal(await neverPublished(), 15);
});

test('what cannot be done is named with its reason, and the rest is done', async (t) => {
  const { site, page } = await open(t, 20);
  await content(site, 'POST', '/restaurants?status=draft', { data: { name: 'A' } });
  await page.reload();
  await rows(page).first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: '1 entry was not published' });
  await dialog.getByRole('link', { name: 'A', exact: true }).waitFor();
  assert.match(await dialog.innerText(), /20 entries published[^]*Name: .*2/);
  await look(page, 'list-failures');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await selected(page, 1);
});

test('entries are duplicated, and deleted after a question that names them', async (t) => {
  const { page } = await open(t, 20);
  await row(page, '0003').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByText('1 entry duplicated').first().waitFor();
  await count(page, '21 entries');
  await row(page, '0005').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: /^Delete “.*0005”\?$/ });
  await look(page, 'list-delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 entry deleted').first().waitFor();
  await count(page, '20 entries');
});

test('who deletes many is told how many documents link to them', async (t) => {
  const { site, page } = await open(t, 20, '/content/api::cook.cook?sort=name');
  await content(site, 'POST', '/cooks?status=draft', { data: { name: 'Zoe' } });
  await row(page, 'Inês Prado').getByRole('checkbox').click();
  await row(page, 'Mei Tanaka').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 entries?' });
  await dialog.getByText('13 documents link here.').waitFor();
  await look(page, 'list-delete-linked');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 entries deleted').first().waitFor();
  await row(page, 'Tomasz Lis').getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete “Tomasz Lis”?' }).getByText('7 documents link here.').waitFor();
});

test('what was deleted is named with who and when, and brought back in all languages', async (t) => {
  const { site, page } = await open(t, 10);
  const more = page.getByRole('search').getByRole('button', { name: 'More actions' });
  await more.click();
  await page.getByRole('menuitem', { name: 'Recently deleted' }).click();
  const dialog = page.getByRole('dialog', { name: 'Recently deleted' });
  await dialog.getByRole('heading', { name: 'Nothing was deleted lately' }).waitFor();
  await look(page, 'list-deleted-none');
  await dialog.getByRole('button', { name: 'Close' }).click();
  for (const name of ['0003', '0004']) await row(page, name).getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const asked = page.getByRole('dialog', { name: 'Delete 2 entries?' });
  await asked.getByRole('radio', { name: 'In all languages' }).check();
  await asked.getByRole('button', { name: 'Delete' }).click();
  await count(page, '8 entries');
  await more.click();
  await page.getByRole('menuitem', { name: 'Recently deleted' }).click();
  const gone = dialog.getByRole('listitem').filter({ hasText: 'Dune Basil 0003' });
  await gone.getByText(/^Deleted .* by Ada Lovelace$/).waitFor();
  await look(page, 'list-deleted');
  await page.setViewportSize({ width: 360, height: 740 });
  await look(page, 'list-deleted-phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  await gone.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('“Dune Basil 0003” was restored').first().waitFor();
  await gone.waitFor({ state: 'detached' });
  await dialog.getByRole('link', { name: 'History of “Ember Iris 0004”' }).click();
  await page.getByRole('heading', { name: /^History/ }).waitFor();
  await page.goBack();
  await count(page, '9 entries');
  await row(page, 'Dune Basil 0003').waitFor();
  const german = await content(site, 'GET', '/restaurants/place0000000000000000003?locale=de&status=draft');
  assert.equal(german.data.name, 'Dune Basil 0003 (deutsch)');
});

test('columns are chosen, moved and sized, and remembered', async (t) => {
  const { page } = await open(t);
  const saved = remembered(page, (columns) => columns.at(-2)?.key === 'cook');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Cook', exact: true }).click();
  await rows(page).first().getByText('Inês Prado').waitFor();
  await page.keyboard.press('Escape');
  await header(page, 'Cook').getByRole('button').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await saved;
  const names = () => page.getByRole('columnheader').allTextContents();
  const chosen = await names();
  assert.equal(chosen.at(-2), 'Cook');
  const again = remembered(page, (columns) => columns.find(({ key }) => key === 'cook')?.width !== undefined);
  const box = await header(page, 'Cook').boundingBox();
  await page.mouse.move(box.x + box.width, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 80, box.y + 10, { steps: 4 });
  await page.mouse.up();
  await again;
  const width = (await header(page, 'Cook').boundingBox()).width;
  assert.ok(Math.abs(width - box.width - 80) <= 2, `${width}`);
  await page.reload();
  await rows(page).first().getByText('Inês Prado').waitFor();
  assert.deepEqual(await names(), chosen);
  assert.equal((await header(page, 'Cook').boundingBox()).width, width);
});

test('a list that is opened again has its order and filters, and no search', async (t) => {
  const { page } = await open(t, 60, `${restaurants}?q=kelp&sort=-name&status=published`);
  for (const reloads of [false, true]) {
    await page.getByRole('link', { name: 'Cuisine' }).click();
    await page.getByRole('heading', { name: 'Cuisine', level: 1 }).waitFor();
    if (reloads) await page.reload();
    await page.getByRole('link', { name: 'Restaurant' }).click();
    await page.waitForURL((url) => url.search === '?status=published&sort=-name');
    await rows(page).first().waitFor();
    assert.equal(await page.getByRole('searchbox', { name: 'Search' }).inputValue(), '');
    await page.getByRole('button', { name: 'Remove filter: Status' }).waitFor();
  }
});

test('what others change shows at once, what they create is counted', async (t) => {
  const { site, page } = await open(t, 30);
  await page.goto('about:blank');
  const stream = page.waitForResponse('**/admin/api/v1/live?*');
  await page.goto(`/admin${restaurants}?sort=name`);
  await rows(page).first().waitFor();
  await stream; // a list is not read again when its stream begins
  const first = (await titles(page))[0];
  const id = /place\d+/.exec(await rows(page).first().getByRole('link').getAttribute('href'))[0];
  await content(site, 'PUT', `/restaurants/${id}?status=draft&locale=en`, { data: { seats: 77, price: 'fine' } });
  await row(page, first).getByText('77').waitFor();
  await row(page, first).getByText('Modified', { exact: true }).waitFor();
  await content(site, 'POST', '/restaurants?locale=en', { data: { name: 'Aaa New' } });
  await page.getByText('1 changed').waitFor();
  await look(page, 'list-changed');
  await page.getByRole('button', { name: 'Show' }).click();
  await firstTitle(page, 'Aaa New');
});

test('a table for spreadsheets has what the list shows', async (t) => {
  const { page } = await open(t, 120, `${restaurants}?q=kelp&sort=name`);
  await page.getByRole('button', { name: 'More actions' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download as CSV' }).click();
  const stream = await (await download).createReadStream();
  let text = '';
  for await (const chunk of stream) text += chunk;
  const lines = text.trim().split('\r\n');
  assert.equal(lines.length, 7);
  assert.match(lines[0], /documentId,Name,/);
});

test('an empty list has the one button that fills it', async (t) => {
  const site = await serve(t, undefined, []);
  await setUp(site);
  const page = await signedIn(t, browser, site, restaurants);
  await page.getByRole('heading', { name: 'Nothing in Restaurant yet' }).waitFor();
  await look(page, 'list-empty');
  await page.getByRole('button', { name: 'Create the first entry' }).click();
  await page.waitForURL(/restaurant\/new/);
  await page.getByRole('textbox', { name: 'Slug' }).waitFor();
});

for (const width of [360, 768, 1440]) {
  test(`the list can be used by all at ${width} px`, async (t) => {
    const { page } = await open(t, 60, `${restaurants}?f=seats:at-least:20&sort=name`, { viewport: { width, height: 800 } });
    await rows(page).nth(1).getByRole('checkbox').click();
    await bothThemes(page, `list-${width}`);
  });
}
