"use strict";
const { inspect } = require("quire:inspect");

const encodings = { utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1", binary: "latin1", ascii: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le" };
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Map([...digits].map((c, i) => [c.charCodeAt(0), i]));
values.set(45, 62).set(95, 63); // of base64url

function encodingOf(name = "utf8") {
  const known = encodings[String(name || "utf8").toLowerCase()];
  if (!known) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: "ERR_UNKNOWN_ENCODING" });
  return known;
}

// bytesOf is the bytes of a text, textOf the text of bytes. Latin 1 is what Go gets and gives.
function bytesOf(text, encoding) {
  switch (encodingOf(encoding)) {
    case "utf8":
      return utf8(text);
    case "latin1":
      return Uint8Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    case "utf16le":
      return Uint8Array.from({ length: text.length * 2 }, (_, i) => text.charCodeAt(i >> 1) >> (i & 1 ? 8 : 0));
    case "hex": {
      const length = /^[0-9a-fA-F]*/.exec(text)[0].length >> 1;
      return Uint8Array.from({ length }, (_, i) => parseInt(text.slice(2 * i, 2 * i + 2), 16));
    }
  }
  return base64(text);
}

function utf8(text) {
  const out = new Uint8Array(text.length * 3);
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    let c = text.charCodeAt(i);
    if (c < 0x80) {
      out[n++] = c;
      continue;
    }
    if (c >= 0xd800 && c < 0xe000) {
      c = text.codePointAt(i);
      if (c > 0xffff) i++;
      else c = 0xfffd;
    }
    if (c >= 0x10000) out[n++] = 0xf0 | (c >> 18);
    if (c >= 0x800) out[n++] = c >= 0x10000 ? 0x80 | ((c >> 12) & 63) : 0xe0 | (c >> 12);
    out[n++] = c >= 0x800 ? 0x80 | ((c >> 6) & 63) : 0xc0 | (c >> 6);
    out[n++] = 0x80 | (c & 63);
  }
  return out.slice(0, n);
}

function base64(text) {
  const out = new Uint8Array(Math.ceil((text.length * 3) / 4));
  let n = 0;
  let bits = 0;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = values.get(text.charCodeAt(i));
    if (digit === undefined) {
      if (text[i] === "=") break;
      continue;
    }
    value = ((value << 6) | digit) & 0xffffff;
    bits += 6;
    if (bits >= 8) out[n++] = (value >> (bits -= 8)) & 255;
  }
  return out.slice(0, n);
}

function latin1(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 4096) parts.push(String.fromCharCode.apply(null, bytes.subarray(i, i + 4096)));
  return parts.join("");
}

function textOf(bytes, encoding) {
  switch (encodingOf(encoding)) {
    case "utf8":
      return decode(bytes, false);
    case "latin1":
      return encoding === "ascii" ? latin1(bytes.map((b) => b & 127)) : latin1(bytes);
    case "hex":
      return Array.from(bytes, (b) => (b < 16 ? "0" : "") + b.toString(16)).join("");
    case "utf16le": {
      let text = "";
      for (let i = 0; i + 1 < bytes.length; i += 2) text += String.fromCharCode(bytes[i] | (bytes[i + 1] << 8));
      return text;
    }
    case "base64url":
      return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }
  return toBase64(bytes);
}

function toBase64(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const value = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    parts.push(digits[value >> 18] + digits[(value >> 12) & 63] + (i + 1 < bytes.length ? digits[(value >> 6) & 63] : "=") + (i + 2 < bytes.length ? digits[value & 63] : "="));
  }
  return parts.join("");
}

// decode reads UTF-8. What is not becomes U+FFFD, or an error if fatal.
function decode(bytes, fatal) {
  if (bytes.every((b) => b < 0x80)) return latin1(bytes);
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i++];
    let more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : -1;
    let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
    let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
    let c = more > 0 ? first & (0x3f >> more) : first;
    for (; more > 0 && bytes[i] >= low && bytes[i] <= high; more--, low = 0x80, high = 0xbf) c = (c << 6) | (bytes[i++] & 63);
    if (more === 0) text += String.fromCodePoint(c);
    else if (fatal) throw Object.assign(new TypeError("The encoded data was not valid for encoding utf-8"), { code: "ERR_ENCODING_INVALID_ENCODED_DATA" });
    else text += "\ufffd";
  }
  return text;
}

class Buffer extends Uint8Array {
  static from(value, encoding, length) {
    if (typeof value === "string") return wrap(bytesOf(value, encoding));
    if (value instanceof ArrayBuffer) return new Buffer(value, encoding, length);
    if (value?.type === "Buffer" && Array.isArray(value.data)) return wrap(Uint8Array.from(value.data));
    if (value && typeof value === "object" && typeof value.length === "number") return wrap(Uint8Array.from(value));
    if (value && typeof value === "object" && typeof value.valueOf() === "string") return wrap(bytesOf(value.valueOf(), encoding));
    throw Object.assign(new TypeError(`The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array. Received ${inspect(value)}`), { code: "ERR_INVALID_ARG_TYPE" });
  }
  static alloc(size, fill, encoding) {
    const buffer = new Buffer(size);
    return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
  }
  static allocUnsafe(size) {
    return new Buffer(size);
  }
  static allocUnsafeSlow(size) {
    return new Buffer(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return typeof name === "string" && name.toLowerCase() in encodings;
  }
  static byteLength(value, encoding) {
    return typeof value === "string" ? bytesOf(value, encoding).length : value.byteLength;
  }
  static concat(list, length = list.reduce((n, one) => n + one.length, 0)) {
    const out = Buffer.alloc(length);
    let at = 0;
    for (const one of list) {
      if (at >= length) break;
      out.set(one.subarray(0, length - at), at);
      at += one.length;
    }
    return out;
  }
  static compare(a, b) {
    const shorter = Math.min(a.length, b.length);
    for (let i = 0; i < shorter; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  toString(encoding, from = 0, to = this.length) {
    return textOf(this.subarray(Math.max(0, from), Math.max(0, to)), encoding);
  }
  toLocaleString(encoding) {
    return this.toString(encoding);
  }
  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  }
  swap16() {
    if (this.length % 2) throw Object.assign(new RangeError("Buffer size must be a multiple of 16-bits"), { code: "ERR_INVALID_BUFFER_SIZE" });
    for (let i = 0; i < this.length; i += 2) [this[i], this[i + 1]] = [this[i + 1], this[i]];
    return this;
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other) {
    return Buffer.compare(this, other);
  }
  slice(from, to) {
    return this.subarray(from, to);
  }
  write(text, at = 0, length = this.length - at, encoding = "utf8") {
    if (typeof at === "string") [at, length, encoding] = [0, this.length, at];
    if (typeof length === "string") [length, encoding] = [this.length - at, length];
    const bytes = bytesOf(text, encoding).subarray(0, Math.min(length, this.length - at));
    this.set(bytes, at);
    return bytes.length;
  }
  copy(target, at = 0, from = 0, to = this.length) {
    const bytes = this.subarray(from, Math.min(to, from + target.length - at));
    target.set(bytes, at);
    return bytes.length;
  }
  fill(value, from = 0, to = this.length, encoding) {
    if (typeof value === "number") return super.fill(value, from, to);
    const bytes = typeof value === "string" ? bytesOf(value, typeof from === "string" ? from : encoding) : value;
    for (let i = typeof from === "string" ? 0 : from; bytes.length && i < to; i++) this[i] = bytes[i % bytes.length];
    return this;
  }
  indexOf(value, from = 0, encoding) {
    if (typeof value === "number") return super.indexOf(value & 255, from);
    const bytes = typeof value === "string" ? bytesOf(value, encoding) : value;
    for (let i = from; i + bytes.length <= this.length; i++) if (bytes.every((b, j) => this[i + j] === b)) return i;
    return -1;
  }
  includes(value, from, encoding) {
    return this.indexOf(value, from, encoding) >= 0;
  }
  [inspect.custom]() {
    return `<Buffer${Array.from(this.subarray(0, 50), (b) => (b < 16 ? " 0" : " ") + b.toString(16)).join("")}${this.length > 50 ? ` ... ${this.length - 50} more bytes` : ""}>`;
  }
}

// readUInt16LE and its kind, by DataView.
for (const [name, method, size] of [["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4], ["Int32", "Int32", 4], ["Float", "Float32", 4], ["Double", "Float64", 8], ["BigUInt64", "BigUint64", 8], ["BigInt64", "BigInt64", 8]])
  for (const order of size === 1 ? [""] : ["LE", "BE"]) {
    const read = function (at = 0) {
      return new DataView(this.buffer, this.byteOffset, this.length)[`get${method}`](at, order === "LE");
    };
    const write = function (value, at = 0) {
      new DataView(this.buffer, this.byteOffset, this.length)[`set${method}`](at, value, order === "LE");
      return at + size;
    };
    for (const alias of [name, name.replace("UInt", "Uint")])
      for (const [key, value] of [[`read${alias}${order}`, read], [`write${alias}${order}`, write]]) Object.defineProperty(Buffer.prototype, key, { value, writable: true, configurable: true });
  }
for (const [order, step] of [["LE", 1], ["BE", -1]]) {
  const bytes = (n) => (step > 0 ? [...Array(n).keys()] : [...Array(n).keys()].reverse());
  Object.defineProperty(Buffer.prototype, `readUInt${order}`, { value(at, n) { return bytes(n).reduce((sum, i, k) => sum + this[at + i] * 2 ** (8 * k), 0); } });
  Object.defineProperty(Buffer.prototype, `writeUInt${order}`, { value(v, at, n) { bytes(n).forEach((i, k) => { this[at + i] = Math.floor(v / 2 ** (8 * k)) & 255; }); return at + n; } });
}

const wrap = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);

// Node lets Buffer be called without new, and some packages call these with it.
for (const name of ["alloc", "allocUnsafe", "allocUnsafeSlow", "from"]) {
  const made = Buffer[name];
  Buffer[name] = { [name]: function (...args) { return Reflect.apply(made, Buffer, args); } }[name];
}
const Callable = new Proxy(Buffer, {
  apply: (_, self, [value, encoding, length]) => (typeof value === "number" ? Buffer.alloc(value) : Buffer.from(value, encoding, length)),
});
Object.defineProperty(Buffer.prototype, "constructor", { value: Callable, writable: true, configurable: true });

class TextEncoder {
  encoding = "utf-8";
  encode(text = "") {
    return utf8(String(text));
  }
  encodeInto(text, into) {
    const bytes = utf8(text).subarray(0, into.length);
    into.set(bytes);
    return { read: text.length, written: bytes.length };
  }
}

class TextDecoder {
  #kept = new Uint8Array(0);
  constructor(encoding = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    const known = { "utf-8": "utf-8", utf8: "utf-8", latin1: "latin1", "iso-8859-1": "latin1", "windows-1252": "latin1", ascii: "latin1", "utf-16le": "utf16le", "utf-16": "utf16le", "utf-16be": "utf-16be" }[String(encoding).toLowerCase()];
    if (!known) throw new RangeError(`The "${encoding}" encoding is not supported`);
    Object.assign(this, { encoding: known === "utf16le" ? "utf-16le" : known === "latin1" ? "windows-1252" : known, fatal, ignoreBOM });
  }
  decode(input = new Uint8Array(0), { stream = false } = {}) {
    let bytes = input instanceof ArrayBuffer ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (this.encoding === "utf-16be") return textOf(Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16(), "utf16le");
    if (this.encoding !== "utf-8") return textOf(bytes, this.encoding === "utf-16le" ? "utf16le" : "latin1");
    if (this.#kept.length) bytes = Buffer.concat([this.#kept, bytes]);
    const whole = stream ? complete(bytes) : bytes.length;
    this.#kept = bytes.slice(whole);
    const text = decode(bytes.subarray(0, whole), this.fatal);
    return !this.ignoreBOM && text.startsWith("\ufeff") ? text.slice(1) : text;
  }
}

// complete is how many of the bytes end with a whole character.
function complete(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const b = bytes[bytes.length - back];
    if (b >= 0xc0) return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > back ? bytes.length - back : bytes.length;
    if (b < 0x80) break;
  }
  return bytes.length;
}

const btoa = (text) => {
  if (/[^\x00-\xff]/.test(text)) throw new DOMException("Invalid character", "InvalidCharacterError");
  return textOf(bytesOf(String(text), "latin1"), "base64");
};
const atob = (text) => {
  const clean = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(clean) || clean.length % 4 === 1) throw new DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");
  return latin1(base64(clean));
};

// toBytes is what functions take as bytes: a text, or any kind of array of bytes.
function toBytes(value, encoding) {
  if (typeof value === "string") return bytesOf(value, encoding);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw Object.assign(new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${inspect(value)}`), { code: "ERR_INVALID_ARG_TYPE" });
}

module.exports = {
  Buffer: Callable, SlowBuffer: Callable, TextEncoder, TextDecoder, btoa, atob, toBytes,
  fromLatin1: (text) => wrap(bytesOf(text, "latin1")),
  toLatin1: latin1,
  complete,
  constants: { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 },
  kMaxLength: 2 ** 31 - 1,
  isUtf8(bytes) {
    try {
      return decode(toBytes(bytes), true), true;
    } catch {
      return false;
    }
  },
};
