import assert from "node:assert/strict";
import { test } from "node:test";
import { losesDigits } from "../src/core/exact-json";
import { formatted, longNumbers, problemOf } from "../src/json/scan";
import { random } from "./random";

test("what is wrong with JSON is found where it is", () => {
  for (const [text, at, message] of [
    ['{"a": 1,}', 7, "json.last-comma"],
    ["[1, 2", 5, "json.end"],
    ['{"a" 1}', 5, "json.colon"],
    ['{"a": 1 "b": 2}', 8, "json.comma-object"],
    ["[1 2]", 3, "json.comma-list"],
    ["{a: 1}", 1, "json.word"],
    ["{'a': 1}", 1, "json.quotes"],
    ["[1] []", 4, "json.more"],
    ['["a]', 1, "json.string"],
    ["[01]", 1, "json.number"],
    ["// x", 0, "json.comment"],
    ['{"a": }', 4, "json.value"],
    ["[,1]", 1, "json.value"],
    ["]", 0, "json.value"],
  ] as const) {
    assert.deepEqual(problemOf(text), { at, message }, text);
  }
});

test("nothing is wrong with exactly what the browser parses", () => {
  const parts = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"\\u00e9"',
    "1",
    "-0.5e3",
    "true",
    "null",
    " ",
    "\n",
    "01",
    "tru",
    '"\n"',
    "+1",
  ];
  for (let seed = 0; seed < 20_000; seed++) {
    const r = random(seed);
    const text = r.some(1, 9, () => r.pick(parts)).join("");
    assert.equal(problemOf(text) === null, parses(text), JSON.stringify(text));
  }
});

test("formatting changes spaces alone, and does so once", () => {
  const text = '{"a":[1.10,12345678901234567890,{}],"b":{"c":[],"d":"x, y: {z}"}}';
  const lines = formatted(text);
  assert.equal(
    lines,
    '{\n  "a": [\n    1.10,\n    12345678901234567890,\n    {}\n  ],\n  "b": {\n    "c": [],\n    "d": "x, y: {z}"\n  }\n}',
  );
  assert.equal(formatted(lines), lines);
});

test("numbers that lose digits are known", () => {
  const lossy = ["12345678901234567890", "0.12345678901234567890123", "1e400", "-9007199254740993"];
  for (const each of lossy) assert.ok(losesDigits(each), each);
  for (const each of ["0", "-0.0", "1.10", "1e3", "100000000000000000000", "9007199254740992", "0.1", "1E-7"])
    assert.ok(!losesDigits(each), each);
  assert.deepEqual(
    longNumbers('{"a": 1, "b": 12345678901234567890}').map(({ from }) => from),
    [14],
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
