import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf, monthsFrom, dayOf, weeksOf } from "../src/releases/days";
import type { Step } from "../src/releases/release";
import { withStep } from "../src/releases/with-step";

const uid = "api::dish.dish"; // has locales, and api::cook.cook has none
const localesOf = (step: Step): readonly string[] => (step.type === uid ? (step.locales ?? ["en"]) : []);

test("a document that is added again takes the place of what was done to the same version", () => {
  const step = (documentId: string, action: Step["action"], locales?: string[], type = uid): Step => ({ type, documentId, action, ...(locales && { locales }) });
  const added = (before: Step[], one: Step) => withStep(before, one, localesOf).map(({ documentId, action, locales }) => [documentId, action, ...(locales ?? [])].join(" "));
  assert.deepEqual(added([step("a", "publish", ["en"])], step("b", "publish", ["en"])), ["a publish en", "b publish en"]);
  assert.deepEqual(added([step("a", "publish", ["en", "de"])], step("a", "unpublish", ["en"])), ["a publish de", "a unpublish en"]);
  assert.deepEqual(added([step("a", "publish", ["de"])], step("a", "unpublish", ["en"])), ["a publish de", "a unpublish en"]);
  assert.deepEqual(added([step("a", "publish")], step("a", "unpublish", ["en"])), ["a unpublish en"], "without locales it is the default one");
  assert.deepEqual(added([step("a", "publish", ["de"])], step("a", "unpublish", ["*"])), ["a unpublish *"]);
  assert.deepEqual(added([step("a", "publish", ["*"])], step("a", "unpublish", ["de"])), ["a unpublish de"]);
  assert.deepEqual(added([step("a", "publish", undefined, "api::cook.cook")], step("a", "unpublish", undefined, "api::cook.cook")), ["a unpublish"]);
});

test("the calendar has whole weeks, each day once, also where clocks change", () => {
  for (let month = monthOf("2026-01"), n = 0; n < 36; month = monthsFrom(month!, 1), n++) {
    const days = weeksOf(month!, n % 7).flat().map(dayOf);
    assert.equal(days.length % 7, 0);
    assert.equal(new Set(days).size, days.length);
    const own = days.filter((day) => day.startsWith(month!.name));
    assert.equal(own.length, new Date(month!.first.getFullYear(), month!.first.getMonth() + 1, 0).getDate());
    assert.ok(days.length - own.length < 13 && days.indexOf(own[0]!) < 7);
  }
  assert.equal(monthOf("2026-13"), null);
  assert.equal(monthsFrom(monthOf("2026-12")!, 1).name, "2027-01");
});
