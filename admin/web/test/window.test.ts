import assert from "node:assert/strict";
import { test } from "node:test";
import { highest, topFor, windowOf, type View } from "../src/ui/window";

const view = (more: Partial<View>): View => ({ rows: 100_000, rowHeight: 36, height: 720, top: 0, ...more });

test("the rows in view and a few beyond are drawn", () => {
  assert.deepEqual(windowOf(view({})), { first: 0, end: 29, offset: 0, height: 3_600_000 });
  assert.deepEqual(windowOf(view({ top: 3600 })), { first: 92, end: 129, offset: 92 * 36, height: 3_600_000 });
  assert.deepEqual(windowOf(view({ rows: 3 })), { first: 0, end: 3, offset: 0, height: 108 });
  assert.deepEqual(windowOf(view({ rows: 0 })), { first: 0, end: 0, offset: 0, height: 0 });
});

test("no more than 60 rows are drawn on any usual screen", () => {
  for (const rowHeight of [28, 36, 56]) {
    for (let height = 300; height <= 1600; height += 100) {
      for (const top of [0, 5000, 1e9]) {
        const { first, end } = windowOf(view({ rowHeight, height, top }));
        assert.ok(end - first <= 60, `${rowHeight} ${height} ${top}: ${end - first}`);
      }
    }
  }
});

test("a list that is scrolled beyond its end shows its end", () => {
  assert.equal(windowOf(view({ rows: 100, top: 1e6 })).end, 100);
});

test("a list that is higher than browsers can draw reaches its first and last row", () => {
  const long = view({ rows: 5_000_000 });
  assert.equal(windowOf(long).height, highest);
  const end = windowOf({ ...long, top: highest - 720 });
  assert.equal(end.end, 5_000_000);
  assert.ok(Math.abs(end.offset + (end.end - end.first) * 36 - highest) < 1, "the last row ends where the list does");
  for (const row of [0, 17, 2_500_000, 4_999_999]) {
    const top = topFor(row, long);
    const window = windowOf({ ...long, top });
    const y = window.offset + (row - window.first) * 36;
    assert.ok(y >= top - 1 && y + 36 <= top + 721, `row ${row} is in view`);
  }
});

test("scrolling to a row moves no further than needed", () => {
  assert.equal(topFor(5, view({ top: 0 })), 0);
  assert.equal(topFor(20, view({ top: 0 })), 21 * 36 - 720);
  assert.equal(topFor(5, view({ top: 3600 })), 180);
});
