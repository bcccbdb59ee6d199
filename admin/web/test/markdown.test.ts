// The look of Markdown while it is typed: what was parsed before is used again, and must give
// what the whole text gives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EditorState } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import { Look } from "../src/markdown/language";
import { random } from "./random";

const pieces = ["# Title\n", "**bold** ", "_em_ ", "`code` ", "```\n", "> quote\n", "- item\n", "1. one\n", "\n\n", "[a](b) ", "~~no~~ ", "| a | b |\n", "https://example.org ", "***", "text ", "\n"];

// viewOf is a view that shows a text from a place to another.
const viewOf = (state: EditorState, from: number, to: number) => ({ state, viewport: { from, to }, visibleRanges: [{ from, to }] }) as unknown as EditorView;

function spans(look: Look): string[] {
  const all: string[] = [];
  for (const at = look.decorations.iter(); at.value; at.next()) all.push(`${at.from}-${at.to} ${at.value.spec.class}`);
  return all;
}

test("what is typed looks as if the whole text were read", () => {
  const { below, pick, some, chance } = random(7);
  let state = EditorState.create({ doc: some(200, 200, () => pick(pieces)).join("") });
  let look = new Look(viewOf(state, 0, 100));
  let marked = 0;
  for (let i = 0; i < 300; i++) {
    const from = below(state.doc.length + 1);
    const { changes, state: changed } = state.update({ changes: { from, to: Math.min(state.doc.length, from + below(5)), insert: pick(pieces) } });
    state = changed;
    const end = chance(0.5) ? state.doc.length : below(state.doc.length + 1);
    const view = viewOf(state, below(end + 1), end);
    look.update({ docChanged: true, viewportChanged: true, changes, view } as unknown as ViewUpdate);
    assert.deepEqual(spans(look), spans(new Look(view)), `after ${i + 1} changes`);
    marked += spans(look).length;
  }
  assert.ok(marked > 1000);
});
