// From an entry of the content API to the values of a form.

import type { Attribute } from "../../core/schema";
import { type Fields, type Item, isMorph, itemOf, itemsOf, kindOf, type Link, linkName, linksOf, type MediaFile, type Shape } from "./shape";

type Record_ = Readonly<Record<string, unknown>>;

/** Gives keys to items: to those of a stored instance the one that it had before. */
export class Keys {
  constructor(private next = 1) {}

  /** The next key that is free. */
  take(): number {
    return this.next++;
  }

  get free(): number {
    return this.next;
  }
}

/** What a field holds while nothing has been entered. */
export function emptyValue(a: Attribute): unknown {
  if (kindOf(a) === "list" || a.type === "relation" || a.type === "media") return [];
  if (kindOf(a) === "slot" || a.type === "boolean" || a.type === "blocks") return null;
  return "";
}

/** The values of a new entry or component: its defaults. Required components are there. */
export function defaultFields(shape: Shape, attributes: readonly Attribute[], keys: Keys): Fields {
  const fields: Record<string, unknown> = {};
  for (const a of attributes) {
    fields[a.name] = a.type === "component" && a.required && !a.repeatable && a.component
      ? newItem(shape, a.component, keys)
      : a.default === undefined || kindOf(a) !== "leaf" ? emptyValue(a) : leafOf(a, a.default, shape);
  }
  return fields;
}

/** The values of a new entry; with those that it shares with the same document in another locale. */
export function newFields(shape: Shape, shared: Record_ | null, keys: Keys): Fields {
  const fresh = defaultFields(shape, shape.attributes, keys);
  if (!shared) return fresh;
  const common = shape.attributes.filter((a) => !a.localized);
  return { ...fresh, ...fromEntry(shape, common, shared, keys) };
}

/** A component that is not stored yet. */
export function newItem(shape: Shape, component: string, keys: Keys): Item {
  return { key: keys.take(), component, fields: defaultFields(shape, shape.component(component), keys) };
}

/**
 * The values of an entry. Items get the keys of the same instances in known, the
 * values that the form has; items of known without an id are those that were just
 * stored in this order.
 */
export function fromEntry(shape: Shape, attributes: readonly Attribute[], entry: Record_, keys: Keys, known: Fields = {}): Fields {
  const fields: Record<string, unknown> = {};
  for (const a of attributes) {
    const value = entry[a.name];
    switch (kindOf(a)) {
      case "leaf":
        fields[a.name] = leafOf(a, value, shape);
        break;
      case "slot":
        fields[a.name] = value ? itemFrom(shape, a, value as Record_, keys, matching(itemOf(known[a.name]), value as Record_)) : null;
        break;
      case "list":
        fields[a.name] = listFrom(shape, a, Array.isArray(value) ? (value as Record_[]) : [], keys, itemsOf(known[a.name]));
    }
  }
  return fields;
}

function matching(known: Item | null, value: Record_): Item | undefined {
  return known && (known.id === undefined || known.id === value["id"]) ? known : undefined;
}

function listFrom(shape: Shape, a: Attribute, values: readonly Record_[], keys: Keys, known: readonly Item[]): readonly Item[] {
  const component = (v: Record_) => (a.component ?? v["__component"]) as string;
  const stored = new Map(known.filter((i) => i.id !== undefined).map((i) => [`${i.component}:${i.id}`, i]));
  const fresh = known.filter((i) => i.id === undefined);
  return values.map((v) => {
    let item = stored.get(`${component(v)}:${v["id"]}`);
    if (!item && fresh[0]?.component === component(v)) item = fresh.shift();
    return itemFrom(shape, a, v, keys, item);
  });
}

function itemFrom(shape: Shape, a: Attribute, value: Record_, keys: Keys, known: Item | undefined): Item {
  const component = (a.component ?? value["__component"]) as string;
  return {
    key: known?.key ?? keys.take(),
    id: value["id"] as number,
    component,
    fields: fromEntry(shape, shape.component(component), value, keys, known?.fields),
  };
}

function leafOf(a: Attribute, value: unknown, shape: Shape): unknown {
  switch (a.type) {
    case "relation":
      return listOf(value).map((v) => linkOf(a, v as Record_, shape));
    case "media":
      return listOf(value) as MediaFile[];
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "blocks":
      return Array.isArray(value) ? value : null;
    case "json":
      return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
    case "password":
      return "";
    default:
      return value === null || value === undefined ? "" : String(value);
  }
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value ? [value] : [];
}

function linkOf(a: Attribute, value: Record_, shape: Shape): Link {
  const link: { -readonly [K in keyof Link]: Link[K] } = { documentId: value["documentId"] as string };
  const title = titleIn(value);
  if (title) link.title = title;
  if (isMorph(a)) link.type = (value["__type"] ?? value["__contentType"]) as string;
  if (!shape.localized && typeof value["locale"] === "string") link.locale = value["locale"];
  if (typeof value["status"] === "string") link.status = value["status"] as Link["status"] & string;
  return link;
}

/** A link somewhere in an entry, and the uid of what it leads to. */
export type Target = Link & { readonly type: string };

/** What the values of an entry link to, in the order of its attributes, each once. */
export function targetsIn(shape: Shape, attributes: readonly Attribute[], fields: Fields): Target[] {
  const found = new Map<string, Target>();
  const add = (targets: readonly Target[]) => targets.forEach((one) => found.has(linkName(one)) || found.set(linkName(one), one));
  for (const a of attributes) {
    const value = fields[a.name];
    if (a.type === "relation") add(linksOf(value).map((link) => ({ ...link, type: link.type ?? a.target ?? "" })));
    const single = kindOf(a) === "slot" ? itemOf(value) : null;
    const items = kindOf(a) === "list" ? itemsOf(value) : single ? [single] : [];
    for (const item of items) add(targetsIn(shape, shape.component(item.component), item.fields));
  }
  return [...found.values()];
}

const identity = new Set(["id", "documentId", "locale", "status", "__type", "__contentType", "createdAt", "updatedAt", "publishedAt"]);

/** The main field of a target is the one text in it beside its identity. */
function titleIn(value: Record_): string {
  for (const [name, text] of Object.entries(value)) {
    if (!identity.has(name) && (typeof text === "string" || typeof text === "number")) return String(text);
  }
  return "";
}

/** The keys of the stored instances in a value, by what they are. */
export function keysIn(shape: Shape, a: Attribute, value: unknown, found = new Map<string, number>()): ReadonlyMap<string, number> {
  const items = kindOf(a) === "list" ? itemsOf(value) : kindOf(a) === "slot" ? [itemOf(value)] : [];
  for (const item of items) {
    if (!item) continue;
    if (item.id !== undefined) found.set(nameOfItem(item), item.key);
    for (const inner of shape.component(item.component)) keysIn(shape, inner, item.fields[inner.name], found);
  }
  return found;
}

/** A value of another form: its stored instances have the keys that this form has for them, others new ones. */
export function rekeyed(shape: Shape, a: Attribute, value: unknown, known: ReadonlyMap<string, number>, keys: Keys): unknown {
  const one = (item: Item): Item => ({
    ...item,
    key: (item.id === undefined ? undefined : known.get(nameOfItem(item))) ?? keys.take(),
    fields: Object.fromEntries(shape.component(item.component).map((inner) => [inner.name, rekeyed(shape, inner, item.fields[inner.name], known, keys)])),
  });
  const kind = kindOf(a);
  if (kind === "leaf") return value;
  return kind === "list" ? itemsOf(value).map(one) : value && one(value as Item);
}

const nameOfItem = (item: Item): string => `${item.component}:${item.id}`;
