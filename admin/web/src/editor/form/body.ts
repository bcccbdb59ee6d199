// From the values of a form to the body of a write.

import { parseExact } from "../../core/exact-json";
import type { Attribute } from "../../core/schema";
import { sameValue } from "./equal";
import { emptyValue } from "./entry";
import { type Fields, filesOf, isMany, type Item, itemOf, itemsOf, kindOf, type Link, linkName, linksOf, type Shape, textOf } from "./shape";

type Body = Record<string, unknown>;

/** The body that creates an entry: all that has a value, and null where a default is not wanted. */
export function createBody(shape: Shape, fields: Fields): Body {
  return allOf(shape, shape.attributes, fields);
}

/** The body that turns base into fields: what differs, and nothing else. */
export function updateBody(shape: Shape, fields: Fields, base: Fields): Body {
  return differing(shape, shape.attributes, fields, base);
}

/**
 * The body that adds a locale: its own values, and of those that all locales share what
 * differs from base, given whole, since the instances of another locale are not its own.
 */
export function localeBody(shape: Shape, fields: Fields, base: Fields): Body {
  const own = shape.attributes.filter((a) => a.localized);
  const changed = shape.attributes.filter((a) => !a.localized && !a.readOnly && !sameValue(shape, a, fields[a.name], base[a.name]));
  return { ...allOf(shape, own, fields), ...Object.fromEntries(changed.map((a) => [a.name, valueOf(shape, a, fields[a.name], undefined)])) };
}

function differing(shape: Shape, attributes: readonly Attribute[], fields: Fields, base: Fields): Body {
  const body: Body = {};
  for (const a of attributes) {
    if (a.readOnly || sameValue(shape, a, fields[a.name], base[a.name])) continue;
    body[a.name] = valueOf(shape, a, fields[a.name], base[a.name]);
  }
  return body;
}

function allOf(shape: Shape, attributes: readonly Attribute[], fields: Fields): Body {
  const body: Body = {};
  for (const a of attributes) {
    const value = fields[a.name];
    const empty = sameValue(shape, a, value, emptyValue(a)) || value === undefined;
    if (a.readOnly || (empty && a.default === undefined)) continue;
    body[a.name] = valueOf(shape, a, value, undefined);
  }
  return body;
}

function valueOf(shape: Shape, a: Attribute, value: unknown, base: unknown): unknown {
  switch (kindOf(a)) {
    case "slot": {
      const item = itemOf(value);
      return item ? itemBody(shape, a, item, itemOf(base) ?? undefined) : null;
    }
    case "list": {
      const stored = new Map(itemsOf(base).map((i) => [i.key, i]));
      return itemsOf(value).map((item) => itemBody(shape, a, item, stored.get(item.key)));
    }
    case "leaf":
      return leafBody(a, value, base);
  }
}

/** A stored instance is named by its id and changed; any other one is given whole. */
function itemBody(shape: Shape, a: Attribute, item: Item, base: Item | undefined): Body {
  const attributes = shape.component(item.component);
  const name: Body = a.type === "dynamiczone" ? { __component: item.component } : {};
  if (item.id === undefined || !base || base.id !== item.id) return { ...name, ...allOf(shape, attributes, item.fields) };
  return { ...name, id: item.id, ...differing(shape, attributes, item.fields, base.fields) };
}

/** A leaf as JSON. It must have passed its rules. */
export function leafBody(a: Attribute, value: unknown, base?: unknown): unknown {
  switch (a.type) {
    case "relation":
      return linksBody(a, linksOf(value), base === undefined ? undefined : linksOf(base));
    case "media": {
      const ids = filesOf(value).map((f) => f.id);
      return isMany(a) ? ids : (ids[0] ?? null);
    }
    case "boolean":
    case "blocks":
      return value ?? null;
  }
  const text = textOf(value);
  if (text === "") return null;
  switch (a.type) {
    case "integer":
    case "float":
    case "decimal":
      return Number(text.trim().replace(",", "."));
    case "biginteger":
      return text.trim();
    case "json":
      return parseExact(text);
  }
  return text;
}

/**
 * Links of a list that is stored are connected and disconnected one by one, so that
 * those that nobody here can see stay.
 */
function linksBody(a: Attribute, links: readonly Link[], base: readonly Link[] | undefined): unknown {
  if (!isMany(a)) return links[0] ? target(links[0]) : null;
  if (!base || base.length === 0) return links.map(target);
  const wanted = new Set(links.map(linkName));
  const stays = staying(links, base);
  const connect = links.flatMap((link, i) => {
    if (stays.has(linkName(link))) return [];
    const before = links[i - 1];
    return [{ ...target(link), position: before ? { after: before.documentId } : { start: true } }];
  });
  const disconnect = base.filter((l) => !wanted.has(linkName(l))).map(target);
  return { connect, disconnect };
}

function target(link: Link): Body {
  return {
    documentId: link.documentId,
    ...(link.type && { __type: link.type }),
    ...(link.locale && { locale: link.locale }),
  };
}

/** The most links that need not move: the longest run of base's order in links. */
function staying(links: readonly Link[], base: readonly Link[]): ReadonlySet<string> {
  const place = new Map(base.map((l, i) => [linkName(l), i]));
  const tails: { place: number; name: string; before: number }[][] = [];
  for (const link of links) {
    const name = linkName(link);
    const at = place.get(name);
    if (at === undefined) continue;
    let low = 0;
    for (let high = tails.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((tails[middle]?.at(-1)?.place ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    (tails[low] ??= []).push({ place: at, name, before: low > 0 ? (tails[low - 1]?.length ?? 0) - 1 : -1 });
  }
  const stays = new Set<string>();
  let level = tails.length - 1;
  let at = (tails[level]?.length ?? 0) - 1;
  while (level >= 0) {
    const link = tails[level]?.[at];
    if (!link) break;
    stays.add(link.name);
    at = link.before;
    level--;
  }
  return stays;
}
