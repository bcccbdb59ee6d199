// The paths of POSIX, as in Node.
"use strict";

function check(path) {
  if (typeof path !== "string") throw Object.assign(new TypeError(`The "path" argument must be of type string. Received ${typeof path}`), { code: "ERR_INVALID_ARG_TYPE" });
  return path;
}

function normalize(path) {
  check(path);
  const absolute = path.startsWith("/");
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length && parts.at(-1) !== "..") parts.pop();
    else if (!absolute) parts.push("..");
  }
  const text = parts.join("/") + (path.endsWith("/") && parts.length ? "/" : "");
  return absolute ? "/" + text : text || (path.endsWith("/") && path !== "" ? "./" : ".");
}

function join(...paths) {
  const text = paths.map(check).filter((p) => p !== "").join("/");
  return text === "" ? "." : normalize(text);
}

function resolve(...paths) {
  let out = "";
  for (const path of [...paths.map(check)].reverse()) {
    if (path === "") continue;
    out = out === "" ? path : `${path}/${out}`;
    if (path.startsWith("/")) break;
  }
  if (!out.startsWith("/")) out = `${require("process").cwd()}/${out}`;
  const text = normalize(out);
  return text.length > 1 && text.endsWith("/") ? text.slice(0, -1) : text;
}

function trimmed(path) {
  let end = check(path).length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function dirname(path) {
  const text = trimmed(path);
  const at = text.lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : trimmed(text.slice(0, at));
}

function basename(path, suffix) {
  const text = trimmed(path);
  const name = text.slice(text.lastIndexOf("/") + 1);
  return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function extname(path) {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
}

function relative(from, to) {
  const a = resolve(from).split("/").filter(Boolean);
  const b = resolve(to).split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
}

function parse(path) {
  const base = basename(path);
  const ext = extname(path);
  const root = path.startsWith("/") ? "/" : "";
  const dir = dirname(path);
  return { root, dir: dir === "." && !path.startsWith(".") ? root : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
}

function format({ dir, root = "", base, name = "", ext = "" }) {
  const file = base || name + (ext && !ext.startsWith(".") ? "." : "") + ext;
  const folder = dir || root;
  return !folder ? file : folder === root ? folder + file : `${folder}/${file}`;
}

const path = {
  normalize, join, resolve, dirname, basename, extname, relative, parse, format,
  isAbsolute: (p) => check(p).startsWith("/"),
  toNamespacedPath: (p) => p,
  sep: "/",
  delimiter: ":",
};
path.posix = path;
module.exports = path;
