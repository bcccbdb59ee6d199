import assert from "node:assert/strict";
import { test } from "node:test";

// What the module reads of the browser when it is loaded.
Object.assign(globalThis, {
  location: { pathname: "/admin/content/api::story.story", search: "?locale=de", hash: "" },
  history: { state: null },
});
const { match, place, segment } = await import("../src/core/router");

test("a place is below /admin", () => {
  assert.equal(place.value.path, "/content/api::story.story");
  assert.equal(place.value.query.get("locale"), "de");
});

test("patterns take parts of a path", () => {
  assert.deepEqual(match("/content/:uid", "/content/api::story.story"), { uid: "api::story.story" });
  assert.deepEqual(match("/content/:uid", "/content/api::story.story/"), { uid: "api::story.story" });
  assert.deepEqual(match("/content/:uid/:documentId", "/content/a/b%20c"), { uid: "a", documentId: "b c" });
  assert.equal(match("/content/:uid", "/content/"), null);
  assert.equal(match("/content/:uid", "/content/a/b"), null);
  assert.equal(match("/single/:uid", "/content/a"), null);
});

test("a uid stays readable in a path", () => {
  assert.equal(segment("api::a b/c"), "api::a%20b%2Fc");
});
