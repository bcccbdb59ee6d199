// Which screen a path shows.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../core/i18n";
import { href, Link, match, navigate, place, useTitle } from "../core/router";
import { typeOf } from "../core/schema";
import type { HistoryProps } from "../editor/history/page";
import type { EditorProps } from "../editor/page";
import { Empty } from "../ui/empty";
import { lazy } from "../ui/lazy";
import { Home } from "./home";
import { ListScreen } from "./list/list";
import { sectionOf, sections } from "./sections";

/** The screen of the path; pages of documents are loaded when they are first needed. */
export function Screen() {
  const path = place.value.path;
  if (path === "/") return <Home />;
  if (path === "/signin") return <ToHome />; // the address of a bookmark: who sees this is signed in
  if (path === "/security") return <Security />;
  return editor(path) ?? list(path) ?? section(path) ?? <Missing />;
}

function section(path: string): VNode | null {
  const Page = sectionPages.get(sectionOf(path)?.path ?? "");
  return Page ? <Page /> : null;
}

function list(path: string): VNode | null {
  const found = match("/content/:uid", path);
  const type = typeOf(found?.uid ?? "");
  return type?.kind === "collectionType" ? <ListScreen key={type.uid} type={type} /> : null;
}

const documentPaths: [string, EditorProps["view"]][] = [
  ["/content/:uid/:documentId", "edit"],
  ["/content/:uid/:documentId/history", "history"],
  ["/single/:uid", "edit"],
  ["/single/:uid/history", "history"],
];

function editor(path: string): VNode | null {
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

const { Lazy: Editor, ready } = lazy<EditorProps>(() => import("../editor/page"));
const { Lazy: History } = lazy<HistoryProps>(() => import("../editor/history/page"));
const { Lazy: Security } = lazy(() => import("../security/page"));

const sectionPages = new Map(sections.map(({ path, load }) => [path, lazy(load).Lazy]));

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

function ToHome() {
  useEffect(() => void navigate("/", { replace: true }), []);
  return null;
}

function Missing() {
  useTitle(t("shell.missing"));
  return (
    <Empty page icon="search" title={t("shell.missing")} action={<Link to="/">{t("shell.to-home")}</Link>}>
      {t("shell.missing-text")}
    </Empty>
  );
}
