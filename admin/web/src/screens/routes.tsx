// Which screen a path shows.

import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../core/i18n";
import { Link, match, place, useTitle } from "../core/router";
import { typeOf } from "../core/schema";
import type { EditorProps } from "../editor/page";
import { Empty } from "../ui/empty";
import { Home } from "./home";
import { ListScreen } from "./list/list";

/** The screen of the path; pages of documents are loaded when they are first needed. */
export function Screen() {
  const path = place.value.path;
  if (path === "/") return <Home />;
  return editor(path) ?? list(path) ?? <Missing />;
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
      return <Editor uid={type.uid} documentId={found.documentId ?? null} view={view} />;
    }
  }
  return null;
}

let EditorPage: ComponentType<EditorProps> | undefined;

/** Loads the editor ahead of time, as when the pointer is on a link to a document. */
export async function loadEditor(): Promise<void> {
  EditorPage = (await import("../editor/page")).default;
}

function Editor(props: EditorProps) {
  const [, loaded] = useState(0);
  const [failed, setFailed] = useState<unknown>(null);
  useEffect(() => {
    if (!EditorPage) loadEditor().then(() => loaded(1), setFailed);
  }, []);
  if (failed) throw failed;
  return EditorPage ? <EditorPage {...props} /> : null;
}

function Missing() {
  useTitle(t("shell.missing"));
  return (
    <Empty page icon="search" title={t("shell.missing")} action={<Link to="/">{t("shell.to-home")}</Link>}>
      {t("shell.missing-text")}
    </Empty>
  );
}
