import assert from "node:assert/strict";
import { test } from "node:test";
import type { Component, ContentType } from "../src/core/schema";
import { attributePaths, isNamed, rightsOn, seenOf, withAction, withSeen, withType, withWord } from "../src/people/rights";

const story = "api::story.story";

test("a type that is not named follows all others until one of its rights is changed", () => {
  const rights = { types: { "*": { actions: ["read" as const], locales: ["de"] } } };
  assert.deepEqual(rightsOn(rights, story).actions, ["read"]);
  const changed = withAction(rights, story, "publish", true);
  assert.deepEqual(changed.types?.[story], { actions: ["read", "publish"], locales: ["de"] });
  assert.equal(isNamed(rights, story), false);
  assert.deepEqual(rightsOn(withType(changed, story, null), story).actions, ["read"]);
});

test("what is changed is read, and what is not read is not changed", () => {
  const rights = withAction({}, story, "update", true);
  assert.deepEqual(rightsOn(rights, story).actions, ["read", "update"]);
  assert.deepEqual(rightsOn(withAction(rights, story, "read", false), story).actions, []);
});

test("an attribute is changed, read only or hidden", () => {
  const all = { actions: [], locales: null };
  const hidden = withSeen(all, "seo.keywords", "hidden");
  assert.equal(seenOf(hidden, "seo.keywords"), "hidden");
  const readOnly = withSeen(hidden, "seo.keywords", "readOnly");
  assert.deepEqual(readOnly, { actions: [], locales: null, hidden: [], readOnly: ["seo.keywords"] });
  assert.equal(seenOf(withSeen(readOnly, "seo.keywords", "changed"), "seo.keywords"), "changed");
});

test("words keep the order of all", () => {
  assert.deepEqual(withWord(["delete"], ["read", "upload", "delete"], "read", true), ["read", "delete"]);
  assert.deepEqual(withWord(["read", "delete"], ["read", "upload", "delete"], "delete", false), ["read"]);
  assert.deepEqual(withWord(undefined, ["read"], "read", true), ["read"]);
});

test("paths lead through components, and end where components contain themselves", () => {
  const text = (name: string) => ({ name, label: name.toUpperCase(), type: "string" as const });
  const part = { attributes: [text("price"), { name: "inner", label: "INNER", type: "component", component: "a.part" }] } as unknown as Component;
  const type = { attributes: [text("title"), { name: "zone", label: "ZONE", type: "dynamiczone", components: ["a.part", "b.part"] }] } as unknown as ContentType;
  const found = attributePaths(type, () => part);
  assert.deepEqual(
    found.map((one) => one.path),
    ["title", "zone", "zone.price", "zone.inner", "zone.inner.price", "zone.inner.inner", "zone.inner.inner.price", "zone.inner.inner.inner"],
  );
  assert.equal(found[2]?.label, "ZONE › PRICE");
});
