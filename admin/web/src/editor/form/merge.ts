// Two people have changed one entry: what each changed alone is taken, what both
// changed is a conflict, attribute by attribute, component by component and link by link.

import type { Attribute } from "../../core/schema";
import { sameItem, sameLeaf } from "./equal";
import { mergeLinks } from "./links";
import { type Fields, filesOf, isMany, type Item, itemOf, itemsOf, kindOf, linkName, linksOf, nameOf, type Path, type Shape } from "./shape";

/** A place that both have changed differently. The merged values have mine there. */
export interface Conflict {
  /** The leaf, the single component, the list whose order it is about, or the item of a list. */
  readonly path: Path;
  readonly attribute: Attribute;
  /** The key of the item, where one side has removed it; index is its place in theirs. */
  readonly item?: number;
  readonly index?: number;
  readonly base: unknown;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** A text of which both have changed different parts, and what has the changes of both. */
export interface MergedText extends Conflict {
  readonly merged: unknown;
}

/** Merges what both have made of a text; gives undefined where that is not safe. */
export type MergeText = (attribute: Attribute, base: unknown, mine: unknown, theirs: unknown) => unknown;

const textTypes = new Set<Attribute["type"]>(["text", "richtext", "blocks"]);

/** Whether what both have changed could be merged as text. */
export const isOfText = ({ attribute, item }: Conflict): boolean => item === undefined && textTypes.has(attribute.type);

export interface Merged {
  readonly fields: Fields;
  readonly conflicts: readonly Conflict[];
  readonly texts: readonly MergedText[];
  /** Texts that only they have changed. */
  readonly theirTexts: readonly MergedText[];
}

/**
 * Merges what mine and theirs have made of base. Texts that both have changed are conflicts
 * without mergeText, and where one is pending.
 */
export function merge(shape: Shape, base: Fields, mine: Fields, theirs: Fields, mergeText?: MergeText, pending: readonly Conflict[] = []): Merged {
  const merger = new Merger(shape, mergeText, pending);
  const fields = merger.fields(shape.attributes, base, mine, theirs, []);
  return { fields, conflicts: merger.conflicts, texts: merger.texts, theirTexts: merger.theirTexts };
}

class Merger {
  readonly conflicts: Conflict[] = [];
  readonly texts: MergedText[] = [];
  readonly theirTexts: MergedText[] = [];

  constructor(
    private readonly shape: Shape,
    private readonly mergeText: MergeText | undefined,
    private readonly pending: readonly Conflict[],
  ) {}

  fields(attributes: readonly Attribute[], base: Fields, mine: Fields, theirs: Fields, at: Path): Fields {
    const merged: Record<string, unknown> = {};
    for (const a of attributes) {
      merged[a.name] = this.value(a, base[a.name], mine[a.name], theirs[a.name], [...at, a.name]);
    }
    return merged;
  }

  private value(a: Attribute, base: unknown, mine: unknown, theirs: unknown, path: Path): unknown {
    switch (kindOf(a)) {
      case "leaf":
        if (sameLeaf(a, mine, base)) {
          if (sameLeaf(a, theirs, base)) return mine;
          if (textTypes.has(a.type)) this.theirTexts.push({ path, attribute: a, base, mine, theirs, merged: theirs });
          return theirs;
        }
        if (sameLeaf(a, theirs, base) || sameLeaf(a, mine, theirs)) return mine;
        if (isMany(a) && (a.type === "relation" || a.type === "media")) return this.links(a, base, mine, theirs, path);
        return this.both({ path, attribute: a, base, mine, theirs });
      case "slot":
        return this.slot(a, itemOf(base), itemOf(mine), itemOf(theirs), path);
      case "list":
        return this.list(a, itemsOf(base), itemsOf(mine), itemsOf(theirs), path);
    }
  }

  /** A text that both have changed is merged where that is safe; everything else is a conflict. */
  private both(conflict: Conflict): unknown {
    const { attribute, base, mine, theirs, path } = conflict;
    const asked = this.pending.some((other) => nameOf(other.path) === nameOf(path));
    const merged = isOfText(conflict) && !asked ? this.mergeText?.(attribute, base, mine, theirs) : undefined;
    if (merged === undefined) {
      this.conflicts.push(conflict);
      return mine;
    }
    if (!sameLeaf(attribute, merged, mine)) this.texts.push({ ...conflict, merged });
    return merged;
  }

  /** Links that both have changed ask only where both have put them in another order. */
  private links(a: Attribute, base: unknown, mine: unknown, theirs: unknown, path: Path): unknown {
    const merged = a.type === "media"
      ? mergeLinks(filesOf(base), filesOf(mine), filesOf(theirs), (file) => String(file.id))
      : mergeLinks(linksOf(base), linksOf(mine), linksOf(theirs), linkName);
    if (merged.theirs) this.conflicts.push({ path, attribute: a, base, mine: merged.mine, theirs: merged.theirs });
    return merged.mine;
  }

  private slot(a: Attribute, base: Item | null, mine: Item | null, theirs: Item | null, path: Path): Item | null {
    if (base && mine?.key === base.key && theirs?.key === base.key) return this.item(base, mine, theirs, path);
    if (sameItem(this.shape, mine, base)) return theirs;
    if (!sameItem(this.shape, theirs, base)) this.conflicts.push({ path, attribute: a, base, mine, theirs });
    return theirs ? mine : mine && asNew(mine);
  }

  /** An item that all three have. It has the id that the server knows now. */
  private item(base: Item, mine: Item, theirs: Item, path: Path): Item {
    const attributes = this.shape.component(theirs.component);
    return { ...theirs, fields: this.fields(attributes, base.fields, mine.fields, theirs.fields, path) };
  }

  private list(a: Attribute, base: readonly Item[], mine: readonly Item[], theirs: readonly Item[], path: Path): readonly Item[] {
    const known = byKey(base);
    const their = byKey(theirs);
    const my = byKey(mine);
    const kept: Item[] = [];
    for (const item of mine) {
      const b = known.get(item.key);
      const t = their.get(item.key);
      if (!b) kept.push(t ? { ...item, id: t.id } : item);
      else if (t) kept.push(this.item(b, item, t, [...path, item.key]));
      else if (!sameItem(this.shape, item, b)) {
        this.conflicts.push({ path: [...path, item.key], attribute: a, item: item.key, base: b, mine: item, theirs: null });
        kept.push(asNew(item));
      }
    }
    this.order(a, keysOf(base), kept, keysOf(theirs), path);
    theirs.forEach((item, index) => {
      const b = known.get(item.key);
      if (my.has(item.key)) return;
      if (!b) kept.splice(placeIn(kept, theirs, index), 0, item);
      else if (!sameItem(this.shape, item, b)) {
        this.conflicts.push({ path: [...path, item.key], attribute: a, item: item.key, index, base: b, mine: null, theirs: item });
      }
    });
    return kept;
  }

  /** Gives the items that both still have the order of whoever has changed it. */
  private order(a: Attribute, base: readonly number[], kept: Item[], theirs: readonly number[], path: Path) {
    const common = new Set(kept.map((i) => i.key).filter((k) => base.includes(k) && theirs.includes(k)));
    const of = (keys: readonly number[]) => keys.filter((k) => common.has(k));
    const [was, my, their] = [of(base), of(keysOf(kept)), of(theirs)];
    if (their.join() === was.join() || their.join() === my.join()) return;
    if (my.join() !== was.join()) {
      this.conflicts.push({ path, attribute: a, base: was, mine: my, theirs: their });
      return;
    }
    const items = byKey(kept);
    let next = 0;
    kept.forEach((item, i) => {
      const moved = common.has(item.key) ? items.get(their[next++] ?? item.key) : undefined;
      if (moved) kept[i] = moved;
    });
  }
}

const keysOf = (items: readonly Item[]) => items.map((i) => i.key);
const byKey = (items: readonly Item[]) => new Map(items.map((i) => [i.key, i]));

/** Behind the item that is before it in theirs, as far as that is here. */
function placeIn(kept: readonly Item[], theirs: readonly Item[], index: number): number {
  for (let i = index - 1; i >= 0; i--) {
    const at = kept.findIndex((k) => k.key === theirs[i]?.key);
    if (at >= 0) return at + 1;
  }
  return 0;
}

/** An item that the server no longer has is stored anew, with the components in it. */
function asNew(item: Item): Item {
  const { id: _, ...rest } = item;
  return rest;
}
