// fetch and its classes. A body is read as a whole, and shown as a stream with one part.
"use strict";
const { start } = require("quire:core");
const { Buffer, toBytes, toLatin1, fromLatin1 } = require("buffer");

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
function check(name, value) {
  if (!token.test(name)) throw new TypeError(`Headers: "${name}" is an invalid header name.`);
  if (value !== undefined && /[\0\r\n]/.test(value)) throw new TypeError(`Headers: "${value}" is an invalid header value.`);
  return name.toLowerCase();
}

class Headers {
  #all = new Map();
  constructor(from) {
    if (from === undefined || from === null) return;
    const pairs = from instanceof Headers || typeof from[Symbol.iterator] === "function" ? from : Object.entries(from);
    for (const [name, value] of pairs) this.append(name, value);
  }
  append(name, value) {
    const key = check(String(name), String(value));
    this.#all.set(key, [...(this.#all.get(key) ?? []), String(value).trim()]);
  }
  set(name, value) {
    this.#all.set(check(String(name), String(value)), [String(value).trim()]);
  }
  delete(name) {
    this.#all.delete(check(String(name)));
  }
  get(name) {
    return this.#all.get(check(String(name)))?.join(", ") ?? null;
  }
  has(name) {
    return this.#all.has(check(String(name)));
  }
  getSetCookie() {
    return this.#all.get("set-cookie") ?? [];
  }
  forEach(fn, self) {
    for (const [name, value] of this) Reflect.apply(fn, self, [value, name, this]);
  }
  *entries() {
    for (const name of [...this.#all.keys()].sort())
      if (name === "set-cookie") for (const value of this.#all.get(name)) yield [name, value];
      else yield [name, this.get(name)];
  }
  *keys() {
    for (const [name] of this.entries()) yield name;
  }
  *values() {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get [Symbol.toStringTag]() {
    return "Headers";
  }
}

class Blob {
  constructor(parts = [], { type = "" } = {}) {
    const bytes = Buffer.concat(Array.from(parts, (part) => (part instanceof Blob ? part.bytes_ : typeof part === "string" || ArrayBuffer.isView(part) || part instanceof ArrayBuffer ? toBytes(part) : toBytes(String(part)))));
    Object.defineProperty(this, "bytes_", { value: bytes });
    this.type = String(type).toLowerCase();
  }
  get size() {
    return this.bytes_.length;
  }
  slice(from, to, type) {
    return new Blob([this.bytes_.subarray(from, to)], { type });
  }
  async text() {
    return this.bytes_.toString();
  }
  async arrayBuffer() {
    return new Uint8Array(this.bytes_).buffer;
  }
  get [Symbol.toStringTag]() {
    return "Blob";
  }
}
class File extends Blob {
  constructor(parts, name, options = {}) {
    super(parts, options);
    this.name = String(name);
    this.lastModified = options.lastModified ?? Date.now();
  }
}

class FormData {
  #all = [];
  append(name, value, file) {
    this.#all.push([String(name), value instanceof Blob ? (file === undefined && value instanceof File ? value : new File([value], file ?? "blob", { type: value.type })) : String(value)]);
  }
  set(name, value, file) {
    this.delete(name);
    this.append(name, value, file);
  }
  get(name) {
    return this.#all.find(([key]) => key === name)?.[1] ?? null;
  }
  getAll(name) {
    return this.#all.filter(([key]) => key === name).map(([, value]) => value);
  }
  has(name) {
    return this.#all.some(([key]) => key === name);
  }
  delete(name) {
    this.#all = this.#all.filter(([key]) => key !== name);
  }
  entries() {
    return this.#all.map((pair) => [...pair])[Symbol.iterator]();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  forEach(fn, self) {
    for (const [name, value] of this.#all) Reflect.apply(fn, self, [value, name, this]);
  }
  get [Symbol.toStringTag]() {
    return "FormData";
  }
}

function multipart(form) {
  const boundary = `----formdata-${require("crypto").randomUUID()}`;
  const quoted = (text) => text.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");
  const parts = [];
  for (const [name, value] of form) {
    parts.push(toBytes(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`));
    if (value instanceof Blob) parts.push(toBytes(`; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}\r\n\r\n`), value.bytes_);
    else parts.push(toBytes(`\r\n\r\n${value}`));
    parts.push(toBytes("\r\n"));
  }
  parts.push(toBytes(`--${boundary}--\r\n`));
  return [Buffer.concat(parts), `multipart/form-data; boundary=${boundary}`];
}

// bodyOf returns the bytes of a body, and the type that it has by itself.
function bodyOf(body) {
  if (body === null || body === undefined) return [null, null];
  if (typeof body === "string") return [toBytes(body), "text/plain;charset=UTF-8"];
  if (body instanceof URLSearchParams) return [toBytes(body.toString()), "application/x-www-form-urlencoded;charset=UTF-8"];
  if (body instanceof Blob) return [body.bytes_, body.type || null];
  if (body instanceof FormData) return multipart(body);
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return [toBytes(body), null];
  if (typeof body.getBuffer === "function") return [toBytes(body.getBuffer()), null]; // of the package form-data
  return [toBytes(String(body)), "text/plain;charset=UTF-8"];
}

class Body {
  #bytes;
  bodyUsed = false;
  take_(body) {
    const [bytes, type] = bodyOf(body);
    this.#bytes = bytes;
    if (type && !this.headers.has("content-type")) this.headers.set("content-type", type);
  }
  peek_() {
    return this.#bytes;
  }
  get body() {
    return this.#bytes === null ? null : { [Symbol.asyncIterator]: () => this.#parts(), getReader: () => reader(this.#parts()), cancel: async () => {} };
  }
  async *#parts() {
    yield this.#use();
  }
  #use() {
    if (this.bodyUsed) throw new TypeError("Body is unusable: Body has already been read");
    this.bodyUsed = this.#bytes !== null;
    return new Uint8Array(this.#bytes ?? []);
  }
  async text() {
    return new TextDecoder().decode(this.#use());
  }
  async json() {
    return JSON.parse(await this.text());
  }
  async arrayBuffer() {
    return this.#use().buffer;
  }
  async bytes() {
    return this.#use();
  }
  async blob() {
    return new Blob([this.#use()], { type: this.headers.get("content-type") ?? "" });
  }
  async formData() {
    const form = new FormData();
    for (const [name, value] of new URLSearchParams(await this.text())) form.append(name, value);
    return form;
  }
}
function reader(parts) {
  return { read: () => parts.next(), cancel: async () => {}, releaseLock() {}, closed: Promise.resolve() };
}

class Request extends Body {
  constructor(input, options = {}) {
    super();
    const from = input instanceof Request ? input : {};
    this.url = input instanceof Request ? input.url : new URL(input).href;
    this.method = (options.method ?? from.method ?? "GET").toUpperCase();
    this.headers = new Headers(options.headers ?? from.headers);
    this.redirect = options.redirect ?? from.redirect ?? "follow";
    this.signal = options.signal ?? from.signal ?? new AbortController().signal;
    Object.assign(this, { credentials: "same-origin", mode: "cors", cache: "default", referrer: "about:client", duplex: "half" });
    const body = options.body ?? (from.peek_ ? from.peek_() : null);
    if (body !== null && (this.method === "GET" || this.method === "HEAD")) throw new TypeError("Request with GET/HEAD method cannot have body.");
    this.take_(body);
  }
  clone() {
    return new Request(this);
  }
}

class Response extends Body {
  constructor(body = null, { status = 200, statusText = "", headers } = {}) {
    super();
    if (status < 200 || status > 599) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    Object.assign(this, { status, statusText, headers: new Headers(headers), url: "", redirected: false, type: "default", ok: status >= 200 && status < 300 });
    this.take_(body);
  }
  clone() {
    if (this.bodyUsed) throw new TypeError("Response.clone: Body has already been consumed.");
    return Object.assign(new Response(this.peek_(), this), { url: this.url, redirected: this.redirected, type: this.type });
  }
  static json(value, options = {}) {
    const response = new Response(JSON.stringify(value), options);
    if (!new Headers(options.headers).has("content-type")) response.headers.set("content-type", "application/json");
    return response;
  }
  static error() {
    return Object.assign(new Response(), { status: 0, ok: false, type: "error" });
  }
  static redirect(url, status = 302) {
    return new Response(null, { status, headers: { location: new URL(url).href } });
  }
}

async function fetch(input, options) {
  const request = new Request(input, options);
  const bytes = request.peek_();
  const answer = await start("fetch", "fetch", JSON.stringify({ url: request.url, method: request.method, redirect: request.redirect, headers: [...request.headers], body: bytes && toLatin1(bytes) }), request.signal);
  const empty = [101, 204, 205, 304].includes(answer.status);
  const response = new Response(empty ? null : fromLatin1(answer.body), { status: Math.max(answer.status, 200), statusText: answer.statusText, headers: answer.headers ?? [] });
  return Object.assign(response, { url: answer.url, redirected: answer.redirected, type: "basic" });
}

module.exports = { fetch, Headers, Request, Response, FormData, Blob, File };
