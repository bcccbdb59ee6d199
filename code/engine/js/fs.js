// Reading files of the project. Writing is refused.
"use strict";
const { native } = require("quire:core");
const { Buffer, fromLatin1 } = require("buffer");
const { Readable } = require("stream");
const path = require("path");

const place = (name) => {
  if (name instanceof URL) return require("url").fileURLToPath(name);
  if (typeof name !== "string" && !Buffer.isBuffer(name)) throw Object.assign(new TypeError('The "path" argument must be of type string or an instance of Buffer or URL.'), { code: "ERR_INVALID_ARG_TYPE" });
  return path.resolve(String(name));
};

// ask calls Go, and gives an error what Node's have.
function ask(what, syscall, name, ...rest) {
  const at = place(name);
  try {
    return native(what, syscall, at, ...rest);
  } catch (e) {
    throw Object.assign(e, { syscall, path: at, errno: { ENOENT: -2, EACCES: -13, ENOTDIR: -20, EISDIR: -21 }[e.code] });
  }
}

function readFileSync(name, options) {
  const encoding = typeof options === "string" ? options : options?.encoding;
  if (/^utf-?8$/i.test(encoding ?? "")) return ask("readText", "open", name);
  const bytes = fromLatin1(ask("read", "open", name));
  return encoding ? bytes.toString(encoding) : bytes;
}

const kinds = (kind) => ({
  isFile: () => kind === "file",
  isDirectory: () => kind === "folder",
  isSymbolicLink: () => kind === "link",
  isFIFO: () => false,
  isSocket: () => false,
  isBlockDevice: () => false,
  isCharacterDevice: () => false,
});

function readdirSync(name, options = {}) {
  const out = [];
  const list = (folder, prefix) => {
    for (const { name: entry, kind } of JSON.parse(ask("list", "scandir", folder))) {
      const shown = prefix + entry;
      out.push(options.withFileTypes ? { name: entry, path: String(folder), parentPath: String(folder), ...kinds(kind) } : shown);
      if (options.recursive && kind === "folder") list(path.join(String(folder), entry), `${shown}/`);
    }
  };
  list(name, "");
  return out;
}

function stat(syscall, follow) {
  return (name, options = {}) => {
    let about;
    try {
      about = JSON.parse(ask("stat", syscall, name, follow));
    } catch (e) {
      if (options.throwIfNoEntry === false && e.code === "ENOENT") return undefined;
      throw e;
    }
    const { kind, size, mtimeMs, mode } = about;
    const mtime = new Date(mtimeMs);
    return { size, mode, mtimeMs, mtime, atimeMs: mtimeMs, atime: mtime, ctimeMs: mtimeMs, ctime: mtime, birthtimeMs: mtimeMs, birthtime: mtime, ...kinds(kind) };
  };
}
const statSync = stat("stat", true);
const lstatSync = stat("lstat", false);

function existsSync(name) {
  try {
    statSync(name);
    return true;
  } catch {
    return false;
  }
}

function realpathSync(name) {
  statSync(name);
  return place(name);
}
realpathSync.native = realpathSync;

const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2 };
function accessSync(name, mode = 0) {
  if (mode & constants.W_OK) refuse("access")(name);
  statSync(name);
}

function createReadStream(name, options) {
  const stream = new Readable({ encoding: typeof options === "string" ? options : options?.encoding, read() {} });
  setImmediate(() => {
    try {
      stream.push(readFileSync(name));
      stream.push(null);
    } catch (e) {
      stream.destroy(e);
    }
  });
  return stream;
}

const refuse = (name) => (at) => {
  throw Object.assign(new Error(`EROFS: read-only file system, ${name} '${at}': the code of a site does not write files; use the upload service or strapi.store`), { code: "EROFS", syscall: name, path: at });
};

const reading = { readFile: readFileSync, readdir: readdirSync, stat: statSync, lstat: lstatSync, access: accessSync, realpath: realpathSync };
const writing = ["writeFile", "appendFile", "mkdir", "mkdtemp", "rm", "rmdir", "unlink", "rename", "copyFile", "cp", "chmod", "chown", "symlink", "link", "truncate", "utimes", "open"];

const fs = { readFileSync, readdirSync, statSync, lstatSync, existsSync, accessSync, realpathSync, createReadStream, createWriteStream: refuse("createWriteStream"), watch: refuse("watch"), watchFile: refuse("watchFile"), constants };
const promises = { constants };
fs.exists = (name, done) => setImmediate(done, existsSync(name));
for (const name of [...Object.keys(reading), ...writing]) {
  const sync = reading[name] ?? refuse(name);
  fs[`${name}Sync`] ??= sync;
  promises[name] = async (...args) => sync(...args);
  fs[name] = (...args) => {
    const done = args.pop();
    promises[name](...args).then(
      (value) => done(null, value),
      (e) => done(e),
    );
  };
}
fs.realpath.native = fs.realpath;
fs.promises = promises;
module.exports = fs;
