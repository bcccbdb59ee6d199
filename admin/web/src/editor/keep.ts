// What is typed is kept on this device with each change, and at the server after a pause,
// until it is saved. A record is of one page: two windows on one document keep two. A page
// that is open holds a lock by the name of its record, so that others know that it lives.

import { apiBase, queryString, request } from "../core/api";
import * as records from "../core/device";
import type { Autosave } from "./document";
import { isStoredForm, type StoredForm } from "./form/stored";

/** A form that was typed and not saved. */
export interface Kept {
  readonly form: StoredForm;
  /** The version of the document that its base is. */
  readonly version: string | undefined;
  readonly title: string;
}

export interface Found extends Kept {
  readonly savedAt: string;
  /** Whether another device has it; this one has no record then. */
  readonly elsewhere: boolean;
}

const deviceDelay = 150; // ms after a change
const serverDelay = 2000; // ms after the last change
const serverBytes = 900_000;
const keepaliveBytes = 60_000; // what browsers send of a page that is closed
const forgottenAfter = 30 * 86_400_000; // ms

let page = "";

/** Gives this page of the browser its name, which a reload keeps and another page never has. */
export async function namePage(): Promise<void> {
  const stored = "quire-page";
  const locks = navigator.locks; // missing where the site has neither TLS nor this host's name
  for (let tries = 0; page === ""; tries++) {
    const name = tries < 3 ? (sessionStorage.getItem(stored) ?? records.hex(4)) : records.hex(4); // a tab that was duplicated has the name of the other
    if (!locks || (await hold(locks, name))) {
      page = name;
      sessionStorage.setItem(stored, name);
    } else await new Promise((again) => setTimeout(again, 100)); // the page before the reload may still be ending
  }
}

/** Holds the lock of a page for as long as it is open; false if another page has it. */
function hold(locks: LockManager, name: string): Promise<boolean> {
  return new Promise((answer) => {
    void locks.request(lockPrefix + name, { ifAvailable: true }, (lock) => {
      answer(lock !== null);
      return lock ? new Promise<never>(() => undefined) : undefined;
    });
  });
}

const lockPrefix = "quire-page/";

async function pagesOpen(): Promise<ReadonlySet<string>> {
  if (!navigator.locks) return new Set([page]);
  const { held: locks = [] } = await navigator.locks.query();
  return new Set(locks.flatMap((l) => (l.name?.startsWith(lockPrefix) ? [l.name.slice(lockPrefix.length)] : [])));
}

/** Where a form is kept: the document, as in the path of /autosaves, and its locale. */
export interface Address {
  readonly account: string;
  /** "api::a.a/documentId", or "api::a.a" for a single type. */
  readonly document: string;
  /** null where the type is not localized. */
  readonly locale: string | null;
}

/** Keeps one form. */
export class Keeper {
  private readonly key: string;
  private readonly device = `${records.device()}/${page}`;
  private toDevice: number | undefined;
  private toServer: number | undefined;
  private atServer = false;
  private writing: Promise<unknown> = Promise.resolve();
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly address: Address,
    private readonly read: (steps?: number) => Kept | null,
  ) {
    this.key = prefixOf(address) + page;
  }

  private get query(): { locale?: string } {
    return this.address.locale === null ? {} : { locale: this.address.locale };
  }

  /** Notes that the server has something of an earlier visit. */
  known() {
    this.atServer = true;
  }

  /** Notes that something was typed. */
  changed() {
    this.toDevice ??= window.setTimeout(() => whenIdle(() => this.toDevice !== undefined && void this.writeDevice()), deviceDelay);
    clearTimeout(this.toServer);
    this.toServer = window.setTimeout(() => void this.writeServer(), serverDelay);
  }

  /** Keeps what is typed at once, as when the page is hidden or closed. */
  flush() {
    if (this.toDevice !== undefined) void this.writeDevice();
    if (this.toServer === undefined) return;
    clearTimeout(this.toServer);
    void this.writeServer(true);
  }

  /** Everything is saved: nothing needs to be kept. */
  async forget(): Promise<void> {
    clearTimeout(this.toDevice);
    clearTimeout(this.toServer);
    this.toDevice = this.toServer = undefined;
    await this.writing;
    await records.remove(this.key).catch(() => undefined);
    if (this.atServer) await this.dropAtServer();
  }

  private async dropAtServer(): Promise<void> {
    this.atServer = false;
    await this.sending; // what is on its way must not arrive later
    await request("DELETE", `/autosaves/${this.address.document}`, { query: this.query, quiet: true }).catch(() => undefined);
  }

  /** Keeps what is typed on the device; it is on the disk when the promise resolves. */
  async writeDevice(): Promise<void> {
    clearTimeout(this.toDevice);
    this.toDevice = undefined;
    const kept = this.read();
    this.writing = (kept ? records.set(this.key, kept) : records.remove(this.key)).catch(() => undefined);
    await this.writing;
  }

  private async writeServer(closing = false): Promise<void> {
    this.toServer = undefined;
    const body = this.serverBody(closing ? keepaliveBytes : serverBytes);
    if (body === null) return this.atServer ? this.dropAtServer() : undefined;
    if (body === "") return; // too long to keep there; the device has it
    this.atServer = true;
    this.sending = fetch(`${apiBase}/autosaves/${this.address.document}${queryString(this.query)}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "X-Quire-Admin": "1" },
      body,
      credentials: "same-origin",
      keepalive: closing,
    }).catch(() => undefined); // the next change tries again, and the device has it
  }

  /** The form with as much of its history as fits; null when there is nothing to keep. */
  private serverBody(most: number): string | null {
    for (const steps of [100, 20, 0]) {
      const kept = this.read(steps);
      if (!kept) return null;
      const text = JSON.stringify({ form: kept, base: kept.version === undefined ? null : Number(kept.version), device: this.device, title: kept.title.slice(0, 60) });
      if (text.length * 1.1 < most && new Blob([text]).size < most) return text;
    }
    return "";
  }
}

/** Does it when the page has nothing else to do, as between two keys, and soon in any case. */
function whenIdle(work: () => void) {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: deviceDelay });
  else work(); // Safari has none
}

const prefixOf = ({ account, document, locale }: Address) => `edit/${account}/${document}/${locale ?? ""}/`;

/**
 * What was typed at an address and not saved, by a page that is not open any more: this
 * one before it was reloaded, one that was closed, or one on another device. The newest
 * is given.
 */
export async function findKept(address: Address, autosave: Autosave | null | undefined): Promise<Found | null> {
  const prefix = prefixOf(address);
  const open = await pagesOpen();
  const mine = await records.list<Kept>(prefix).catch(() => []);
  const found: Found[] = [];
  for (const { key, value, savedAt } of mine) {
    const other = key.slice(prefix.length);
    if (other !== page && open.has(other)) continue;
    if (isKept(value)) found.push({ ...value, savedAt, elsewhere: false });
  }
  if (autosave && isKept(autosave.form)) {
    const [device, other = ""] = autosave.device.split("/");
    const here = device === records.device();
    const lives = here && other !== page && open.has(other);
    if (!lives) found.push({ ...autosave.form, savedAt: autosave.savedAt, elsewhere: !here });
  }
  found.sort((a, b) => (a.savedAt < b.savedAt ? 1 : -1));
  return found[0] ?? null;
}

/** Forgets the records of an address whose pages are not open any more, and those that are a month old. */
export async function clearKept(address: Address): Promise<void> {
  const prefix = prefixOf(address);
  const open = await pagesOpen();
  for (const { key } of await records.list(prefix).catch(() => [])) {
    const other = key.slice(prefix.length);
    if (other !== page && !open.has(other)) await records.remove(key);
  }
  for (const { key, savedAt } of await records.list(`edit/`).catch(() => [])) {
    if (Date.parse(savedAt) < Date.now() - forgottenAfter) await records.remove(key);
  }
}

function isKept(value: unknown): value is Kept {
  return typeof value === "object" && value !== null && isStoredForm((value as Partial<Kept>).form);
}
