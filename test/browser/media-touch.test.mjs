// The media library under a finger: a telephone and a tablet, with touches as the browser
// gets them from a screen.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { share, signedIn, sizes } from './browser.mjs';
import { content, serve } from './site.mjs';

const wide = readFileSync(new URL('../../testdata/media/wide.jpg', import.meta.url)); // 1600 × 900
const screens = { phone: sizes.phone, tablet: { width: 820, height: 1180 } };

let browser, site;
share((shared) => ({ browser, site } = shared), (t) => serve(t, undefined, []));

// put uploads a picture as another program does.
async function put(name) {
  const form = new FormData();
  form.append('files', new Blob([wide], { type: 'image/jpeg' }), name);
  const answer = await fetch(`${site.origin}/api/upload`, { method: 'POST', headers: { Authorization: `Bearer ${site.token}` }, body: form });
  assert.equal(answer.status, 201);
  return (await answer.json())[0];
}

const stored = async (name) => (await content(site, 'GET', `/upload/files?filters[name]=${name}`))[0];
const file = (page, name) => page.getByRole('option', { name: new RegExp(`^${name}`) });

// finger gives what a finger does on a page: it comes down on a place, goes to others, and up.
// It goes slowly by its own clock, which is a little behind: after what is quick the browser
// takes the next tap for the end of a fling.
async function finger(page) {
  const session = await page.context().newCDPSession(page);
  let clock = Date.now() / 1000 - 5;
  const touch = (type, at) => session.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [], timestamp: (clock += 0.3) });
  return {
    down: (x, y) => touch('touchStart', { x, y }),
    move: (x, y) => touch('touchMove', { x, y }),
    up: () => touch('touchEnd'),
  };
}

// drag has a finger go from one place to another, in parts.
async function drag(page, from, to) {
  const at = await finger(page);
  const begun = at.down(from.x, from.y); // moves follow at once: a finger that stays holds a file
  for (let i = 1; i <= 5; i++) await at.move(from.x + ((to.x - from.x) * i) / 5, from.y + ((to.y - from.y) * i) / 5);
  await begun;
  await at.up();
}

// drawn waits until the page is drawn as it is now: only then does a finger on what has just
// moved there not scroll, where the style says so. A screenshot is of what is drawn; a frame
// that has begun need not be.
const drawn = (page) => page.screenshot();

const within = (box, x, y) => ({ x: box.x + box.width * x, y: box.y + box.height * y });

for (const [size, viewport] of Object.entries(screens)) {
  const touched = (t, path) => signedIn(t, browser, site, path, { viewport, hasTouch: true, isMobile: size === 'phone' });

  test(`${size}: a focal point is set by a tap, and dragged without the page scrolling`, async (t) => {
    const name = `focus-${size}.jpg`;
    await put(name);
    const page = await touched(t, '/media');
    await file(page, name).tap();
    const drawer = page.getByRole('dialog', { name });
    const picture = drawer.locator('.media-preview-picture');
    await drawer.getByRole('img').evaluate((img) => img.decode());
    await picture.scrollIntoViewIfNeeded(); // which waits until it stays where it is
    const box = await picture.boundingBox();
    const to = within(box, 0.2, 0.4);
    await page.touchscreen.tap(to.x, to.y);
    await drawer.getByRole('button', { name: /Focal point: (19|20|21) % from the left, (39|40|41) % from the top/ }).waitFor();
    await drawn(page);
    await drag(page, to, within(box, 0.8, 0.7));
    await drawer.getByRole('button', { name: /Focal point: (79|80|81) % from the left, (69|70|71) % from the top/ }).waitFor();
    assert.equal((await picture.boundingBox()).y, box.y, 'the drawer has scrolled');
    await drawer.getByRole('button', { name: 'Save' }).tap();
    await drawer.waitFor({ state: 'detached' });
    const { focalPoint } = await stored(name);
    assert.ok(Math.abs(focalPoint.x - 80) <= 1 && Math.abs(focalPoint.y - 70) <= 1, JSON.stringify(focalPoint));
  });

  test(`${size}: a picture is cut with a finger, at its corner and as a whole`, async (t) => {
    const name = `cut-${size}.jpg`;
    await put(name);
    const page = await touched(t, '/media');
    await file(page, name).tap();
    await page.getByRole('button', { name: 'Edit picture' }).tap();
    const dialog = page.getByRole('dialog', { name: `Edit “${name}”` });
    const part = dialog.locator('.media-edit-part');
    const number = async (label) => Number(await dialog.getByLabel(label, { exact: true }).inputValue());
    await part.scrollIntoViewIfNeeded();
    const box = await part.boundingBox();
    await drag(page, within(box, 0.98, 0.97), within(box, 0.48, 0.47));
    assert.ok(Math.abs((await number('Width')) - 800) < 20, `${await number('Width')} is about half of 1600`);
    assert.ok(Math.abs((await number('Height')) - 450) < 20, `${await number('Height')} is about half of 900`);
    await drag(page, within(box, 0.25, 0.25), within(box, 0.5, 0.25));
    assert.ok(Math.abs((await number('Left')) - 400) < 20, `${await number('Left')} is about a quarter of 1600`);
    assert.equal((await part.boundingBox()).y, box.y, 'the dialog has scrolled');
    const width = await number('Width');
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await stored(name)).width, width);
  });

  test(`${size}: a file that is held goes into the folder over which it is let go, and others are selected by a tap`, async (t) => {
    const name = `held-${size}.jpg`;
    await put(name);
    const page = await touched(t, '/media');
    await page.getByRole('button', { name: 'New folder' }).tap();
    const dialog = page.getByRole('dialog', { name: 'New folder' });
    await dialog.getByLabel('Name').fill(`Held ${size}`);
    await dialog.getByRole('button', { name: 'Make folder' }).tap();
    const folder = page.getByRole('list', { name: 'Folders in Library' }).getByRole('button', { name: `Held ${size}` });
    await folder.waitFor();
    await file(page, name).scrollIntoViewIfNeeded();
    const from = within(await file(page, name).boundingBox(), 0.5, 0.5);
    const to = within(await folder.boundingBox(), 0.5, 0.5);
    const at = await finger(page);
    await at.down(from.x, from.y);
    await page.getByText('Let go over a folder to move it there').waitFor();
    await at.move((from.x + to.x) / 2, (from.y + to.y) / 2);
    await at.move(to.x, to.y);
    await page.locator('.media-folder.over').waitFor();
    await at.up();
    await page.getByText(`1 was moved to Held ${size}`).first().waitFor();
    await file(page, name).waitFor({ state: 'detached' });

    await folder.tap();
    await file(page, name).locator('.media-check').tap();
    await page.getByText('1 selected').first().waitFor();
  });
}

test('a short touch that moves scrolls the files, and moves none', async (t) => {
  for (let i = 0; i < 12; i++) await put(`many-${i}.jpg`);
  const page = await signedIn(t, browser, site, '/media', { viewport: sizes.phone, hasTouch: true, isMobile: true });
  const list = page.getByRole('listbox', { name: /Files in/ });
  await file(page, 'many-11.jpg').waitFor();
  const box = await list.boundingBox();
  await drag(page, within(box, 0.5, 0.8), within(box, 0.5, 0.2));
  await page.waitForFunction(() => document.querySelector('[role=listbox]').scrollTop + document.scrollingElement.scrollTop + document.querySelector('main').scrollTop > 0);
  assert.equal(await page.locator('.media-held').count(), 0);
});

test('a focal point that is not saved yet is not lost when the picture is edited', async (t) => {
  await put('kept.jpg');
  const page = await signedIn(t, browser, site, '/media');
  await file(page, 'kept.jpg').click();
  const drawer = page.getByRole('dialog', { name: 'kept.jpg', exact: true });
  const image = drawer.getByRole('img');
  await image.evaluate((img) => img.decode());
  const box = await image.boundingBox();
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height * 0.1);
  await drawer.getByRole('button', { name: 'Focal point: 25 % from the left, 10 % from the top. Arrow keys move it' }).waitFor();
  await drawer.getByRole('button', { name: 'Edit picture' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit “kept.jpg”' });
  await dialog.getByRole('button', { name: 'Turn right' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await drawer.getByRole('button', { name: 'Focal point: 90 % from the left, 25 % from the top. Arrow keys move it' }).waitFor();
  assert.deepEqual((await stored('kept.jpg')).focalPoint, { x: 90, y: 25 });
});
