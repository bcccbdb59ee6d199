import assert from "node:assert/strict";
import { test } from "node:test";
import { queryString } from "../src/core/api";
import { language } from "../src/core/i18n";
import { sentenceOf } from "../src/core/refused";

test("a query is written as the content API reads it", () => {
  assert.equal(queryString({ filters: { title: { $containsi: "a & b" } }, sort: ["title:asc", "id"] }), "?filters[title][$containsi]=a%20%26%20b&sort[0]=title%3Aasc&sort[1]=id");
  assert.equal(queryString({ locale: undefined, page: 2 }), "?page=2");
  assert.equal(queryString({ filters: { "a&b": null } }), "?filters[a%26b]=");
  assert.equal(queryString({}), "");
});

test("an error is told by its name where the person does not read English", () => {
  assert.equal(sentenceOf("ForbiddenError", "Forbidden", {}), "Forbidden");
  language.value = "de"; // its messages are not loaded here, so the sentences are those of en.ts
  try {
    assert.equal(sentenceOf("ForbiddenError", "Forbidden", {}), "You may not do this.");
    assert.equal(sentenceOf("ForbiddenError", "The locale fr may not be changed", { key: "locale" }), "You may not do this. (The locale fr may not be changed)");
    assert.equal(sentenceOf("ValidationError", "seats: 9 is too many", {}), "This is not accepted. (seats: 9 is too many)");
    assert.equal(sentenceOf("ModelError", "The model does not answer", {}), "The model does not answer");
  } finally {
    language.value = "en";
  }
});
