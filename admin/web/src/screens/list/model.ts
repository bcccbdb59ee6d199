// The list of one type: what it is asked for, what it shows, what is selected. It
// outlives the screen, so that going back shows the same rows at once.

import { batch, computed, signal } from "@preact/signals";
import { content, type QueryValue } from "../../core/api";
import type { Change } from "../../core/live";
import { documentPath, may, rememberList, type ContentType, type Site, type Status } from "../../core/schema";
import { forgetWithAccount, preference, remember } from "../../core/session";
import { arrange, type Chosen } from "./columns";
import { everything, toSearch, type Question, type Tree } from "./question";
import { ask, asksBeside, beside, localeOf } from "./request";
import { reviewsOf, type Reviewed } from "./reviews";
import { Rows, type Page } from "./rows";
import { nextOf, plannedOf, withPlanned, type Planned } from "./schedules";
import { isSelected, nothing, sizeOf, whole, withTargets, type Selection, type Target } from "./selection";

/** What include=state says of one locale of a document. */
export interface State {
  locale: string | null;
  status: Status;
  updatedAt: string;
  publishedAt: string | null;
}

export interface Entry {
  documentId: string;
  locale?: string | null;
  [attribute: string]: unknown;
}

/** The state of an entry, which has another name where an attribute is called state. */
export function statesOf(entry: Entry): readonly State[] {
  const states = entry.__state ?? entry.state;
  return Array.isArray(states) ? states : [];
}

/** The most rows that a range selects and the most entries of a table for spreadsheets. */
export const mostInRange = 2_000;

const listenFor = 200; // ms in which changes are gathered
const mostFollowed = 100; // documents that are followed one by one

export class List {
  readonly question = signal<Question>(everything);
  /** What the list shows: the answer to the question, or to the one before while that is fetched. */
  readonly rows = signal<Rows<Entry>>(new Rows<Entry>(async () => ({ entries: [], total: 0 })));
  readonly asked = signal(false); // whether rows has shown anything
  readonly failure = signal<unknown>(null);
  readonly busy = signal(false);
  readonly selection = signal<Selection>(nothing);
  readonly active = signal(0);
  /** Documents that are not where they belong: others made, changed or deleted them. */
  readonly moved = signal<ReadonlySet<string>>(new Set());
  /** Rows whose document is deleted, or not one of those asked for any more. */
  readonly gone = signal<ReadonlySet<string>>(new Set());
  /** Why something could not be done to a document, by documentId. */
  readonly problems = signal<ReadonlyMap<string, string>>(new Map());
  /** What is to be done to documents at a time, by documentId. */
  readonly planned = signal<ReadonlyMap<string, readonly Planned[]>>(new Map());
  /** Where documents are in their review, by documentId. */
  readonly reviews = signal<ReadonlyMap<string, Reviewed>>(new Map());
  readonly size = computed(() => sizeOf(this.selection.value, this.rows.value.total.value ?? 0));
  /** How far the list is scrolled, px. */
  top: number;

  #next: Rows<Entry> | undefined;
  #asked: readonly string[] = []; // the columns whose values were asked for
  #view = { first: 0, end: 30 };
  #range = { from: 0, to: 0 }; // the rows that were selected last, by their places
  #heard = new Set<string>();
  #own = new Map<string, number>(); // documents that this page changes, until when
  #timer: ReturnType<typeof setTimeout> | undefined;
  #keeping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly type: ContentType,
    readonly site: Site,
  ) {
    this.top = Number(sessionStorage.getItem(memory(type))) || 0;
  }

  readonly columns = computed(() => arrange(preference(`list.${this.type.uid}`) as Chosen[] | undefined, this.type, this.site));

  /** Remembers the columns that somebody chose; undefined forgets them. */
  choose(columns: readonly Chosen[] | undefined): void {
    remember(
      `list.${this.type.uid}`,
      columns?.map(({ key, width }) => (width === undefined ? { key } : { key, width })),
    );
  }

  /** Whether there are columns whose values have not been asked for. */
  showsOther(): boolean {
    return this.#shown().some((key) => !this.#asked.includes(key));
  }

  get locale(): string | null {
    return this.type.localized ? localeOf(this.question.value.locale, this.site) : null;
  }

  /**
   * Asks another question. The rows of the one before stay until the answer has come.
   * Reports whether it has come, and no other question meanwhile.
   */
  async ask(question: Question, first = 0): Promise<boolean> {
    const before = this.question.value;
    this.question.value = question;
    rememberList(this.type, toSearch(question));
    localStorage.setItem(memory(this.type), toSearch({ ...question, search: "" })); // a search belongs to the visit
    if (toSearch({ ...before, order: null }) !== toSearch({ ...question, order: null })) this.selection.value = nothing;
    this.#range = { from: first, to: first };
    this.active.value = first;
    return this.#load(first);
  }

  /** Asks the same question again, and shows the answer where the list is now. */
  async refresh(): Promise<void> {
    await this.#load(this.#view.first);
  }

  async #load(first: number): Promise<boolean> {
    this.#next?.cancel();
    const next = new Rows<Entry>(this.#fetch(this.question.value), 50, (entries) => this.#besides(entries));
    this.#next = next;
    this.#asked = this.#shown();
    this.busy.value = true;
    await next.need(first, first + Math.max(1, this.#view.end - this.#view.first));
    if (this.#next !== next) return false;
    const { total } = next;
    batch(() => {
      this.busy.value = false;
      this.failure.value = next.failure.value;
      if (total.value === null) return;
      this.rows.value = next;
      this.asked.value = true;
      this.moved.value = this.gone.value = new Set();
      this.active.value = Math.max(0, Math.min(this.active.value, total.value - 1));
    });
    return total.value !== null;
  }

  /** Says which rows are in view, so that they are there. */
  view(first: number, end: number): void {
    this.#view = { first, end };
    void this.rows.value.need(first, end);
  }

  #fetch(question: Question) {
    let known: readonly Tree[] | undefined;
    return async (start: number, limit: number, signal: AbortSignal): Promise<Page<Entry>> => {
      known ??= await beside(question, this.type, this.locale, signal);
      return this.#page(ask(question, this.type, this.site, this.#shown(), known), start, limit, signal);
    };
  }

  #shown(): string[] {
    return this.columns.value.map((column) => column.key);
  }

  async #page(query: Record<string, QueryValue>, start: number, limit: number, signal?: AbortSignal): Promise<Page<Entry>> {
    const { data, meta, revision } = await content<Entry[]>("GET", `/${this.type.route}`, {
      query: { ...query, pagination: { start, limit, withCount: true } },
      signal,
    });
    const { total } = (meta.pagination ?? {}) as { total?: number };
    return { entries: data, total: total ?? data.length, revision };
  }

  /** Finds out what is known of entries that are shown beside their content. */
  #besides(entries: readonly Entry[]): void {
    this.#plan(entries);
    this.#review(entries);
  }

  /** Finds out where entries are in their review, if there is a column for that. */
  #review(entries: readonly Entry[]): void {
    if (entries.length === 0 || !this.#shown().includes("__review")) return;
    reviewsOf(this.type.uid, this.locale, entries.map(({ documentId }) => documentId)).then(
      (found) => (this.reviews.value = new Map([...this.reviews.value, ...found.map((one) => [one.documentId, one] as const)])),
      () => undefined, // the cells stay empty
    );
  }

  /** Finds out what is to be done to entries that are shown. Until it is known, and where it cannot be, they have no mark. */
  #plan(entries: readonly Entry[]): void {
    const { type } = this;
    if (!type.draftAndPublish || entries.length === 0 || !(may(type, "publish") || may(type, "unpublish"))) return;
    const ids = entries.map(({ documentId }) => documentId);
    plannedOf(type.uid, ids).then(
      (planned) => (this.planned.value = withPlanned(this.planned.value, ids, planned)),
      () => undefined,
    );
  }

  /** What is to be done next to an entry, in the locale of the list. */
  nextOf(entry: Entry): Planned | undefined {
    return nextOf(this.planned.value.get(entry.documentId), this.locale);
  }

  scrolled(top: number): void {
    this.top = top;
    clearTimeout(this.#keeping);
    this.#keeping = setTimeout(() => sessionStorage.setItem(memory(this.type), String(top)), 200);
  }

  /** Where an entry is edited, in the locale of the list. */
  pathOf(entry: Entry): string {
    return documentPath(this.type.uid, entry.documentId, this.locale);
  }

  /** An entry as what something can be done to. */
  target(entry: Entry): Target {
    const title = entry[this.type.mainField];
    return {
      documentId: entry.documentId,
      title: typeof title === "string" || typeof title === "number" ? String(title) : "",
      status: this.stateOf(entry)?.status ?? null,
      locales: statesOf(entry).flatMap(({ locale }) => locale ?? []),
    };
  }

  /** The state of the version that the list shows. */
  stateOf(entry: Entry): State | undefined {
    const states = statesOf(entry);
    return states.find((state) => state.locale === (this.locale ?? state.locale)) ?? states[0];
  }

  isSelected(entry: Entry): boolean {
    return isSelected(this.selection.value, entry.documentId);
  }

  select(row: number): void {
    const entry = this.rows.value.at(row);
    if (!entry) return;
    this.#range = { from: row, to: row };
    this.active.value = row;
    this.selection.value = withTargets(this.selection.value, [this.target(entry)], !this.isSelected(entry));
  }

  /** Selects with a key that moves: from the row that was active, unless a range ends there. */
  async extendTo(row: number): Promise<void> {
    const active = this.active.value;
    if (active !== this.#range.to) this.#range = { from: active, to: active };
    await this.selectTo(row);
  }

  /** Selects the rows from the one selected last to this one, instead of those to another. */
  async selectTo(row: number): Promise<void> {
    const { from, to } = this.#range;
    this.active.value = row;
    const [first, last] = row < from ? [Math.max(row, from - mostInRange + 1), from] : [from, Math.min(row, from + mostInRange - 1)];
    this.#range = { from, to: row < from ? first : last };
    const entries = await this.rows.value.between(first, last + 1);
    const left: Target[] = [];
    for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
      const entry = at < first || at > last ? this.rows.value.at(at) : undefined;
      if (entry) left.push(this.target(entry));
    }
    const without = withTargets(this.selection.value, left, false);
    this.selection.value = withTargets(
      without,
      entries.map((entry) => this.target(entry)),
      true,
    );
  }

  selectAll(): void {
    this.selection.value = whole;
  }

  /** Selects entries besides those that are. */
  keep(targets: readonly Target[]): void {
    this.selection.value = withTargets(this.selection.value, targets, true);
  }

  clear(): void {
    this.selection.value = nothing;
  }

  /** All that is selected, fetched if need be; at most so many. */
  async targets(most: number, signal?: AbortSignal): Promise<Target[]> {
    const { all, named } = this.selection.value;
    if (!all) return [...named.values()].slice(0, most);
    const entries = await this.rows.value.between(0, Math.min(this.rows.value.total.value ?? 0, most + named.size), signal);
    return entries
      .filter((entry) => !named.has(entry.documentId))
      .map((entry) => this.target(entry))
      .slice(0, most);
  }

  /** Says that the changes of these documents, for so many ms, are known and shown by a refresh. */
  expect(ids: readonly string[], ms: number): void {
    const until = Date.now() + ms;
    for (const [id, end] of this.#own) {
      if (end < Date.now()) this.#own.delete(id);
    }
    ids.forEach((id) => this.#own.set(id, until));
  }

  /** Hears of a change of content. Rows that are shown follow; others are counted. */
  hear(change: Change): void {
    if (change.type !== this.type.uid || typeof change.documentId !== "string") return;
    if ((this.#own.get(change.documentId) ?? 0) > Date.now()) return;
    if (this.locale && change.locale && change.locale !== this.locale && !this.#showsLocales()) return;
    this.#heard.add(change.documentId);
    this.#timer ??= setTimeout(() => this.#follow(), listenFor);
  }

  #showsLocales(): boolean {
    return this.columns.value.some((column) => column.key === "locales");
  }

  /** Follows what was heard: few changes row by row, many by asking anew. */
  #follow(): void {
    this.#timer = undefined;
    const ids = [...this.#heard];
    this.#heard.clear();
    const anew = ids.length > mostFollowed || asksBeside(this.question.value);
    void (anew ? this.refresh() : this.#catchUp(ids)).catch(() => undefined); // the next change tries again
  }

  async #catchUp(ids: readonly string[]): Promise<void> {
    const rows = this.rows.value;
    const query = ask(this.question.value, this.type, this.site, this.#shown());
    const given = (query.filters as { $and?: readonly QueryValue[] } | undefined)?.$and ?? [];
    const { entries } = await this.#page({ ...query, filters: { $and: [...given, { documentId: { $in: ids } }] } }, 0, ids.length);
    if (this.rows.value !== rows) return;
    this.#besides(entries);
    const [moved, gone] = [new Set(this.moved.value), new Set(this.gone.value)];
    for (const id of ids) {
      const entry = entries.find(({ documentId }) => documentId === id);
      const shown = rows.placeOf(id) >= 0;
      if (entry && shown) rows.replace(entry);
      if (entry && shown) gone.delete(id);
      if (!entry && shown) gone.add(id);
      if (Boolean(entry) !== shown) moved.add(id);
    }
    this.moved.value = moved;
    this.gone.value = gone;
  }
}

const lists = new Map<string, List>();
forgetWithAccount(() => lists.clear());

/** The list of a type as it was left, or a new one. */
export function listOf(type: ContentType, site: Site): List {
  const known = lists.get(type.uid);
  if (known?.type === type && known.site === site) return known;
  const list = new List(type, site);
  lists.set(type.uid, list);
  return list;
}

/** The question that the list of a type was asked last on this device, without its search, as a query string. */
export function lastAsked(type: ContentType): string {
  return localStorage.getItem(memory(type)) ?? "";
}

function memory(type: ContentType): string {
  return `quire-list ${type.uid}`;
}
