// Another state of a form in the place of the one that is shown: only what differs changes,
// so that fields that stay keep their focus and their cursor.

import { type Group, groupOf, type List, type Node, type Slot } from "./node";
import { type Item, itemOf, itemsOf, type Shape } from "./shape";

/** Shows the value to in a node that shows from. */
export function show(shape: Shape, node: Node | undefined, from: unknown, to: unknown) {
  if (!node || from === to) return;
  if (node.kind === "leaf") node.value.value = to;
  else if (node.kind === "slot") showSlot(shape, node, itemOf(from), itemOf(to));
  else showList(shape, node, itemsOf(from), itemsOf(to));
}

function showSlot(shape: Shape, slot: Slot, from: Item | null, to: Item | null) {
  const group = slot.group.peek();
  if (group && from && to && group.key === to.key) slot.group.value = showItem(shape, group, from, to);
  else slot.group.value = to && groupOf(shape, to);
}

function showList(shape: Shape, list: List, from: readonly Item[], to: readonly Item[]) {
  const before = new Map(from.map((i) => [i.key, i]));
  for (const item of to) {
    const group = list.groups.get(item.key);
    const was = before.get(item.key);
    list.groups.set(item.key, group && was ? showItem(shape, group, was, item) : groupOf(shape, item));
  }
  const keys = to.map((i) => i.key);
  for (const key of [...list.groups.keys()]) if (!keys.includes(key)) list.groups.delete(key);
  if (keys.join() !== list.keys.peek().join()) list.keys.value = keys;
}

/** The group with the values and the id of another state of the same item. */
function showItem(shape: Shape, group: Group, from: Item, to: Item): Group {
  for (const a of shape.component(group.component)) show(shape, group.fields.get(a.name), from.fields[a.name], to.fields[a.name]);
  if (group.id === to.id) return group;
  return { key: group.key, ...(to.id !== undefined && { id: to.id }), component: group.component, fields: group.fields };
}
