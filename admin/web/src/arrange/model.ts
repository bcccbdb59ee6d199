// The form that is being arranged, as one list: headings of tabs and groups, and the fields
// below them. What is below a heading belongs to it, up to the next one.

import type { Attribute, Condition } from "../core/schema";

/** An arrangement as the server stores it. */
export interface Arrangement {
  title?: string;
  columns?: string[];
  tabs?: { label?: string; groups: { label?: string; fields: Cell[] }[] }[];
  hidden?: string[];
  attributes?: Record<string, Wording>;
}

export interface Cell {
  name: string;
  size: number;
}

export interface Wording {
  label?: string;
  hint?: string;
  placeholder?: string;
  visible?: Condition;
}

export type Line = { key: string; kind: "tab" | "group"; label: string } | { key: string; kind: "field"; name: string; size: number };

/** What is being arranged. */
export interface Draft {
  title: string;
  columns: readonly string[];
  lines: readonly Line[];
  hidden: readonly string[];
  words: Readonly<Record<string, Wording>>;
}

let lines = 0;

export const heading = (kind: "tab" | "group", label = ""): Line => ({ key: `${kind}-${++lines}`, kind, label });
const field = ({ name, size }: Cell): Line => ({ key: name, kind: "field", name, size });

/** The lines of an arranged form; those of one that is not arranged are its rows. */
export function linesOf(arrangement: Arrangement, rows: readonly (readonly Cell[])[]): Line[] {
  if (!arrangement.tabs?.length) return rows.flat().map(field);
  const several = arrangement.tabs.length > 1;
  return arrangement.tabs.flatMap(({ label, groups }) => [
    ...(several || label ? [heading("tab", label)] : []),
    ...groups.flatMap((group, i) => [...(group.label || i > 0 ? [heading("group", group.label)] : []), ...group.fields.map(field)]),
  ]);
}

/** The tabs and groups that the lines make. Empty ones are left out. */
export function tabsOf(list: readonly Line[]): NonNullable<Arrangement["tabs"]> {
  const tabs: NonNullable<Arrangement["tabs"]> = [];
  for (const line of list) {
    if (line.kind === "tab") tabs.push({ label: line.label.trim(), groups: [] });
    else if (tabs.length === 0) tabs.push({ groups: [] });
    const tab = tabs[tabs.length - 1]!;
    if (line.kind === "group") tab.groups.push({ label: line.label.trim(), fields: [] });
    if (line.kind !== "field") continue;
    if (tab.groups.length === 0) tab.groups.push({ fields: [] });
    tab.groups[tab.groups.length - 1]!.fields.push({ name: line.name, size: line.size });
  }
  return tabs.map((tab) => ({ ...tab, groups: tab.groups.filter(({ fields }) => fields.length > 0) })).filter(({ groups }) => groups.length > 0);
}

export type Test = "is" | "is-not" | "filled" | "empty";

/** A condition that the dialog can show without its JSON. */
export interface Simple {
  name: string;
  test: Test;
  value: Condition;
}

/** Reads a condition; null for one of another form. */
export function simpleOf(condition: Condition | undefined): Simple | null {
  if (typeof condition !== "object" || condition === null || Array.isArray(condition)) return null;
  const [[operator, operands] = ["", null]] = Object.entries(condition) as [string, Condition][];
  const list = (Array.isArray(operands) ? operands : [operands]) as Condition[];
  const name = (list[0] as { var?: unknown } | null)?.var;
  if (typeof name !== "string" || name.includes(".")) return null;
  switch (operator) {
    case "==":
    case "!=":
      return { name, test: operator === "==" ? "is" : "is-not", value: list[1] ?? null };
    case "!":
    case "!!":
      return { name, test: operator === "!!" ? "filled" : "empty", value: null };
  }
  return null;
}

export function conditionOf({ name, test, value }: Simple): Condition {
  const variable = { var: name };
  if (test === "filled" || test === "empty") return { [test === "filled" ? "!!" : "!"]: [variable] };
  return { [test === "is" ? "==" : "!="]: [variable, value] };
}

/** The value of a condition as the attribute that it asks about has it. */
export function valueFor(attribute: Attribute | undefined, text: string): Condition {
  switch (attribute?.type) {
    case "boolean":
      return text === "true";
    case "integer":
    case "float":
    case "decimal":
      return Number(text.replace(",", ".")) || 0;
  }
  return text;
}

/** The words about an attribute without those that are empty; undefined for none. */
export function withoutEmpty(wording: Wording): Wording | undefined {
  const kept = Object.entries(wording).filter(([, value]) => value !== undefined && value !== "");
  return kept.length > 0 ? (Object.fromEntries(kept) as Wording) : undefined;
}
