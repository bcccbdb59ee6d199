// Which entries of a list are selected: some of them by name, or all that match but some.

/** Target is an entry that something can be done to. */
export interface Target {
  documentId: string;
  title: string;
  status: string | null; // of the version in the locale of the list; null for a type without drafts
  locales: readonly string[]; // that the document has
}

export interface Selection {
  all: boolean; // all that match, without those in `named`; otherwise those in `named` alone
  named: ReadonlyMap<string, Target>; // by documentId
}

export const nothing: Selection = { all: false, named: new Map() };
export const whole: Selection = { all: true, named: new Map() };

export function isSelected(selection: Selection, documentId: string): boolean {
  return selection.all !== selection.named.has(documentId);
}

/** withTargets is a selection with more entries selected, or with these taken out of it. */
export function withTargets(selection: Selection, targets: readonly Target[], selected: boolean): Selection {
  const named = new Map(selection.named);
  for (const target of targets) {
    if (selected === selection.all) named.delete(target.documentId);
    else named.set(target.documentId, target);
  }
  return { all: selection.all, named };
}

/** sizeOf says how many entries are selected of a list that has so many. */
export function sizeOf(selection: Selection, total: number): number {
  return selection.all ? Math.max(0, total - selection.named.size) : selection.named.size;
}
