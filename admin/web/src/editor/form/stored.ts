// A form as plain values, as the device and the server keep it between two visits.

import type { Attribute } from "../../core/schema";
import type { StoredHistory } from "./history";
import type { Conflict } from "./merge";
import { type Fields, type Item, itemOf, itemsOf, kindOf, type Path, type Shape } from "./shape";

export interface StoredForm {
  /** The version of this format; another one is not read. */
  readonly format: 1;
  readonly nextKey: number;
  /** What the server had, and what the form has. */
  readonly base: Fields;
  readonly fields: Fields;
  readonly history: StoredHistory;
  /** What both have changed and nobody has decided. */
  readonly conflicts?: readonly Conflict[];
  /** Attributes for which a suggestion of the language model was taken. */
  readonly suggested?: readonly string[];
}

/** Whether a value of unknown origin is a form that this program stored. */
export function isStoredForm(value: unknown): value is StoredForm {
  const form = value as Partial<StoredForm> | null;
  return typeof form === "object" && form !== null && form.format === 1 && typeof form.fields === "object" && typeof form.base === "object" && typeof form.nextKey === "number";
}

/** A form without what is typed into passwords, which is kept nowhere. */
export function withoutPasswords(shape: Shape, form: StoredForm): StoredForm {
  const one = (value: unknown) => (isItem(value) ? { ...value, fields: clean(shape, shape.component(value.component), value.fields) } : value);
  const steps = (list: StoredHistory["done"]) => list.filter((s) => !isPassword(shape, s.label.path));
  return {
    ...form,
    fields: clean(shape, shape.attributes, form.fields),
    history: { done: steps(form.history.done), undone: steps(form.history.undone) },
    conflicts: (form.conflicts ?? []).filter((c) => c.attribute.type !== "password").map((c) => ({ ...c, base: one(c.base), mine: one(c.mine), theirs: one(c.theirs) })),
  };
}

const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null && "component" in value && "fields" in value;

function clean(shape: Shape, attributes: readonly Attribute[], fields: Fields): Fields {
  const cleaned: Record<string, unknown> = {};
  for (const a of attributes) cleaned[a.name] = cleanValue(shape, a, fields[a.name]);
  return cleaned;
}

function cleanValue(shape: Shape, a: Attribute, value: unknown): unknown {
  if (a.type === "password") return "";
  const item = (i: Item): Item => ({ ...i, fields: clean(shape, shape.component(i.component), i.fields) });
  switch (kindOf(a)) {
    case "slot": {
      const one = itemOf(value);
      return one && item(one);
    }
    case "list":
      return itemsOf(value).map(item);
    case "leaf":
      return value;
  }
}

/** By the name alone: which component an item of a list is, a path does not say. */
function isPassword(shape: Shape, path: Path): boolean {
  const name = path.at(-1);
  const isOne = (a: Attribute) => a.name === name && a.type === "password";
  if (path.length === 1) return shape.attributes.some(isOne);
  return [...componentsOf(shape)].some((uid) => shape.component(uid).some(isOne));
}

function componentsOf(shape: Shape): Set<string> {
  const found = new Set<string>();
  const gather = (attributes: readonly Attribute[]) => {
    for (const uid of attributes.flatMap((a) => (a.component ? [a.component] : (a.components ?? [])))) {
      if (found.has(uid)) continue;
      found.add(uid);
      gather(shape.component(uid));
    }
  };
  gather(shape.attributes);
  return found;
}
