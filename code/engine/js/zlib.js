// Compressing and decompressing: at once, with a callback, and as streams that hold what they
// are given until it ends.
"use strict";
const { native } = require("quire:core");
const { Buffer, toBytes, toLatin1, fromLatin1 } = require("buffer");
const { Transform } = require("stream");

const constants = { Z_NO_FLUSH: 0, Z_SYNC_FLUSH: 2, Z_FINISH: 4, Z_OK: 0, Z_STREAM_END: 1, Z_DATA_ERROR: -3, Z_BUF_ERROR: -5, Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1 };
const errnos = { Z_DATA_ERROR: -3, Z_BUF_ERROR: -5 };

// run calls Go, whose errors begin with a code.
function run(...args) {
  try {
    return fromLatin1(native(...args));
  } catch (e) {
    const [, code, message] = /^([A-Z_]+): ([^]*)$/.exec(e.message) ?? [];
    throw code ? Object.assign(new (code.startsWith("ERR_") ? RangeError : Error)(message), { code, errno: errnos[code] }) : e;
  }
}

const bytesOf = (data) => toLatin1(toBytes(data));
const levelOf = ({ level = -1 } = {}) => {
  if (!Number.isInteger(level) || level < -1 || level > 9) throw Object.assign(new RangeError(`The value of "options.level" is out of range. It must be >= -1 and <= 9. Received ${level}`), { code: "ERR_OUT_OF_RANGE" });
  return level;
};
const compress = (format) => (data, options) => run("compress", format, levelOf(options), bytesOf(data));
const inflate = (format) => (data) => run("inflate", format, bytesOf(data));

const functions = {
  gzip: compress("gzip"), deflate: compress("zlib"), deflateRaw: compress("raw"),
  gunzip: inflate("gzip"), inflate: inflate("zlib"), inflateRaw: inflate("raw"), unzip: inflate("any"),
};

const zlib = { constants, ...constants, crc32: (data, before = 0) => (before ? notHere("crc32 with a value")() : native("crc32", bytesOf(data))) };
const notHere = (name) => () => { throw new Error(`zlib.${name} is not there`); };

for (const [name, fn] of Object.entries(functions)) {
  const kind = name[0].toUpperCase() + name.slice(1);
  zlib[`${name}Sync`] = (data, options) => fn(data, options);
  zlib[name] = (data, options, done = options) => {
    let result;
    let error = null;
    try {
      result = fn(data, typeof options === "object" ? options : undefined);
    } catch (e) {
      error = e;
    }
    process.nextTick(() => done(error, result));
  };
  zlib[kind] = class extends Transform {
    constructor(options) {
      const parts = [];
      super({
        transform: (part, encoding, done) => (parts.push(Buffer.from(part)), done()),
        flush(done) {
          try {
            done(null, fn(Buffer.concat(parts), options));
          } catch (e) {
            done(e);
          }
        },
      });
    }
  };
  zlib[`create${kind}`] = (options) => new zlib[kind](options);
}
for (const name of ["brotliCompress", "brotliDecompress"]) {
  const kind = name[0].toUpperCase() + name.slice(1);
  for (const one of [name, `${name}Sync`, `create${kind}`]) zlib[one] = notHere(one);
}
module.exports = zlib;
