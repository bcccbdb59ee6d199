// The values of a form as signals, one for each place that can change. Whoever shows a
// place hears of that place alone.

import { type Signal, signal } from "@preact/signals";
import type { Attribute } from "../../core/schema";
import { type Fields, type Item, itemOf, itemsOf, kindOf, type Path, type Shape } from "./shape";

/** A value that is entered as a whole. */
export interface Leaf {
  readonly kind: "leaf";
  readonly attribute: Attribute;
  readonly value: Signal<unknown>;
}

/** A single component, or the place where it would be. */
export interface Slot {
  readonly kind: "slot";
  readonly attribute: Attribute;
  readonly group: Signal<Group | null>;
}

/** Components in an order. */
export interface List {
  readonly kind: "list";
  readonly attribute: Attribute;
  readonly keys: Signal<readonly number[]>;
  readonly groups: Map<number, Group>;
}

export type Node = Leaf | Slot | List;

/** The values of one component, or of the type itself. */
export interface Group {
  readonly key: number;
  readonly id?: number | string;
  readonly component: string;
  readonly fields: ReadonlyMap<string, Node>;
}

export function groupOf(shape: Shape, item: Item): Group {
  return { key: item.key, ...(item.id !== undefined && { id: item.id }), component: item.component, fields: nodesOf(shape, shape.component(item.component), item.fields) };
}

export function nodesOf(shape: Shape, attributes: readonly Attribute[], fields: Fields): ReadonlyMap<string, Node> {
  return new Map(attributes.map((a) => [a.name, nodeOf(shape, a, fields[a.name])]));
}

function nodeOf(shape: Shape, attribute: Attribute, value: unknown): Node {
  const kind = kindOf(attribute);
  switch (kind) {
    case "leaf":
      return { kind, attribute, value: signal(value) };
    case "slot": {
      const item = itemOf(value);
      return { kind, attribute, group: signal(item && groupOf(shape, item)) };
    }
    case "list": {
      const items = itemsOf(value);
      const groups = new Map(items.map((i) => [i.key, groupOf(shape, i)]));
      return { kind, attribute, keys: signal(items.map((i) => i.key)), groups };
    }
  }
}

/** The plain values of nodes. */
export function fieldsOf(nodes: ReadonlyMap<string, Node>): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, node] of nodes) fields[name] = plain(node);
  return fields;
}

export function plain(node: Node): unknown {
  switch (node.kind) {
    case "leaf":
      return node.value.peek();
    case "slot": {
      const group = node.group.peek();
      return group && plainItem(group);
    }
    case "list":
      return node.keys.peek().flatMap((key) => {
        const group = node.groups.get(key);
        return group ? [plainItem(group)] : [];
      });
  }
}

export function plainItem(group: Group): Item {
  return { key: group.key, ...(group.id !== undefined && { id: group.id }), component: group.component, fields: fieldsOf(group.fields) };
}

/**
 * The node at a path, undefined where there is none, as after its item was removed.
 * With follow, whoever computes with it hears when another one is there.
 */
export function find(nodes: ReadonlyMap<string, Node>, path: Path, follow = false): Node | undefined {
  let node = nodes.get(String(path[0]));
  for (let i = 1; i < path.length && node; ) {
    const step = path[i];
    if (node.kind === "list") {
      if (follow) node.keys.value;
      const inner: Group | undefined = node.groups.get(Number(step));
      node = inner?.fields.get(String(path[i + 1]));
      i += 2;
    } else {
      node = node.kind === "slot" ? (follow ? node.group.value : node.group.peek())?.fields.get(String(step)) : undefined;
      i++;
    }
  }
  return node;
}

/** Calls visit for each node, outer ones first; stops below one for which it gives false. */
export function walk(nodes: ReadonlyMap<string, Node>, visit: (path: Path, node: Node) => boolean | void, at: Path = []) {
  for (const [name, node] of nodes) {
    const path = [...at, name];
    if (visit(path, node) === false) continue;
    if (node.kind === "slot" && node.group.value) walk(node.group.value.fields, visit, path);
    if (node.kind !== "list") continue;
    for (const key of node.keys.value) {
      const group = node.groups.get(key);
      if (group) walk(group.fields, visit, [...path, key]);
    }
  }
}
