import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf, mostMonths, wholeMonths } from "../src/home/months";

test("a chart by month has the months without entries, and ends with the latest", () => {
  const shown = wholeMonths([{ month: "2026-02", count: 3 }, { month: "2025-11", count: 1 }]);
  assert.deepEqual(shown.map(({ month, count }) => `${month} ${count}`), ["2025-11 1", "2025-12 0", "2026-01 0", "2026-02 3"]);
  assert.deepEqual(wholeMonths([]), []);
});

test("a chart by month goes back two years from the latest month", () => {
  const shown = wholeMonths([{ month: "0999-01", count: 1 }, { month: "2026-02", count: 3 }]);
  assert.equal(shown.length, mostMonths);
  assert.equal(shown[0]?.month, "2024-03");
  assert.deepEqual(wholeMonths([{ month: "0100-01", count: 1 }, { month: "0099-12", count: 2 }]).map(({ month }) => month), ["0099-12", "0100-01"]);
});

test("a month is written as the language does", () => assert.equal(monthOf("2026-11"), "Nov 2026"));
