// open gives a page of a browser of its own, and ends it after the test. What a page says
// that should not be said fails the test: errors of scripts, and what its policy forbids.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { api, owner, serve, setUp } from './site.mjs';
import { pace, stress } from './stress.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const screenshots = new URL('./screenshots/', import.meta.url).pathname;

const patience = 120_000; // only what fails waits so long, also beside other work

export const sizes = { phone: { width: 360, height: 740 }, desk: { width: 1440, height: 900 } };

export async function launch(t) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', slowMo: pace, timeout: patience });
  t.after(() => browser.close());
  return browser;
}

// share gives all tests of a file one browser and one site with an account, and ends both
// after the last: { browser, site }, and t, whose `after` is done then too. begin starts the
// site; it is null where each test has a site of its own.
export function share(give, begin = serve) {
  const ends = [];
  const t = { after: (end) => ends.unshift(end) };
  before(async () => {
    const browser = await launch(t);
    const site = begin && (await begin(t));
    if (site) await setUp(site);
    await give({ browser, site, t });
  });
  after(async () => {
    for (const end of ends) await end();
  });
}

// ownersApi gives a function that asks the admin's API in the name of the owner.
export async function ownersApi({ browser, site, t }) {
  const context = await browser.newContext();
  context.setDefaultTimeout(patience);
  t.after(() => context.close());
  await enter(context, site);
  return (method, path, data) => api(context, site, method, path, data);
}

// enter signs a context in without the pages of the admin.
export async function enter(context, site, { email, password } = owner) {
  const { status } = await api(context, site, 'POST', '/session', { email, password });
  assert.equal(status, 200);
}

// open shows nothing yet: page.goto does. options are those of Playwright's contexts;
// the path of pages is below the site. What the page says is not looked at if it mayFail.
export async function open(t, browser, site, options = {}, { mayFail = false } = {}) {
  const context = await browser.newContext({ baseURL: site.origin, viewport: sizes.desk, locale: 'en-GB', timezoneId: 'UTC', ...options });
  t.after(() => context.close());
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  await stress(page);
  if (!mayFail) watch(t, page);
  return page;
}

// watch fails the test when a script of the page fails, or its policy forbids something.
export function watch(t, page) {
  const problems = [];
  const note = (problem) => {
    // At the end of a test its server is gone before its page is, which may be loading still.
    if (!/Failed to (load resource|fetch dynamically imported module)/.test(problem)) problems.push(problem);
  };
  page.on('pageerror', (error) => note(`${error.name}: ${error.message}\n${error.stack}`));
  page.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()} (${message.location().url})`);
  });
  t.after(() => assert.deepEqual(problems, [], 'what the page said'));
}

// signIn signs the owner in where the page asks for it.
export async function signIn(page, { email, password } = owner) {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation').or(page.getByRole('button', { name: 'Open navigation' })).first().waitFor();
}

// signedIn gives a page in the name of the owner, at a path of the admin.
export async function signedIn(t, browser, site, path = '/', options = {}) {
  const page = await open(t, browser, site, options);
  await enter(page.context(), site);
  await page.goto(`/admin${path}`);
  return page;
}

// drawn waits until the browser has drawn what is shown now, and has told the page of its selection.
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

// look holds what is shown against the rules of WCAG 2.2 AA, finds what is wider than the
// window, and keeps a picture, but not in .ci, where nobody looks at it. runOnly names rules of axe.
export async function look(page, name, runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']) {
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  if (process.env.QUIRE_CI) await drawn(page);
  else await page.screenshot({ path: `${screenshots}${name}.png` });
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate((runOnly) => window.axe.run(document, { runOnly, resultTypes: ['violations'] }), runOnly);
  const found = violations.map((rule) => `${rule.id}: ${rule.help}\n` + rule.nodes.map((node) => `    ${node.html}\n    ${node.failureSummary}`).join('\n'));
  assert.deepEqual(found, [], `axe on ${name}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.ok(!wide, `${name} is wider than the window`);
}

// bothThemes looks at a page in both themes, and leaves the light one. The document is the
// same, so the rules that have nothing to do with colours are checked once.
export async function bothThemes(page, name) {
  await page.emulateMedia({ colorScheme: 'dark' });
  await look(page, `${name}-dark`, ['color-contrast', 'link-in-text-block']);
  await page.emulateMedia({ colorScheme: 'light' });
  await look(page, `${name}-light`);
}

// everyLook calls show with a page in both widths, and looks at it in both themes.
export async function everyLook(t, browser, site, name, show) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const page = await open(t, browser, site, { viewport, hasTouch: size === 'phone' });
    await show(page, size);
    await bothThemes(page, `${name}-${size}`);
    await page.context().close();
  }
}
