import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../src/core/schema";
import { conditionOf, heading, linesOf, simpleOf, tabsOf, type Arrangement } from "../src/arrange/model";
import { moved } from "../src/ui/moved";

const fields = (...names: string[]) => names.map((name) => ({ name, size: 6 }));

test("what is below a heading belongs to it, and comes back as it was stored", () => {
  const tabs: Arrangement["tabs"] = [
    { label: "Main", groups: [{ fields: fields("a", "b") }, { label: "More", fields: fields("c") }] },
    { label: "Rest", groups: [{ label: "First", fields: fields("d") }] },
  ];
  assert.deepEqual(tabsOf(linesOf({ tabs }, [])), tabs);
  const single = [{ groups: [{ fields: fields("a", "b") }] }];
  assert.deepEqual(tabsOf(linesOf({ tabs: single }, [])), single);
  assert.deepEqual(tabsOf(linesOf({}, [fields("a", "b"), fields("c")])), [{ groups: [{ fields: fields("a", "b", "c") }] }]);
});

test("a heading with nothing below it makes no part of the form", () => {
  const lines = [heading("tab", "Empty"), ...linesOf({}, [fields("a")]), heading("group", "Nothing")];
  assert.deepEqual(tabsOf(moved(lines, 1, 0)), [{ groups: [{ fields: fields("a") }] }]);
});

test("the dialog shows the conditions that it makes, and leaves others alone", () => {
  for (const simple of [
    { name: "kind", test: "is", value: "video" },
    { name: "on", test: "is-not", value: true },
    { name: "kind", test: "filled", value: null },
    { name: "kind", test: "empty", value: null },
  ] as const) {
    assert.deepEqual(simpleOf(conditionOf(simple)), simple);
  }
  for (const other of [{ and: [{ var: "a" }, { var: "b" }] }, { "==": [{ var: "seo.title" }, "x"] }, true] as Condition[]) assert.equal(simpleOf(other), null);
});
