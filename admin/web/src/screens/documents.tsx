// The pages of documents, which are loaded when they are first needed or just before.

import type { VNode } from "preact";
import { href, match } from "../core/router";
import { typeOf } from "../core/schema";
import type { HistoryProps } from "../editor/history/page";
import type { EditorProps } from "../editor/page";
import { lazy } from "../ui/lazy";

const { Lazy: Editor, ready } = lazy<EditorProps>(() => import("../editor/page"));
const { Lazy: History } = lazy<HistoryProps>(() => import("../editor/history/page"));

const documentPaths: [string, EditorProps["view"]][] = [
  ["/content/:uid/:documentId", "edit"],
  ["/content/:uid/:documentId/history", "history"],
  ["/single/:uid", "edit"],
  ["/single/:uid/history", "history"],
];

/** The page of a document that a path names; null for another path. */
export function documentPage(path: string): VNode | null {
  for (const [pattern, view] of documentPaths) {
    const found = match(pattern, path);
    const type = typeOf(found?.uid ?? "");
    const single = pattern.startsWith("/single");
    if (found && type && single === (type.kind === "singleType")) {
      const of = { uid: type.uid, documentId: found.documentId ?? null };
      return view === "history" ? <History {...of} /> : <Editor {...of} view={view} />;
    }
  }
  return null;
}

/** Loads the editor ahead of time. */
export const loadEditor = ready;

/** Loads the editor when the pointer or the focus comes to a link to a document. */
export function startLoadingAhead() {
  const look = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (link && documentPaths.some(([pattern]) => match(href(pattern), decodeURI(link.pathname)))) void loadEditor().catch(() => undefined);
  };
  addEventListener("pointerover", look, { passive: true });
  addEventListener("focusin", look);
}
