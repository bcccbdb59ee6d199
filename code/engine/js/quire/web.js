// Events, aborting and copies, as in browsers.
"use strict";
const { inspect } = require("quire:inspect");

const codes = { IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12, InvalidCharacterError: 5, NetworkError: 19, AbortError: 20, TimeoutError: 23, DataCloneError: 25, InvalidAccessError: 15 };
class DOMException extends Error {
  constructor(message = "", name = "Error") {
    super(message);
    Object.defineProperty(this, "name", { value: name, configurable: true });
    Object.defineProperty(this, "code", { value: codes[name] ?? 0, configurable: true });
  }
}

class Event {
  constructor(type, { cancelable = false, bubbles = false } = {}) {
    Object.assign(this, { type, cancelable, bubbles, target: null, currentTarget: null, defaultPrevented: false, timeStamp: performance.now() });
  }
  preventDefault() {
    this.defaultPrevented = this.cancelable;
  }
  stopPropagation() {}
  stopImmediatePropagation() {
    this.stopped = true;
  }
}
class CustomEvent extends Event {
  constructor(type, options = {}) {
    super(type, options);
    this.detail = options.detail ?? null;
  }
}

class EventTarget {
  #listeners = [];
  addEventListener(type, fn, options) {
    if (!fn || this.#listeners.some((one) => one.type === type && one.fn === fn)) return;
    this.#listeners.push({ type, fn, once: options?.once });
    options?.signal?.addEventListener("abort", () => this.removeEventListener(type, fn));
  }
  removeEventListener(type, fn) {
    this.#listeners = this.#listeners.filter((one) => one.type !== type || one.fn !== fn);
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    const own = this[`on${event.type}`];
    const all = this.#listeners.filter((one) => one.type === event.type);
    for (const { type, fn, once } of typeof own === "function" ? [{ fn: own }, ...all] : all) {
      if (once) this.removeEventListener(type, fn);
      if (typeof fn === "function") Reflect.apply(fn, this, [event]);
      else fn.handleEvent(event);
      if (event.stopped) break;
    }
    return !event.defaultPrevented;
  }
}

class AbortSignal extends EventTarget {
  aborted = false;
  reason = undefined;
  onabort = null;
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
  static abort(reason) {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }
  static timeout(ms) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")), ms);
    return controller.signal;
  }
  static any(signals) {
    const controller = new AbortController();
    for (const signal of signals) {
      if (signal.aborted) controller.abort(signal.reason);
      else signal.addEventListener("abort", () => controller.abort(signal.reason));
    }
    return controller.signal;
  }
}
class AbortController {
  signal = new AbortSignal();
  abort(reason = new DOMException("This operation was aborted", "AbortError")) {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.reason = reason;
    this.signal.dispatchEvent(new Event("abort"));
  }
}

function structuredClone(value, { transfer } = {}) {
  void transfer;
  return clone(value, new Map());
}

function clone(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") throw new DOMException(`${String(value)} could not be cloned.`, "DataCloneError");
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => (seen.set(value, copy), copy);
  if (value instanceof Date) return keep(new Date(+value));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return keep(Object(value.valueOf()));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const Kind = value instanceof Uint8Array ? Uint8Array : value.constructor;
    const bytes = value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength);
    return keep(new Kind(bytes));
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [k, v] of value) copy.set(clone(k, seen), clone(v, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const v of value) copy.add(clone(v, seen));
    return copy;
  }
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) throw new DOMException(`${inspect(value)} could not be cloned.`, "DataCloneError");
  if (value instanceof Error) {
    const Kind = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[value.name] ?? Error;
    const copy = keep(new Kind(value.message));
    Object.defineProperty(copy, "stack", { value: value.stack, writable: true, configurable: true });
    if ("cause" in value) copy.cause = clone(value.cause, seen);
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
  return copy;
}

// A ReadableStream has one reader, and holds what it is given until that is read.
class ReadableStream {
  #parts = [];
  #source;
  #ended = false;
  #error;
  #wake = () => {};
  #started;
  locked = false;
  constructor(source = {}) {
    this.#source = source;
    const controller = {
      desiredSize: 1,
      enqueue: (part) => (this.#parts.push(part), this.#wake()),
      close: () => ((this.#ended = true), this.#wake()),
      error: (error) => ((this.#error = { error }), this.#wake()),
    };
    this.#started = (async () => source.start?.(controller))().catch(controller.error);
    this.#pull = async () => source.pull?.(controller);
  }
  #pull;
  async #read() {
    await this.#started;
    for (;;) {
      if (this.#parts.length > 0) return { value: this.#parts.shift(), done: false };
      if (this.#error) throw this.#error.error;
      if (this.#ended) return { value: undefined, done: true };
      const more = new Promise((resolve) => (this.#wake = resolve));
      if (this.#source.pull) await this.#pull();
      if (this.#parts.length === 0 && !this.#ended && !this.#error) await more;
    }
  }
  async cancel(reason) {
    this.#ended = true;
    this.#parts = [];
    await this.#source.cancel?.(reason);
  }
  getReader() {
    if (this.locked) throw new TypeError("Invalid state: ReadableStream is locked");
    this.locked = true;
    return { read: () => this.#read(), cancel: (reason) => this.cancel(reason), releaseLock: () => void (this.locked = false) };
  }
  async *[Symbol.asyncIterator]() {
    const reader = this.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  }
  static from(all) {
    const parts = all[Symbol.asyncIterator]?.() ?? all[Symbol.iterator]();
    return new ReadableStream({
      async pull(controller) {
        const { value, done } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    });
  }
}

module.exports = { ReadableStream, DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController, structuredClone };
