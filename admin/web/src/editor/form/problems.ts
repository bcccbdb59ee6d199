// What is wrong with a form, place by place: by the rules, by the server, and by what
// the server said when it was asked about a value.

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { holds } from "./condition";
import { find, type Node, plain, walk } from "./node";
import { type Problem, problemsOf } from "./rules";
import { type Fields, itemsOf, nameOf, type Path, type Shape, type Step } from "./shape";

/** What the server refuses: a path with the places of items, and why. */
export interface Refusal {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A place that is wrong, and what is said of it. */
export interface Fault {
  readonly path: Path;
  readonly message: string;
}

export class Problems {
  /** What the form was last sent for: all that keeps it from that is shown. */
  readonly sentFor = signal<"nothing" | "save" | "publish">("nothing");

  private readonly left = signal<ReadonlySet<string>>(new Set());
  private readonly said = signal<ReadonlyMap<string, Problem>>(new Map());
  private readonly computed = new Map<string, ReadonlySignal<readonly string[]>>();

  constructor(
    private readonly shape: Shape,
    private readonly nodes: ReadonlyMap<string, Node>,
    private readonly say: (problem: Problem) => string,
  ) {}

  /** What is shown of a place. */
  errors(path: Path): ReadonlySignal<readonly string[]> {
    const name = nameOf(path);
    let errors = this.computed.get(name);
    if (!errors) {
      errors = computed(() => this.shown(path, find(this.nodes, path, true)).map(this.say));
      this.computed.set(name, errors);
    }
    return errors;
  }

  /** The person has left the field: what is half typed is wrong from now on. */
  leave(path: Path) {
    const name = nameOf(path);
    if (!this.left.peek().has(name)) this.left.value = new Set([...this.left.peek(), name]);
  }

  /**
   * What keeps the form from being saved or published, in the order of the page. What the
   * server said of a value it may say otherwise when that is sent again.
   */
  blocking(what: "save" | "publish"): readonly Fault[] {
    const faults: Fault[] = [];
    walk(this.nodes, (path, node) => {
      if (this.hides(path, node)) return false;
      for (const p of problemsOf(node.attribute, followed(node), this.shape.drafts)) {
        if (what === "publish" || p.blocks === "save") faults.push({ path, message: this.say(p) });
      }
      return true;
    });
    return faults;
  }

  /** What is shown as wrong, in all of the form or below a path. Followed by signals. */
  visible(below: Path = []): readonly Fault[] {
    const faults: Fault[] = [];
    const start = nameOf(below);
    walk(this.nodes, (path, node) => {
      const name = nameOf(path);
      if (start !== "" && name !== start && !name.startsWith(start + "/")) return start.startsWith(name + "/");
      if (this.hides(path, node)) return false;
      for (const p of this.shown(path, node)) faults.push({ path, message: this.say(p) });
      return true;
    });
    return faults;
  }

  /** Whether the schema hides a place from this entry, so that no rule applies there. */
  private hides(path: Path, node: Node): boolean {
    return !holds(node.attribute.visible, this.nodes, path);
  }

  private shown(path: Path, node: Node | undefined): readonly Problem[] {
    if (!node || this.hides(path, node)) return [];
    const name = nameOf(path);
    const said = this.said.value.get(name);
    const found = problemsOf(node.attribute, followed(node), this.shape.drafts).filter((p) => this.shows(p, name));
    return said && !found.some(({ rule }) => rule === said.rule) ? [...found, said] : found;
  }

  private shows(p: Problem, name: string): boolean {
    if (p.shows === "typing") return true;
    if (p.shows === "leaving" && this.left.value.has(name)) return true;
    const sentFor = this.sentFor.value;
    return sentFor === "publish" || (sentFor === "save" && p.blocks === "save");
  }

  /** What the server says of a value until it changes; null for nothing. */
  tell(path: Path, problem: Problem | null) {
    const name = nameOf(path);
    if (!problem && !this.said.peek().has(name)) return;
    const said = new Map(this.said.peek());
    if (problem) said.set(name, problem);
    else said.delete(name);
    this.said.value = said;
  }

  /** A value has changed: what the server said of it no longer counts. */
  changed(path: Path) {
    if (this.said.peek().size > 0) this.tell(path, null);
  }

  /** Shows what the server refused of the values that were sent; gives what has no place in the form. */
  refuse(refusals: readonly Refusal[], sent: Fields): readonly string[] {
    const said = new Map<string, Problem>();
    const rest: string[] = [];
    for (const { path, message } of refusals) {
      const at = this.placed(path, sent);
      if (at) said.set(nameOf(at), { ...this.refusedBy(at, message), blocks: "save", shows: "typing" });
      else rest.push(message);
    }
    this.said.value = said;
    return rest;
  }

  /** The rule by which the server refuses a value: one that the form knows, so that it says so in the language of the person. */
  private refusedBy(at: Path, message: string): Pick<Problem, "rule" | "n" | "text"> {
    const node = find(this.nodes, at);
    const known = node && problemsOf(node.attribute, followed(node), this.shape.drafts)[0];
    return known ?? { rule: /must be unique$/.test(message) ? "unique" : "server", text: message };
  }

  /** The path with keys of one with places, as far as the form has it. */
  private placed(path: readonly (string | number)[], sent: Fields): Path | null {
    const at: Step[] = [];
    let fields: Fields | undefined = sent;
    for (let i = 0; i < path.length && fields; i++) {
      const name = String(path[i]);
      if (!(name in fields)) break;
      at.push(name);
      const node = find(this.nodes, at);
      const value: unknown = fields[name];
      if (node?.kind === "slot") fields = (value as { fields: Fields } | null)?.fields;
      else if (node?.kind !== "list") break;
      else {
        const item = path[i + 1] === undefined ? undefined : itemsOf(value)[Number(path[++i])];
        if (!item || path[i + 1] === undefined) break;
        at.push(item.key);
        fields = item.fields;
      }
    }
    return at.length > 0 && find(this.nodes, at) ? at : null;
  }
}

/** The value of a node, of which whoever computes with it hears. */
function followed(node: Node): unknown {
  if (node.kind === "leaf") return node.value.value;
  if (node.kind === "slot") return node.group.value && plain(node);
  return node.keys.value.length > 0 ? plain(node) : [];
}
