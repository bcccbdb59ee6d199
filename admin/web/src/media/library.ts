// What the page asks the library for, and the files that have come, by pages.

import { batch, computed, signal } from "@preact/signals";
import { type QueryValue, request } from "../core/api";
import { place } from "../core/router";
import { preference } from "../core/session";
import type { MediaFile as File } from "../editor/form/shape";
import { folderOf, folders } from "./folders";

export interface MediaFile extends File {
  readonly documentId: string;
  readonly createdAt?: string;
  readonly focalPoint?: { readonly x: number; readonly y: number } | null;
  /** Another for each file that takes the place of one. */
  readonly hash?: string;
  /** What the server says of the original of an edited picture. */
  readonly provider_metadata?: { readonly quire?: object } | null;
  readonly folder?: { readonly documentId: string; readonly name: string } | null;
}

export const kinds = ["image", "video", "audio", "file"] as const;
export const sizes = ["1", "10", "100"] as const;
export const orders = { new: "createdAt:desc", old: "createdAt:asc", name: "name:asc", large: "size:desc" } as const;

export interface Question {
  readonly folder: string | null;
  readonly text: string;
  readonly kind: string | null;
  readonly size: string | null;
  readonly unused: boolean;
  readonly noText: boolean;
  readonly order: keyof typeof orders;
}

function known<T extends string>(value: string | null, of: readonly T[]): T | null {
  return of.find((one) => one === value) ?? null;
}

/** What the address of the page asks for. */
export const question = computed<Question>(() => {
  const query = place.value.query;
  return {
    folder: query.get("folder"),
    text: query.get("q") ?? "",
    kind: known(query.get("kind"), kinds),
    size: known(query.get("size"), sizes),
    unused: query.get("use") === "none",
    noText: query.get("alt") === "none",
    order: known(query.get("order"), ["new", "old", "name", "large"]) ?? "new",
  };
});

/** Whether it searches: then what is below the folder is found, too. */
export function searches(q: Question): boolean {
  return q.text.trim() !== "" || q.kind !== null || q.size !== null || q.unused || q.noText;
}

export const view = computed<"grid" | "list">(() => (preference("media.view") === "list" ? "list" : "grid"));

export function kindFilter(kind: string): QueryValue {
  const begins = (k: string): QueryValue => ({ mime: { $startsWith: `${k}/` } });
  return kind === "file" ? { $and: ["image", "video", "audio"].map((k) => ({ $not: begins(k) })) } : begins(kind);
}

export const withoutText: QueryValue = { $or: [{ alternativeText: { $null: "true" } }, { alternativeText: { $eq: "" } }] };

/** The question as the server reads it. */
export function queryOf(q: Question): { [key: string]: QueryValue } {
  const filters: QueryValue[] = [];
  const at = folderOf(q.folder);
  if (!searches(q)) filters.push({ folder: at ? { documentId: at.documentId } : { id: { $null: "true" } } });
  else if (at) filters.push({ folder: { $or: [{ path: at.path }, { path: { $startsWith: `${at.path}/` } }] } });
  for (const word of q.text.trim().split(/\s+/).filter(Boolean).slice(0, 8)) {
    filters.push({ $or: ["name", "alternativeText", "caption"].map((name) => ({ [name]: { $containsi: word } })) });
  }
  if (q.kind) filters.push(kindFilter(q.kind));
  if (q.size) filters.push({ size: { $gt: String(Number(q.size) * 1000) } });
  if (q.noText) filters.push({ mime: { $startsWith: "image/" } }, withoutText);
  return {
    sort: [orders[q.order], "id:asc"],
    populate: { folder: { fields: ["name"] } },
    ...(filters.length > 0 && { filters: { $and: filters } }),
    ...(q.unused && { links: "none" }),
  };
}

const pageSize = 100;

/** The files that match: how many, and those that have come. */
export const total = signal<number | undefined>(undefined);
export const pages = signal<ReadonlyMap<number, readonly MediaFile[]>>(new Map());
export const failure = signal<unknown>(null);

let asked: { key: string; at: number; under: Set<number>; stop: AbortController } | undefined;

/** For how long the addresses of private files in a list are used, in milliseconds. */
const fresh = 8 * 60_000;

function isOld(at: number): boolean {
  return Date.now() - at > fresh && (folders.peek()?.some((folder) => folder.private) ?? false);
}

/** Loads the files of rows that come into view. */
export function need(first: number, end: number) {
  const query = queryOf(question.peek());
  const key = JSON.stringify(query);
  if (asked?.key !== key || isOld(asked.at)) begin(key);
  for (let page = Math.floor(first / pageSize); page <= Math.floor(Math.max(first, end - 1) / pageSize); page++) void load(query, page);
}

function begin(key: string) {
  asked?.stop.abort();
  asked = { key, at: Date.now(), under: new Set(), stop: new AbortController() };
  failure.value = null;
  pages.value = new Map();
}

async function load(query: { [key: string]: QueryValue }, page: number): Promise<void> {
  const of = asked;
  if (!of || of.under.has(page) || (total.peek() !== undefined && page > 0 && page * pageSize >= (total.peek() ?? 0))) return;
  of.under.add(page);
  try {
    const { data, meta } = await request<MediaFile[]>("GET", "/media/files", { query: { ...query, pagination: { page: String(page + 1), pageSize: String(pageSize) } }, signal: of.stop.signal });
    if (asked !== of) return;
    batch(() => {
      pages.value = new Map(pages.peek()).set(page, data);
      total.value = (meta["pagination"] as { total: number }).total;
    });
  } catch (error) {
    of.under.delete(page); // it is asked for again when it comes into view
    if (asked === of && !of.stop.signal.aborted) failure.value = error;
  }
}

/** Asks again, as after a change. */
export function refresh() {
  asked = undefined;
  need(0, 1);
}

export function fileAt(index: number): MediaFile | undefined {
  return pages.value.get(Math.floor(index / pageSize))?.[index % pageSize];
}

/** Puts what is known anew of a file in its place. */
export function replaceFile(file: MediaFile) {
  pages.value = new Map([...pages.peek()].map(([page, list]) => [page, list.map((one) => (one.documentId === file.documentId ? { ...one, ...file } : one))]));
}

/** The files of some rows, up to the most that can be changed at once. */
export async function filesBetween(first: number, end: number): Promise<MediaFile[]> {
  const query = queryOf(question.peek());
  const found: MediaFile[] = [];
  for (let i = first; i < end; i++) {
    if (!fileAt(i)) await load(query, Math.floor(i / pageSize));
    const file = fileAt(i);
    if (file) found.push(file);
  }
  return found;
}

export const mostAtOnce = 1000;
