// Changes and presence as they happen: one stream of server-sent events for the page.

import { signal } from "@preact/signals";
import { apiBase, queryString, request } from "./api";
import { device } from "./device";
import { loadSchema } from "./schema";

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
  /** The revision of what the page shows: the stream begins with the changes after it. */
  since?: number;
}

/** Who else has the document open that is watched. */
export const people = signal<Person[]>([]);

/** Grows whenever the stage or the comments of the document that is watched have changed. */
export const reviewed = signal(0);

interface Listener {
  change: (change: Change) => void;
  missed?: () => void;
}

const listeners = new Set<Listener>();
const watches: Watched[] = []; // the last one is what the user sees
let source: EventSource | undefined;
let stream: string | undefined;
let editing: string[] = [];
let reopening: number | undefined;
let mayHaveMissed = false;

/**
 * Hears the changes that the stream brings, and when some may have been missed, as while
 * the page was hidden; gives back what ends it.
 */
export function subscribe(change: Listener["change"], missed?: Listener["missed"]): () => void {
  const listener = { change, missed };
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Opens the stream for a type or a document; gives back what ends it. Then what was
 * watched before is watched again.
 */
export function watch(what: Watched): () => void {
  watches.push(what);
  show();
  return () => {
    const shown = watches.at(-1) === what;
    watches.splice(watches.indexOf(what), 1);
    if (shown) show();
  };
}

function show() {
  editing = [];
  open();
}

/** Tells others which fields the user is typing in. */
export function tellEditing(paths: string[]) {
  editing = paths;
  if (stream) request("PUT", `/live/${stream}`, { body: { editing: paths }, quiet: true }).catch(() => undefined);
}

function open() {
  close();
  const watched = watches.at(-1);
  if (!watched || document.hidden) return;
  const about = Boolean(watched.documentId || watched.single);
  const since = mayHaveMissed ? undefined : watched.since; // what was missed is read again
  const at = about ? { uid: watched.uid, documentId: watched.documentId, locale: watched.locale } : { since };
  const opened = new EventSource(`${apiBase}/live${queryString({ ...at, device: device() })}`);
  source = opened;
  let again = mayHaveMissed;
  let begun = false;
  let ready = Promise.resolve();
  source.addEventListener("open", () => {
    stream = undefined;
    const missed = mayHaveMissed && !about;
    mayHaveMissed = false;
    ready = (again ? readSchema() : Promise.resolve()).then(() => void (missed && source === opened && tellMissed()));
    again = begun = true;
  });
  source.addEventListener("stream", (event) => {
    stream = parse<{ stream: string }>(event)?.stream;
    if (about) void ready.then(() => source === opened && tellMissed()); // it was read before its stream began
    if (editing.length > 0) tellEditing(editing);
  });
  source.addEventListener("change", (event) => {
    const change = parse<Change>(event);
    if (change) for (const listener of listeners) listener.change(change);
  });
  source.addEventListener("presence", (event) => {
    people.value = parse<{ people: Person[] }>(event)?.people ?? [];
  });
  source.addEventListener("review", () => void reviewed.value++);
  source.addEventListener("reset", reopen);
  source.addEventListener("error", () => {
    if (!begun) again = mayHaveMissed = true; // the server does not know since when
    if (opened.readyState !== EventSource.CLOSED) return; // it comes back by itself
    if (about) tellMissed(); // refused, as of a document that is gone
    reopen();
  });
}

/** A site that is reloaded ends its streams: one that begins again may be of another schema. */
const readSchema = (): Promise<void> => loadSchema({ quiet: true }).catch(() => undefined); // the stream ends again, or the schema is as it was

function tellMissed() {
  for (const listener of listeners) listener.missed?.();
}

/** Opens another stream in a few seconds. */
function reopen() {
  close();
  mayHaveMissed = true;
  reopening = window.setTimeout(open, 5000);
}

function close() {
  clearTimeout(reopening);
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

document.addEventListener("visibilitychange", () => {
  mayHaveMissed ||= document.hidden;
  open();
});
