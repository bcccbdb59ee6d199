"use strict";

function of(emitter, name) {
  emitter._events ??= Object.create(null);
  return (emitter._events[name] ??= []);
}

class EventEmitter {
  addListener(name, fn) {
    check(fn);
    if (name !== "newListener" && this._events?.newListener?.length) this.emit("newListener", name, fn);
    of(this, name).push({ fn });
    return this;
  }
  prependListener(name, fn) {
    check(fn);
    of(this, name).unshift({ fn });
    return this;
  }
  once(name, fn) {
    check(fn);
    of(this, name).push({ fn, once: true });
    return this;
  }
  prependOnceListener(name, fn) {
    check(fn);
    of(this, name).unshift({ fn, once: true });
    return this;
  }
  removeListener(name, fn) {
    const all = of(this, name);
    const at = all.findLastIndex((one) => one.fn === fn);
    if (at >= 0) this._events[name] = all.toSpliced(at, 1);
    return this;
  }
  removeAllListeners(name) {
    if (name === undefined) this._events = Object.create(null);
    else if (this._events) delete this._events[name];
    return this;
  }
  emit(name, ...args) {
    const all = [...of(this, name)];
    if (all.length === 0) {
      if (name !== "error") return false;
      throw args[0] instanceof Error ? args[0] : Object.assign(new Error(`Unhandled error. (${String(args[0])})`), { code: "ERR_UNHANDLED_ERROR" });
    }
    for (const one of all) {
      if (one.once) this._events[name] = of(this, name).filter((other) => other !== one);
      Reflect.apply(one.fn, this, args);
    }
    return true;
  }
  listeners(name) {
    return of(this, name).map(({ fn }) => fn);
  }
  rawListeners(name) {
    return this.listeners(name);
  }
  listenerCount(name) {
    return of(this, name).length;
  }
  eventNames() {
    return Reflect.ownKeys(this._events ?? {}).filter((name) => this._events[name].length);
  }
  setMaxListeners() {
    return this;
  }
  getMaxListeners() {
    return 10;
  }
}

function check(fn) {
  if (typeof fn !== "function") throw Object.assign(new TypeError('The "listener" argument must be of type function'), { code: "ERR_INVALID_ARG_TYPE" });
}

function once(emitter, name) {
  return new Promise((resolve, reject) => {
    const fail = (e) => (emitter.removeListener(name, done), reject(e));
    const done = (...args) => (emitter.removeListener("error", fail), resolve(args));
    emitter.once(name, done);
    if (name !== "error") emitter.once("error", fail);
  });
}

// As in Node, one function has two names: packages set one to what they make of the other.
for (const [name, same] of [["on", "addListener"], ["off", "removeListener"]])
  Object.defineProperty(EventEmitter.prototype, name, { value: EventEmitter.prototype[same], writable: true, configurable: true });

// A function, because packages inherit from it with util.inherits and call it.
function Emitter() {}
Emitter.prototype = EventEmitter.prototype;
Object.defineProperty(EventEmitter.prototype, "constructor", { value: Emitter, writable: true, configurable: true });
module.exports = Object.assign(Emitter, { EventEmitter: Emitter, once, defaultMaxListeners: 10, listenerCount: (emitter, name) => emitter.listenerCount(name), setMaxListeners() {} });
