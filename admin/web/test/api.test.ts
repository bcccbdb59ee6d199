import assert from "node:assert/strict";
import { test } from "node:test";
import { queryString } from "../src/core/api";

test("a query is written as the content API reads it", () => {
  assert.equal(queryString({ filters: { title: { $containsi: "a & b" } }, sort: ["title:asc", "id"] }), "?filters[title][$containsi]=a%20%26%20b&sort[0]=title%3Aasc&sort[1]=id");
  assert.equal(queryString({ locale: undefined, page: 2 }), "?page=2");
  assert.equal(queryString({ filters: { "a&b": null } }), "?filters[a%26b]=");
  assert.equal(queryString({}), "");
});
