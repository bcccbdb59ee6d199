// Components in lists of two versions, matched by their ids.

import { compareLists, same } from "./diff";

export interface Instance {
  readonly id?: number;
  readonly __component?: string;
  readonly [attribute: string]: unknown;
}

export interface InstanceChange {
  readonly is: "same" | "removed" | "added" | "changed" | "moved";
  readonly before: Instance | null;
  readonly after: Instance | null;
  /** Its place in the list, from 1: in the second version, or in the first if it was removed. */
  readonly place: number;
}

export const instancesOf = (value: unknown): readonly Instance[] =>
  (Array.isArray(value) ? value : value ? [value] : []) as readonly Instance[];

/** Compares two lists of components, or of links: key tells the instances apart. */
export function compareInstances(
  before: readonly Instance[],
  after: readonly Instance[],
  key: (one: Instance, place: number) => string,
): InstanceChange[] {
  const keyed = (list: readonly Instance[]) => list.map((one, i) => ({ one, key: key(one, i), place: i + 1 }));
  const [old, now] = [keyed(before), keyed(after)];
  const known = new Map(old.map((each) => [each.key, each]));
  const there = new Set(now.map((each) => each.key));
  const parts = compareLists(old, now, (each) => each.key);
  return parts.flatMap(({ is, items }) =>
    items.flatMap((each): InstanceChange[] => {
      if (is === "removed") return there.has(each.key) ? [] : [{ is, before: each.one, after: null, place: each.place }];
      const was = known.get(each.key);
      if (!was) return [{ is: "added", before: null, after: each.one, place: each.place }];
      const change = !same(was.one, each.one) ? "changed" : is === "added" ? "moved" : "same";
      return [{ is: change, before: was.one, after: each.one, place: each.place }];
    }),
  );
}

export const instanceKey = ({ id, __component }: Instance, place: number): string =>
  `${__component ?? ""} ${id ?? `at ${place}`}`;
export const linkKey = ({ documentId, __type }: Instance, place: number): string =>
  `${String(__type ?? "")} ${String(documentId ?? place)}`;
