// What everything here stands on: the async context, calls between Go and JavaScript, timers
// and errors. Go keeps the functions of __engine and removes that name.
"use strict";

const apply = Reflect.apply;
const go = globalThis.__native;

// native calls a function of Go. Its errors are plain ones; those of files begin with a code.
function native(...args) {
  try {
    return go(...args);
  } catch (e) {
    if (!(e instanceof TypeError)) throw e;
    const [, code] = /^(E[A-Z]+): /.exec(e.message) ?? [];
    throw Object.assign(new Error(e.message), code && { code });
  }
}

// A Frame is the async context of the code that runs: the call of Go that began it, the text
// that Go gave with it, and the stores of AsyncLocalStorage. Frames do not change. Their task,
// which all that follows from one call or timer shares, may be stopped: see interrupted.
class Frame {
  constructor(call, context, stores, task) {
    this.call = call;
    this.context = context;
    this.stores = stores;
    this.task = task;
  }
}

const root = new Frame(0, "", new Map(), { stopped: false });
let current = root;
let last = root; // of what ran last

function within(frame, fn, self, args) {
  const before = current;
  current = frame;
  try {
    return apply(fn, self, args);
  } finally {
    current = before;
  }
}

function bind(fn) {
  const frame = current;
  return function (...args) {
    return within(frame, fn, this, args);
  };
}

// Each await of the bundle is a call of then, because esbuild lowers async functions.
const callOf = Function.prototype.call.bind(Function.prototype.call);
const thenOf = Function.prototype.call.bind(Promise.prototype.then);
function then(fulfilled, rejected) {
  const frame = current;
  return thenOf(this, follow(fulfilled, frame), follow(rejected, frame));
}
function follow(fn, frame) {
  if (typeof fn !== "function") return fn;
  return (value) => {
    if (frame.task.stopped) return nothing;
    const before = current;
    current = last = frame;
    try {
      return fn(value);
    } finally {
      current = before;
    }
  };
}
const nothing = new Promise(() => {});
Object.defineProperty(Promise.prototype, "then", { value: then, writable: true, configurable: true });

// esbuild makes each async function a call of __async with a generator. This one does what
// its own does, and carries the context: the code that awaits goes on in the context that it
// had. It reads nothing that the code can replace.
const NativePromise = Promise;
const resolved = NativePromise.resolve.bind(NativePromise);
function async(self, args, generator) {
  return new NativePromise((resolve, reject) => {
    const running = args ? apply(generator, self, args) : callOf(generator, self);
    let frame;
    const take = (step) => {
      if (step.done) return resolve(step.value);
      frame = current;
      thenOf(resolved(step.value), fulfilled, failed);
    };
    const fulfilled = (value) => {
      if (frame.task.stopped) return;
      const before = current;
      current = last = frame;
      try {
        take(running.next(value));
      } catch (e) {
        reject(e);
      }
      current = before;
    };
    const failed = (reason) => {
      if (frame.task.stopped) return;
      const before = current;
      current = last = frame;
      try {
        take(running.throw(reason));
      } catch (e) {
        reject(e);
      }
      current = before;
    };
    take(running.next());
  });
}

class AsyncLocalStorage {
  getStore() {
    return current.stores.get(this);
  }
  run(store, fn, ...args) {
    return within(this.#frame(store), fn, undefined, args);
  }
  exit(fn, ...args) {
    return this.run(undefined, fn, ...args);
  }
  enterWith(store) {
    current = this.#frame(store);
  }
  disable() {
    this.enterWith(undefined);
  }
  #frame(store) {
    return new Frame(current.call, current.context, new Map(current.stores).set(this, store), current.task);
  }
  static bind(fn) {
    return bind(fn);
  }
  static snapshot() {
    const frame = current;
    return (fn, ...args) => within(frame, fn, undefined, args);
  }
}

// The context that Go sees with each host call.
const context = {
  get: () => current.context,
  run: (text, fn, ...args) => within(new Frame(current.call, String(text), current.stores, current.task), fn, undefined, args),
};

// Calls of Go that take time. Go settles each of them once.
const waiting = new Map();
let lastWait = 0;
function start(kind, name, text, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = ++lastWait;
    const at = new Error();
    native("start", id, kind, name, text, current.call, current.context);
    waiting.set(id, { resolve, reject, at, frame: current });
    signal?.addEventListener("abort", () => {
      reject(signal.reason);
      native("cancel", id);
    });
  });
}
function settle(id, ok, text) {
  const wait = waiting.get(id);
  waiting.delete(id);
  current = last = wait.frame;
  try {
    if (ok) wait.resolve(JSON.parse(text));
    else wait.reject(revive(text, wait.at));
  } catch (e) {
    wait.reject(e);
  }
  current = root;
}

function revive(text, at) {
  const { name, message, ...rest } = JSON.parse(text);
  const error = new ({ TypeError, RangeError, SyntaxError }[name] ?? Error)(message);
  if (name && name !== error.name) Object.defineProperty(error, "name", { value: name, writable: true, configurable: true });
  Object.defineProperty(error, "stack", { value: at.stack, writable: true, configurable: true });
  return Object.assign(error, rest);
}

function host(name, value) {
  const text = JSON.stringify(value);
  return start("host", String(name), text === undefined ? "null" : text);
}

// describe says of anything that was thrown what Go has to know. It never throws.
function describe(thrown) {
  try {
    if (thrown === null || (typeof thrown !== "object" && typeof thrown !== "function"))
      return { name: "Error", message: `thrown: ${typeof thrown === "string" ? thrown : String(thrown)}` };
    const out = { name: part(thrown, "name") || "Error", message: part(thrown, "message"), stack: part(thrown, "stack") };
    const code = part(thrown, "code");
    if (code) out.code = code;
    const status = property(thrown, "status") ?? property(thrown, "statusCode");
    if (typeof status === "number" && Number.isInteger(status)) out.status = status;
    const details = property(thrown, "details");
    if (details !== undefined) out.details = json(details);
    return out;
  } catch {
    return { name: "Error", message: "thrown: a value that cannot be read" };
  }
}
function property(object, key) {
  try {
    return object[key];
  } catch {
    return undefined;
  }
}
function part(object, key) {
  const value = property(object, key);
  if (value === undefined || typeof value === "function") return "";
  const text = typeof value === "string" ? value : JSON.stringify(json(value)) || "";
  return text.length > 8192 ? text.slice(0, 8192) + "…" : text;
}
function json(value) {
  try {
    const text = JSON.stringify(value);
    return text === undefined || text.length > 1048576 ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

// A call of Go: the function of __quire with this name, its result or its error.
globalThis.__quire = {};
function enter(id, text, name, argument) {
  current = last = new Frame(id, text, root.stores, { stopped: false });
  let result;
  try {
    const fn = Object.hasOwn(globalThis.__quire, name) && globalThis.__quire[name];
    if (typeof fn !== "function") throw new Error(`the code has no function ${name}`);
    result = Promise.resolve(fn(argument === "" ? undefined : JSON.parse(argument)));
  } catch (e) {
    result = Promise.reject(e);
  }
  thenOf(result, (value) => finish(id, value), (e) => fail(id, e));
  current = root;
}
function finish(id, value) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (e) {
    return fail(id, e);
  }
  native("done", id, true, text === undefined ? "null" : text);
}
function fail(id, thrown) {
  native("done", id, false, JSON.stringify(describe(thrown)));
}

// report writes what nobody catches into the log.
function report(what, thrown) {
  native("uncaught", what, JSON.stringify(describe(thrown)));
}

// Promises that were rejected and that nobody has awaited when the turn ends.
const rejected = new Map();
function reject(promise, reason, handled) {
  if (isInterrupt(reason)) stackOfInterrupt = reason.stack;
  else if (handled) rejected.delete(promise);
  else rejected.set(promise, reason);
}
function unhandled() {
  for (const reason of rejected.values()) report("rejected, and not awaited", reason);
  rejected.clear();
}

const timers = new Map();
let lastTimer = 0;
class Timeout {
  constructor(fn, ms, args, repeat) {
    if (typeof fn !== "function") throw new TypeError("The callback of a timer must be a function");
    this.ms = ms >= 1 && ms <= 2147483647 ? Math.trunc(ms) : 1;
    this.id = ++lastTimer;
    Object.defineProperty(this, "task", { value: { fn, args, repeat, frame: current } });
    this.refresh();
  }
  refresh() {
    native("timer", this.id, this.ms);
    timers.set(this.id, this);
    return this;
  }
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  hasRef() {
    return true;
  }
  close() {
    clearTimer(this);
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
}
function clearTimer(timer) {
  const id = timer instanceof Timeout ? timer.id : Number(timer);
  if (timers.delete(id)) native("clear", id);
}
function fire(id) {
  const timer = timers.get(id);
  if (!timer) return;
  const { fn, args, repeat, frame } = timer.task;
  current = last = new Frame(frame.call, frame.context, frame.stores, { stopped: false });
  try {
    if (repeat) timer.refresh();
    else timers.delete(id);
    fn(...args);
  } catch (e) {
    report("thrown by a timer", e);
  }
  current = root;
}

const settled = Promise.resolve();
function queueMicrotask(fn, ...args) {
  if (typeof fn !== "function") throw new TypeError("The callback must be a function");
  const frame = current;
  thenOf(settled, () => {
    if (frame.task.stopped) return;
    current = last = frame;
    try {
      fn(...args);
    } catch (e) {
      report("thrown by a microtask", e);
    }
    current = root;
  });
}

// interrupted stops what ran too long, and returns its call and its stack. An interrupt is an
// error that only promises catch, so what it ended may be known by a rejection alone. After it
// nothing has set the context back.
let stackOfInterrupt = "";
function interrupted() {
  const frame = current === root ? last : current;
  frame.task.stopped = true;
  const answer = JSON.stringify({ call: frame.call, stack: stackOfInterrupt });
  stackOfInterrupt = "";
  current = last = root;
  return answer;
}
const isInterrupt = (reason) => reason instanceof InternalError && reason.message === "interrupted";

globalThis.__engine = { enter, settle, fire, reject, unhandled, interrupted };
Object.assign(globalThis, { __async: async, __host: host, __context: context, queueMicrotask });
globalThis.setTimeout = (fn, ms, ...args) => new Timeout(fn, ms, args, false);
globalThis.setInterval = (fn, ms, ...args) => new Timeout(fn, ms, args, true);
globalThis.setImmediate = (fn, ...args) => new Timeout(fn, 1, args, false);
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = clearTimer;

module.exports = { native, start, bind, within, describe, AsyncLocalStorage, queueMicrotask };
