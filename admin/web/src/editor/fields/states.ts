// How the documents stand that are linked: asked for when their links come in sight.

import { signal } from "@preact/signals";
import { content } from "../../core/api";
import { type ContentType, type Status, typeOf } from "../../core/schema";
import type { Link } from "../form/shape";

const known = signal<ReadonlyMap<string, Status>>(new Map());
const asked = new Set<string>();
const atOnce = 100; // documents in one request

const nameOf = (uid: string, documentId: string, locale: string | null) => `${uid} ${documentId} ${locale ?? ""}`;

/** The status of what a link leads to; undefined until it is known, and where there are no drafts. */
export function statusOf(uid: string, link: Link, locale: string | null): Status | undefined {
  return link.status ?? known.value.get(nameOf(uid, link.documentId, locale));
}

/** Finds out how the targets of links stand that nobody has asked about. */
export function askStates(target: string | undefined, links: readonly Link[], locale: string | null) {
  const wanted = new Map<string, string[]>();
  for (const link of links) {
    const uid = link.type ?? target ?? "";
    const name = nameOf(uid, link.documentId, locale);
    if (link.status || asked.has(name) || !typeOf(uid)?.draftAndPublish) continue;
    asked.add(name);
    wanted.set(uid, [...(wanted.get(uid) ?? []), link.documentId]);
  }
  for (const [uid, ids] of wanted) {
    const type = typeOf(uid);
    if (type) for (let i = 0; i < ids.length; i += atOnce) void ask(type, ids.slice(i, i + atOnce), locale);
  }
}

/** An entry of a list that was asked for with include=state. */
export type Stated = Readonly<Record<string, unknown>> & { readonly documentId: string };

/** How an entry stands in a locale. */
export function stateOf(type: ContentType, entry: Stated, locale: string | null): Status | undefined {
  const states = (entry[type.stateKey ?? "state"] ?? []) as readonly { locale: string | null; status: Status }[];
  return (states.find((s) => s.locale === locale) ?? states[0])?.status;
}

async function ask(type: ContentType, ids: readonly string[], locale: string | null): Promise<void> {
  try {
    const { data } = await content<Stated[]>("GET", `/${type.route}`, {
      query: { status: "draft", include: "state", fields: ["documentId"], filters: { documentId: { $in: ids } }, pagination: { pageSize: atOnce } },
    });
    const next = new Map(known.peek());
    for (const entry of data) {
      const status = stateOf(type, entry, locale);
      if (status) next.set(nameOf(type.uid, entry.documentId, locale), status);
    }
    known.value = next;
  } catch {
    for (const id of ids) asked.delete(nameOf(type.uid, id, locale)); // the list does without, and asks again
  }
}
