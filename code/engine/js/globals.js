// What is there without being imported.
"use strict";
require("quire:core");
const { console, log } = require("quire:console");

const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
define("global", globalThis);
define("console", console);
define("__log", (level, ...args) => log(level, args));
define("process", require("process"));
define("performance", require("perf_hooks").performance);
