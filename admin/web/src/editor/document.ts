// One document at the server: reading it, writing it, and what can be done with it.

import { type Answer, content, isRecord, request } from "../core/api";
import type { ContentType, Status } from "../core/schema";

export type Entry = Readonly<Record<string, unknown>>;

export interface Person {
  readonly id?: string;
  readonly name?: string;
}

export interface LocaleState {
  readonly locale: string | null;
  readonly status: Status;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
}

/** What is to be done at a time, or could not be done then. */
export interface Schedule {
  readonly id: string;
  readonly action: "publish" | "unpublish";
  readonly locales: readonly string[];
  readonly at: string;
  readonly state: "scheduled" | "failed" | "done";
  readonly failure?: { readonly reason?: string };
  /** When it is tried again, because a hook could not be asked at its time. */
  readonly retryAt?: string;
}

/** What the account typed and did not save, as the server keeps it. */
export interface Autosave {
  readonly form: unknown;
  readonly base: number | null;
  readonly device: string;
  readonly savedAt: string;
}

/** A document in one locale, with all that the editor shows. */
export interface Loaded {
  readonly draft: Entry | null;
  readonly published: Entry | null;
  readonly locales: readonly LocaleState[];
  readonly schedules: readonly Schedule[];
  readonly createdBy?: Person | null;
  readonly updatedBy?: Person | null;
  readonly autosave?: Autosave | null;
  readonly version: string | undefined;
  /** How many links a relation has, by its path, where not all of them are shown. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Names a document in one locale; documentId is null for single types. */
export interface Place {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

const localeOf = (place: Place) => (place.type.localized && place.locale ? { locale: place.locale } : {});
const draftOf = (place: Place) => (place.type.draftAndPublish ? { status: "draft" } : {});

function pathOf({ type, documentId }: Place): string {
  return type.kind === "singleType" ? `/${type.route}` : `/${type.route}/${documentId ?? ""}`;
}

export async function load(place: Place, signal?: AbortSignal): Promise<Loaded> {
  const id = place.type.kind === "singleType" ? "" : `/${place.documentId ?? ""}`;
  const { data, meta } = await request<Omit<Loaded, "version" | "counts">>("GET", `/documents/${place.type.uid}${id}`, { query: localeOf(place), signal });
  const version = meta["version"];
  const counts = isRecord(meta["counts"]) ? (meta["counts"] as Record<string, number>) : {};
  return { ...data, counts, version: version === undefined || version === null ? undefined : String(version) };
}

/** Makes a document; gives its documentId. */
export async function create(place: Place, data: Entry, suggested = false): Promise<string> {
  const query = { ...draftOf(place), ...localeOf(place), fields: ["documentId"] };
  const { data: made } = await content<{ documentId: string }>("POST", `/${place.type.route}`, { query, body: { data }, suggested });
  return made.documentId;
}

/** Writes the draft, or the entry of a type without drafts, if it still has the version. */
export async function update(place: Place, data: Entry, version: string | undefined, suggested = false): Promise<string | undefined> {
  const query = { ...draftOf(place), ...localeOf(place), fields: ["documentId"] };
  const answer = await content("PUT", pathOf(place), { query, body: { data }, suggested, ...(version && { ifMatch: version }) });
  return answer.version;
}

export type DocumentAction = "publish" | "unpublish" | "discard-draft" | "duplicate" | "preview-link";

export function act<T = Entry>(place: Place, action: DocumentAction, options: { version?: string | undefined; body?: Entry; query?: Record<string, string> } = {}): Promise<Answer<T>> {
  const fields = action === "preview-link" || options.body ? {} : { fields: ["documentId"] };
  const locale = action === "duplicate" ? {} : localeOf(place);
  return content<T>("POST", `${pathOf(place)}/actions/${action}`, {
    query: { ...locale, ...fields, ...options.query },
    body: options.body ?? {},
    ...(options.version && { ifMatch: options.version }),
  });
}

export async function remove(place: Place): Promise<void> {
  await content("DELETE", pathOf(place), { query: place.type.localized ? { locale: "*" } : {} });
}

export async function cancelSchedule(place: Place, id: string): Promise<void> {
  await content("DELETE", `${pathOf(place)}/schedule/${id}`);
}

/** A document that links to another one. */
export interface Referrer {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
  readonly title?: string;
  readonly path: string;
}

/** The documents that link to this one, as many as a page has, and how many there are. */
export async function referrers(place: Place): Promise<{ list: readonly Referrer[]; total: number }> {
  const { data, meta } = await content<Referrer[]>("GET", `${pathOf(place)}/links`, { query: { pagination: { pageSize: 25 } } });
  const pagination = meta["pagination"] as { total?: number } | undefined;
  return { list: data, total: pagination?.total ?? data.length };
}

const clocksApart = 600_000; // ms, at most

/**
 * The document that a create made whose answer was lost: one of the type made since, with
 * all texts that were sent. Null if there is none.
 */
export async function findMade(place: Place, data: Entry, since: Date): Promise<string | null> {
  const plain = Object.entries(data).filter(([, value]) => typeof value === "string");
  const names = plain.map(([name]) => name).filter((name) => place.type.attributes.find((a) => a.name === name)?.type !== "password");
  const { data: list } = await content<Entry[]>("GET", `/${place.type.route}`, {
    query: {
      ...draftOf(place), ...localeOf(place),
      fields: ["documentId", ...names],
      filters: { createdAt: { $gte: new Date(since.getTime() - clocksApart).toISOString() } },
      sort: "createdAt:desc",
      pagination: { pageSize: 20 },
    },
  });
  const made = list.find((entry) => names.every((name) => entry[name] === data[name]));
  return made ? String(made["documentId"]) : null;
}
