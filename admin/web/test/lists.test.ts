import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState, TextSelection, type Command } from "prosemirror-state";
import { breakOrLeave, setBlock } from "../src/blocks/commands";
import { toBlocks, toDocument } from "../src/blocks/convert";
import { joinIntoList, lift, nest, splitItem, toggleList } from "../src/blocks/lists";
import { schema } from "../src/blocks/schema";
import { random } from "./random";
import { randomBlocks } from "./random-blocks";

// Lists are written as lines: "- a" is an item, "  - b" an item in a list in that list, "1." for
// numbers, "a" a paragraph. A | is the cursor.

test("Tab nests an item below the one before it, with what belongs to it", () => {
  does(nest, ["- a", "- b|", "  - c", "- d"], ["- a", "  - b|", "    - c", "- d"]);
  does(nest, ["- a", "  - b", "- c|"], ["- a", "  - b", "  - c|"]);
  does(nest, ["- a|", "- b"], null);
});

test("Shift-Tab takes an item out, and what came after it becomes its own", () => {
  does(lift, ["- a", "  - b|", "  - c"], ["- a", "- b|", "  - c"]);
  does(lift, ["- a", "- b|", "- c"], ["- a", "b|", "- c"]);
  does(lift, ["a|"], null);
});

test("Enter splits an item, and leaves the list from an empty one", () => {
  does(splitItem, ["- a|b"], ["- a", "- |b"]);
  does(splitItem, ["- a", "- |"], ["- a", "|"]);
  does(splitItem, ["- a", "  - |"], ["- a", "- |"]);
});

test("Backspace behind a list joins the last item", () => does(joinIntoList, ["- a", "  - b", "|c"], ["- a", "  - b|c"]));

test("the buttons make lists, change their kind, and end them", () => {
  does(toggleList("unordered"), ["a|"], ["- a|"]);
  does(toggleList("ordered"), ["- a", "- b|"], ["1. a", "1. b|"]);
  does(toggleList("ordered"), ["1. a", "b|"], ["1. a", "1. b|"]);
  does(toggleList("unordered"), ["- a|"], ["a|"]);
});

test("an item becomes another block outside of its list", () => {
  does(setBlock(schema.nodes.paragraph), ["- a", "  - b|", "- c"], ["- a", "b|", "- c"]);
});

test("an empty line at the end leaves a quote", () => {
  const state = at(EditorState.create({ doc: toDocument([{ type: "quote", children: [{ type: "text", text: "a\n" }] }]) }), 3);
  const next = run(state, breakOrLeave)!;
  assert.deepEqual(toBlocks(next.doc), [
    { type: "quote", children: [{ type: "text", text: "a" }] },
    { type: "paragraph", children: [{ type: "text", text: "" }] },
  ]);
});

test("no command loses a text or breaks a document, wherever the selection is", () => {
  const { nodes } = schema;
  const commands = [
    nest,
    lift,
    splitItem,
    joinIntoList,
    toggleList("ordered"),
    toggleList("unordered"),
    setBlock(nodes.quote),
    setBlock(nodes.paragraph),
    setBlock(nodes.code_block),
  ];
  for (let seed = 0; seed < 3_000; seed++) {
    const r = random(seed);
    const doc = toDocument(randomBlocks(r));
    const place = () => doc.resolve(r.below(doc.content.size + 1));
    const $anchor = place();
    let state = EditorState.create({ doc, selection: TextSelection.between($anchor, r.chance(0.5) ? $anchor : place()) });
    const before = state.doc.textContent.length;
    for (let i = 0; i < 4; i++)
      state = run(state, r.pick(state.selection.empty ? commands : commands.filter((each) => each !== splitItem))) ?? state;
    state.doc.check();
    assert.equal(state.doc.textContent.length, before, `seed ${seed}`);
    assert.deepEqual(toDocument(structuredClone(toBlocks(state.doc))).textContent, state.doc.textContent, `seed ${seed}`);
  }
});

function run(state: EditorState, command: Command): EditorState | null {
  let next: EditorState | null = null;
  command(state, (tr) => (next = state.apply(tr)));
  return next;
}

function at(state: EditorState, pos: number): EditorState {
  return state.apply(state.tr.setSelection(TextSelection.create(state.doc, pos)));
}

function does(command: Command, before: string[], after: string[] | null) {
  const next = run(read(before), command);
  assert.deepEqual(next && write(next), after);
}

interface Block {
  type: string;
  format?: string;
  children: unknown[];
}

function read(lines: string[]): EditorState {
  const blocks: Block[] = [];
  const open: Block[] = [];
  for (const line of lines) {
    const [, space = "", sign, text = ""] = /^( *)(?:(-|1\.) )?(.*)$/.exec(line)!;
    const children = [{ type: "text", text }];
    const depth = space.length / 2 + 1;
    if (!sign) {
      open.length = 0;
      blocks.push({ type: "paragraph", children });
      continue;
    }
    open.length = Math.min(open.length, depth);
    while (open.length < depth) {
      const list = { type: "list", format: sign === "-" ? "unordered" : "ordered", children: [] };
      (open.at(-1)?.children ?? blocks).push(list);
      open.push(list);
    }
    open.at(-1)!.children.push({ type: "list-item", children });
  }
  const state = EditorState.create({ doc: toDocument(blocks) });
  let cursor = 0;
  state.doc.descendants(
    (node, pos) => void (node.isText && node.text!.includes("|") && (cursor = pos + node.text!.indexOf("|"))),
  );
  return at(state.apply(state.tr.delete(cursor, cursor + 1)), cursor);
}

function write(state: EditorState): string[] {
  const marked = state.apply(state.tr.insertText("|"));
  const lines = (blocks: readonly Block[], depth: number, sign: string): string[] =>
    blocks.flatMap((each) => {
      if (each.type === "list") return lines(each.children as Block[], depth + 1, each.format === "ordered" ? "1. " : "- ");
      return [
        "  ".repeat(Math.max(0, depth - 1)) + sign + (each.children as { text: string }[]).map(({ text }) => text).join(""),
      ];
    });
  return lines(toBlocks(marked.doc) as unknown as Block[], 0, "");
}
