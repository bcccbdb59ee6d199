import assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "../src/core/i18n";

test("a message has the plural of n, written as the language writes numbers", () => {
  const message = { one: "{n} document of {name}", other: "{n} documents of {name}" };
  assert.equal(format(message, { n: 1, name: "Ada" }, "en"), "1 document of Ada");
  assert.equal(format(message, { n: 12345, name: "Ada" }, "en"), "12,345 documents of Ada");
  assert.equal(format(message, { n: 12345, name: "Ada" }, "de"), "12.345 documents of Ada");
});

test("a place without a value stays", () => {
  assert.equal(format("{a} and {b}", { a: "x" }, "en"), "x and {b}");
});
