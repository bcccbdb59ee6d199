// The site of examples/next: what it shows, previews, and pages that follow the content.
import assert from 'node:assert/strict';
import test from 'node:test';
import { eventually, freeAddress } from '../client/site.mjs';
import { build, example, quire, serveGuide, start } from './site.mjs';

test('a site with Next.js', { timeout: 1_800_000 }, async (t) => {
  const address = await freeAddress();
  const front = `http://${address}`;
  const { site, url, ask } = await serveGuide(t, {
    preview: { 'api::restaurant.restaurant': `${front}/api/preview?path=/{locale}/restaurants/{slug}` },
    webhooks: [{ name: 'next', url: `${front}/api/changed` }],
    events: { allowPrivate: ['127.0.0.1'] },
  });
  quire('types', '--out', `${example('next')}/lib/api.ts`, site);
  build('next', { QUIRE_URL: url });
  const env = { ...process.env, QUIRE_URL: url, WEBHOOK_SECRET: quire('webhook', 'secret', 'next', site) };
  const [host, port] = address.split(':');
  await start(t, process.execPath, ['node_modules/next/dist/bin/next', 'start', '--hostname', host, '--port', port], { cwd: example('next'), env });

  const get = (path, cookie = '') => fetch(front + path, { headers: { cookie }, redirect: 'manual' });
  const text = async (path, cookie) => {
    const answer = await get(path, cookie);
    assert.equal(answer.status, 200, path);
    return answer.text();
  };
  await eventually(() => text('/en'));
  const find = async (slug) => (await ask('GET', `/restaurants?filters[slug]=${slug}`)).data[0];

  await t.test('has a page for each restaurant in each locale', async () => {
    assert.match(await text('/en'), /<html lang="en">.*Crumb<\/a>.*Slow Noodle<\/a>/s);
    assert.match(await text('/de'), /<html lang="de">.*href="\/de\/restaurants\/krume">Krume<\/a>/s);
    const page = await text('/en/restaurants/the-blue-door');
    for (const shown of ['<h1>The Blue Door</h1>', 'Inês Prado', 'Seafood', '<p>Come early']) assert.ok(page.includes(shown), shown);
    const picture = await fetch(/<img src="([^"]+)"/.exec(page)[1]);
    assert.match(picture.headers.get('content-type'), /^image\//);
    assert.equal((await get('/en/restaurants/nowhere')).status, 404);
    assert.equal((await get('/fr')).status, 404);
  });

  await t.test('finds restaurants, also with typing errors', async () => {
    const found = (await text('/en/search?q=duor')).replaceAll('<!-- -->', '');
    assert.match(found, /Did you mean <a href="\/en\/search\?q=Door">Door<\/a>/);
    assert.match(found, /href="\/en\/restaurants\/the-blue-door"><span>The Blue <mark>Door<\/mark><\/span>/);
    assert.match(found, /<p>1 found<\/p>/);
    const [, price] = /href="\/en\/search\?q=duor&amp;price=([a-z]+)">\1 \(1\)</.exec(found);
    assert.match(await text(`/en/search?q=duor&price=${price}`), /the-blue-door/);
    assert.match(await text('/de/search?q=fisch'), /<mark>Fisch<\/mark>/);
    assert.match(await text(`/en/search?q=${'long+'.repeat(30)}`), /<ol><\/ol>/);
    assert.deepEqual(await (await get('/api/suggest?locale=en&q=doo')).json(), ['Door']);
  });

  await t.test('shows a draft to those with a preview link only', async () => {
    const { documentId } = await find('crumb');
    await ask('PUT', `/restaurants/${documentId}?status=draft`, { name: 'Crumb and Crust' });
    const link = new URL((await ask('POST', `/restaurants/${documentId}/actions/preview-link`)).data.url);
    const opened = await get(link.pathname + link.search);
    assert.equal(opened.status, 307);
    assert.equal(opened.headers.get('location'), '/en/restaurants/crumb');
    const cookies = opened.headers.getSetCookie().map((line) => line.split(';')[0]);
    const [bypass, token] = ['__prerender_bypass=', 'previewToken='].map((name) => cookies.find((cookie) => cookie.startsWith(name)));

    const page = '/en/restaurants/crumb';
    assert.match(await text(page, `${bypass}; ${token}`), /This is a preview.*<h1>Crumb and Crust<\/h1>/s);
    assert.match(await text('/en/restaurants/glasshouse', `${bypass}; ${token}`), /<h1>Glasshouse<\/h1>/);
    for (const cookie of ['', token, '__prerender_bypass=guessed; ' + token, bypass, `${bypass}; previewToken=guessed`]) {
      assert.match(await text(page, cookie), /<h1>Crumb<\/h1>/, cookie);
    }
    for (const refused of [{ previewToken: '' }, { previewToken: 'guessed' }, { path: '//evil.example' }, { path: 'https://evil.example' }]) {
      const query = new URLSearchParams({ ...Object.fromEntries(link.searchParams), ...refused });
      const answer = await get(`/api/preview?${query}`);
      assert.equal(answer.status, 401, String(query));
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const end = await fetch(`${front}/api/preview/end`, { method: 'POST', redirect: 'manual', headers: { cookie: cookies.join('; ') } });
    assert.deepEqual(end.headers.getSetCookie().map((line) => line.split(';')[0]).sort(), ['__prerender_bypass=', 'previewToken=']);
  });

  await t.test('shows what is published, without another build', async () => {
    const page = '/en/restaurants/crumb';
    const stored = await eventually(async () => {
      const answer = await get(page);
      assert.equal(answer.headers.get('x-nextjs-cache'), 'HIT');
      return answer.text();
    });
    assert.match(stored, /<h1>Crumb<\/h1>/);
    const { documentId } = await find('crumb');
    await ask('POST', `/restaurants/${documentId}/actions/publish`);
    await eventually(async () => assert.match(await text(page), /<h1>Crumb and Crust<\/h1>/));
    await eventually(async () => assert.match(await text('/en'), /Crumb and Crust<\/a>/));

    const added = '/en/restaurants/pier-nine';
    assert.equal((await get(added)).status, 404);
    const { data } = await ask('POST', '/restaurants', { name: 'Pier Nine', slug: 'pier-nine' });
    await eventually(() => text(added));
    await ask('POST', `/restaurants/${data.documentId}/actions/unpublish`);
    await eventually(async () => assert.equal((await get(added)).status, 404));
  });

  await t.test('takes no changes from others', async () => {
    const send = (headers) => fetch(`${front}/api/changed`, { method: 'POST', headers, body: '{"uid":"api::restaurant.restaurant"}' });
    const now = String(Math.floor(Date.now() / 1000));
    assert.equal((await send({})).status, 401);
    assert.equal((await send({ 'webhook-id': '1', 'webhook-timestamp': now, 'webhook-signature': `v1,${btoa('guessed')}` })).status, 401);
  });
});
