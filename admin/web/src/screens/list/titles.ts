// The titles of documents that filters name, fetched when they are shown.

import { signal } from "@preact/signals";
import { content } from "../../core/api";
import type { ContentType, Site } from "../../core/schema";
import { forgetWithAccount } from "../../core/session";
import { askVersion, type Query } from "./request";

export interface Titled {
  documentId: string;
  title: string;
}

/** Titles by documentId. */
export const titles = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();
forgetWithAccount(() => {
  titles.value = new Map();
  asked.clear();
});

export function rememberTitle({ documentId, title }: Titled): void {
  titles.value = new Map(titles.value).set(documentId, title);
}

/** Fetches the titles of documents, those that are not known. */
export async function fetchTitles(ids: readonly string[], type: ContentType, locale: string | null, site: Site): Promise<void> {
  const missing = ids.filter((id) => !titles.value.has(id) && !asked.has(id)).slice(0, 100);
  if (missing.length === 0) return;
  missing.forEach((id) => asked.add(id));
  const found = await list(type, {
    ...askVersion(locale, type, site),
    filters: { documentId: { $in: missing } },
    pagination: { limit: missing.length },
  });
  titles.value = new Map([
    ...titles.value,
    ...missing.map((id): [string, string] => [id, id]),
    ...found.map(({ documentId, title }): [string, string] => [documentId, title]),
  ]);
}

/** The documents of a type that a text finds, best first. */
export async function searchTitles(text: string, type: ContentType, locale: string | null, site: Site, signal: AbortSignal): Promise<Titled[]> {
  const search = text.trim();
  const which = search ? { _q: search, sort: `_rank,${type.mainField}` } : { sort: type.mainField };
  return list(type, { ...askVersion(locale, type, site), ...which, pagination: { limit: 12 } }, signal);
}

async function list(type: ContentType, query: Query, signal?: AbortSignal): Promise<Titled[]> {
  const { data } = await content<{ documentId: string; [name: string]: unknown }[]>("GET", `/${type.route}`, {
    query: { ...query, fields: [type.mainField] },
    signal,
  });
  return data.map((entry) => ({ documentId: entry.documentId, title: String(entry[type.mainField] ?? entry.documentId) }));
}
