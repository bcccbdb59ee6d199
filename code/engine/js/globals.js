// What is there without being imported.
"use strict";
require("quire:core");
const { console, log } = require("quire:console");

const define = (all) => {
  for (const [name, value] of Object.entries(all)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
};
define({ global: globalThis, console, __log: (level, ...args) => log(level, args), process: require("process"), performance: require("perf_hooks").performance });
define(require("quire:web"));
const { Buffer, TextEncoder, TextDecoder, atob, btoa } = require("buffer");
const { URL, URLSearchParams } = require("url");
define({ Buffer, TextEncoder, TextDecoder, atob, btoa, URL, URLSearchParams });
