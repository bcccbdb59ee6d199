// Conditions of attributes, in JSON logic as the server evaluates them: schema/condition.go.

import type { Attribute, Condition } from "../../core/schema";
import { find, type Node } from "./node";
import { filesOf, isMany, linksOf, type Path, textOf } from "./shape";

/** Whether a condition holds for the values that are beside the attribute at a path. Followed by signals. */
export function holds(condition: Condition | undefined, nodes: ReadonlyMap<string, Node>, path: Path): boolean {
  if (condition === undefined) return true;
  const beside = path.slice(0, -1);
  return truth(valueOf(condition, (name) => find(nodes, [...beside, name], true)));
}

type Find = (name: string) => Node | undefined;

/** The value of a part of a condition. */
function valueOf(part: Condition, of: Find): unknown {
  if (Array.isArray(part)) return part.map((one) => valueOf(one, of));
  if (typeof part !== "object" || part === null) return part;
  const [name, operands] = Object.entries(part)[0] ?? ["", null];
  const list = (Array.isArray(operands) ? operands : [operands]) as Condition[];
  if (name === "var") return variable(String(list[0]), of);
  const value = (i: number) => valueOf(list[i] ?? null, of);
  switch (name) {
    case "and":
      return list.map((one) => valueOf(one, of)).reduce((a, b) => (truth(a) ? b : a));
    case "or":
      return list.map((one) => valueOf(one, of)).reduce((a, b) => (truth(a) ? a : b));
    case "if":
      for (let i = 0; i + 1 < list.length; i += 2) if (truth(value(i))) return value(i + 1);
      return list.length % 2 === 1 ? value(list.length - 1) : null;
    case "!":
      return !truth(value(0));
    case "!!":
      return truth(value(0));
  }
  return compare(name, value(0), value(1));
}

function compare(operator: string, a: unknown, b: unknown): boolean {
  switch (operator) {
    case "==":
    case "!=":
      return looselyEqual(a, b) === (operator === "==");
    case "===":
    case "!==":
      return (plain(a) && a === b) === (operator === "===");
    case "<":
      return less(a, b) < 0;
    case "<=":
      return less(a, b) <= 0;
    case ">":
      return less(a, b) > 0;
    case ">=":
      return less(a, b) >= 0;
    case "in":
      return Array.isArray(b) ? b.some((one) => plain(one) && one === a) : typeof b === "string" && typeof a === "string" && b.includes(a);
  }
  return true; // the server decides by what is not known here
}

const plain = (a: unknown): boolean => typeof a !== "object" || a === null;

function looselyEqual(a: unknown, b: unknown): boolean {
  if (!plain(a) || !plain(b)) return false;
  // eslint-disable-next-line eqeqeq -- as in JSON logic
  return a == b;
}

/** Negative, 0 or positive as a is below, at or above b; NaN where they cannot be compared. */
function less(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return plain(a) && plain(b) ? Number(a) - Number(b) : NaN;
}

function truth(a: unknown): boolean {
  return Array.isArray(a) ? a.length > 0 : Boolean(a);
}

function variable(path: string, of: Find): unknown {
  const [name = "", ...rest] = path.split(".");
  const node = of(name);
  let value = node ? contentOf(node) : null;
  for (const step of rest) value = (value as Record<string, unknown> | null)?.[step] ?? null;
  return value;
}

/** What the entry would have in the place of a node. */
function contentOf(node: Node): unknown {
  if (node.kind === "leaf") return leafOf(node.attribute, node.value.value);
  if (node.kind === "list") return node.keys.value.map(() => ({}));
  const group = node.group.value;
  return group && Object.fromEntries([...group.fields].map(([name, inner]) => [name, contentOf(inner)]));
}

function leafOf(a: Attribute, value: unknown): unknown {
  switch (a.type) {
    case "boolean":
    case "blocks":
      return value ?? null;
    case "relation":
      return isMany(a) ? linksOf(value) : (linksOf(value)[0] ?? null);
    case "media":
      return isMany(a) ? filesOf(value) : (filesOf(value)[0] ?? null);
  }
  const text = textOf(value);
  if (text === "") return null;
  switch (a.type) {
    case "integer":
    case "float":
    case "decimal":
      return Number(text.trim().replace(",", "."));
    case "json":
      try {
        return JSON.parse(text);
      } catch {
        return null;
      }
  }
  return text;
}
