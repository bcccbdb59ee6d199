import assert from "node:assert/strict";
import { test } from "node:test";
import { compareBlocks } from "../src/editor/history/blocks";
import { compareLists, compareTexts, same } from "../src/editor/history/diff";
import { compareInstances, instanceKey } from "../src/editor/history/instances";
import { random } from "./random";

const marked = (before: string, after: string): string =>
  compareTexts(before, after)
    .map(({ is, items }) => ({ same: items.join(""), removed: `[-${items.join("")}-]`, added: `{+${items.join("")}+}` })[is])
    .join("");

test("texts are compared by words, and changes side by side are one", () => {
  assert.equal(marked("The blue door", "The red door"), "The [-blue-]{+red+} door");
  assert.equal(marked("one two three", "four five six"), "[-one two three-]{+four five six+}");
  assert.equal(marked("", "new"), "{+new+}");
  assert.equal(marked("Grüße, Welt", "Grüße, Welt!"), "Grüße, Welt{+!+}");
  assert.equal(marked("same", "same"), "same");
});

test("both lists can be read from what differs between them", () => {
  for (let seed = 0; seed < 5_000; seed++) {
    const r = random(seed);
    const list = () => r.some(0, 12, () => r.pick(["a", "b", "c", "d"]));
    const [before, after] = [list(), list()];
    const parts = compareLists(before, after, (each) => each);
    const side = (gone: string) => parts.filter(({ is }) => is !== gone).flatMap(({ items }) => items);
    assert.deepEqual(side("added"), before, `seed ${seed}`);
    assert.deepEqual(side("removed"), after, `seed ${seed}`);
  }
});

test("lists that have nothing in common are replaced, however long they are", () => {
  const list = (name: string) => Array.from({ length: 20_000 }, (_, i) => `${name}${i}`);
  assert.deepEqual(
    compareLists(list("a"), list("b"), (each) => each).map(({ is, items }) => [is, items.length]),
    [
      ["removed", 20_000],
      ["added", 20_000],
    ],
  );
});

const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });

test("rich text is compared block by block, and alike blocks word by word", () => {
  const before = [
    { type: "heading", level: 2, children: [text("Menu")] },
    { type: "paragraph", children: [text("Fish and chips today")] },
    { type: "paragraph", children: [text("Bye")] },
  ];
  const after = [
    { type: "heading", level: 2, children: [text("Menu")] },
    { type: "paragraph", children: [text("Fish and "), text("bread", { bold: true }), text(" today")] },
  ];
  const changes = compareBlocks(before, after);
  assert.deepEqual(
    changes.map(({ is }) => is),
    ["same", "changed", "removed"],
  );
  assert.deepEqual(
    changes[1]!.parts!.map(({ is, items }) => [is, items.map((word) => word.text).join("")]),
    [
      ["same", "Fish and "],
      ["removed", "chips"],
      ["added", "bread"],
      ["same", " today"],
    ],
  );
});

test("a change of marks alone is a change", () => {
  const [change] = compareBlocks(
    [{ type: "paragraph", children: [text("all bold")] }],
    [{ type: "paragraph", children: [text("all bold", { bold: true })] }],
  );
  assert.equal(change!.is, "changed");
});

test("components are matched by their ids", () => {
  const changes = compareInstances([{ id: 1, a: 1 }, { id: 2 }, { id: 5 }, { id: 3 }], [{ id: 3 }, { id: 1, a: 2 }, { id: 5 }, { id: 4 }], instanceKey);
  assert.deepEqual(
    changes.map(({ is, after, before }) => [is, (after ?? before)!.id]),
    [
      ["moved", 3],
      ["changed", 1],
      ["removed", 2],
      ["same", 5],
      ["added", 4],
    ],
  );
});

test("the order of members makes no difference", () => {
  assert.ok(same({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }));
  assert.ok(!same({ a: [] }, { a: {} }));
  assert.ok(!same({ a: undefined }, { b: undefined }));
});
