// What everything here stands on: the async context, calls between Go and JavaScript, timers
// and errors. Go keeps the functions of __engine and removes that name.
"use strict";

const apply = Reflect.apply;
const { __native: go, __done: done, __plain: plain } = globalThis;

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
// The context that runs, and that of what ran last.
const contexts = { current: root, last: root };

function within(frame, fn, self, args) {
  const before = contexts.current;
  contexts.current = frame;
  try {
    return apply(fn, self, args);
  } finally {
    contexts.current = before;
  }
}

function bind(fn) {
  const frame = contexts.current;
  return function (...args) {
    return within(frame, fn, this, args);
  };
}

// Promises of the code carry the context from a call of then to its functions.
const callOf = Function.prototype.call.bind(Function.prototype.call);
const thenOf = Function.prototype.call.bind(Promise.prototype.then);
function then(fulfilled, rejected) {
  const frame = contexts.current;
  return thenOf(this, follow(fulfilled, frame), follow(rejected, frame));
}
function follow(fn, frame) {
  if (typeof fn !== "function") return fn;
  return (value) => {
    if (frame.task.stopped) return nothing;
    const before = contexts.current;
    contexts.current = contexts.last = frame;
    try {
      return fn(value);
    } finally {
      contexts.current = before;
    }
  };
}
const nothing = new Promise(() => {});
Object.defineProperty(Promise.prototype, "then", { value: then, writable: true, configurable: true });

// esbuild makes each async function a call of __async with a generator. This one does what
// its own does, and carries the context: the code that awaits goes on in the context that it
// had. It reads nothing that the code can replace.
const NativePromise = Promise;
const settled = NativePromise.resolve();
// A thenable that is awaited, such as a query that runs when it is, has the context too.
function awaited(value) {
  if (value === null || typeof value !== "object" || value instanceof NativePromise || typeof value.then !== "function") return value;
  return thenOf(settled, follow(() => new NativePromise((resolve, reject) => value.then(resolve, reject)), contexts.current));
}
// It awaits by the await of QuickJS, which costs half as much as a call of then. esbuild does
// not lower what is in a text.
const isInterrupt = (reason) => reason instanceof InternalError && reason.message === "interrupted";
const drive = (0, eval)(`(contexts, awaited, isInterrupt, Stopped = Promise) => async (running) => {
  let step = running.next(), value = awaited(step.value), frame = contexts.current;
  while (!step.done) {
    let failed = false;
    try { value = await value; } catch (e) { failed = true; value = e; }
    if (frame.task.stopped) {
      if (failed && isInterrupt(value)) throw value; // up to the call, which learns the stack
      await new Stopped(() => {});
    }
    const before = contexts.current;
    contexts.current = contexts.last = frame;
    try {
      step = failed ? running.throw(value) : running.next(value);
      value = awaited(step.value);
      frame = contexts.current;
    } finally {
      contexts.current = before;
    }
  }
  return value;
}`)(contexts, awaited, isInterrupt);
const async = (self, args, generator) => drive(args ? apply(generator, self, args) : callOf(generator, self));

class AsyncLocalStorage {
  getStore() {
    return contexts.current.stores.get(this);
  }
  run(store, fn, ...args) {
    return within(this.#frame(store), fn, undefined, args);
  }
  exit(fn, ...args) {
    return this.run(undefined, fn, ...args);
  }
  enterWith(store) {
    contexts.current = this.#frame(store);
  }
  disable() {
    this.enterWith(undefined);
  }
  #frame(store) {
    return new Frame(contexts.current.call, contexts.current.context, new Map(contexts.current.stores).set(this, store), contexts.current.task);
  }
  static bind(fn) {
    return bind(fn);
  }
  static snapshot() {
    const frame = contexts.current;
    return (fn, ...args) => within(frame, fn, undefined, args);
  }
}

// The context that Go sees with each host call.
const context = {
  get: () => contexts.current.context,
  run: (text, fn, ...args) => within(new Frame(contexts.current.call, String(text), contexts.current.stores, contexts.current.task), fn, undefined, args),
};

// Calls of Go that take time. Go settles each of them once.
const waiting = new Map();
let lastWait = 0;
function start(kind, name, text, signal, convert) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const id = ++lastWait;
    const at = new Error();
    native("start", id, kind, name, text, contexts.current.call, contexts.current.context);
    waiting.set(id, { resolve, reject, at, frame: contexts.current, convert });
    signal?.addEventListener("abort", () => {
      reject(signal.reason);
      native("cancel", id);
    });
  });
}
function settle(id, ok, text) {
  const wait = waiting.get(id);
  waiting.delete(id);
  contexts.current = contexts.last = wait.frame;
  try {
    if (ok) wait.resolve(JSON.parse(text));
    else wait.reject(revive(text, wait.at, wait.convert));
  } catch (e) {
    wait.reject(e instanceof SyntaxError ? new Error("the host's result is not JSON") : e);
  }
  contexts.current = root;
}

function revive(text, at, convert) {
  const { name, message, ...rest } = JSON.parse(text);
  const error = new ({ TypeError, RangeError, SyntaxError }[name] ?? Error)(message);
  if (name && name !== error.name) Object.defineProperty(error, "name", { value: name, writable: true, configurable: true });
  Object.defineProperty(error, "stack", { value: at.stack, writable: true, configurable: true });
  Object.assign(error, rest);
  return convert ? convert(error) : error;
}

// host calls the host. If convert is given, it makes of an error what is thrown.
function host(name, value, convert) {
  return start("host", String(name), plain(value) ?? JSON.stringify(value) ?? "null", undefined, convert);
}

// hostNow calls the host and waits for it.
function hostNow(name, value) {
  const { error, value: result } = JSON.parse(native("now", String(name), JSON.stringify(value), contexts.current.context));
  if (error) throw revive(JSON.stringify(error), new Error());
  return result;
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
  contexts.current = contexts.last = new Frame(id, text, root.stores, { stopped: false });
  let result;
  try {
    const fn = Object.hasOwn(globalThis.__quire, name) && globalThis.__quire[name];
    if (typeof fn !== "function") throw new Error(`the code has no function ${name}`);
    result = Promise.resolve(fn(argument === "" ? undefined : JSON.parse(argument)));
  } catch (e) {
    result = Promise.reject(e);
  }
  thenOf(result, (value) => finish(id, value), (e) => fail(id, e));
  contexts.current = root;
}
// finish ends a call. A promise in its result, which the code forgot to await, is awaited.
function finish(id, value) {
  if (done(id, value)) return;
  try {
    const found = promisesIn(value, 4, []);
    if (found.length === 0) return write(id, value);
    const all = NativePromise.all(found.map(({ promise }) => promise));
    thenOf(all, (values) => {
      found.forEach(({ object, key }, i) => { object[key] = values[i]; });
      write(id, value);
    }, (e) => fail(id, e));
  } catch (e) {
    fail(id, e);
  }
}
function write(id, value) {
  let text;
  try {
    text = JSON.stringify(value);
  } catch (e) {
    return fail(id, e);
  }
  native("done", id, true, text === undefined ? "null" : text);
}
function promisesIn(value, depth, found) {
  if (value === null || typeof value !== "object" || value instanceof Uint8Array) return found;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner === null || typeof inner !== "object") continue;
    if (typeof inner.then === "function") found.push({ object: value, key, promise: inner });
    else if (depth > 1) promisesIn(inner, depth - 1, found);
  }
  return found;
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
    Object.defineProperty(this, "task", { value: { fn, args, repeat, frame: contexts.current } });
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
  contexts.current = contexts.last = new Frame(frame.call, frame.context, frame.stores, { stopped: false });
  try {
    if (repeat) timer.refresh();
    else timers.delete(id);
    fn(...args);
  } catch (e) {
    report("thrown by a timer", e);
  }
  contexts.current = root;
}

function queueMicrotask(fn, ...args) {
  if (typeof fn !== "function") throw new TypeError("The callback must be a function");
  const frame = contexts.current;
  thenOf(settled, () => {
    if (frame.task.stopped) return;
    contexts.current = contexts.last = frame;
    try {
      fn(...args);
    } catch (e) {
      report("thrown by a microtask", e);
    }
    contexts.current = root;
  });
}

// interrupted stops what ran too long, and returns its call and its stack. An interrupt is an
// error that only promises catch, so what it ended may be known by a rejection alone. After it
// nothing has set the context back.
let stackOfInterrupt = "";
function interrupted() {
  const frame = contexts.current === root ? contexts.last : contexts.current;
  frame.task.stopped = true;
  const answer = JSON.stringify({ call: frame.call, stack: stackOfInterrupt });
  stackOfInterrupt = "";
  contexts.current = contexts.last = root;
  return answer;
}

globalThis.__engine = { enter, settle, fire, reject, unhandled, interrupted };
const asyncGenerators = (0, eval)("Object.getPrototypeOf(async function* () {})");
Object.assign(globalThis, { __asyncGenerators: asyncGenerators, __async: async, __host: host, __hostNow: hostNow, __context: context, queueMicrotask });
globalThis.setTimeout = (fn, ms, ...args) => new Timeout(fn, ms, args, false);
globalThis.setInterval = (fn, ms, ...args) => new Timeout(fn, ms, args, true);
globalThis.setImmediate = (fn, ...args) => new Timeout(fn, 1, args, false);
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = clearTimer;

module.exports = { native, start, bind, within, describe, AsyncLocalStorage, queueMicrotask };
