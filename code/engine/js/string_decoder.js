"use strict";
const { Buffer, TextDecoder } = require("buffer");

// A StringDecoder decodes text whose characters may be cut between two parts.
class StringDecoder {
  constructor(encoding = "utf8") {
    this.encoding = encoding;
    this.kept = Buffer.alloc(0);
    this.decoder = /^utf-?8$/i.test(encoding) ? new TextDecoder("utf-8", { ignoreBOM: true }) : null;
    this.unit = /^base64/i.test(encoding) ? 3 : /16|ucs/i.test(encoding) ? 2 : 1;
  }
  write(part) {
    if (typeof part === "string") return part;
    if (this.decoder) return this.decoder.decode(part, { stream: true });
    const bytes = Buffer.concat([this.kept, part]);
    const whole = bytes.length - (bytes.length % this.unit);
    this.kept = Buffer.from(bytes.subarray(whole));
    return bytes.toString(this.encoding, 0, whole);
  }
  end(part) {
    const text = part === undefined ? "" : this.write(part);
    const rest = this.decoder ? this.decoder.decode() : this.kept.toString(this.encoding);
    this.kept = Buffer.alloc(0);
    return text + rest;
  }
}

module.exports = { StringDecoder };
