// A tour of the admin for a person who looks at it: pictures of each screen in three widths and
// both themes, and sheets of them side by side, in the folder `screenshots/tour` beside this file.
//
//   QUIRE=../../quire node tour.mjs            all screens in English
//   QUIRE=../../quire node tour.mjs de rtl     in German; with rtl, from right to left
//   ONLY=settings,home QUIRE=../../quire node tour.mjs
import { chromium } from 'playwright-core';
import { mkdirSync, readFileSync } from 'node:fs';
import { enter } from './browser.mjs';
import { api, content, serve, setUp } from './site.mjs';

const widths = [360, 768, 1440];
const language = process.argv[2] ?? 'en';
const rightToLeft = process.argv.includes('rtl');
const folder = new URL('./screenshots/tour/', import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const endings = [];
const t = { after: (end) => endings.push(end) };
const site = await serve(t);
await setUp(site);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell' });
const restaurant = (await content(site, 'GET', '/restaurants?status=draft')).data[0].documentId;

const screens = {
  home: '/',
  list: '/content/api::restaurant.restaurant',
  editor: `/content/api::restaurant.restaurant/${restaurant}`,
  new: '/content/api::restaurant.restaurant/new',
  single: '/single/api::homepage.homepage',
  history: `/content/api::restaurant.restaurant/${restaurant}/history`,
  arrange: '/arrange/api::restaurant.restaurant',
  media: '/media',
  releases: '/releases',
  calendar: '/releases/calendar',
  changes: '/changes',
  past: '/changes/past',
  types: '/types',
  type: '/types/api::restaurant.restaurant',
  people: '/people',
  roles: '/people/roles',
  users: '/people/users',
  'site-roles': '/people/site-roles',
  tokens: '/people/tokens',
  operation: '/operation',
  backups: '/operation/backups',
  webhooks: '/operation/webhooks',
  mail: '/operation/mail',
  audit: '/operation/audit',
  settings: '/settings',
  limits: '/settings/limits',
  stages: '/settings/stages',
  search: '/settings/search',
  security: '/security',
  assistants: '/assistants',
  signin: '/signin',
};
const only = process.env.ONLY?.split(',');

for (const [name, path] of Object.entries(screens).filter(([name]) => !only || only.includes(name))) {
  const made = [];
  for (const width of widths) {
    const context = await browser.newContext({ baseURL: site.origin, viewport: { width, height: width === 360 ? 740 : 900 }, locale: language, timezoneId: 'UTC', hasTouch: width === 360 });
    if (name !== 'signin') {
      await enter(context, site);
      await api(context, site, 'PUT', '/session/account', { language });
    }
    const page = await context.newPage();
    if (rightToLeft) await page.addInitScript(() => addEventListener('DOMContentLoaded', () => (document.documentElement.dir = 'rtl')));
    await page.goto(`/admin${path}`);
    await page.waitForLoadState('networkidle');
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      const file = `${folder}${name}-${width}-${theme}.png`;
      await page.screenshot({ path: file });
      made.push({ file, width, theme });
    }
    await context.close();
  }
  await sheet(name, made);
  console.log(name);
}
await browser.close();
for (const end of endings) await end();
process.exit();

/** One picture of all pictures of a screen. */
async function sheet(name, made) {
  const page = await browser.newPage({ viewport: { width: 2200, height: 1400 } });
  const pictures = ['light', 'dark'].map((theme) => made.filter((one) => one.theme === theme).map(({ file, width }) => `<img height=640 src="data:image/png;base64,${readFileSync(file).toString('base64')}" alt="${width}">`).join(' '));
  await page.setContent(`<body style="margin:8px;background:#888">${pictures.map((row) => `<div style="display:flex;gap:8px;margin-bottom:8px">${row}</div>`).join('')}</body>`);
  await page.screenshot({ path: `${folder}sheet-${name}.png`, fullPage: true });
  await page.close();
}
