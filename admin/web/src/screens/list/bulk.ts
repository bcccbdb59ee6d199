// Does something to many entries, in steps, each of which is one batch of the content
// API: all of it or nothing. An entry that is refused is taken out and the rest of its
// step tried again, so that one does not hold up the others.

import type { ContentType } from "../../core/schema";
import type { Target } from "./selection";

export type Action = "publish" | "unpublish" | "delete" | "duplicate";

/** Most entries that are changed at once. */
export const mostAtOnce = 10_000;

const step = 50; // entries
const refusalsInStep = 3; // then the rest goes one by one

export interface BatchRequest {
  method: "POST" | "DELETE";
  url: string;
}

/**
 * Sent is what came of a batch: the document that each request answered with, or which
 * request was refused and why. Without a request the batch as a whole was.
 */
export type Sent = { documents: readonly (string | null)[] } | { refused: number | null; reason: string; fatal: boolean };

export interface Outcome {
  done: { target: Target; documentId: string | null }[]; // the document that an answer shows: the copy
  failed: { target: Target; reason: string }[];
  left: Target[]; // not tried any more
  reason: string | null; // why it was given up
}

export interface Run {
  send(requests: readonly BatchRequest[]): Promise<Sent>;
  progress(tried: number): void;
  signal: AbortSignal;
}

/** requestFor is what does an action to a document, in a locale or, with "*", in all. */
export function requestFor(action: Action, documentId: string, type: ContentType, locale: string | null): BatchRequest {
  const query = new URLSearchParams(type.localized && locale && action !== "duplicate" ? { locale } : {});
  if (action === "delete") return { method: "DELETE", url: `/api/${type.route}/${documentId}${suffix(query)}` };
  query.set("fields", "documentId");
  return { method: "POST", url: `/api/${type.route}/${documentId}/actions/${action}${suffix(query)}` };
}

function suffix(query: URLSearchParams): string {
  return query.size ? `?${query}` : "";
}

/**
 * perform does the requests of all targets. Stopped by the signal, it ends after the
 * step under way.
 */
export async function perform(targets: readonly Target[], request: (t: Target) => BatchRequest, run: Run): Promise<Outcome> {
  const outcome: Outcome = { done: [], failed: [], left: [], reason: null };
  for (let at = 0; at < targets.length; at += step) {
    if (run.signal.aborted || outcome.reason !== null) {
      outcome.left.push(...targets.slice(at));
      break;
    }
    await performStep(targets.slice(at, at + step), request, run, outcome);
    run.progress(Math.min(at + step, targets.length));
  }
  return outcome;
}

async function performStep(targets: readonly Target[], request: (t: Target) => BatchRequest, run: Run, outcome: Outcome): Promise<void> {
  let rest = targets;
  for (let refusals = 0; rest.length > 0; refusals++) {
    if (refusals === refusalsInStep && rest.length > 1) {
      return inParts(rest, 1, request, run, outcome);
    }
    const sent = await run.send(rest.map(request));
    if ("documents" in sent) {
      outcome.done.push(...rest.map((target, i) => ({ target, documentId: sent.documents[i] ?? null })));
      return;
    }
    if (sent.fatal) {
      outcome.reason = sent.reason;
      outcome.left.push(...rest);
      return;
    }
    if (sent.refused === null && rest.length > 1) {
      return inParts(rest, Math.ceil(rest.length / 2), request, run, outcome);
    }
    const refused = rest[sent.refused ?? 0]!;
    outcome.failed.push({ target: refused, reason: sent.reason });
    rest = rest.filter((target) => target !== refused);
  }
}

async function inParts(targets: readonly Target[], size: number, request: (t: Target) => BatchRequest, run: Run, outcome: Outcome): Promise<void> {
  for (let at = 0; at < targets.length; at += size) {
    if (outcome.reason !== null) {
      outcome.left.push(...targets.slice(at));
      return;
    }
    await performStep(targets.slice(at, at + size), request, run, outcome);
  }
}

/**
 * What takes an action back; null where that would not leave everything as it was. What
 * was modified cannot be published as it was before. Entries that the action left as they
 * were are not among its targets.
 */
export function undoOf(action: Action, outcome: Outcome): { action: Action; targets: Target[] } | null {
  switch (action) {
    case "publish":
      return back(outcome, "unpublish", "draft", "published");
    case "unpublish":
      return back(outcome, "publish", "published", "draft");
    case "duplicate": {
      const copies = outcome.done.flatMap(({ target, documentId }) => (documentId ? [{ ...target, documentId }] : []));
      return copies.length > 0 ? { action: "delete", targets: copies } : null;
    }
    case "delete":
      return null;
  }
}

function back(outcome: Outcome, action: Action, from: string, unchanged: string) {
  const targets = outcome.done.map(({ target }) => target).filter(({ status }) => status !== unchanged);
  return targets.length > 0 && targets.every(({ status }) => status === from) ? { action, targets } : null;
}
