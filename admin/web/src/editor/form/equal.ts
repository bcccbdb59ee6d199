import { parseExact } from "../../core/exact-json";
import type { Attribute } from "../../core/schema";
import { filesOf, type Fields, type Item, itemOf, itemsOf, kindOf, linkName, linksOf, type Shape, textOf } from "./shape";

/** Whether two JSON values are the same. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((n) => n in right && same(left[n], right[n]));
}

const numbers = new Set(["integer", "float", "decimal"]);

/** Whether two leaves mean the same to the server: links by their targets, JSON by its value. */
export function sameLeaf(a: Attribute, x: unknown, y: unknown): boolean {
  if (x === y) return true;
  if (a.type === "relation") return sameList(linksOf(x).map(linkName), linksOf(y).map(linkName));
  if (a.type === "media") return sameList(filesOf(x).map((f) => f.id), filesOf(y).map((f) => f.id));
  if (a.type === "json") return sameJSON(textOf(x), textOf(y));
  if (numbers.has(a.type)) return textOf(x) !== "" && textOf(y) !== "" && Number(x) === Number(y);
  return same(x ?? null, y ?? null);
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((v, i) => v === b[i]);
}

function sameJSON(a: string, b: string): boolean {
  try {
    return a !== "" && b !== "" && same(parseExact(a), parseExact(b));
  } catch {
    return false;
  }
}

/** Whether the values of one attribute are the same, items by key and content. */
export function sameValue(shape: Shape, a: Attribute, x: unknown, y: unknown): boolean {
  if (x === y) return true;
  switch (kindOf(a)) {
    case "leaf":
      return sameLeaf(a, x, y);
    case "slot":
      return sameItem(shape, itemOf(x), itemOf(y));
    case "list": {
      const left = itemsOf(x);
      const right = itemsOf(y);
      return left.length === right.length && left.every((item, i) => sameItem(shape, item, right[i] ?? null));
    }
  }
}

export function sameItem(shape: Shape, x: Item | null, y: Item | null): boolean {
  if (x === y) return true;
  if (!x || !y || x.key !== y.key || x.component !== y.component) return false;
  return sameFields(shape, shape.component(x.component), x.fields, y.fields);
}

export function sameFields(shape: Shape, attributes: readonly Attribute[], x: Fields, y: Fields): boolean {
  return attributes.every((a) => sameValue(shape, a, x[a.name], y[a.name]));
}
