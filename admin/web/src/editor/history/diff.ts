// What differs between two lists, by the shortest way from one to the other.

export interface Part<T> {
  readonly is: "same" | "removed" | "added";
  readonly items: readonly T[];
}

/** More differences than these are not searched for: all between both ends is replaced. */
const mostEdits = 800;

/** Compares two lists; items are the same if their keys are. Same items are those of the second list. */
export function compareLists<T>(before: readonly T[], after: readonly T[], key: (item: T) => string): Part<T>[] {
  const [a, b] = [before.map(key), after.map(key)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const parts: Part<T>[] = [];
  add(parts, "same", after.slice(0, start));
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  for (const step of path(a.slice(start, a.length - end), b.slice(start, b.length - end))) {
    if (step.is === "removed") add(parts, "removed", removed.slice(step.from, step.to));
    else add(parts, step.is, added.slice(step.from, step.to));
  }
  add(parts, "same", after.slice(after.length - end));
  return parts;
}

function add<T>(parts: Part<T>[], is: Part<T>["is"], items: readonly T[]) {
  const last = parts.at(-1);
  if (!items.length) return;
  if (last?.is === is) parts[parts.length - 1] = { is, items: [...last.items, ...items] };
  else parts.push({ is, items });
}

interface Step {
  is: Part<unknown>["is"];
  /** Of the first list if it is removed, otherwise of the second. */
  from: number;
  to: number;
}

/** Walks by diagonals, as Myers describes: trace has how far each got after so many edits. */
function path(a: readonly string[], b: readonly string[]): Step[] {
  const most = Math.min(a.length + b.length, mostEdits);
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let k = -edits; k <= edits; k += 2) {
      let x = isDown(k, edits, next) ? next.get(k + 1)! : next.get(k - 1)! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return back(trace, a.length, b.length);
    }
    reached = next;
  }
  return [
    { is: "removed", from: 0, to: a.length },
    { is: "added", from: 0, to: b.length },
  ];
}

const isDown = (k: number, edits: number, reached: Map<number, number>): boolean =>
  k === -edits || (k !== edits && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));

function back(trace: readonly Map<number, number>[], x: number, y: number): Step[] {
  const steps: Step[] = [];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reached = trace[edits]!;
    const k = x - y;
    const from = isDown(k, edits, reached) ? k + 1 : k - 1;
    const [px, py] = edits === 0 ? [0, 0] : [reached.get(from)!, reached.get(from)! - from];
    const top = edits === 0 ? 0 : from === k + 1 ? py + 1 : py;
    if (y > top) steps.push({ is: "same", from: top, to: y });
    if (edits > 0) steps.push(from === k + 1 ? { is: "added", from: py, to: py + 1 } : { is: "removed", from: px, to: px + 1 });
    [x, y] = [px, py];
  }
  return steps.reverse();
}

/** The words, spaces and signs of a text. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}

/** Compares two texts by words. */
export function compareTexts(before: string, after: string): Part<string>[] {
  return readable(
    compareLists(wordsOf(before), wordsOf(after), (word) => word),
    (word) => /^\s$/.test(word),
  );
}

/** Joins changes that only a space lies between: one change of three words reads better than three. */
export function readable<T>(parts: readonly Part<T>[], isSpace: (item: T) => boolean): Part<T>[] {
  const joined: Part<T>[] = [];
  let removed: T[] = [];
  let added: T[] = [];
  const flush = (): void => {
    if (removed.length) joined.push({ is: "removed", items: removed });
    if (added.length) joined.push({ is: "added", items: added });
    removed = [];
    added = [];
  };
  parts.forEach((part, i) => {
    const between = i > 0 && i < parts.length - 1 && part.items.length <= 2 && part.items.every(isSpace);
    if (part.is !== "added") removed.push(...(part.is === "removed" || between ? part.items : []));
    if (part.is !== "removed") added.push(...(part.is === "added" || between ? part.items : []));
    if (part.is === "same" && !between) {
      flush();
      joined.push(part);
    }
  });
  flush();
  return joined;
}

/** Reports whether two values are the same, whatever the order of their members. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || Array.isArray(a) !== Array.isArray(b))
    return false;
  const [x, y] = [Object.entries(a), Object.entries(b)];
  return x.length === y.length && x.every(([name, value]) => name in b && same(value, (b as Record<string, unknown>)[name]));
}
