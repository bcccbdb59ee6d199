// Streams, as far as packages need them: each part is passed on at once, nothing is held back.
"use strict";
const EventEmitter = require("events");
const { Buffer } = require("buffer");
const { StringDecoder } = require("string_decoder");

function Stream() {}
require("util").inherits(Stream, EventEmitter);
Stream.prototype.pipe = function (to, { end = true } = {}) {
  this.on("data", (part) => to.write(part));
  if (end) this.on("end", () => to.end());
  to.emit("pipe", this);
  return to;
};

const given = (self, options, names) => {
  for (const name of names) if (typeof options?.[name] === "function") self[`_${name}`] = options[name];
};

class Readable extends Stream {
  constructor(options = {}) {
    super();
    given(this, options, ["read", "destroy"]);
    this.readable = true;
    this.readableObjectMode = options.objectMode ?? options.readableObjectMode ?? false;
    this.readableEnded = this.destroyed = false;
    this.readableFlowing = null;
    this._parts = [];
    if (options.encoding) this.setEncoding(options.encoding);
  }
  setEncoding(encoding) {
    this._decoder = new StringDecoder(encoding);
    return this;
  }
  _read() {}
  push(part, encoding) {
    if (part === null) this._parts.push(null);
    else if (this.readableObjectMode) this._parts.push(part);
    else {
      const bytes = typeof part === "string" ? Buffer.from(part, encoding) : part;
      this._parts.push(this._decoder ? this._decoder.write(bytes) : bytes);
    }
    if (this.readableFlowing) process.nextTick(() => this._flow());
    else process.nextTick(() => this.emit("readable"));
    return true;
  }
  _flow() {
    while (this.readableFlowing && this._parts.length && !this.destroyed) {
      const part = this._parts.shift();
      if (part === null) return this._finish();
      if (part.length !== 0) this.emit("data", part);
      if (!this._parts.length) this._read(16384);
    }
  }
  _finish() {
    if (this.readableEnded) return;
    const rest = this._decoder?.end();
    if (rest) this.emit("data", rest);
    this.readableEnded = true;
    this.readable = false;
    this.emit("end");
    this.emit("close");
  }
  read() {
    if (!this._parts.length) this._read(16384);
    const part = this._parts.shift();
    if (part === null) process.nextTick(() => this._finish());
    return part ?? null;
  }
  addListener(name, fn) {
    super.addListener(name, fn);
    if (name === "data" && this.readableFlowing === null) this.resume();
    return this;
  }
  on(name, fn) {
    return Readable.prototype.addListener.call(this, name, fn);
  }
  resume() {
    this.readableFlowing = true;
    process.nextTick(() => {
      if (!this._parts.length) this._read(16384);
      this._flow();
    });
    return this;
  }
  pause() {
    this.readableFlowing = false;
    return this;
  }
  isPaused() {
    return this.readableFlowing === false;
  }
  unpipe() {
    return this.pause();
  }
  unshift(part) {
    this._parts.unshift(part);
  }
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.readable = this.writable = false;
    const done = (e) => process.nextTick(() => {
      if (e) this.emit("error", e);
      this.emit("close");
    });
    if (this._destroy) this._destroy(error ?? null, done);
    else done(error);
    return this;
  }
  async *[Symbol.asyncIterator]() {
    const parts = [];
    let wake = () => {};
    let ended = false;
    let error = null;
    this.on("data", (part) => (parts.push(part), wake()));
    this.on("end", () => ((ended = true), wake()));
    this.on("error", (e) => ((error = e), wake()));
    for (;;) {
      while (parts.length) yield parts.shift();
      if (error) throw error;
      if (ended) return;
      await new Promise((resolve) => (wake = resolve));
    }
  }
  static fromWeb(stream, options) {
    return Readable.from(stream, options);
  }
  static from(all, options) {
    const stream = new Readable({ objectMode: true, ...options, read() {} });
    (async () => {
      for await (const part of typeof all === "string" || Buffer.isBuffer(all) ? [all] : all) stream.push(part);
      stream.push(null);
    })().catch((e) => stream.destroy(e));
    return stream;
  }
}

// What Writable and Duplex have in common.
const writing = {
  _begin(options = {}) {
    given(this, options, ["write", "writev", "final", "destroy", "transform", "flush"]);
    this.writable = true;
    this.writableEnded = this.writableFinished = false;
    this.writableObjectMode = options.objectMode ?? options.writableObjectMode ?? false;
    this._queue = [];
    this._busy = false;
  },
  write(part, encoding, done) {
    if (typeof encoding === "function") [encoding, done] = [undefined, encoding];
    if (this.writableEnded) {
      this.destroy(Object.assign(new Error("write after end"), { code: "ERR_STREAM_WRITE_AFTER_END" }));
      return false;
    }
    const bytes = typeof part === "string" && !this.writableObjectMode ? Buffer.from(part, encoding) : part;
    this._queue.push({ part: bytes, encoding: encoding ?? "buffer", done });
    this._next();
    return true;
  },
  _next() {
    if (this._busy || this.destroyed) return;
    const one = this._queue.shift();
    if (!one) return this.writableEnded && this._last();
    this._busy = true;
    this._write(one.part, one.encoding, (e) => {
      this._busy = false;
      one.done?.(e ?? null);
      if (e) return this.destroy(e);
      if (!this._queue.length && !this.writableEnded) process.nextTick(() => this.emit("drain"));
      this._next();
    });
  },
  _last() {
    if (this.writableFinished) return;
    this.writableFinished = true;
    const done = (e) => (e ? this.destroy(e) : process.nextTick(() => (this.emit("finish"), this._parts || this.emit("close"))));
    if (this._final) this._final(done);
    else done();
  },
  end(part, encoding, done) {
    if (typeof part === "function") [part, done] = [undefined, part];
    if (typeof encoding === "function") done = encoding;
    if (part !== undefined && part !== null) this.write(part, encoding);
    if (done) this.once("finish", done);
    this.writableEnded = true;
    this.writable = false;
    this._next();
    return this;
  },
  cork() {},
  uncork() {},
  setDefaultEncoding() {
    return this;
  },
};

const mix = (Kind) => {
  for (const [name, value] of Object.entries(writing)) Object.defineProperty(Kind.prototype, name, { value, writable: true, configurable: true });
};

class Writable extends Stream {
  constructor(options) {
    super();
    this.destroyed = false;
    this._begin(options);
  }
  _write(part, encoding, done) {
    done();
  }
}
Writable.prototype.destroy = Readable.prototype.destroy;
mix(Writable);

class Duplex extends Readable {
  constructor(options) {
    super(options);
    this._begin(options);
  }
  _write(part, encoding, done) {
    done();
  }
}
mix(Duplex);

class Transform extends Duplex {
  _transform(part, encoding, done) {
    done(null, part);
  }
  _write(part, encoding, done) {
    this._transform(part, encoding, (e, out) => {
      if (out !== undefined && out !== null) this.push(out);
      done(e);
    });
  }
  _final(done) {
    const end = (e, out) => {
      if (out !== undefined && out !== null) this.push(out);
      if (!e) this.push(null);
      done(e);
    };
    if (this._flush) this._flush(end);
    else end();
  }
}
class PassThrough extends Transform {}

function finished(stream, options, done = options) {
  let over = false;
  const end = (e) => {
    if (over) return;
    over = true;
    done(e);
  };
  stream.on("error", end);
  stream.on(typeof stream.write === "function" ? "finish" : "end", () => end());
  return () => (over = true);
}
function pipeline(...streams) {
  const done = typeof streams.at(-1) === "function" ? streams.pop() : () => {};
  const all = streams.flat();
  let over = false;
  const end = (e) => {
    if (over) return;
    over = true;
    if (e) for (const one of all) one.destroy?.();
    done(e);
  };
  for (const one of all) one.on("error", end);
  finished(all.at(-1), end);
  return all.reduce((from, to) => from.pipe(to));
}

// Functions, because packages inherit from them with util.inherits and call them.
const callable = (Kind) => new Proxy(Kind, {
  apply(_, self, args) {
    const made = Reflect.construct(Kind, args, self?.constructor ?? Kind);
    return self ? Object.assign(self, made) : made;
  },
});
Object.assign(Stream, { Stream, Readable: callable(Readable), Writable: callable(Writable), Duplex: callable(Duplex), Transform: callable(Transform), PassThrough: callable(PassThrough), finished, pipeline, getDefaultHighWaterMark: () => 16384 });
Stream.promises = {
  finished: (stream) => new Promise((resolve, reject) => finished(stream, (e) => (e ? reject(e) : resolve()))),
  pipeline: (...streams) => new Promise((resolve, reject) => pipeline(...streams, (e) => (e ? reject(e) : resolve()))),
};
module.exports = Stream;
