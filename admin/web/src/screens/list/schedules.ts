// What is to be done at a time to the documents of a list.

import { content, type QueryValue } from "../../core/api";

/** Something that is to be done to a document at a time. */
export interface Planned {
  readonly documentId: string;
  readonly action: "publish" | "unpublish";
  readonly locales?: readonly string[];
  readonly at: string;
}

const mostPages = 5; // of 100 schedules each
const mostDocuments = 100; // that one request is about

/** What is to come of a type, or of some of its documents, the soonest first. */
export async function plannedOf(uid: string, ids?: readonly string[], signal?: AbortSignal): Promise<Planned[]> {
  const found: Planned[] = [];
  const query: Record<string, QueryValue> = { type: uid, state: "scheduled", ...(ids && { documentId: ids.slice(0, mostDocuments) }) };
  for (let page = 1; page <= mostPages; page++) {
    const { data, meta } = await content<Planned[]>("GET", "/_schedules", { query: { ...query, pagination: { page, pageSize: 100 } }, signal });
    found.push(...data);
    const { pageCount } = (meta.pagination ?? {}) as { pageCount?: number };
    if (page >= (pageCount ?? 1)) break;
  }
  return found;
}

/** What is known with that of these documents: all that was known of them is replaced. */
export function withPlanned(known: ReadonlyMap<string, readonly Planned[]>, ids: readonly string[], planned: readonly Planned[]): Map<string, readonly Planned[]> {
  const next = new Map(known);
  for (const id of ids) {
    const own = planned.filter(({ documentId }) => documentId === id);
    if (own.length > 0) next.set(id, own);
    else next.delete(id);
  }
  return next;
}

/** The first thing that is to be done to a document in a locale; null stands for types without. */
export function nextOf(planned: readonly Planned[] | undefined, locale: string | null): Planned | undefined {
  return planned?.find(({ locales }) => locale === null || !locales?.length || locales.includes("*") || locales.includes(locale));
}
