"use strict";
const { native } = require("quire:core");
const { format, inspect } = require("quire:inspect");

function log(level, args) {
  let text;
  try {
    text = format(...args);
  } catch {
    text = "[values that cannot be shown]";
  }
  if (indent) text = text.replace(/^/gm, indent);
  native("log", level, text.length > 16384 ? text.slice(0, 16384) + "…" : text, new Error().stack);
}

let indent = "";
const counts = new Map();
const begins = new Map();
const since = (label) => (begins.has(label) ? `${label}: ${Date.now() - begins.get(label)}ms` : `${label}: not begun`);

const console = {
  log: (...args) => log("info", args),
  info: (...args) => log("info", args),
  debug: (...args) => log("debug", args),
  warn: (...args) => log("warn", args),
  error: (...args) => log("error", args),
  trace: (...args) => log("debug", args),
  dir: (value, options) => log("info", [inspect(value, options)]),
  table: (value) => log("info", [value]),
  assert: (ok, ...args) => ok || log("error", ["Assertion failed", ...args]),
  group(...args) {
    if (args.length) log("info", args);
    if (indent.length < 40) indent += "  ";
  },
  groupEnd() {
    indent = indent.slice(2);
  },
  count(label = "default") {
    counts.set(label, (counts.get(label) || 0) + 1);
    log("info", [`${label}: ${counts.get(label)}`]);
  },
  countReset: (label = "default") => counts.delete(label),
  time: (label = "default") => begins.set(label, Date.now()),
  timeLog: (label = "default", ...args) => log("info", [since(label), ...args]),
  timeEnd(label = "default") {
    log("info", [since(label)]);
    begins.delete(label);
  },
};
console.groupCollapsed = console.group;

module.exports = { console, log };
