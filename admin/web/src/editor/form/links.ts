// Links and files that two people have changed: each is taken by itself.

export interface MergedLinks<T> {
  /** With what both have added, without what either has removed, in the order of mine. */
  readonly mine: readonly T[];
  /** The same in the order of theirs, where both have put them in another order; else null. */
  readonly theirs: readonly T[] | null;
}

/** Merges what mine and theirs have made of base. Name tells the links of one list apart. */
export function mergeLinks<T>(base: readonly T[], mine: readonly T[], theirs: readonly T[], name: (link: T) => string): MergedLinks<T> {
  const known = named(base, name);
  const their = named(theirs, name);
  const my = named(mine, name);
  const kept = mine.filter((link) => their.has(name(link)) || !known.has(name(link)));
  const inTheirs = theirs.filter((link) => my.has(name(link)) || !known.has(name(link)));
  const common = new Set(kept.map(name).filter((n) => known.has(n)));
  const order = (links: readonly T[]) => links.map(name).filter((n) => common.has(n));
  const [was, now, wanted] = [order(base), order(kept), order(theirs)];
  const same = (a: readonly string[], b: readonly string[]) => a.every((n, i) => n === b[i]);
  if (same(wanted, was) || same(wanted, now)) return { mine: withAdded(kept, inTheirs, name), theirs: null };
  const reordered = withAdded(inTheirs, kept, name);
  if (same(now, was)) return { mine: reordered, theirs: null };
  return { mine: withAdded(kept, inTheirs, name), theirs: reordered };
}

const named = <T>(links: readonly T[], name: (link: T) => string): ReadonlyMap<string, T> => new Map(links.map((link) => [name(link), link]));

/** Links, and those of others that are missing, each behind the one that it follows there. */
function withAdded<T>(links: readonly T[], others: readonly T[], name: (link: T) => string): readonly T[] {
  const here = new Set(links.map(name));
  const behind = new Map<string | null, T[]>();
  let before: string | null = null;
  for (const link of others) {
    if (here.has(name(link))) before = name(link);
    else behind.set(before, [...(behind.get(before) ?? []), link]);
  }
  return [...(behind.get(null) ?? []), ...links.flatMap((link) => [link, ...(behind.get(name(link)) ?? [])])];
}
