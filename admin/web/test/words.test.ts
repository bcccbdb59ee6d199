import assert from "node:assert/strict";
import { test } from "node:test";
import { hasWords, mark, wordsOf } from "../src/core/words";

test("a name has all words that were typed, in any order", () => {
  assert.ok(hasWords("The Blue Door", wordsOf(" door  blu ")));
  assert.ok(!hasWords("The Blue Door", wordsOf("blue window")));
  assert.ok(hasWords("anything", wordsOf("  ")));
});

const shown = (label: string, text: string) =>
  mark(label, wordsOf(text))
    .map((part) => (part.marked ? `[${part.text}]` : part.text))
    .join("");

test("what was typed is marked, the longer word where two begin", () => {
  assert.equal(shown("The Blue Door", "do blue"), "The [Blue] [Do]or");
  assert.equal(shown("banana", "an ana"), "b[ana]na");
  assert.equal(shown("İstanbul", "stan"), "İstanbul");
  assert.equal(shown("x", ""), "x");
});
