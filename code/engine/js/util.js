"use strict";
const { inspect, format } = require("quire:inspect");

const promisified = Symbol.for("nodejs.util.promisify.custom");

function promisify(fn) {
  if (typeof fn !== "function") throw new TypeError('The "original" argument must be of type function');
  if (fn[promisified]) return fn[promisified];
  return Object.assign(function (...args) {
    return new Promise((resolve, reject) => Reflect.apply(fn, this, [...args, (e, value) => (e ? reject(e) : resolve(value))]));
  }, fn);
}
promisify.custom = promisified;

const callbackify = (fn) =>
  function (...args) {
    const done = args.pop();
    Reflect.apply(fn, this, args).then(
      (value) => setImmediate(done, null, value),
      (e) => setImmediate(done, e || new Error("rejected")),
    );
  };

function inherits(child, parent) {
  Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
}

function deprecate(fn, message) {
  let said = false;
  return function (...args) {
    if (!said) globalThis.console.warn(message);
    said = true;
    return new.target ? Reflect.construct(fn, args, new.target) : Reflect.apply(fn, this, args);
  };
}

const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const is = (...names) => (value) => names.includes(tag(value));
const TypedArray = Object.getPrototypeOf(Uint8Array);
const types = {
  isPromise: (v) => v instanceof Promise,
  isRegExp: (v) => v instanceof RegExp,
  isDate: (v) => v instanceof Date,
  isMap: (v) => v instanceof Map,
  isSet: (v) => v instanceof Set,
  isWeakMap: (v) => v instanceof WeakMap,
  isWeakSet: (v) => v instanceof WeakSet,
  isNativeError: (v) => v instanceof Error,
  isTypedArray: (v) => v instanceof TypedArray,
  isUint8Array: (v) => v instanceof Uint8Array,
  isArrayBuffer: (v) => v instanceof ArrayBuffer,
  isAnyArrayBuffer: is("ArrayBuffer", "SharedArrayBuffer"),
  isSharedArrayBuffer: is("SharedArrayBuffer"),
  isArrayBufferView: ArrayBuffer.isView,
  isDataView: (v) => v instanceof DataView,
  isAsyncFunction: is("AsyncFunction"), // never true of the code, whose async functions are lowered
  isGeneratorFunction: is("GeneratorFunction", "AsyncGeneratorFunction"),
  isGeneratorObject: is("Generator", "AsyncGenerator"),
  isBoxedPrimitive: (v) => v instanceof Number || v instanceof String || v instanceof Boolean || v instanceof Symbol || v instanceof BigInt,
  isProxy: () => false,
};

function isDeepStrictEqual(a, b) {
  return equal(a, b, [], true);
}

// equal compares as assert.deepEqual (loosely) or deepStrictEqual do.
function equal(a, b, seen, strict) {
  if (strict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (tag(a) !== tag(b)) return false;
  if (seen.some(([x, y]) => x === a && y === b)) return true;
  const inner = (x, y) => equal(x, y, [...seen, [a, b]], strict);
  if (a instanceof Date || a instanceof RegExp) return String(+a) === String(+b) && String(a) === String(b);
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (a instanceof Map || a instanceof Set) {
    if (a.size !== b.size) return false;
    const rest = [...b];
    return [...a].every((x) => {
      const at = rest.findIndex((y) => inner(x, y));
      return at >= 0 && rest.splice(at, 1);
    });
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || a.length !== b.length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && inner(a[key], b[key]));
}

module.exports = {
  promisify, callbackify, inspect, format, inherits, deprecate, types, isDeepStrictEqual, equal,
  isArray: Array.isArray,
  isString: (v) => typeof v === "string",
  isFunction: (v) => typeof v === "function",
  isRegExp: types.isRegExp,
  isDate: types.isDate,
  isError: types.isNativeError,
  debuglog: () => Object.assign(() => {}, { enabled: false }),
  debug: () => Object.assign(() => {}, { enabled: false }),
  stripVTControlCharacters: (text) => text.replace(/\x1b\[[0-9;]*m/g, ""),
  toUSVString: (text) => String(text).toWellFormed?.() ?? String(text),
  get TextEncoder() {
    return globalThis.TextEncoder;
  },
  get TextDecoder() {
    return globalThis.TextDecoder;
  },
};
