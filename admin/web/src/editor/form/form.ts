// The form of one entry: its values, what was done to them, and what is wrong with them.
// It knows neither the page nor the server.

import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Attribute } from "../../core/schema";
import { createBody, localeBody, updateBody } from "./body";
import { emptyValue, fromEntry, Keys, keysIn, newFields, newItem, rekeyed } from "./entry";
import { sameValue } from "./equal";
import { holds } from "./condition";
import { History, type Operation, opposite, type StepLabel, type StoredHistory } from "./history";
import { type Conflict, isOfText, merge, type MergedText, type MergeText } from "./merge";
import { fieldsOf, find, type Group, groupOf, type Leaf, type List, type Node, nodesOf, plain, plainItem } from "./node";
import { Problems, type Refusal } from "./problems";
import type { Problem } from "./rules";
import { type Fields, type Item, nameOf, type Path, type Shape } from "./shape";
import { show } from "./show";
import { type StoredForm, withoutPasswords } from "./stored";

type Entry = Readonly<Record<string, unknown>>;

/** What a form has taken over from others. */
export interface Taken {
  /** The attributes that only they had changed. */
  readonly taken: readonly string[];
  readonly merged: readonly MergedText[];
}

export interface FormOptions {
  readonly shape: Shape;
  /** The entry as the server has it; null for a new one. */
  readonly entry: Entry | null;
  /** Of a new one, the same document in another locale: it has the values that all locales share. */
  readonly shared?: Entry | null;
  /** What was typed before a reload. */
  readonly stored?: StoredForm;
  /** Says a problem in words. */
  readonly say?: (problem: Problem) => string;
  /** The clock, in ms. */
  readonly now?: () => number;
}

/** Merges texts that both have changed; it is loaded when that is so. */
export interface Texts {
  readonly mergeText: MergeText;
  readonly rebased: (steps: StoredHistory, text: MergedText) => StoredHistory;
}

let forms = 0;

/** A path has the key of an item, not its place: it stays when the item moves. */
export class FormStore {
  /** Tells this form from others on the page. */
  readonly name = `form-${++forms}`;
  readonly shape: Shape;
  readonly history: History;
  readonly problems: Problems;
  /** Whether something differs from what the server has. */
  readonly dirty: ReadonlySignal<boolean>;
  /** Grows with each change. */
  readonly changes = signal(0);
  /** Places that somebody else has changed too; mine is shown until it is decided. */
  readonly conflicts = signal<readonly Conflict[]>([]);
  /** A step is being undone or done again. */
  stepping = false;
  /** Attributes for which a suggestion of the language model was taken. */
  readonly suggested: Signal<ReadonlySet<string>>;

  private readonly keys_: Keys;
  private readonly nodes: ReadonlyMap<string, Node>;
  private readonly differing = signal<ReadonlySet<string>>(new Set());
  private base: Fields;
  /** Merged texts that are not stored yet. */
  private readonly merged = new Set<MergedText>();

  constructor(options: FormOptions) {
    const { shape, entry, stored, shared } = options;
    this.shape = shape;
    this.keys_ = new Keys(stored?.nextKey);
    this.base = stored?.base ?? (entry ? fromEntry(shape, shape.attributes, entry, this.keys_) : newFields(shape, shared ?? null, this.keys_));
    this.nodes = nodesOf(shape, shape.attributes, stored?.fields ?? this.base);
    this.history = new History(options.now ?? Date.now, stored?.history);
    this.problems = new Problems(shape, this.nodes, options.say ?? ((p) => p.text ?? p.rule));
    this.conflicts.value = (stored?.conflicts ?? []).filter((c) => shape.attributes.some((a) => a.name === c.path[0]));
    this.suggested = signal(new Set(stored?.suggested));
    this.dirty = computed(() => this.differing.value.size > 0);
    for (const a of shape.attributes) this.compare(a.name);
  }

  /** The value of a leaf. */
  value(path: Path): Signal<unknown> {
    const node = find(this.nodes, path);
    return node?.kind === "leaf" ? node.value : signal(undefined);
  }

  /** The keys of the items of a list, in their order. */
  keys(path: Path): ReadonlySignal<readonly number[]> {
    const node = find(this.nodes, path);
    return node?.kind === "list" ? node.keys : signal([]);
  }

  /** A single component, null while there is none. */
  slot(path: Path): ReadonlySignal<Group | null> {
    const node = find(this.nodes, path);
    return node?.kind === "slot" ? node.group : signal(null);
  }

  /** The item of a list that a key names. */
  item(path: Path, key: number): Group | undefined {
    const node = find(this.nodes, path);
    return node?.kind === "list" ? node.groups.get(key) : undefined;
  }

  /** What is shown of a place that is wrong. */
  errors(path: Path): ReadonlySignal<readonly string[]> {
    return this.problems.errors(path);
  }

  /**
   * Whether a field is shown: its conditions hold or, unless it is the schema that hides it,
   * something is wrong with it. A field that is out of the form is shown in that case alone.
   */
  shows(path: Path, attribute: Attribute, inForm: boolean): boolean {
    if (!holds(attribute.visible, this.nodes, path)) return false;
    return (inForm && holds(attribute.shown, this.nodes, path)) || this.problems.visible(path).length > 0;
  }

  /** Whether the attribute that the path begins with differs from what the server has. */
  changed(path: Path): boolean {
    return this.differing.value.has(String(path[0]));
  }

  /** Changes a leaf. Changes with the same merge in one run are undone together. */
  set(path: Path, value: unknown, options: { merge?: string } = {}) {
    const node = find(this.nodes, path);
    if (node?.kind !== "leaf" || node.value.peek() === value) return;
    const verb = options.merge === undefined ? "change" : "type";
    this.does({ verb, path }, { does: "set", path, before: node.value.peek(), after: value }, options.merge);
  }

  /** Puts a new component into a list; gives its key. */
  insert(path: Path, index: number, component: string): number {
    const item = newItem(this.shape, component, this.keys_);
    this.does({ verb: "add", path }, { does: "insert", path, item, index });
    return item.key;
  }

  /** Removes an item; gives what brings it back, whatever was done since. */
  remove(path: Path, key: number): () => void {
    const list = this.list(path);
    const group = list?.groups.get(key);
    if (!list || !group) return () => undefined;
    const item = plainItem(group);
    const index = list.keys.peek().indexOf(key);
    this.does({ verb: "remove", path }, { does: "remove", path, item, index });
    return () => {
      if (!this.item(path, key)) this.does({ verb: "add", path }, { does: "insert", path, item, index });
    };
  }

  move(path: Path, key: number, to: number) {
    const list = this.list(path);
    const from = list?.keys.peek().indexOf(key) ?? -1;
    const last = (list?.keys.peek().length ?? 0) - 1;
    const place = Math.max(0, Math.min(to, last));
    if (from >= 0 && from !== place) this.does({ verb: "move", path }, { does: "move", path, key, from, to: place });
  }

  /** Puts a copy of an item behind it; gives the key of the copy. */
  duplicate(path: Path, key: number): number | undefined {
    const list = this.list(path);
    const group = list?.groups.get(key);
    if (!list || !group) return undefined;
    const item = this.copy(plainItem(group));
    this.does({ verb: "duplicate", path }, { does: "insert", path, item, index: list.keys.peek().indexOf(key) + 1 });
    return item.key;
  }

  /** Makes a single component, which is missing. */
  fill(path: Path) {
    const node = find(this.nodes, path);
    if (node?.kind !== "slot" || node.group.peek() || !node.attribute.component) return;
    const after = newItem(this.shape, node.attribute.component, this.keys_);
    this.does({ verb: "add", path }, { does: "fill", path, before: null, after });
  }

  /** Removes a single component; gives what brings it back. */
  clear(path: Path): () => void {
    const node = find(this.nodes, path);
    const group = node?.kind === "slot" ? node.group.peek() : null;
    if (!group) return () => undefined;
    const item = plainItem(group);
    this.does({ verb: "remove", path }, { does: "fill", path, before: item, after: null });
    return () => {
      if (!this.slot(path).peek()) this.does({ verb: "add", path }, { does: "fill", path, before: null, after: item });
    };
  }

  /** Of some attributes, whether another entry has a value, and whether this form has one. */
  beside(entry: Entry, which: (a: Attribute) => boolean): { attribute: Attribute; theirs: boolean; mine: boolean }[] {
    const attributes = this.shape.attributes.filter(which);
    const theirs = fromEntry(this.shape, attributes, entry, new Keys());
    const mine = this.fields();
    const isThere = (a: Attribute, value: unknown) => value !== null && !sameValue(this.shape, a, value, emptyValue(a));
    return attributes.map((a) => ({ attribute: a, theirs: isThere(a, theirs[a.name]), mine: isThere(a, mine[a.name]) }));
  }

  /** Takes over the values that another entry has of some attributes, as one step. Components are copied. */
  copyFrom(entry: Entry, names: readonly string[]) {
    const attributes = this.shape.attributes.filter((a) => names.includes(a.name));
    const fields = fromEntry(this.shape, attributes, entry, this.keys_);
    this.together(attributes, (a) => this.copyValue(a, fields[a.name]));
  }

  /**
   * Takes back what was typed in another form of the same entry, as one step, where this
   * one still has the values of since. Gives the attributes that stay as they are.
   */
  giveBack(typed: FormStore, since: Fields): readonly string[] {
    const changed = this.shape.attributes.filter((a) => typed.differing.peek().has(a.name));
    const free = changed.filter((a) => sameValue(this.shape, a, this.fields()[a.name], since[a.name]));
    const values = typed.fields();
    this.together(free, (a) => rekeyed(this.shape, a, values[a.name], keysIn(this.shape, a, this.base[a.name]), this.keys_));
    return changed.filter((a) => !free.includes(a)).map((a) => a.name);
  }

  private together(attributes: readonly Attribute[], value: (a: Attribute) => unknown) {
    const operations = attributes.flatMap((a) => this.replacing(a, value(a)));
    const [only, more] = attributes;
    batch(() => {
      for (const o of operations) this.apply(o);
      this.history.noteTogether({ verb: "merge", path: only && !more ? [only.name] : [] }, operations);
    });
  }

  private replacing(a: Attribute, after: unknown): Operation[] {
    const path = [a.name];
    const node = this.nodes.get(a.name);
    if (!node || sameValue(this.shape, a, plain(node), after)) return [];
    switch (node.kind) {
      case "leaf":
        return [{ does: "set", path, before: node.value.peek(), after }];
      case "slot":
        return [{ does: "fill", path, before: plain(node) as Item | null, after: after as Item | null }];
      case "list": {
        const before = plain(node) as readonly Item[];
        const removes = before.map((item, index): Operation => ({ does: "remove", path, item, index })).toReversed();
        return [...removes, ...(after as readonly Item[]).map((item, index): Operation => ({ does: "insert", path, item, index }))];
      }
    }
  }

  /** Takes the last step back; gives what it was called. */
  undo(): StepLabel | null {
    const step = this.history.back();
    if (step) this.step(step.operations.toReversed().map(opposite));
    return step?.label ?? null;
  }

  redo(): StepLabel | null {
    const step = this.history.forth();
    if (step) this.step(step.operations);
    return step?.label ?? null;
  }

  private step(operations: readonly Operation[]) {
    this.stepping = true;
    batch(() => operations.forEach((o) => this.apply(o)));
    this.stepping = false;
  }

  /** All values, as they are now. */
  fields(): Fields {
    return fieldsOf(this.nodes);
  }

  /**
   * The body that has the server make the document, add a locale to it, or store what
   * differs, and the values that it stands for.
   */
  body(what: "document" | "locale" | "changes"): { data: Record<string, unknown>; sent: Fields } {
    const sent = this.fields();
    switch (what) {
      case "document":
        return { data: createBody(this.shape, sent), sent };
      case "locale":
        return { data: localeBody(this.shape, sent, this.base), sent };
      case "changes":
        return { data: updateBody(this.shape, sent, this.base), sent };
    }
  }

  /** Notes that suggestions for some attributes were taken. */
  suggest(names: readonly string[]) {
    this.suggested.value = new Set([...this.suggested.peek(), ...names]);
    this.changes.value++;
  }

  /** Whether a suggestion was taken that is not stored yet. */
  hasSuggestions(): boolean {
    return [...this.suggested.peek()].some((name) => this.differing.peek().has(name));
  }

  /**
   * Takes over what the server has stored; what was typed since it was sent stays. Without
   * others it is newer than what was made of it; what others have stored since is merged.
   */
  stored(entry: Entry, sent: Fields, others?: Texts | null): Taken {
    const theirs = fromEntry(this.shape, this.shape.attributes, entry, this.keys_, sent);
    this.merged.clear();
    const taken = this.adopt(sent, theirs, others ?? undefined);
    this.suggested.value = new Set([...this.suggested.peek()].filter((name) => this.differing.peek().has(name)));
    if (others === undefined) this.conflicts.value = [];
    return taken;
  }

  /**
   * Takes over what others have stored. Where only they have changed something, theirs
   * is shown; where both have, texts are merged if that is safe, and otherwise mine stays
   * and it is a conflict.
   */
  rebase(entry: Entry, texts?: Texts | null): Taken {
    const theirs = fromEntry(this.shape, this.shape.attributes, entry, this.keys_, this.base);
    return this.adopt(this.base, theirs, texts ?? undefined);
  }

  /** Whether an entry has changed texts that have been changed here since base or, so that it can be undone, before. */
  isTextOfBoth(entry: Entry, base = this.base): boolean {
    const theirs = fromEntry(this.shape, this.shape.attributes, entry, this.keys_, base);
    const { conflicts, theirTexts } = merge(this.shape, base, this.fields(), theirs);
    return conflicts.some(isOfText) || theirTexts.some(({ path }) => this.history.has(path));
  }

  private adopt(base: Fields, theirs: Fields, texts?: Texts): Taken {
    const mine = this.fields();
    const pending = this.conflicts.peek();
    const { fields, conflicts, texts: merged, theirTexts } = merge(this.shape, base, mine, theirs, texts?.mergeText, pending);
    const roots = new Set(merged.map(({ path }) => path[0]));
    const taken = this.shape.attributes.filter((a) => !roots.has(a.name) && !sameValue(this.shape, a, mine[a.name], fields[a.name])).map((a) => a.name);
    this.base = theirs;
    batch(() => {
      for (const a of this.shape.attributes) show(this.shape, this.nodes.get(a.name), mine[a.name], fields[a.name]);
      for (const a of this.shape.attributes) this.compare(a.name);
      const isNew = (c: Conflict) => !conflicts.some((other) => nameOf(other.path) === nameOf(c.path));
      this.conflicts.value = [...pending.filter((c) => isNew(c) && this.changed(c.path)), ...conflicts];
      if (texts) for (const text of [...merged, ...theirTexts]) this.history.change((steps) => texts.rebased(steps, text));
      this.changes.value++;
    });
    for (const text of merged) this.merged.add(text);
    return { taken, merged };
  }

  /** Takes a merge back: mine is shown, with what was typed since. Until it is stored, it is a conflict then. */
  unmerge(text: MergedText, { mergeText }: Texts) {
    const { path, attribute, merged, mine } = text;
    const node = find(this.nodes, path);
    if (node?.kind !== "leaf") return;
    const before = node.value.peek();
    const after = mergeText(attribute, merged, before, mine);
    if (after !== undefined) this.does({ verb: "merge", path }, { does: "set", path, before, after });
    if (after !== undefined && !this.merged.has(text)) return;
    this.merged.delete(text);
    this.conflicts.value = [...this.conflicts.peek().filter((c) => nameOf(c.path) !== nameOf(path)), { ...text, mine: after ?? before }];
  }

  /** Ends a conflict with one of both values. */
  decide(conflict: Conflict, whose: "mine" | "theirs") {
    this.conflicts.value = this.conflicts.peek().filter((c) => c !== conflict);
    if (whose === "mine") return;
    const { path, theirs } = conflict;
    const node = find(this.nodes, conflict.item === undefined ? path : path.slice(0, -1));
    if (node?.kind === "leaf") this.set(path, theirs);
    else if (node?.kind === "slot") this.does({ verb: "merge", path }, { does: "fill", path, before: plain(node) as Item | null, after: theirs as Item | null });
    else if (node?.kind === "list" && conflict.item !== undefined) this.takeItem(path.slice(0, -1), conflict);
    else if (node?.kind === "list") this.reorder(path, node, theirs as readonly number[]);
  }

  private takeItem(path: Path, conflict: Conflict) {
    const theirs = conflict.theirs as Item | null;
    if (!theirs) this.remove(path, Number(conflict.item));
    else this.does({ verb: "merge", path }, { does: "insert", path, item: theirs, index: conflict.index ?? 0 });
  }

  private reorder(path: Path, list: List, wanted: readonly number[]) {
    wanted.filter((key) => list.groups.has(key)).forEach((key, i) => this.move(path, key, i));
  }

  /** What the server refused to store of the values that were sent. */
  refuse(refusals: readonly Refusal[], sent: Fields): readonly string[] {
    return this.problems.refuse(refusals, sent);
  }

  /** The values as the server has them. */
  known(): Fields {
    return this.base;
  }

  /** Everything that a reload needs, as plain values; without passwords. */
  store(steps?: number): StoredForm {
    return withoutPasswords(this.shape, this.whole(steps));
  }

  /** The same with passwords, which no record may hold. */
  whole(steps?: number): StoredForm {
    const suggested = [...this.suggested.peek()];
    return { format: 1, nextKey: this.keys_.free, base: this.base, fields: this.fields(), history: this.history.store(steps), conflicts: this.conflicts.peek(), ...(suggested.length > 0 && { suggested }) };
  }

  private list(path: Path): List | undefined {
    const node = find(this.nodes, path);
    return node?.kind === "list" ? node : undefined;
  }

  private copy(item: Item): Item {
    const fields: Record<string, unknown> = {};
    for (const a of this.shape.component(item.component)) fields[a.name] = this.copyValue(a, item.fields[a.name]);
    return { key: this.keys_.take(), component: item.component, fields };
  }

  private copyValue(a: Attribute, value: unknown): unknown {
    if (a.type !== "component" && a.type !== "dynamiczone") return value;
    return Array.isArray(value) ? value.map((i: Item) => this.copy(i)) : value && this.copy(value as Item);
  }

  private does(label: StepLabel, operation: Operation, merge?: string) {
    batch(() => {
      this.apply(operation);
      this.history.note(label, operation, merge);
    });
  }

  /** Changes the nodes. What no longer fits, because its place is gone, changes nothing. */
  private apply(o: Operation) {
    const node = find(this.nodes, o.path);
    if (!node) return;
    switch (o.does) {
      case "set":
      case "splice":
        if (node.kind === "leaf") this.applyToLeaf(node, o);
        break;
      case "fill":
        if (node.kind === "slot") node.group.value = o.after && groupOf(this.shape, o.after);
        break;
      case "insert":
      case "remove":
      case "move":
        if (node.kind === "list") this.applyToList(node, o);
    }
    this.problems.changed(o.path);
    this.compare(String(o.path[0]));
    this.changes.value++;
  }

  private applyToLeaf(leaf: Leaf, o: Operation & { does: "set" | "splice" }) {
    if (o.does === "set") {
      leaf.value.value = o.after;
      return;
    }
    const text = String(leaf.value.peek() ?? "");
    if (text.slice(o.at, o.at + o.removed.length) === o.removed) {
      leaf.value.value = text.slice(0, o.at) + o.inserted + text.slice(o.at + o.removed.length);
    }
  }

  private applyToList(list: List, o: Operation & { does: "insert" | "remove" | "move" }) {
    const key = o.does === "move" ? o.key : o.item.key;
    const keys = list.keys.peek().filter((k) => k !== key);
    if (o.does === "remove") list.groups.delete(key);
    else if (o.does === "insert") list.groups.set(key, groupOf(this.shape, o.item));
    else if (!list.groups.has(key)) return;
    if (o.does !== "remove") keys.splice(o.does === "move" ? o.to : o.index, 0, key);
    list.keys.value = keys;
  }

  /** Finds out whether an attribute differs from what the server has. */
  private compare(name: string) {
    const node = this.nodes.get(name);
    if (!node) return;
    const differs = !sameValue(this.shape, node.attribute, plain(node), this.base[name]);
    const known = this.differing.peek();
    if (differs === known.has(name)) return;
    const next = new Set(known);
    if (differs) next.add(name);
    else next.delete(name);
    this.differing.value = next;
  }
}

