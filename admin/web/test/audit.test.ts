import assert from "node:assert/strict";
import { test } from "node:test";
import { actsOf, countOf, type AuditEvent } from "../src/operation/acts";

let number = 100;
/** A line so many seconds before noon. */
function line(before: number, action: string, id = "a", by = "ada", type = "api::dish.dish"): AuditEvent {
  number--;
  return { number, at: new Date(Date.UTC(2026, 0, 1, 12) - before * 1000).toISOString(), by: { kind: "admin", id: by }, way: "admin", from: "192.0.2.1", action, target: { type, id }, outcome: "done" };
}
const shown = (lines: AuditEvent[]) => actsOf(lines).map((act) => `${act.main.by.id} ${act.main.action} ${countOf(act)}`);

test("what was one act is one line of the audit log, and what was not stays apart", () => {
  assert.deepEqual(shown([line(0, "content.publish", "a"), line(1, "content.publish", "b"), line(2, "content.publish", "c")]), ["ada content.publish 3"]);
  assert.deepEqual(shown([line(0, "content.publish"), line(1, "content.update")]), ["ada content.publish 1"], "a change that is published at once");
  assert.deepEqual(shown([line(0, "content.publish", "a"), line(1, "content.update", "b")]), ["ada content.publish 1", "ada content.update 1"]);
  assert.deepEqual(shown([line(0, "content.update", "a"), line(1, "content.update", "b", "bob")]), ["ada content.update 1", "bob content.update 1"]);
  assert.deepEqual(shown([line(0, "content.update", "a"), line(60, "content.update", "b")]), ["ada content.update 1", "ada content.update 1"]);
  assert.deepEqual(shown([line(0, "content.update", "a"), line(1, "content.update", "b", "ada", "api::cook.cook")]), ["ada content.update 1", "ada content.update 1"]);
  assert.deepEqual(shown([line(0, "data.backup", "", "ada", "site"), line(1, "POST /backups", "/backups", "ada", "path")]).map((one) => one.slice(0, -2)), ["ada data.backup"]);
  assert.deepEqual(shown([line(0, "model.translate"), line(1, "model.translate"), line(2, "content.update")]), ["ada model.translate 1", "ada content.update 1"], "fields that the model translates");
  assert.deepEqual(shown([line(0, "session.begin"), line(1, "session.begin")]).length, 2, "signing in twice is twice");
});
