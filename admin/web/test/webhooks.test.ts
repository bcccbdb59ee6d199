import assert from "node:assert/strict";
import { test } from "node:test";
import { keptHeaders, sentHeaders } from "../src/webhooks/headers";

test("a value that is not typed again is kept, and a row without a name is left out", () => {
  const kept = keptHeaders(["Authorization", "X-Site"]);
  assert.ok(kept.every(({ value }) => value === ""));
  const rows = [...kept.slice(0, 1), { ...kept[1]!, value: "guide" }, { name: " X-Empty ", value: "", kept: false }, { name: " ", value: "lost", kept: false }];
  assert.deepEqual(sentHeaders(rows), { Authorization: null, "X-Site": "guide", "X-Empty": "" });
  assert.deepEqual(sentHeaders([]), {});
});
