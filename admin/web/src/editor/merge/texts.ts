// Texts that two people have changed: Markdown by its lines, blocks by blocks and items of
// lists. A change is merged where at least one unit lies between it and each change of the
// other, or where both only replace blocks side by side; otherwise both are shown. It is loaded
// when both have changed the same text.

import { type Blocks, isObject, type Json, type JsonObject } from "../../blocks/model";
import type { Attribute } from "../../core/schema";
import type { DoneStep, Operation, StoredHistory } from "../form/history";
import type { MergedText } from "../form/merge";
import { textOf } from "../form/shape";
import { compareLists, same } from "../history/diff";

/** Texts of more lines or blocks are not merged: the page would stop for too long. */
const mostUnits = 20_000;

/** Units are the same if their keys are. */
interface Unit {
  readonly key: string;
  /** A block, the members of a list without its items, or an item. */
  readonly is?: "block" | "list" | "item";
  readonly json?: Json;
}

interface Change {
  /** The units of base that are replaced. */
  from: number;
  to: number;
  put: readonly Unit[];
  /** How far up and down the same change could as well be, as one of two empty lines that is removed. */
  least: number;
  most: number;
}

/** The text with what mine and theirs have made of base; undefined where that is not safe. */
export function mergeText({ type }: Attribute, base: unknown, mine: unknown, theirs: unknown): unknown {
  if (type !== "blocks") return mergeLines(textOf(base), textOf(mine), textOf(theirs));
  const lists = [base, mine, theirs].map((value) => (value === null ? [] : value));
  return lists.every(Array.isArray) ? mergeBlocks(...(lists as unknown as [Blocks, Blocks, Blocks])) : undefined;
}

function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const isOld = (text: string) => text.includes("\r\n"); // what is typed in a browser has no returns
  const kept = isOld(mine) && isOld(theirs);
  const units = (text: string): Unit[] => (kept ? text : text.replaceAll("\r\n", "\n")).split("\n").map((key) => ({ key }));
  return mergeUnits(units(base), units(mine), units(theirs))?.map((line) => line.key).join("\n");
}

function mergeBlocks(base: Blocks, mine: Blocks, theirs: Blocks): Blocks | null | undefined {
  const merged = mergeUnits(base.flatMap(unitsOf), mine.flatMap(unitsOf), theirs.flatMap(unitsOf));
  const blocks = merged && blocksOf(merged);
  if (!blocks) return undefined;
  const known = new Map(mine.map((block) => [keyOf(block), block])); // the editor knows these
  return blocks.length === 0 ? null : blocks.map((block) => known.get(keyOf(block)) ?? block);
}

function unitsOf(block: JsonObject): Unit[] {
  const { children, ...list } = isObject(block) ? block : {};
  if (list["type"] !== "list" || !Array.isArray(children) || children.length === 0) return [{ key: keyOf(block), is: "block", json: block }];
  return [{ key: `list ${keyOf(list)}`, is: "list", json: list }, ...(children as Json[]).map((json): Unit => ({ key: `item ${keyOf(json)}`, is: "item", json }))];
}

/** The blocks of units; undefined if an item has no list, or a list no item. */
function blocksOf(units: readonly Unit[]): JsonObject[] | undefined {
  const blocks: JsonObject[] = [];
  let items: Json[] | null = null;
  for (const { is, json } of units) {
    if (is !== "item" && items?.length === 0) return undefined;
    if (is === "item") {
      if (!items) return undefined;
      items.push(json!);
    } else {
      items = is === "list" ? [] : null;
      blocks.push(items ? { ...(json as JsonObject), children: items } : (json as JsonObject));
    }
  }
  return items?.length === 0 ? undefined : blocks;
}

/** A value as text, whatever the order of its members. */
const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (isObject(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v));

function mergeUnits(base: readonly Unit[], mine: readonly Unit[], theirs: readonly Unit[]): Unit[] | undefined {
  if (Math.max(base.length, mine.length, theirs.length) > mostUnits) return undefined;
  const my = changesOf(base, mine);
  const their = changesOf(base, theirs);
  const isBoth = (a: Change) => (b: Change) => a.from === b.from && a.to === b.to && sameKeys(a.put, b.put);
  const onlyMine = my.filter((a) => !their.some(isBoth(a)));
  const onlyTheirs = their.filter((a) => !my.some(isBoth(a)));
  if (onlyMine.some((a) => onlyTheirs.some((b) => a.least <= b.most && b.least <= a.most && !areSideBySide(a, b)))) return undefined;
  const merged: Unit[][] = [];
  let at = 0;
  for (const change of [...my, ...onlyTheirs].sort((a, b) => a.from - b.from)) {
    merged.push(base.slice(at, change.from), [...change.put]);
    at = change.to;
  }
  return [...merged, base.slice(at)].flat();
}

/** Whether each replaces other blocks by as many. Lines side by side may be one sentence. */
const areSideBySide = (a: Change, b: Change): boolean => [a, b].every((c) => c.put.length > 0 && c.put.length === c.to - c.from && c.put[0]!.is) && (a.to <= b.from || b.to <= a.from);

const sameKeys = (a: readonly Unit[], b: readonly Unit[]): boolean => a.length === b.length && a.every((unit, i) => unit.key === b[i]!.key);

function changesOf(base: readonly Unit[], after: readonly Unit[]): Change[] {
  const changes: Change[] = [];
  let open: Change | undefined;
  let at = 0;
  for (const { is, items } of compareLists(base, after, (unit) => unit.key)) {
    if (is === "same") open = undefined;
    else {
      if (!open) changes.push((open = { from: at, to: at, put: [], least: at, most: at }));
      if (is === "added") open.put = [...open.put, ...items];
      else open.to += items.length;
    }
    if (is !== "added") at += items.length;
  }
  for (const change of changes) widen(base, change);
  return changes;
}

/** Finds out how far up and down something that is only added or only removed could be with the same effect. */
function widen(base: readonly Unit[], change: Change) {
  const { from, to, put } = change;
  change.most = to;
  const moved = from === to ? put : put.length === 0 ? base.slice(from, to) : [];
  const n = moved.length;
  if (n === 0) return;
  for (let i = 0; change.least > 0 && base[change.least - 1]!.key === moved[n - 1 - (i % n)]!.key; i++) change.least--;
  for (let i = 0; change.most < base.length && base[change.most]!.key === moved[i % n]!.key; i++) change.most++;
}

const mostRebased = 4_000_000; // characters, of all the steps of one text

/**
 * The steps of a form in which a text has been merged: undone and done again, they change
 * what mine has changed, and leave theirs. Steps that cannot be told from theirs are left out.
 */
export function rebased({ done, undone }: StoredHistory, text: MergedText): StoredHistory {
  return { done: through(done, text, false), undone: through(undone, text, true) };
}

function through(steps: readonly DoneStep[], { attribute, path, mine, merged }: MergedText, forth: boolean): DoneStep[] {
  let [without, whole] = [mine, merged];
  let left = mostRebased;
  const rebase = (o: Operation): Operation[] => {
    if (!same(o.path, path) || (o.does !== "set" && o.does !== "splice")) return [o];
    const beyond = left > 0 ? beyondOf(o, without, forth) : undefined;
    const next = beyond === undefined ? undefined : mergeText(attribute, without, beyond, whole);
    left = next === undefined ? 0 : left - (typeof whole === "string" ? whole.length : JSON.stringify(whole).length) - 1000;
    if (next === undefined) return [];
    const rebasedOne: Operation = { does: "set", path: o.path, before: forth ? whole : next, after: forth ? next : whole };
    [without, whole] = [beyond, next];
    return [rebasedOne];
  };
  const kept = steps.toReversed().map((step) => {
    const operations = (forth ? step.operations : step.operations.toReversed()).flatMap(rebase);
    return { ...step, operations: forth ? operations : operations.toReversed() };
  });
  return kept.filter((step) => step.operations.length > 0).toReversed();
}

/** The value on the other side of an operation; undefined if this side is not value. */
function beyondOf(o: Operation & { does: "set" | "splice" }, value: unknown, forth: boolean): unknown {
  if (o.does === "set") {
    const [here, there] = forth ? [o.before, o.after] : [o.after, o.before];
    return same(here ?? null, value ?? null) ? (there ?? null) : undefined;
  }
  const [here, there] = forth ? [o.removed, o.inserted] : [o.inserted, o.removed];
  const text = textOf(value);
  return text.slice(o.at, o.at + here.length) === here ? text.slice(0, o.at) + there + text.slice(o.at + here.length) : undefined;
}
