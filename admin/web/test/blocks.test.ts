import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isBlank, toBlocks, toDocument } from "../src/blocks/convert";
import { random } from "./random";
import { randomBlocks } from "./random-blocks";

test("what Strapi's editor writes is the same after it was read and written, 20,000 times", () => {
  for (let seed = 0; seed < 20_000; seed++) {
    const blocks = randomBlocks(random(seed));
    const doc = toDocument(structuredClone(blocks));
    doc.check();
    assert.deepEqual(toBlocks(doc, new WeakMap()), isBlank(doc) ? null : blocks, `seed ${seed}`);
  }
});

test("what nobody touches is written as the value that was read", () => {
  const odd = [
    {
      children: [
        { text: "a", bold: false, type: "text" },
        { type: "text", text: "b", bold: false },
      ],
      type: "paragraph",
      level: null,
    },
    { type: "paragraph", children: [] },
    { type: "paragraph", children: [{ type: "link", url: "/a", children: [{ type: "text", text: "" }] }] },
    { type: "list", format: "ordered", indentLevel: null, children: [{ type: "list-item", children: [{ text: "x" }] }, 4] },
    null,
    "text",
    [1],
  ];
  const doc = toDocument(odd);
  assert.equal(JSON.stringify(toBlocks(doc)), JSON.stringify(odd));
});

test("a change of one block leaves the others as they were read", () => {
  const blocks = randomBlocks(random(7));
  const odd = {
    children: [
      { text: "a", italic: null, type: "text" },
      { type: "text", text: "" },
    ],
    type: "quote",
  };
  const doc = toDocument([odd, ...blocks, { type: "paragraph", children: [{ type: "text", text: "last" }] }]);
  const last = doc.lastChild!;
  const changed = doc.copy(doc.content.replaceChild(doc.childCount - 1, last.copy(last.content.cut(1))));
  const written = toBlocks(changed)!;
  assert.equal(written[0], odd);
  blocks.forEach((each, i) => assert.equal(written[i + 1], each));
  assert.deepEqual(written.at(-1), { type: "paragraph", children: [{ type: "text", text: "ast" }] });
});

test("nothing, and what is no rich text, is an empty document, which is null", () => {
  for (const value of [null, undefined, [], "text", 4, {}]) assert.equal(toBlocks(toDocument(value)), null);
});

test("the rich text of Strapi's recordings is the same after it was read and written", () => {
  const found = recorded(JSON.parse(readFileSync("../../testdata/suites/02-validation.json", "utf8")));
  assert.ok(found.length >= 10);
  for (const blocks of found) {
    assert.equal(JSON.stringify(toBlocks(toDocument(blocks))), JSON.stringify(blocks));
  }
});

/** The values in a recording that are rich text which Strapi accepts. */
function recorded(value: unknown): object[][] {
  if (typeof value !== "object" || value === null) return [];
  const kinds = ["paragraph", "heading", "list", "quote", "code", "image"];
  const isBlock = (each: unknown) =>
    each instanceof Object && "type" in each && kinds.includes(String(each.type)) && "children" in each;
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return [value];
  return Object.values(value).flatMap(recorded);
}
