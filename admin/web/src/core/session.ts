// Who is signed in, and what is done when the session has expired.

import { computed, effect, signal } from "@preact/signals";
import { ApiError, forgetAnswers, isRecord, onConnection, onExpired, request } from "./api";
import { isLanguage, keepLanguage, useLanguage, type Language } from "./i18n";

export interface Account {
  id: string;
  name: string;
  email: string;
  /** The first of its roles. */
  role: { id: string; name: string };
  roles: { id: string; name: string }[];
}

export interface Session {
  account: Account;
  rights: { site: string[] };
  language: string | null;
  /** The account has one, and shows it again before it changes what keeps it safe. */
  password: boolean;
  /** Passwords and passkeys sign in here. */
  passwords: boolean;
  /** Assistants work on this site. */
  assistants: boolean;
  /** Invitations are sent by mail. */
  mails: boolean;
  /** Until a second factor is set up, nothing else is allowed. */
  needsSecondFactor: boolean;
}

/** undefined until it is known, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

export const account = computed<Account | null>(() => session.value?.account ?? null);

export const isOwner = computed(() => account.value?.roles.some((role) => role.id === "owner") ?? false);

/** Whether the dialog for signing in again is open, over a page that keeps its state. */
export const expired = signal(false);

/** Whether the server was reached by the last request. */
export const online = signal(true);

let waiting: { promise: Promise<void>; resolve: () => void } | undefined;

/** Finds out who is signed in. */
export async function openSession(): Promise<void> {
  onExpired(waitForSignIn);
  onConnection(hearConnection);
  try {
    begin((await request<Session>("GET", "/session", { quiet: true })).data);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) end();
    else throw error;
  }
}

const hint = "quire-signed-in";

/** Whether the last page of this browser was signed in, so that it is worth asking for more at once. */
export function mayBeSignedIn(): boolean {
  return localStorage.getItem(hint) !== null;
}

function begin(entered: Session) {
  localStorage.setItem(hint, "1");
  sessionStorage.removeItem(restored);
  session.value = entered;
  if (isLanguage(entered.language)) void useLanguage(entered.language);
}

/** Shows a language from now on, to the account on all its devices. */
export async function chooseLanguage(code: Language): Promise<void> {
  await keepLanguage(code);
  const current = session.value;
  if (!current) return;
  session.value = { ...current, language: code };
  await request("PUT", "/session", { body: { language: code }, quiet: true }).catch(() => undefined); // this device has it
}

function end() {
  localStorage.removeItem(hint);
  forgetAnswers();
  session.value = null;
}

const restored = "quire-restored";

/** Begins anew at the sign-in page, which says that the site was restored and all sessions have ended. */
export function sayRestored() {
  sessionStorage.setItem(restored, "1");
  location.assign(location.pathname);
}

/** Whether the site was restored in this window, and nobody has signed in since. */
export function wasRestored(): boolean {
  return sessionStorage.getItem(restored) !== null;
}

let asking: number | undefined;

/** While the server is not reached, it is asked every few seconds whether it is back. */
function hearConnection(reached: boolean) {
  online.value = reached;
  clearTimeout(asking);
  if (!reached) asking = window.setTimeout(() => request("GET", "/setup", { quiet: true }).catch(() => undefined), 4000);
}

function waitForSignIn(): Promise<void> {
  if (!waiting) {
    let resolve = () => {};
    const promise = new Promise<void>((done) => (resolve = done));
    waiting = { promise, resolve };
    expired.value = true;
  }
  return waiting.promise;
}

/** Signs in. If the session had expired, the requests that wait for it go on. */
export async function signIn(email: string, password: string): Promise<void> {
  const { data } = await request<Session>("POST", "/session", { body: { email, password }, quiet: true });
  enter(data);
}

/** Signs in with what follows the password, at a path of the API. */
export async function signInStep(path: string, body: unknown): Promise<void> {
  enter((await request<Session>("POST", path, { body, quiet: true })).data);
}

/** Goes on where somebody has signed in with this browser meanwhile, as in another tab. */
export async function resume(): Promise<void> {
  await request<Session>("GET", "/session", { quiet: true }).then(
    ({ data }) => enter(data),
    () => undefined, // nobody has
  );
}

/** Says that a second factor was set up. */
export function hasFactor() {
  if (session.value) session.value = { ...session.value, needsSecondFactor: false };
}

/** Makes the first account, or a new password, with the token of a link. */
export async function setUp(body: { token: string; name?: string; email?: string; password: string }): Promise<void> {
  const { data } = await request<Session>("POST", "/setup", { body, quiet: true });
  enter(data);
}

function enter(entered: Session) {
  if (session.value && session.value.account.id !== entered.account.id) {
    location.reload(); // what is on the page is of somebody else
    return;
  }
  forgetAnswers();
  begin(entered);
  expired.value = false;
  waiting?.resolve();
  waiting = undefined;
}

/** Signs out and shows the page for signing in. */
export async function signOut(): Promise<void> {
  await request("DELETE", "/session", { quiet: true }).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  });
  end();
}

/** Whether the account has a right on the whole site: accounts, schemas or settings. */
export function maySite(right: string): boolean {
  return session.value?.rights.site.includes(right) ?? false;
}

/** Has what an account was shown forgotten when it signs out, or another one signs in. */
export function forgetWithAccount(forget: () => void): void {
  const id = computed(() => session.value?.account.id);
  let known: string | undefined;
  effect(() => {
    const before = known;
    known = id.value;
    if (before !== undefined && before !== known) forget();
  });
}

// Preferences are one JSON object per account; pieces keep what they remember by key.

const preferences = signal<Record<string, unknown>>({});
let saving: number | undefined;

/** Loads what is remembered; gives whether it could. */
export async function loadPreferences(options: { quiet?: boolean } = {}): Promise<boolean> {
  try {
    const { data } = await request<unknown>("GET", "/preferences", options);
    preferences.value = isRecord(data) ? data : {};
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false; // pages work without what is remembered
  }
}

/** What is remembered for the account under key, as "list.api::article.article"; undefined if nothing is. */
export function preference(key: string): unknown {
  return preferences.value[key];
}

/** Remembers value under key for the account, on all of its devices; undefined forgets it. */
export function remember(key: string, value: unknown) {
  const next = { ...preferences.value };
  if (value === undefined) delete next[key];
  else next[key] = value;
  preferences.value = next;
  clearTimeout(saving);
  saving = window.setTimeout(() => {
    request("PUT", "/preferences", { body: preferences.value }).catch(() => undefined); // sent again with the next change
  }, 500);
}
