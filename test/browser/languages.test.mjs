// The languages of the admin: each fits its place, and so does one from right to left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, look, open, share, sizes } from './browser.mjs';
import { api } from './site.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared));

// The tags of browsers, the language that each gets, and what the page of signing in is called in it.
const languages = {
  'en-GB': ['en', 'Sign in'],
  'de-AT': ['de', 'Anmelden'],
  'es-MX': ['es', 'Iniciar sesión'],
  'fr-CA': ['fr', 'Se connecter'],
  'it-IT': ['it', 'Accedi'],
  'nl-BE': ['nl', 'Inloggen'],
  'pl-PL': ['pl', 'Zaloguj się'],
  'pt-PT': ['pt', 'Entrar'],
  'ja-JP': ['ja', 'ログイン'],
  'zh-TW': ['zh', '登录'],
};

const list = '/admin/content/api::restaurant.restaurant';

// The colours are the same in all languages, and what is pressed is smallest where words are
// shortest, so axe looks at that language alone.
const shortest = 'zh';

// Parts of the admin by their paths, with something that is there once they are shown.
const pages = {
  home: ['/admin/', '.home-panel'],
  list: [list, '[role=row] [role=gridcell] a'],
  editor: [null, '.blocks-text'],
  media: ['/admin/media', '[role=tree]'],
  people: ['/admin/people', 'main table'],
  role: ['/admin/people/roles', 'main table'],
  settings: ['/admin/settings/further', 'main table'],
  operation: ['/admin/operation', 'main h1'],
};

async function show(page, name) {
  const [path, there] = pages[name];
  await page.goto(path ?? (await editorPath(page)));
  await page.locator(there).first().waitFor({ state: 'attached' });
  await page.evaluate(() => document.fonts.ready);
}

async function editorPath(page) {
  const { data } = await api(page.context(), site, 'GET', '/content/restaurants?filters[name]=The%20Blue%20Door&fields=name');
  return `${list}/${data[0].documentId}`;
}

// overflowing gives the texts of controls that leave the window, or are cut.
const overflowing = (page) =>
  page.evaluate(() => {
    const scrolls = (element) => {
      for (let one = element; one; one = one.parentElement) {
        if (one.scrollWidth > one.clientWidth && /auto|scroll/.test(getComputedStyle(one).overflowX)) return true;
      }
      return false;
    };
    const shown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.clientWidth > 1;
    const wrong = [...document.querySelectorAll('button, a, label, th, h1, h2, h3, [role=tab]')].filter((element) => {
      if (!shown(element) || scrolls(element) || element.closest('.skip, .grid-body')) return false;
      const { left, right } = element.getBoundingClientRect();
      const cut = element.scrollWidth > element.clientWidth + 1 && /hidden|clip/.test(getComputedStyle(element).overflowX) && element.matches('.button, [role=tab]');
      return left < -1 || right > innerWidth + 1 || cut;
    });
    const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : [];
    return [...wide, ...wrong.map((element) => `${element.tagName} ${element.className}: ${element.textContent}`)];
  });

for (const [tag, [code, signIn]] of Object.entries(languages)) {
  test(`a browser that asks for ${tag} gets ${code}, and nothing is wider than a phone`, async (t) => {
    const page = await open(t, browser, site, { locale: tag, viewport: sizes.phone, hasTouch: true });
    await page.goto('/admin/');
    await page.getByRole('button', { name: signIn, exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), code);
    assert.deepEqual(await overflowing(page), [], `signing in, in ${code}`);
    await enter(page.context(), site);
    for (const name of Object.keys(pages)) {
      await show(page, name);
      if (code === shortest) await look(page, `language-${code}-${name}`, ['color-contrast', 'target-size']);
      assert.deepEqual(await overflowing(page), [], `${name} in ${code}`);
    }
  });
}

test('the language is chosen in the menu of the account, and has its own plurals', async (t) => {
  const page = await open(t, browser, site);
  await enter(page.context(), site);
  await page.goto(list);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitemradio', { name: 'Polski' }).click();
  await page.locator('html[lang=pl]').waitFor();
  const { data } = await api(page.context(), site, 'GET', '/content/restaurants?fields=name&status=draft&pagination[pageSize]=100');
  const words = { one: 'wpis', few: 'wpisy', many: 'wpisów' };
  await page.getByText(`${data.length} ${words[new Intl.PluralRules('pl').select(data.length)]}`).first().waitFor();
  await page.reload();
  await page.locator('html[lang=pl]').waitFor();
  await page.getByRole('heading', { name: 'Restaurant' }).first().waitFor();
  await api(page.context(), site, 'PUT', '/session', { language: 'en' });
});

// rightToLeft shows the admin as a language does that is written from right to left.
const rightToLeft = (page) =>
  page.addInitScript(() => {
    Object.defineProperty(HTMLElement.prototype, 'dir', {
      set(to) {
        this.setAttribute('dir', this === document.documentElement ? 'rtl' : to);
      },
      get() {
        return this.getAttribute('dir') ?? '';
      },
    });
  });

for (const [size, viewport] of Object.entries(sizes)) {
  test(`from right to left, pages fit and are mirrored: ${size}`, async (t) => {
    const page = await open(t, browser, site, { viewport, hasTouch: size === 'phone' });
    await rightToLeft(page);
    await enter(page.context(), site);
    for (const name of Object.keys(pages)) {
      await show(page, name);
      await page.locator('html[dir=rtl]').waitFor();
      await look(page, `rtl-${name}-${size}`);
      assert.deepEqual(await overflowing(page), [], name);
    }
    await show(page, 'editor');
    const back = page.locator('.editor-back .icon').first();
    assert.equal(await back.evaluate((icon) => getComputedStyle(icon).scale), '-1 1', 'the arrow points to the right');
    await page.getByRole('button', { name: 'More actions' }).first().click();
    const menu = await page.getByRole('menu').boundingBox();
    assert.ok(menu.x >= 0 && menu.x + menu.width <= viewport.width, 'the menu is in the window');
    assert.equal(await page.locator('.blocks-text').first().getAttribute('dir'), 'auto');
  });
}

test('from right to left, the side is on the left, and the left arrow leads on', async (t) => {
  const page = await open(t, browser, site);
  await rightToLeft(page);
  await enter(page.context(), site);
  await show(page, 'editor');
  const [side, form] = await Promise.all([page.locator('.editor-side').boundingBox(), page.locator('.blocks-text').first().boundingBox()]);
  assert.ok(side.x < form.x, 'the side is on the left');
  const uid = page.locator('.input-with-button').first();
  const [button, space] = [await uid.getByRole('button').boundingBox(), await uid.locator('.input').evaluate((input) => input.getBoundingClientRect().left + parseFloat(getComputedStyle(input).paddingLeft))];
  assert.ok(button.x + button.width <= space + 1, 'the button is beside the text');
  const bar = page.getByRole('toolbar').first();
  const [first, second] = [bar.getByRole('button').nth(0), bar.getByRole('button').nth(1)];
  await first.focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((one) => one === document.activeElement, await second.elementHandle());
  const text = page.getByRole('textbox', { name: 'Name', exact: true });
  await text.fill('مطعم الباب الأزرق');
  assert.equal(await text.evaluate((one) => getComputedStyle(one).direction), 'rtl');
  await text.fill('The Blue Door');
  assert.equal(await text.evaluate((one) => getComputedStyle(one).direction), 'ltr');
});
