// What was done to a form, so that it can be undone: across fields, with a name for
// each step, and as plain values that survive a reload.

import { signal } from "@preact/signals";
import { type Item, nameOf, type Path } from "./shape";

/** One change of one place. Each has an opposite. */
export type Operation =
  | { readonly does: "set"; readonly path: Path; readonly before: unknown; readonly after: unknown }
  | { readonly does: "splice"; readonly path: Path; readonly at: number; readonly removed: string; readonly inserted: string }
  | { readonly does: "fill"; readonly path: Path; readonly before: Item | null; readonly after: Item | null }
  | { readonly does: "insert" | "remove"; readonly path: Path; readonly item: Item; readonly index: number }
  | { readonly does: "move"; readonly path: Path; readonly key: number; readonly from: number; readonly to: number };

/** What a step is called: "Undo typing in Title". */
export interface StepLabel {
  readonly verb: "type" | "change" | "add" | "remove" | "move" | "duplicate" | "merge";
  readonly path: Path;
}

export interface DoneStep {
  readonly label: StepLabel;
  readonly operations: readonly Operation[];
}

/** Both stacks, the latest step last. */
export interface StoredHistory {
  readonly done: readonly DoneStep[];
  readonly undone: readonly DoneStep[];
}

const stepsAtMost = 300;
const runPause = 1000; // ms; a longer pause begins another run of typing
const longText = 120; // characters; longer texts are kept as what differs

/** The steps that were done and undone. Now is the clock, in ms. */
export class History {
  private done: DoneStep[];
  private undone: DoneStep[];
  private run: { merge: string; at: number } | null = null;

  /** The step that undo takes back, and the one that redo does again. */
  readonly undoes = signal<StepLabel | null>(null);
  readonly redoes = signal<StepLabel | null>(null);

  constructor(private readonly now: () => number, stored?: StoredHistory) {
    this.done = [...(stored?.done ?? [])];
    this.undone = [...(stored?.undone ?? [])];
    this.show();
  }

  /** Notes a step. Steps with the same merge, in one run, become one. */
  note(label: StepLabel, operation: Operation, merge?: string) {
    const at = this.now();
    const last = this.done.at(-1);
    this.undone = [];
    const joined = last && merge !== undefined && this.run?.merge === merge && at - this.run.at < runPause ? join(last, operation) : null;
    if (joined) this.done[this.done.length - 1] = joined;
    else {
      this.close();
      this.done.push({ label, operations: [operation] });
      if (this.done.length > stepsAtMost) this.done.shift();
    }
    this.run = merge === undefined ? null : { merge, at };
    this.show();
  }

  /** Whether a step has changed a leaf. */
  has(path: Path): boolean {
    return [...this.done, ...this.undone].some((step) => step.operations.some((o) => nameOf(o.path) === nameOf(path)));
  }

  /** Changes the steps, as when a place has another value without a step. */
  change(change: (steps: StoredHistory) => StoredHistory) {
    this.close();
    const { done, undone } = change({ done: this.done, undone: this.undone });
    this.done = [...done];
    this.undone = [...undone];
    this.show();
  }

  /** Notes changes of several places as one step. */
  noteTogether(label: StepLabel, operations: readonly Operation[]) {
    if (operations.length === 0) return;
    this.undone = [];
    this.close();
    this.done.push({ label, operations });
    if (this.done.length > stepsAtMost) this.done.shift();
    this.show();
  }

  /** Ends a run of typing: what comes next is a step of its own. */
  close() {
    const last = this.done.at(-1);
    if (last && this.run) this.done[this.done.length - 1] = { ...last, operations: last.operations.map(compact) };
    this.run = null;
  }

  /** The step to take back, which redo then does again; null when there is none. */
  back(): DoneStep | null {
    this.close();
    return this.shift(this.done, this.undone);
  }

  forth(): DoneStep | null {
    this.close();
    return this.shift(this.undone, this.done);
  }

  private shift(from: DoneStep[], to: DoneStep[]): DoneStep | null {
    const step = from.pop();
    if (!step) return null;
    to.push(step);
    this.show();
    return step;
  }

  private show() {
    this.undoes.value = this.done.at(-1)?.label ?? null;
    this.redoes.value = this.undone.at(-1)?.label ?? null;
  }

  /** The steps as plain values, of which the last so many. */
  store(steps = stepsAtMost): StoredHistory {
    const plain = (list: readonly DoneStep[]) =>
      list.slice(-steps).map((s) => ({ ...s, operations: s.operations.map(compact) }));
    return { done: plain(this.done), undone: plain(this.undone) };
  }
}

/** A step that also sets the same place again; null where it does something else. */
function join(step: DoneStep, next: Operation): DoneStep | null {
  const last = step.operations.at(-1);
  if (last?.does !== "set" || next.does !== "set" || nameOf(last.path) !== nameOf(next.path)) return null;
  return { ...step, operations: [...step.operations.slice(0, -1), { ...next, before: last.before }] };
}

/** Long texts are kept as the part that differs. */
function compact(o: Operation): Operation {
  if (o.does !== "set" || typeof o.before !== "string" || typeof o.after !== "string") return o;
  if (o.before.length + o.after.length < longText) return o;
  const { before, after } = o;
  let at = 0;
  while (at < before.length && at < after.length && before[at] === after[at]) at++;
  let tail = 0;
  while (tail < before.length - at && tail < after.length - at && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { does: "splice", path: o.path, at, removed: before.slice(at, before.length - tail), inserted: after.slice(at, after.length - tail) };
}

/** What takes an operation back. */
export function opposite(o: Operation): Operation {
  switch (o.does) {
    case "set":
      return { ...o, before: o.after, after: o.before };
    case "fill":
      return { ...o, before: o.after, after: o.before };
    case "splice":
      return { ...o, removed: o.inserted, inserted: o.removed };
    case "insert":
      return { ...o, does: "remove" };
    case "remove":
      return { ...o, does: "insert" };
    case "move":
      return { ...o, from: o.to, to: o.from };
  }
}
