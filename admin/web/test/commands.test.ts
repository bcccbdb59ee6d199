import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "../src/core/commands";

const none = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

test("keys match with exactly their modifiers", () => {
  assert.ok(matches({ ...none, key: "k", ctrlKey: true }, "Mod+K"));
  assert.ok(!matches({ ...none, key: "k" }, "Mod+K"));
  assert.ok(!matches({ ...none, key: "K", ctrlKey: true, shiftKey: true }, "Mod+K"));
  assert.ok(matches({ ...none, key: "P", ctrlKey: true, shiftKey: true }, "Mod+Shift+P"));
  assert.ok(!matches({ ...none, key: "s", ctrlKey: true, altKey: true }, "Mod+S"));
});

test("a character is what the keyboard makes of it", () => {
  assert.ok(matches({ ...none, key: "?", shiftKey: true }, "?"));
  assert.ok(matches({ ...none, key: "?" }, "?"));
  assert.ok(!matches({ ...none, key: "?", ctrlKey: true }, "?"));
});
