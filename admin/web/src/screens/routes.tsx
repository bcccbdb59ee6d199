// Which screen a path shows.

import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../core/i18n";
import { Link, match, navigate, place, useTitle } from "../core/router";
import { typeOf } from "../core/schema";
import { maySite } from "../core/session";
import { Empty } from "../ui/empty";
import { lazy } from "../ui/lazy";
import { documentPage } from "./documents";
import { Home } from "./home";
import { ListScreen } from "./list/list";
import { sectionOf, sections } from "./sections";

/** The screen of the path. */
export function Screen() {
  const path = place.value.path;
  if (path === "/") return <Home />;
  if (path === "/signin") return <ToHome />; // the address of a bookmark: who sees this is signed in
  if (path === "/security") return <Security />;
  if (path === "/assistants") return <Assistants />;
  if (path === "/connect") return <Connect />;
  const arranged = match("/arrange/:uid", path);
  if (arranged?.uid && maySite("arrange")) return <Arrange uid={arranged.uid} />;
  if (path === "/changes" || path.startsWith("/changes/")) return <ChangeSets />;
  return documentPage(path) ?? list(path) ?? section(path) ?? <Missing />;
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

const { Lazy: Arrange } = lazy(() => import("../arrange/page"));
const { Lazy: ChangeSets } = lazy(() => import("../changes/page"));
const { Lazy: Security } = lazy(() => import("../security/page"));

const { Lazy: Assistants } = lazy(() => import("../assistants/page"));

const { Lazy: Connect } = lazy(async () => ({ default: (await import("../assistants/page")).Connect }));

const sectionPages = new Map(sections.map(({ path, load }) => [path, lazy(load).Lazy]));

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
