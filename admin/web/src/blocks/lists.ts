import { Fragment, type Node, type NodeRange, type ResolvedPos } from "prosemirror-model";
import { TextSelection, type Command, type EditorState, type Transaction } from "prosemirror-state";
import type { Format } from "./model";
import { isList, schema } from "./schema";

// Lists hold items and further lists side by side: a sublist belongs to the
// item before it. All changes of a list keep its text blocks in their order,
// so that the selection is found again by counting them.

const { nodes } = schema;

/** The items of the innermost list that holds the whole selection, or null. */
export function itemsOf(state: EditorState): NodeRange | null {
  const { $from, $to } = state.selection;
  return $from.blockRange($to, isList);
}

/** Nests the selected items below the one before them. */
export const nest: Command = (state, dispatch) => {
  const range = itemsOf(state);
  if (!range || range.startIndex === 0) return false;
  if (dispatch) {
    const [before, inside, after] = cut(range);
    const last = before.lastChild!;
    const joined = last.type === nodes.sublist;
    const sublist = joined
      ? last.copy(last.content.append(inside))
      : nodes.sublist.create({ format: range.parent.attrs.format }, inside);
    const kept = joined ? before.cut(0, before.size - last.nodeSize) : before;
    dispatch(rebuilt(state, range, [range.parent.copy(kept.addToEnd(sublist).append(after))]));
  }
  return true;
};

/** Takes the selected items out of their list: into the one around it, or as paragraphs. */
export const lift: Command = (state, dispatch) => {
  const range = itemsOf(state);
  if (!range) return false;
  dispatch?.(rebuilt(state, range, lifted(range)));
  return true;
};

/** The items in the place of their sublist or, as blocks, of their list, with what is left of it around them. */
function lifted(range: NodeRange): Node[] {
  const [before, inside, after] = cut(range);
  const part = (content: Fragment): Node[] => (content.size ? [range.parent.copy(content)] : []);
  const items = range.parent.type === nodes.sublist ? inside.content : inside.content.map(asBlock);
  return [...part(before), ...items, ...part(after)];
}

function asBlock(item: Node): Node {
  switch (item.type) {
    case nodes.sublist:
      return nodes.list.create(item.attrs, item.content);
    case nodes.unknown_item:
      return nodes.unknown_block.create(item.attrs);
    default:
      return nodes.paragraph.create({ rest: item.attrs.rest }, item.content);
  }
}

/** The children of a list before the range, in it, with the sublists of its last item, and after it. */
function cut(range: NodeRange): [Fragment, Fragment, Fragment] {
  const all = range.parent.content;
  let end = range.endIndex;
  while (end < all.childCount && all.child(end).type === nodes.sublist) end++;
  const part = (from: number, to: number): Fragment => Fragment.fromArray(all.content.slice(from, to));
  return [part(0, range.startIndex), part(range.startIndex, end), part(end, all.childCount)];
}

/** Turns the selected text blocks into a list, gives their list another format, or ends it. */
export function toggleList(format: Format): Command {
  return (state, dispatch) => {
    const range = itemsOf(state);
    if (range?.parent.attrs.format === format) return lift(state, dispatch);
    if (range) {
      const at = range.$from.before(range.depth);
      dispatch?.(state.tr.setNodeAttribute(at, "format", format));
      return true;
    }
    return wrap(state, format, dispatch);
  };
}

function wrap(state: EditorState, format: Format, dispatch?: (tr: Transaction) => void): boolean {
  const { $from, $to } = state.selection;
  const range = $from.blockRange($to, (node) => node.type === nodes.doc);
  if (!range) return false;
  const blocks = range.parent.content.content.slice(range.startIndex, range.endIndex);
  if (!blocks.every((each) => each.isTextblock || isList(each))) return false;
  const items = blocks.flatMap((each) =>
    isList(each) ? each.content.content : [nodes.list_item.create({ rest: each.attrs.rest }, each.content)],
  );
  const before = range.startIndex > 0 ? range.parent.child(range.startIndex - 1) : null;
  const joins = before?.type === nodes.list && before.attrs.format === format;
  const list = joins ? before.copy(before.content.append(Fragment.fromArray(items))) : nodes.list.create({ format }, items);
  const start = joins ? range.start - before.nodeSize : range.start;
  dispatch?.(replaced(state, start, range.end, [list]));
  return true;
}

/** Splits an item; one that is empty leaves its list. */
export const splitItem: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if ($from.parent.type !== nodes.list_item || !$from.sameParent($to)) return false;
  if ($from.parent.content.size === 0) return lift(state, dispatch);
  dispatch?.(
    state.tr
      .deleteSelection()
      .split($from.pos, 1, [{ type: nodes.list_item }])
      .scrollIntoView(),
  );
  return true;
};

/** At the start of an item, takes it out of its list. */
export const liftAtStart: Command = (state, dispatch) => atStart(state)?.parent.type === nodes.list_item && lift(state, dispatch);

/** At the start of a text block after a list, adds its text to the last item. */
export const joinIntoList: Command = (state, dispatch) => {
  const $at = atStart(state);
  if (!$at || $at.depth !== 1) return false;
  const index = $at.index(0);
  const before = index > 0 ? state.doc.child(index - 1) : null;
  if (before?.type !== nodes.list || !lastItem(before)) return false;
  dispatch?.(state.tr.delete($at.before() - endDepth(before), $at.pos).scrollIntoView());
  return true;
};

/** At the end of the last item of a list, adds the text of the block after it. */
export const joinAfterList: Command = (state, dispatch) => {
  const { $from, empty } = state.selection;
  if (!empty || $from.parent.type !== nodes.list_item || $from.parentOffset < $from.parent.content.size) return false;
  const end = $from.after(1);
  const next = state.doc.nodeAt(end);
  if (!next?.isTextblock || $from.pos !== end - endDepth(state.doc.child($from.index(0)))) return false;
  dispatch?.(state.tr.delete($from.pos, end + 1).scrollIntoView());
  return true;
};

export function atStart(state: EditorState): ResolvedPos | null {
  const { $from, empty } = state.selection;
  return empty && $from.parent.isTextblock && $from.parentOffset === 0 ? $from : null;
}

/** The last text block of a list, if nothing else stands behind it. */
function lastItem(list: Node): Node | null {
  const last = list.lastChild!;
  return isList(last) ? lastItem(last) : last.isTextblock ? last : null;
}

/** How many borders lie between the end of a list's last text and the end of the list. */
const endDepth = (list: Node): number => (isList(list) ? 1 + endDepth(list.lastChild!) : 1);

// --- replacing

function rebuilt(state: EditorState, range: NodeRange, by: Node[]): Transaction {
  return replaced(state, range.$from.before(range.depth), range.$from.after(range.depth), by);
}

/** Replaces whole blocks by others with the same text blocks in the same order, and keeps the selection in them. */
export function replaced(state: EditorState, from: number, to: number, by: Node[]): Transaction {
  const { doc, selection } = state;
  const anchor = placeOf(doc, from, to, selection.anchor);
  const head = placeOf(doc, from, to, selection.head);
  const tr = state.tr.replaceWith(from, to, by);
  const end = to + tr.doc.content.size - doc.content.size;
  return tr
    .setSelection(
      TextSelection.between(
        tr.doc.resolve(positionOf(tr.doc, from, end, anchor)),
        tr.doc.resolve(positionOf(tr.doc, from, end, head)),
      ),
    )
    .scrollIntoView();
}

/** A position as the number of its text block in a range, and the offset there. */
interface Place {
  block: number;
  offset: number;
}

function placeOf(doc: Node, from: number, to: number, pos: number): Place {
  let place = { block: 0, offset: 0 };
  textBlocks(doc, from, to).forEach((start, block) => {
    if (start <= pos) place = { block, offset: pos - start };
  });
  return place;
}

function positionOf(doc: Node, from: number, to: number, { block, offset }: Place): number {
  const start = textBlocks(doc, from, to)[block] ?? from;
  return Math.min(start + offset, doc.content.size);
}

/** Where the content of each text block between from and to begins. */
function textBlocks(doc: Node, from: number, to: number): number[] {
  const found: number[] = [];
  doc.nodesBetween(from, to, (node, pos) => {
    if (node.isTextblock && pos >= from) found.push(pos + 1);
    return !node.isTextblock;
  });
  return found;
}
