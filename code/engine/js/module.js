// What the bundler does not do of require: names that are computed, which find files of the folder
// of the one that asks and those below it (the bundler offers them, see computed.go) and the JSON
// files of packages, paths of modules, and modules that are not there.
"use strict";
const path = require("path");
const fs = require("fs");
const refused = require("quire:refused");

const files = new Map(); // functions that load them, by their path
const endings = ["", ".js", ".json", ".ts", ".cjs", ".mjs", ".cts", ".mts", ".jsx", ".tsx", "/index.js", "/index.ts"];

function load(folder, name) {
  const wanted = String(name);
  const at = path.resolve(folder, wanted);
  if (/^\.{0,2}\//.test(wanted) || wanted === "." || wanted === "..") {
    for (const ending of endings) if (files.has(at + ending)) return files.get(at + ending)();
    if (at.endsWith(".json")) return JSON.parse(fs.readFileSync(at, "utf8"));
  } else if (wanted.endsWith(".json")) {
    return JSON.parse(fs.readFileSync(resolve(folder, wanted), "utf8"));
  }
  throw notFound(wanted, `: a name that is computed finds files of ${folder} and below`);
}

const notFound = (name, why = "") => Object.assign(new Error(`Cannot find module '${name}'${why}`), { code: "MODULE_NOT_FOUND" });

/** withoutModule is what remains of a require in a try statement if the bundler has not found the module. */
function withoutModule(name) {
  const why = refused[String(name).replace(/^node:/, "").split("/")[0]];
  throw why ? Object.assign(new Error(`${name} cannot run here: ${why}`), { code: "MODULE_NOT_FOUND" }) : notFound(name);
}

const isFile = (at) => Boolean(fs.statSync(at, { throwIfNoEntry: false })?.isFile());

/** fileAt is the file to which a path leads; undefined for none. */
const fileAt = (at) => endings.map((ending) => at + ending).find((file) => attempt(isFile, file));

/** attempt calls a function; what throws, as a path outside the project does, is undefined. */
function attempt(fn, ...args) {
  try {
    return fn(...args);
  } catch {}
}

/** mainOf is the file with which a package begins. */
function mainOf(folder) {
  const about = attempt((at) => JSON.parse(fs.readFileSync(at, "utf8")), `${folder}/package.json`) ?? {};
  const first = about.exports?.["."] ?? about.exports;
  const named = typeof first === "string" ? first : first?.require?.default ?? first?.require ?? first?.node ?? first?.default;
  return fileAt(path.join(folder, typeof named === "string" ? named : about.main ?? "index.js"));
}

/** resolve is the path of the file that a name means in a folder. */
function resolve(folder, name) {
  if (name.startsWith("node:")) return name;
  let found;
  if (/^\.{0,2}(\/|$)/.test(name)) found = fileAt(path.resolve(folder, name));
  for (let at = folder; !found && /^[^./]/.test(name); at = path.dirname(at)) {
    const within = path.join(at, "node_modules", name);
    found = fileAt(within) ?? mainOf(within);
    if (at === path.dirname(at)) break;
  }
  if (!found) throw notFound(name);
  return found;
}

function createRequire(from) {
  const file = from instanceof URL || String(from).startsWith("file:") ? require("url").fileURLToPath(from) : String(from);
  const folder = file.endsWith("/") ? file : path.dirname(file);
  const resolveIn = (name, { paths } = {}) => {
    for (const at of paths ?? []) {
      const found = attempt(resolve, String(at), String(name));
      if (found) return found;
    }
    return resolve(folder, String(name));
  };
  return Object.assign((name) => load(folder, name), { resolve: resolveIn });
}

module.exports = { createRequire };
Object.defineProperty(module.exports, Symbol.for("quire.without"), { value: withoutModule });
Object.defineProperty(module.exports, Symbol.for("quire.offer"), {
  value(folder, offered) {
    for (const [name, fn] of Object.entries(offered)) files.set(path.join(folder, name), fn);
    return (name) => load(folder, name);
  },
});

let last; // match of a regular expression, once noteMatches was called

/** noteMatches gives RegExp its $1 to $9, the parts of the last match. Code that does not use them is spared the time. */
function noteMatches() {
  if (last) return;
  last = [];
  const { exec } = RegExp.prototype;
  Object.defineProperty(RegExp.prototype, "exec", { writable: true, configurable: true, value(text) {
    const found = Reflect.apply(exec, this, [text]);
    if (found) last = found;
    return found;
  } });
  for (let i = 1; i <= 9; i++) Object.defineProperty(RegExp, `$${i}`, { configurable: true, get: () => last[i] ?? "" });
}
Object.defineProperty(module.exports, Symbol.for("quire.matches"), { value: noteMatches });
