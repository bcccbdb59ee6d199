// Signing in with more than a password, and what an account does about its safety.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, everyLook, look, open, share, signedIn, signIn, sizes } from './browser.mjs';
import { api, owner, serve, setUp } from './site.mjs';
import { codeOf } from './codes.mjs';

let browser, site;
share((shared) => ({ browser, site } = shared));

const account = (page) => page.getByRole('button', { name: `Account of ${owner.name}` });

async function giveEmailAndPassword(page) {
  await page.getByLabel('Email', { exact: true }).fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

// arm sets a second factor up without a browser.
async function arm(page, on) {
  const begun = await api(page.context(), on, 'POST', '/session/second-factor/setup', { password: owner.password });
  const { secret, ticket } = begun.data;
  const done = await api(page.context(), on, 'PUT', '/session/second-factor', { ticket, code: codeOf(secret) });
  assert.equal(done.status, 200);
  return { secret, recovery: done.data.recoveryCodes };
}

test('a second factor is set up with an app, asked for, and switched off', async (t) => {
  const page = await signedIn(t, browser, site);
  await account(page).click();
  await page.getByRole('menuitem', { name: 'Account security' }).click();
  await page.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up a second factor' });
  await dialog.getByLabel('Current password', { exact: true }).fill('wrong');
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('This is not your password').waitFor();
  await dialog.getByLabel('Current password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('img', { name: 'QR code for the app' }).waitFor();
  await look(page, 'second-factor-set-up');
  const secret = (await dialog.getByTestId('secret').textContent()).replaceAll(' ', '');
  await dialog.getByLabel('Code that the app shows').fill('000000');
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  await dialog.getByText('This code is wrong').waitFor();
  const used = codeOf(secret);
  await dialog.getByLabel('Code that the app shows').fill(used);
  await dialog.getByRole('button', { name: 'Switch on' }).click();
  const kept = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await kept.nth(9).waitFor();
  const codes = await kept.allTextContents();
  assert.equal(codes.length, 10);
  await look(page, 'second-factor-recovery');
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('10 recovery codes are left').waitFor();

  const other = await open(t, browser, site);
  await other.goto('/admin/content/api::restaurant.restaurant');
  await giveEmailAndPassword(other);
  await other.getByText('Your account has a second factor').waitFor();
  await other.getByLabel('Code').fill(used);
  await other.keyboard.press('Enter');
  await other.getByText('This code is wrong, or was used before').waitFor();
  await other.getByLabel('Code').fill(codeOf(secret, 1)); // as on a phone whose clock is fast
  await other.keyboard.press('Enter');
  await other.getByRole('heading', { name: 'Restaurant' }).first().waitFor();

  const third = await open(t, browser, site);
  await third.goto('/admin/');
  await giveEmailAndPassword(third);
  await third.getByLabel('Code').fill(codes[0]);
  await third.keyboard.press('Enter');
  await account(third).waitFor();

  await page.reload();
  await page.getByText('9 recovery codes are left').waitFor();
  await page.getByRole('button', { name: 'Switch off' }).click();
  const off = page.getByRole('dialog', { name: 'Switch off the second factor' });
  await off.getByLabel('Current password', { exact: true }).fill(owner.password);
  await off.getByLabel('Code').fill(codes[1]);
  await off.getByRole('button', { name: 'Switch off' }).click();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  const last = await open(t, browser, site);
  await last.goto('/admin/');
  await signIn(last);
});

test('a session that ends asks for the second factor over the page', async (t) => {
  const own = await serve(t);
  await setUp(own);
  const page = await signedIn(t, browser, own);
  await page.getByRole('link', { name: 'Cuisine' }).waitFor(); // a page that still loads would ask to sign in
  const { recovery } = await arm(page, own);
  await api(page.context(), own, 'DELETE', '/session');
  await page.locator('nav a', { hasText: 'Cuisine' }).first().dispatchEvent('click'); // the dialog may be there before, with all else inert
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByLabel('Password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByLabel('Code').fill(recovery[0]);
  await look(page, 'second-factor-again');
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Seafood').first().waitFor();

  const link = await api(page.context(), own, 'GET', '/session');
  assert.equal(link.status, 200);
  const phone = await open(t, browser, own, { viewport: sizes.phone });
  await phone.goto('/admin/');
  await giveEmailAndPassword(phone);
  await phone.getByText('Your account has a second factor').waitFor();
  await look(phone, 'second-factor-phone');
  await phone.getByRole('button', { name: 'Start again' }).click();
  await phone.getByLabel('Email', { exact: true }).waitFor();
});

test('a site that requires a second factor has it set up before all else', async (t) => {
  const strict = await serve(t, undefined, [], { admin: { secondFactor: 'required' } });
  const page = await open(t, browser, strict);
  await page.goto(strict.setup);
  await page.getByLabel('Name', { exact: true }).fill(owner.name);
  await page.getByLabel('Email', { exact: true }).fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(owner.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  await look(page, 'second-factor-required');
  assert.equal(await page.getByRole('navigation').count(), 0);
  await page.getByLabel('Current password', { exact: true }).fill(owner.password);
  await page.getByRole('button', { name: 'Next' }).click();
  const secret = (await page.getByTestId('secret').textContent()).replaceAll(' ', '');
  await page.getByLabel('Code that the app shows').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await account(page).waitFor();
});

test('sessions are listed, and those that one does not know are ended', async (t) => {
  const page = await signedIn(t, browser, site);
  const other = await signedIn(t, browser, site, '/', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
  await account(other).waitFor();
  await page.goto('/admin/security');
  const row = page.getByRole('row').filter({ hasText: 'Firefox on Linux' });
  await row.getByText('127.0.0.1').waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: 'this one' }).count(), 1);
  await row.getByRole('button', { name: 'End the session on Firefox on Linux' }).click();
  await page.getByText('The session was ended').first().waitFor();
  await other.goto('/admin/');
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(other);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
  await page.getByText('All other sessions were ended').first().waitFor();
  await page.getByRole('row').nth(2).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('row').count(), 2, 'the head and this one');
  await other.goto('/admin/');
  await other.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a passkey is added, renamed, signs in, and is removed', async (t) => {
  const page = await open(t, browser, { origin: site.origin.replace('127.0.0.1', 'localhost') }); // passkeys belong to names
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
  await page.goto('/admin/security');
  await signIn(page);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Current password', { exact: true }).fill(owner.password);
  await dialog.getByRole('button', { name: 'Next' }).click();
  const row = page.getByRole('row').filter({ hasText: 'localhost' });
  await row.getByText('Chrome on Linux').waitFor();
  await row.getByRole('button', { name: 'Actions for the passkey Chrome on Linux' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('My phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await row.getByText('My phone').waitFor();
  await look(page, 'passkeys');

  await api(page.context(), { origin: site.origin.replace('127.0.0.1', 'localhost') }, 'DELETE', '/session');
  await page.goto('/admin/security');
  const enter = page.getByRole('button', { name: 'Sign in with a passkey' });
  await enter.waitFor();
  await look(page, 'passkey-sign-in');
  await enter.click();
  await row.getByText('just now').waitFor();

  await row.getByRole('button', { name: 'Actions for the passkey My phone' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The passkey was deleted').first().waitFor();
  await api(page.context(), { origin: site.origin.replace('127.0.0.1', 'localhost') }, 'DELETE', '/session');
  await page.goto('/admin/');
  await enter.click();
  await page.getByText('This passkey is not known here').waitFor();
  await page.context().close();
});

test('account security looks right in both themes and widths', async (t) => {
  await everyLook(t, browser, site, 'security', async (page) => {
    await page.goto('/admin/security');
    await signIn(page);
    await page.getByRole('row').filter({ hasText: 'this one' }).waitFor();
  });
});
