// Requests of http and https, on top of fetch. Nothing listens.
"use strict";
const { Readable, Writable } = require("stream");
const { Buffer } = require("buffer");
const EventEmitter = require("events");

class IncomingMessage extends Readable {
  constructor(response) {
    super();
    this.statusCode = response.status;
    this.statusMessage = response.statusText;
    this.httpVersion = "1.1";
    this.headers = {};
    this.rawHeaders = [];
    for (const [name, value] of response.headers) {
      this.rawHeaders.push(name, value);
      if (name === "set-cookie") (this.headers[name] ??= []).push(value);
      else this.headers[name] = value;
    }
    this.complete = true;
  }
}

class ClientRequest extends Writable {
  #parts = [];
  #abort = new AbortController();
  #headers = new Map();
  constructor(url, { headers = {}, method = "GET", auth, timeout }) {
    super();
    Object.assign(this, { url, method: method.toUpperCase(), path: url.pathname + url.search, host: url.host, protocol: url.protocol, aborted: false, socket: null });
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
    if (auth) this.setHeader("authorization", `Basic ${Buffer.from(auth).toString("base64")}`);
    if (timeout) this.setTimeout(timeout);
    process.nextTick(() => {
      this.socket = Object.assign(new EventEmitter(), { connecting: false, encrypted: url.protocol === "https:", setKeepAlive() {}, setNoDelay() {}, setTimeout() {}, ref() {}, unref() {}, destroy: () => this.destroy() });
      this.emit("socket", this.socket);
    });
  }
  setHeader(name, value) {
    this.#headers.set(name.toLowerCase(), [name, value]);
    return this;
  }
  getHeader(name) {
    return this.#headers.get(name.toLowerCase())?.[1];
  }
  removeHeader(name) {
    this.#headers.delete(name.toLowerCase());
  }
  hasHeader(name) {
    return this.#headers.has(name.toLowerCase());
  }
  getHeaders() {
    return Object.fromEntries([...this.#headers].map(([key, [, value]]) => [key, value]));
  }
  getHeaderNames() {
    return [...this.#headers.keys()];
  }
  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}
  setTimeout(ms, fn) {
    if (fn) this.once("timeout", fn);
    const timer = setTimeout(() => this.emit("timeout"), ms);
    this.once("close", () => clearTimeout(timer));
    this.once("response", () => clearTimeout(timer));
    return this;
  }
  _write(part, encoding, done) {
    this.#parts.push(part);
    done();
  }
  _final(done) {
    done();
    const headers = [...this.#headers.values()].flatMap(([name, value]) => (Array.isArray(value) ? value.map((one) => [name, String(one)]) : [[name, String(value)]]));
    const body = this.#parts.length && this.method !== "GET" && this.method !== "HEAD" ? Buffer.concat(this.#parts) : undefined;
    fetch(this.url.href, { method: this.method, headers, body, redirect: "manual", signal: this.#abort.signal }).then(
      async (response) => {
        const message = new IncomingMessage(response);
        this.emit("response", message);
        message.push(Buffer.from(await response.arrayBuffer()));
        message.push(null);
        this.emit("close");
      },
      (e) => this.destroyed || this.destroy(Object.assign(e, { code: e.code ?? "ECONNREFUSED" })),
    );
  }
  _destroy(error, done) {
    this.aborted = true;
    this.#abort.abort();
    done(error);
  }
  abort() {
    this.emit("abort");
    this.destroy(Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
  }
}

function client(protocol) {
  const address = ({ hostname, host, port, path = "/", protocol: own = protocol }) => new URL(path, `${own}//${hostname ?? host ?? "localhost"}${port ? `:${port}` : ""}`);
  const request = (first, ...rest) => {
    const done = typeof rest.at(-1) === "function" ? rest.pop() : undefined;
    const options = typeof first === "string" || first instanceof URL ? rest[0] ?? {} : first;
    const sent = new ClientRequest(options === first ? address(options) : new URL(first), options);
    if (done) sent.once("response", done);
    return sent;
  };
  const refuse = () => {
    throw new Error("the code of a site does not listen; write a route");
  };
  class Agent extends EventEmitter {
    constructor(options = {}) {
      super();
      Object.assign(this, { options, maxSockets: Infinity, sockets: {}, requests: {}, protocol });
    }
    destroy() {}
  }
  return {
    request,
    get: (...args) => request(...args).end(),
    Agent, globalAgent: new Agent(), ClientRequest, IncomingMessage,
    OutgoingMessage: Writable, ServerResponse: Writable, Server: refuse, createServer: refuse,
    METHODS: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
    STATUS_CODES: require("quire:statuses"),
    maxHeaderSize: 16384,
  };
}

module.exports = { ...client("http:"), client };
