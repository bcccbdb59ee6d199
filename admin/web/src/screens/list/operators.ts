// Which conditions an attribute can have in a filter, and how the content API is asked for
// them.

import type { Attribute, ContentType, Site } from "../../core/schema";
import type { Tree } from "./question";
import { reviewAttributes } from "./reviews";

export type Kind = "text" | "number" | "date" | "moment" | "time" | "boolean" | "choice" | "relation" | "presence";

/**
 * Comparison is what a condition asks of one attribute, in the words of the content
 * API: {$gte: "4"}. Several members hold together.
 */
type Comparison = Record<string, string | readonly string[]>;

interface Operator {
  values: "none" | "one" | "two" | "many";
  compare(values: readonly string[]): Comparison;
}

const one = (name: string): Operator => ({ values: "one", compare: ([value]) => ({ [name]: value! }) });
const none = (name: string, value = "true"): Operator => ({ values: "none", compare: () => ({ [name]: value }) });

const empty = none("$null");
const filled = none("$notNull");
const between: Operator = { values: "two", compare: ([from, to]) => ({ $gte: from!, $lte: to! }) };
const among: Operator = { values: "many", compare: (values) => ({ $in: values }) };
const notAmong: Operator = { values: "many", compare: (values) => ({ $notIn: values }) };

const operators: Record<Kind, Record<string, Operator>> = {
  text: {
    contains: one("$containsi"),
    is: one("$eqi"),
    starts: one("$startsWithi"),
    ends: { values: "one", compare: ([value]) => ({ $endsWithi: value! }) },
    "not-contains": one("$notContainsi"),
    "is-not": one("$nei"),
    empty,
    filled,
  },
  number: {
    is: one("$eq"),
    "is-not": one("$ne"),
    "at-least": one("$gte"),
    "at-most": one("$lte"),
    more: one("$gt"),
    less: one("$lt"),
    between,
    empty,
    filled,
  },
  date: { is: one("$eq"), before: one("$lt"), after: one("$gt"), between, empty, filled },
  time: { before: one("$lt"), after: one("$gte"), empty, filled },
  moment: {
    is: { values: "one", compare: ([day]) => ({ $gte: startOf(day!), $lt: startOf(day!, 1) }) },
    before: { values: "one", compare: ([day]) => ({ $lt: startOf(day!) }) },
    after: { values: "one", compare: ([day]) => ({ $gte: startOf(day!, 1) }) },
    between: { values: "two", compare: ([from, to]) => ({ $gte: startOf(from!), $lt: startOf(to!, 1) }) },
    empty,
    filled,
  },
  boolean: { yes: none("$eq"), no: none("$eq", "false"), empty },
  choice: { among, "not-among": notAmong, empty, filled },
  relation: { among, empty, filled },
  presence: { filled, empty },
};

/**
 * startOf is the moment at which a day, such as 2026-03-01, begins in this browser's
 * time zone, or so many days later.
 */
function startOf(day: string, later = 0): string {
  const [year, month, date] = day.split("-").map(Number);
  const moment = new Date(year!, month! - 1, date! + later);
  return Number.isNaN(moment.getTime()) ? day : moment.toISOString();
}

const kinds: Partial<Record<Attribute["type"], Kind>> = {
  string: "text",
  text: "text",
  richtext: "text",
  email: "text",
  uid: "text",
  integer: "number",
  biginteger: "number",
  float: "number",
  decimal: "number",
  date: "date",
  time: "time",
  datetime: "moment",
  timestamp: "moment",
  boolean: "boolean",
  enumeration: "choice",
  relation: "relation",
  media: "presence",
  blocks: "presence",
  json: "presence",
};

/** kindOf says how an attribute is filtered; null if it cannot be. */
export function kindOf(attribute: Attribute): Kind | null {
  if (attribute.type === "relation" && !attribute.target) return null; // it leads to several types
  return kinds[attribute.type] ?? null;
}

export function operatorsOf(kind: Kind): readonly string[] {
  return Object.keys(operators[kind]);
}

export function valuesOf(kind: Kind, operator: string): Operator["values"] {
  return operators[kind][operator]?.values ?? "none";
}

/** systemAttributes are those that every entry of a type has. */
export function systemAttributes(type: ContentType): Attribute[] {
  const moments = ["updatedAt", "createdAt", ...(type.draftAndPublish ? ["publishedAt"] : [])];
  return [
    ...moments.map((name): Attribute => ({ name, label: name, type: "datetime" })),
    { name: "documentId", label: "documentId", type: "string" },
    { name: "id", label: "id", type: "integer" },
  ];
}

/**
 * attributesBehind are the attributes that an attribute leads to: those of the related
 * type or of the component. Null where it leads to none, or to several types.
 */
export function attributesBehind(attribute: Attribute, site: Site): readonly Attribute[] | null {
  if (attribute.type === "component") return site.components.find((c) => c.uid === attribute.component)?.attributes ?? null;
  if (attribute.type !== "relation") return null;
  return site.types.find((t) => t.uid === attribute.target)?.attributes ?? null;
}

/**
 * resolve finds the attributes on a path, from the one of the type on; null if one of
 * them is not there, or the path goes deeper than a filter may.
 */
export function resolve(path: readonly string[], type: ContentType, site: Site): Attribute[] | null {
  const first = [...type.attributes, ...systemAttributes(type), ...reviewAttributes(type)].find((a) => a.name === path[0]);
  if (!first || path.length > 2) return null;
  if (path.length === 1) return [first];
  const second = attributesBehind(first, site)?.find((a) => a.name === path[1]);
  return second ? [first, second] : null;
}

/**
 * condition is the `filters` of the content API for one filter; null for a filter that
 * the type cannot have, such as one of a former schema.
 */
export function condition(
  filter: { path: readonly string[]; operator: string; values: readonly string[] },
  type: ContentType,
  site: Site,
): Tree | null {
  const attributes = resolve(filter.path, type, site);
  const last = attributes?.at(-1);
  const kind = last && kindOf(last);
  const operator = kind && Object.hasOwn(operators[kind], filter.operator) && operators[kind][filter.operator];
  if (!kind || !operator || !complete(operator, filter.values)) return null;
  let tree: Tree = operator.compare(filter.values);
  if (kind === "relation") tree = { documentId: tree };
  if (last.type === "media") tree = { id: tree };
  return [...filter.path].reverse().reduce((inner: Tree, name) => ({ [name]: inner }), tree);
}

/** complete reports whether a condition has the values that it needs. */
function complete(operator: Operator, values: readonly string[]): boolean {
  const enough = { none: values.length === 0, one: values.length === 1, two: values.length === 2, many: values.length > 0 };
  return enough[operator.values] && values.every((v) => v !== "");
}
