// The entries of a list by their place in it, fetched in pages when they come into view.

import { signal, type ReadonlySignal } from "@preact/signals";

export interface Page<T> {
  entries: readonly T[];
  total: number;
  /** The revision of the content that it shows. */
  revision?: number;
}

/** Fetch gets a page of at most `limit` entries from `start` on. */
export type Fetch<T> = (start: number, limit: number, signal: AbortSignal) => Promise<Page<T>>;

const keptPages = 60; // in memory
const pagesAtOnce = 4; // that are fetched beside each other

export class Rows<T extends { documentId: string }> {
  readonly #fetch: Fetch<T>;
  readonly #size: number; // entries of a page
  readonly #came: (entries: readonly T[]) => void;
  readonly #pages = new Map<number, readonly T[]>(); // by number, the one used last at the end
  readonly #underway = new Map<number, AbortController>();
  readonly #total = signal<number | null>(null);
  readonly #version = signal(0);
  #revision: number | undefined;
  readonly #failure = signal<unknown>(null);

  /** came hears of each page that is shown. */
  constructor(fetch: Fetch<T>, size = 50, came: (entries: readonly T[]) => void = () => undefined) {
    this.#fetch = fetch;
    this.#size = size;
    this.#came = came;
  }

  /** total is how many entries there are; null until the first page has come. */
  get total(): ReadonlySignal<number | null> {
    return this.#total;
  }

  /** revision is that of the oldest page that has come; undefined if it is not known. */
  get revision(): number | undefined {
    return this.#revision;
  }

  /** version grows with each change of what the rows show. */
  get version(): ReadonlySignal<number> {
    return this.#version;
  }

  /** failure is why the last page could not be fetched; null when it could. */
  get failure(): ReadonlySignal<unknown> {
    return this.#failure;
  }

  /** at is the entry at a place, or undefined if it has not been fetched. */
  at(row: number): T | undefined {
    return this.#pages.get(Math.floor(row / this.#size))?.[row % this.#size];
  }

  /** placeOf is the place of a document among those that were fetched, or -1. */
  placeOf(documentId: string): number {
    for (const [number, entries] of this.#pages) {
      const at = entries.findIndex((entry) => entry.documentId === documentId);
      if (at >= 0) return number * this.#size + at;
    }
    return -1;
  }

  /**
   * need fetches the rows from first to end that are missing. What is being fetched
   * and is not needed any more is given up.
   */
  async need(first: number, end: number): Promise<void> {
    const wanted = this.#numbers(first, end);
    for (const [number, controller] of this.#underway) {
      if (wanted.includes(number)) continue;
      controller.abort();
      this.#underway.delete(number);
    }
    await Promise.all(wanted.filter((n) => !this.#pages.has(n) && !this.#underway.has(n)).map((n) => this.#load(n)));
    this.#forget(wanted);
  }

  /** between fetches the rows from first to end and returns them, some pages at a time. */
  async between(first: number, end: number, signal: AbortSignal = new AbortController().signal): Promise<T[]> {
    const entries: T[] = [];
    const numbers = this.#numbers(first, end);
    for (let at = 0; at < numbers.length; at += pagesAtOnce) {
      const pages = numbers.slice(at, at + pagesAtOnce).map(async (number) => {
        const page = this.#pages.get(number) ?? (await this.#fetch(number * this.#size, this.#size, signal)).entries;
        return page.slice(Math.max(0, first - number * this.#size), end - number * this.#size);
      });
      entries.push(...(await Promise.all(pages)).flat());
    }
    return entries;
  }

  /**
   * refresh fetches the rows in view again and forgets all others. Until they have come
   * it shows what it has.
   */
  async refresh(first: number, end: number): Promise<void> {
    this.cancel();
    const wanted = this.#numbers(first, Math.max(end, first + 1));
    for (const number of [...this.#pages.keys()]) {
      if (!wanted.includes(number)) this.#pages.delete(number);
    }
    await Promise.all(wanted.map((n) => this.#load(n)));
  }

  /** replace puts what a document is now into its row. */
  replace(entry: T): void {
    for (const [number, entries] of this.#pages) {
      const at = entries.findIndex(({ documentId }) => documentId === entry.documentId);
      if (at >= 0) this.#pages.set(number, entries.with(at, entry));
    }
    this.#version.value++;
  }

  /** cancel gives up what is being fetched. */
  cancel(): void {
    for (const controller of this.#underway.values()) controller.abort();
    this.#underway.clear();
  }

  #numbers(first: number, end: number): number[] {
    const last = Math.max(first, Math.min(end, this.#total.value ?? end) - 1);
    const numbers = [];
    for (let n = Math.floor(Math.max(0, first) / this.#size); n <= Math.floor(last / this.#size); n++) numbers.push(n);
    return numbers;
  }

  async #load(number: number): Promise<void> {
    const controller = new AbortController();
    this.#underway.set(number, controller);
    try {
      const { entries, total, revision } = await this.#fetch(number * this.#size, this.#size, controller.signal);
      if (controller.signal.aborted) return;
      if (revision !== undefined) this.#revision = Math.min(revision, this.#revision ?? revision);
      this.#pages.delete(number);
      this.#pages.set(number, entries);
      this.#failure.value = null;
      this.#total.value = total;
      this.#version.value++;
      this.#came(entries);
    } catch (failure) {
      if (!controller.signal.aborted) this.#failure.value = failure;
    } finally {
      if (this.#underway.get(number) === controller) this.#underway.delete(number);
    }
  }

  #forget(wanted: readonly number[]): void {
    for (const number of this.#pages.keys()) {
      if (this.#pages.size <= keptPages) return;
      if (!wanted.includes(number)) this.#pages.delete(number);
    }
  }
}
