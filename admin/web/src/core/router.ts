// Where the user is: a signal of the URL below /admin, navigation, guards and titles.

import { signal } from "@preact/signals";
import { createElement, type AnchorHTMLAttributes, type ComponentChildren, type HTMLAttributes, type TargetedMouseEvent } from "preact";
import { useEffect } from "preact/hooks";
import { announce } from "./live-region";

/** A place of the admin. path starts with "/" and is below /admin, without query and hash. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly hash: string;
}

/** Below which path the pages of the admin are. */
export const base = "/admin";

/** Where the user is now. */
export const place = signal<Place>(read());

/** What distinguishes an entry of the browser's history: scroll positions are kept by it. */
export const visit = signal<string>(visitOf(history.state));

/** Asks whether the page may be left; false keeps the user there. */
export type Guard = (to: Place) => boolean | Promise<boolean>;

const guards = new Set<Guard>();
let position = indexOf(history.state);
let ignored = 0;

function read(): Place {
  const path = decodeURI(location.pathname);
  const below = path.startsWith(base) ? path.slice(base.length) : path;
  return { path: below === "" ? "/" : below, query: new URLSearchParams(location.search), hash: location.hash.slice(1) };
}

function visitOf(state: unknown): string {
  return isVisit(state) ? state.visit : "start";
}

function indexOf(state: unknown): number {
  return isVisit(state) ? state.index : 0;
}

function isVisit(state: unknown): state is { visit: string; index: number } {
  return typeof state === "object" && state !== null && "visit" in state && "index" in state;
}

/** The URL of a place: href("/content/x") is "/admin/content/x". */
export function href(path: string): string {
  return base + path;
}

/** Parts of paths are encoded, but for the colons of uids. */
export function segment(text: string): string {
  return encodeURIComponent(text).replaceAll("%3A", ":");
}

/** Goes to a path below /admin, with query and hash; resolves to false if a guard refuses. */
export async function navigate(to: string, options: { replace?: boolean; force?: boolean } = {}): Promise<boolean> {
  const url = new URL(href(to), location.href);
  const next: Place = { path: decodeURI(url.pathname).slice(base.length) || "/", query: url.searchParams, hash: url.hash.slice(1) };
  if (!options.force && next.path !== place.value.path && !(await mayLeave(next))) return false;
  if (options.replace) {
    history.replaceState({ visit: visit.value, index: position }, "", url);
  } else {
    position++;
    history.pushState({ visit: crypto.randomUUID(), index: position }, "", url);
  }
  arrive();
  return true;
}

async function mayLeave(to: Place): Promise<boolean> {
  for (const guard of guards) if (!(await guard(to))) return false;
  return true;
}

function arrive() {
  visit.value = visitOf(history.state);
  position = indexOf(history.state);
  place.value = read();
}

/** Adds a guard that is asked before another page is shown; gives back what removes it. */
export function guard(ask: Guard): () => void {
  guards.add(ask);
  return () => void guards.delete(ask);
}

/** Follows the browser's history; main calls it once. */
export function startRouter() {
  history.scrollRestoration = "manual";
  history.replaceState({ visit: visit.value, index: position }, "");
  addEventListener("popstate", async (event) => {
    if (ignored > 0) {
      ignored--;
      return;
    }
    const from = place.value;
    const steps = indexOf(event.state) - position;
    if (steps !== 0 && read().path !== from.path && guards.size > 0) {
      ignored++;
      history.go(-steps); // stays until the guards have answered
      if (!(await mayLeave(read()))) return;
      ignored++;
      history.go(steps);
      addEventListener("popstate", arrive, { once: true });
      return;
    }
    arrive();
  });
}

/** Matches a path with a pattern: match("/content/:uid", path) gives {uid} or null. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split("/");
  const parts = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== parts.length) return null;
  const found: Record<string, string> = {};
  for (const [i, want] of wanted.entries()) {
    const part = parts[i] ?? "";
    if (want.startsWith(":") && part !== "") found[want.slice(1)] = decodeURIComponent(part);
    else if (want !== part) return null;
  }
  return found;
}

/** Changes the query of the page without an entry in the history; null removes a key. */
export function setQuery(changes: Record<string, string | null>, options: { replace?: boolean } = { replace: true }) {
  const query = new URLSearchParams(place.value.query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  void navigate(place.value.path + (text ? "?" + text : ""), { replace: options.replace ?? true, force: true });
}

export type LinkProps = Omit<HTMLAttributes<HTMLAnchorElement>, "href" | "ref" | "onClick" | "role"> & { onClick?: (event: TargetedMouseEvent<HTMLAnchorElement>) => void } & { to: string; children?: ComponentChildren };

/** A link to a place of the admin; modified clicks open it as the browser does. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const current = place.value.path === to.split(/[?#]/)[0] ? ("page" as const) : undefined;
  return createElement("a", {
    "aria-current": current,
    ...rest,
    href: href(to),
    onClick: (event: TargetedMouseEvent<HTMLAnchorElement>) => {
      onClick?.(event);
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void navigate(to);
    },
  } satisfies AnchorHTMLAttributes<HTMLAnchorElement>);
}

const siteName = signal(typeof document === "undefined" ? "" : document.title);

/** What the site is called: the first title of the page, until the schema says it. */
export function site(): string {
  return siteName.value;
}

export function nameSite(name: string) {
  siteName.value = name;
}

let announced = "";

/** Gives the page its title; screen readers hear it when the user has come from another. */
export function useTitle(title: string) {
  const name = siteName.value;
  useEffect(() => {
    document.title = title === "" ? name : `${title} · ${name}`;
    if (title !== "" && announced !== "" && announced !== title) announce(title);
    if (title !== "") announced = title;
  }, [title, name]);
}

const scrolls = new Map<string, number>();

/** Keeps how far an element is scrolled for this visit and key; gives what it was. */
export function keepScroll(key: string, top: number) {
  scrolls.set(visit.value + " " + key, top);
}

export function keptScroll(key: string): number {
  return scrolls.get(visit.value + " " + key) ?? 0;
}
