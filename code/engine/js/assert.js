"use strict";
const { inspect, isDeepStrictEqual, equal } = require("util");

class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    Object.assign(this, { name: "AssertionError", code: "ERR_ASSERTION", generatedMessage: message === undefined, actual, expected, operator });
  }
}

function check(ok, message, actual, expected, operator) {
  if (ok) return;
  throw message instanceof Error ? message : new AssertionError({ message, actual, expected, operator });
}

function fits(e, expected) {
  if (expected === undefined || typeof expected === "string") return true;
  if (expected instanceof RegExp) return expected.test(String(e));
  if (typeof expected !== "function") return Object.keys(expected).every((key) => (expected[key] instanceof RegExp ? expected[key].test(e[key]) : isDeepStrictEqual(e[key], expected[key])));
  return expected.prototype !== undefined && e instanceof expected ? true : expected === Error || Error.isPrototypeOf(expected) ? false : expected(e) === true;
}

const assert = (value, message) => check(value, message, value, true, "==");
Object.assign(assert, {
  AssertionError,
  ok: assert,
  equal: (a, b, message) => check(a == b || (a !== a && b !== b), message, a, b, "=="),
  notEqual: (a, b, message) => check(a != b, message, a, b, "!="),
  strictEqual: (a, b, message) => check(Object.is(a, b), message, a, b, "strictEqual"),
  notStrictEqual: (a, b, message) => check(!Object.is(a, b), message, a, b, "notStrictEqual"),
  deepEqual: (a, b, message) => check(equal(a, b, [], false), message, a, b, "deepEqual"),
  notDeepEqual: (a, b, message) => check(!equal(a, b, [], false), message, a, b, "notDeepEqual"),
  deepStrictEqual: (a, b, message) => check(isDeepStrictEqual(a, b), message, a, b, "deepStrictEqual"),
  notDeepStrictEqual: (a, b, message) => check(!isDeepStrictEqual(a, b), message, a, b, "notDeepStrictEqual"),
  match: (text, pattern, message) => check(pattern.test(text), message, text, pattern, "match"),
  doesNotMatch: (text, pattern, message) => check(!pattern.test(text), message, text, pattern, "doesNotMatch"),
  fail: (message = "Failed") => check(false, message),
  ifError: (value) => check(value === null || value === undefined, value instanceof Error ? value : `ifError got unwanted exception: ${inspect(value)}`),
  throws(fn, expected, message) {
    try {
      fn();
    } catch (e) {
      return check(fits(e, expected), message ?? e, e, expected, "throws");
    }
    check(false, message ?? "Missing expected exception.");
  },
  async rejects(promise, expected, message) {
    try {
      await (typeof promise === "function" ? promise() : promise);
    } catch (e) {
      return check(fits(e, expected), message ?? e, e, expected, "rejects");
    }
    check(false, message ?? "Missing expected rejection.");
  },
  doesNotThrow: (fn) => void fn(),
  doesNotReject: async (promise) => void (await (typeof promise === "function" ? promise() : promise)),
});
assert.strict = Object.assign((value, message) => assert(value, message), assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
module.exports = assert;
