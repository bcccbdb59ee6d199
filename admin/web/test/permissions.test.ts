import assert from "node:assert/strict";
import { test } from "node:test";
import { controllersOf, fromTree, toTree } from "../src/people/permissions";

test("permissions are a tree and back", () => {
  const held = ["api::dish.dish.find", "api::dish.dish.findOne", "plugin::users-permissions.auth.callback"];
  const tree = toTree(held);
  assert.deepEqual(tree["plugin::users-permissions"], { controllers: { auth: { callback: { enabled: true } } } });
  assert.deepEqual(fromTree(tree), held);
  assert.deepEqual(fromTree({ "api::dish": { controllers: { dish: { find: { enabled: false } } } } }), []);
});

test("controllers list their actions, those of content first", () => {
  const found = controllersOf(["plugin::upload.content-api.find", "api::dish.dish.find", "api::dish.dish.delete"], (uid) => (uid === "api::dish.dish" ? "Dish" : undefined));
  assert.deepEqual(
    found.map(({ name, actions }) => [name, actions]),
    [
      ["Dish", ["find", "delete"]],
      ["plugin::upload.content-api", ["find"]],
    ],
  );
});
