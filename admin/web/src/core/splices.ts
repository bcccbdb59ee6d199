// How a text that is shown becomes another one around the cursor: what differs before the
// lines that the cursor is in and behind them is replaced, and these lines stay.

/** Replaces before[from, to) with after[start, end). */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

type Same<T> = (a: T, b: T) => boolean;

const mostAround = 100;

/**
 * Where after has the items first to last of before: where they are several times, the place
 * with most around it the same; -1 where they are not.
 */
export function placeOf<T>(before: readonly T[], after: readonly T[], first: number, last: number, same: Same<T>): number {
  const is = (i: number, at: number) => i >= 0 && at >= 0 && i < before.length && at < after.length && same(before[i]!, after[at]!);
  let [place, most] = [-1, -1];
  for (let at = 0; at + last - first < after.length; at++) {
    let i = first;
    while (i <= last && is(i, at + i - first)) i++;
    if (i <= last) continue;
    let [up, down] = [1, 1];
    while (up < mostAround && is(first - up, at - up)) up++;
    while (down < mostAround && is(last + down, at + last - first + down)) down++;
    if (up + down > most) [place, most] = [at, up + down];
  }
  return place;
}

/** A splice without what is the same at both of its ends; none if all is. */
export function narrowed<T>(before: ArrayLike<T>, after: ArrayLike<T>, splice: Splice, same: Same<T>): Splice[] {
  let { from, to, start, end } = splice;
  while (from < to && start < end && same(before[from]!, after[start]!)) (from++, start++);
  while (to > from && end > start && same(before[to - 1]!, after[end - 1]!)) (to--, end--);
  return from === to && start === end ? [] : [{ from, to, start, end }];
}

export interface TextSplices {
  /** In their order, by places of before, in UTF-16 units. */
  readonly changes: readonly { readonly from: number; readonly to: number; readonly insert: string }[];
  /** Where an end of the selection is afterwards. */
  readonly move: (at: number) => number;
}

/** What makes after of before, around the lines of a selection if there is one. */
export function textSplices(before: string, after: string, selection?: { readonly from: number; readonly to: number }): TextSplices {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const lineAt = (at: number) => before.slice(0, at).split("\n").length - 1;
  const [first, last] = selection ? [lineAt(selection.from), lineAt(selection.to)] : [0, 0];
  const place = selection ? placeOf(old, now, first, last, isSame) : -1;
  const lengthOf = (lines: readonly string[], n: number) => lines.slice(0, n).reduce((sum, line) => sum + line.length + 1, 0);
  const [head, headNow] = [lengthOf(old, first), lengthOf(now, place)];
  const tail = lengthOf(old, last + 1) - 1;
  const ranges: Splice[] = place < 0
    ? [{ from: 0, to: before.length, start: 0, end: after.length }]
    : [{ from: 0, to: head, start: 0, end: headNow }, { from: tail, to: before.length, start: tail + headNow - head, end: after.length }];
  const found = ranges.flatMap((range) => narrowed<string>(before, after, range, isSame));
  const changes = found.map((s) => ({ from: s.from, to: s.to, insert: after.slice(s.start, s.end) }));
  const [only] = found;
  const move = (at: number): number => {
    if (place >= 0) return at + headNow - head;
    if (!only || at <= only.from) return at;
    return at >= only.to ? at + after.length - before.length : only.end;
  };
  return { changes, move };
}

const isSame = (a: unknown, b: unknown): boolean => a === b;
