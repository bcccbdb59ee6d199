// Changes and presence as they happen: one stream of server-sent events for the page.

import { signal } from "@preact/signals";
import { apiBase, queryString, request } from "./api";
import { device } from "./device";

/** A change of content, as of /api/_events. */
export interface Change {
  revision: number;
  action: "create" | "update" | "publish" | "unpublish" | "delete";
  /** The uid of the type. */
  type: string;
  documentId: string;
  locale: string | null;
  status: "draft" | "published";
}

export interface Person {
  account: { id: string; name: string };
  device: string;
  locale: string | null;
  since: string;
  editing: string[];
}

/** What a page shows: a type, or a document, in which others see that somebody is. */
export interface Watched {
  uid?: string;
  documentId?: string;
  /** The document is that of a single type. */
  single?: boolean;
  locale?: string;
}

/** Who else has the document open that is watched. */
export const people = signal<Person[]>([]);

const listeners = new Set<(change: Change) => void>();
let source: EventSource | undefined;
let stream: string | undefined;
let watched: Watched | undefined;
let editing: string[] = [];

/** Hears the changes that the stream brings; gives back what ends it. */
export function subscribe(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Opens the stream for a type or a document, instead of what was watched; gives back what ends it. */
export function watch(what: Watched): () => void {
  watched = what;
  editing = [];
  open();
  return () => {
    if (watched !== what) return;
    watched = undefined;
    close();
  };
}

/** Tells others which fields the user is typing in. */
export function tellEditing(paths: string[]) {
  editing = paths;
  if (stream) request("PUT", `/live/${stream}`, { body: { editing: paths }, quiet: true }).catch(() => undefined);
}

function open() {
  close();
  if (!watched || document.hidden) return;
  const at = watched.documentId || watched.single ? { uid: watched.uid, documentId: watched.documentId, locale: watched.locale } : {};
  source = new EventSource(`${apiBase}/live${queryString({ ...at, device: device() })}`);
  source.addEventListener("open", () => (stream = undefined));
  source.addEventListener("stream", (event) => {
    stream = parse<{ stream: string }>(event)?.stream;
    if (editing.length > 0) tellEditing(editing);
  });
  source.addEventListener("change", (event) => {
    const change = parse<Change>(event);
    if (change) for (const listener of listeners) listener(change);
  });
  source.addEventListener("presence", (event) => {
    people.value = parse<{ people: Person[] }>(event)?.people ?? [];
  });
}

function close() {
  source?.close();
  source = undefined;
  stream = undefined;
  people.value = [];
}

function parse<T>(event: Event): T | undefined {
  try {
    return JSON.parse((event as MessageEvent<string>).data) as T;
  } catch {
    return undefined;
  }
}

document.addEventListener("visibilitychange", open);
