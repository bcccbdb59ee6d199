// What a project requires by a name that it computes: files of the folder of the one that asks,
// and those below it. The bundler offers them, see computed.go.
"use strict";
const path = require("path");
const fs = require("fs");

const files = new Map(); // functions that load them, by their path
const endings = ["", ".js", ".json", ".ts", ".cjs", ".mjs", ".cts", ".mts", ".jsx", ".tsx", "/index.js", "/index.ts"];

function load(folder, name) {
  const wanted = String(name);
  const at = path.resolve(folder, wanted);
  if (/^\.{0,2}\//.test(wanted) || wanted === "." || wanted === "..") {
    for (const ending of endings) if (files.has(at + ending)) return files.get(at + ending)();
    if (at.endsWith(".json")) return JSON.parse(fs.readFileSync(at, "utf8"));
  }
  throw Object.assign(new Error(`Cannot find module '${wanted}': a name that is computed finds files of ${folder} and below`), { code: "MODULE_NOT_FOUND" });
}

function createRequire(from) {
  const file = from instanceof URL || String(from).startsWith("file:") ? require("url").fileURLToPath(from) : String(from);
  const folder = file.endsWith("/") ? file : path.dirname(file);
  return (name) => load(folder, name);
}

module.exports = { createRequire };
Object.defineProperty(module.exports, Symbol.for("quire.offer"), {
  value(folder, offered) {
    for (const [name, fn] of Object.entries(offered)) files.set(path.join(folder, name), fn);
    return (name) => load(folder, name);
  },
});
