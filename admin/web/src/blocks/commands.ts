import type { Attrs, MarkType, Node, NodeType } from "prosemirror-model";
import { NodeSelection, Selection, TextSelection, type Command, type EditorState } from "prosemirror-state";
import { atStart, itemsOf, lift, replaced } from "./lists";
import { isList, schema, sizeOf } from "./schema";

const { nodes, marks } = schema;

/** Makes the selected text blocks blocks of a type. Items leave their lists. */
export function setBlock(type: NodeType, attrs: Attrs = {}): Command {
  return (state, dispatch) => {
    const { $from, $to } = state.selection;
    const range = $from.blockRange($to, (node) => node.type === nodes.doc);
    if (!range) return false;
    if (itemsOf(state)) return fromList(state, setBlock(type, attrs), dispatch);
    const before = range.parent.content.content.slice(range.startIndex, range.endIndex);
    if (!before.some((each) => each.isTextblock || isList(each))) return false;
    dispatch?.(
      replaced(
        state,
        range.start,
        range.end,
        before.flatMap((each) => converted(each, type, attrs)),
      ),
    );
    return true;
  };
}

/** Lifts the selected items until they are paragraphs, and does the command to these. */
function fromList(state: EditorState, then: Command, dispatch?: Parameters<Command>[1]): boolean {
  if (!dispatch) return true;
  const tr = state.tr;
  let now = state;
  const step: typeof dispatch = (next) => {
    next.steps.forEach((each) => tr.step(each));
    tr.setSelection(Selection.fromJSON(tr.doc, next.selection.toJSON()));
    now = now.apply(next);
  };
  while (itemsOf(now)) lift(now, step);
  then(now, step);
  dispatch(tr.scrollIntoView());
  return true;
}

function converted(node: Node, type: NodeType, attrs: Attrs): Node[] {
  if (isList(node)) return node.content.content.flatMap((each) => converted(each, type, attrs));
  if (node.type === nodes.unknown_item) return [nodes.unknown_block.create(node.attrs)];
  if (!node.isTextblock) return [node];
  const content =
    type === nodes.code_block ? node.content.content.map((each) => (each.isText ? each.mark([]) : each)) : node.content;
  return [type.create({ rest: node.attrs.rest, ...attrs }, content)];
}

/** Puts a line into a quote or a code; behind an empty line at its end, leaves it. */
export const breakOrLeave: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if (($from.parent.type !== nodes.quote && $from.parent.type !== nodes.code_block) || !$from.sameParent($to)) return false;
  const text = $from.parent.textBetween(0, $from.parentOffset, null, "\ufffc");
  const leaves = $from.parentOffset === $from.parent.content.size && (text === "" || text.endsWith("\n"));
  if (!leaves) return breakLine(state, dispatch);
  if (dispatch) {
    const from = text === "" ? $from.pos : $from.pos - 1;
    const tr = state.tr.delete(from, $from.pos);
    if (text === "") tr.setNodeMarkup($from.before(), nodes.paragraph, {});
    else
      tr.insert(tr.mapping.map($from.after()), nodes.paragraph.create()).setSelection(
        TextSelection.near(tr.doc.resolve(from + 2)),
      );
    dispatch(tr.scrollIntoView());
  }
  return true;
};

/** Starts another line in the same block. */
export const breakLine: Command = (state, dispatch) => {
  if (!state.selection.$from.parent.isTextblock) return false;
  dispatch?.(state.tr.insertText("\n").scrollIntoView());
  return true;
};

/** At the start of a heading, a quote or a code, makes it a paragraph. */
export const plainAtStart: Command = (state, dispatch) => {
  const $at = atStart(state);
  if (!$at || $at.depth !== 1 || $at.parent.type === nodes.paragraph) return false;
  return setBlock(nodes.paragraph)(state, dispatch);
};

/** Above or below a code, a picture or something unknown at the edge of the document, starts a paragraph. */
export function leave(by: -1 | 1): Command {
  return (state, dispatch) => {
    const { doc, selection } = state;
    const $at = by < 0 ? selection.$from : selection.$to;
    const edge = by < 0 ? doc.firstChild! : doc.lastChild!;
    const isAtEdge =
      $at.depth === 0 ? $at.pos === (by < 0 ? 0 : doc.content.size) : $at.index(0) === (by < 0 ? 0 : doc.childCount - 1);
    if ((edge.type !== nodes.code_block && !edge.isAtom) || !isAtEdge) return false;
    const { parent, parentOffset } = $at;
    const beyond = parent.isTextblock
      ? by < 0
        ? parent.textBetween(0, parentOffset)
        : parent.textBetween(parentOffset, parent.content.size)
      : "";
    if (beyond.includes("\n")) return false;
    const at = by < 0 ? 0 : doc.content.size;
    const tr = state.tr.insert(at, nodes.paragraph.create());
    dispatch?.(tr.setSelection(TextSelection.create(tr.doc, at + 1)).scrollIntoView());
    return true;
  };
}

/** Moves the selected blocks of the document past the one before or after them. */
export function moveBlock(by: -1 | 1): Command {
  return (state, dispatch) => {
    const { $from, $to } = state.selection;
    const first = $from.index(0);
    const last = state.selection instanceof NodeSelection ? first : $to.index(0);
    const other = by < 0 ? first - 1 : last + 1;
    if (other < 0 || other >= state.doc.childCount) return false;
    if (dispatch) {
      const passed = state.doc.child(other);
      const start = positionAt(state.doc, first);
      const end = positionAt(state.doc, last + 1);
      const tr =
        by < 0
          ? state.tr.insert(end, passed).delete(start - passed.nodeSize, start)
          : state.tr.delete(end, end + passed.nodeSize).insert(start, passed);
      dispatch(tr.scrollIntoView());
    }
    return true;
  };
}

function positionAt(doc: Node, index: number): number {
  return sizeOf(doc.content.content.slice(0, index));
}

/** Puts a block below the one with the cursor, or in its place if that is empty. */
export function insertBlock(block: Node): Command {
  return (state, dispatch) => {
    const { $to } = state.selection;
    const index = Math.min($to.index(0), state.doc.childCount - 1);
    const here = state.doc.child(index);
    const start = positionAt(state.doc, index);
    const takesPlace = here.type === nodes.paragraph && here.content.size === 0;
    const at = takesPlace ? start : start + here.nodeSize;
    const tr = takesPlace ? state.tr.replaceWith(start, start + here.nodeSize, block) : state.tr.insert(at, block);
    dispatch?.(tr.setSelection(NodeSelection.create(tr.doc, at)).scrollIntoView());
    return true;
  };
}

/** Reports whether all of the selected text, or what is typed next, has the mark. */
export function isActive(state: EditorState, type: MarkType): boolean {
  const { from, to, empty, $from } = state.selection;
  if (empty) return Boolean(type.isInSet(state.storedMarks ?? $from.marks()));
  let all = true;
  let any = false;
  state.doc.nodesBetween(from, to, (node) => {
    if (!node.isText) return;
    any = true;
    all &&= Boolean(type.isInSet(node.marks));
  });
  return any && all;
}

export interface LinkRange {
  from: number;
  to: number;
  url: string;
  text: string;
  newTab: boolean;
}

/** The link around the cursor or at the start of the selection, from end to end. */
export function linkAt(state: EditorState): LinkRange | null {
  const { $from, empty } = state.selection;
  const beside = empty ? $from.marks() : ($from.nodeAfter?.marks ?? []);
  const link = marks.link.isInSet(beside);
  if (!link) return null;
  const children = $from.parent.content.content;
  const index = Math.min($from.index(), children.length - 1);
  const here = children[index] && link.isInSet(children[index].marks) ? index : index - 1;
  let [first, last] = [here, here];
  while (first > 0 && link.isInSet(children[first - 1]!.marks)) first--;
  while (last + 1 < children.length && link.isInSet(children[last + 1]!.marks)) last++;
  const from = $from.start() + sizeOf(children.slice(0, first));
  const to = from + sizeOf(children.slice(first, last + 1));
  return {
    from,
    to,
    url: String(link.attrs.url),
    text: state.doc.textBetween(from, to),
    newTab: link.attrs.rest?.target === "_blank",
  };
}
