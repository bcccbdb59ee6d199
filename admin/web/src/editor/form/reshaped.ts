// A form when the schema has changed: what was typed into attributes that still exist stays.

import type { Attribute } from "../../core/schema";
import { emptyValue } from "./entry";
import { type DoneStep } from "./history";
import { type Fields, isMany, type Item, kindOf, type Shape } from "./shape";
import type { StoredForm } from "./stored";

export interface Reshaped {
  readonly form: StoredForm;
  /** What is no longer there, or holds something else now. */
  readonly gone: readonly Attribute[];
}

/** What a form of the attributes was holds, by the shape to. Fresh has the values of what is new. */
export function reshaped(form: StoredForm, was: readonly Attribute[], to: Shape, fresh: Fields): Reshaped {
  const former = new Map(was.map((a) => [a.name, a]));
  const stays = new Set(to.attributes.filter((a) => holdsTheSame(former.get(a.name), a)).map((a) => a.name));
  const over = (fields: Fields): Fields => Object.fromEntries(to.attributes.map((a) => [a.name, stays.has(a.name) ? fitting(to, a, fields[a.name]) : fresh[a.name]]));
  // Steps inside of components may be about what is gone: those of whole values stay.
  const kept = (step: DoneStep) => step.operations.every((o) => (o.does === "set" || o.does === "splice") && o.path.length === 1 && stays.has(String(o.path[0])));
  const { done, undone } = form.history;
  const conflicts = (form.conflicts ?? []).filter((c) => stays.has(String(c.path[0])));
  return {
    form: { ...form, base: over(form.base), fields: over(form.fields), history: { done: done.filter(kept), undone: undone.filter(kept) }, conflicts },
    gone: was.filter((a) => !stays.has(a.name)),
  };
}

const others = new Set<Attribute["type"]>(["boolean", "blocks", "relation", "media", "component", "dynamiczone", "password"]);

/** Whether a value of one attribute is one of the other too. What is typed is text in both. */
function holdsTheSame(a: Attribute | undefined, b: Attribute): boolean {
  if (!a) return false;
  if (!others.has(a.type) && !others.has(b.type)) return true;
  return a.type === b.type && kindOf(a) === kindOf(b) && isMany(a) === isMany(b) && a.target === b.target && a.component === b.component;
}

/** The value, where it is one of the attribute. */
function fitting(shape: Shape, a: Attribute, value: unknown): unknown {
  const item = (one: Item): Item => ({
    ...one,
    fields: Object.fromEntries(shape.component(one.component).map((inner) => [inner.name, fitting(shape, inner, one.fields[inner.name])])),
  });
  const taken = a.component === undefined ? (a.components ?? []) : [a.component];
  const isTaken = (one: unknown): one is Item => isItem(one) && taken.includes(one.component);
  switch (kindOf(a)) {
    case "slot":
      return isTaken(value) ? item(value) : null;
    case "list":
      return Array.isArray(value) ? value.filter(isTaken).map(item) : [];
    case "leaf":
      return fitsLeaf(a, value) ? value : emptyValue(a);
  }
}

function fitsLeaf(a: Attribute, value: unknown): boolean {
  if (a.type === "boolean") return typeof value === "boolean";
  if (!others.has(a.type) || a.type === "password") return typeof value === "string";
  return Array.isArray(value) && !value.some(isItem);
}

const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null && "key" in value && "component" in value && "fields" in value;
