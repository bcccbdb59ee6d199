// What is there without being imported.
"use strict";
require("quire:core");
require("quire:intl");
require("quire:errors");
const { console, log } = require("quire:console");

const define = (all) => {
  for (const [name, value] of Object.entries(all)) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
};
define({ global: globalThis, console, __log: (level, ...args) => log(level, args), process: require("process"), performance: require("perf_hooks").performance });
define({ require: require("module")[Symbol.for("quire.without")] }); // which esbuild calls for what it has not found
define(require("quire:web"));
const { Buffer, TextEncoder, TextDecoder, atob, btoa } = require("buffer");
const { URL, URLSearchParams } = require("url");
define({ Buffer, TextEncoder, TextDecoder, atob, btoa, URL, URLSearchParams });

// What takes time to load is loaded when it is first used.
function lazily(name, load) {
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      define({ [name]: load() });
      return globalThis[name];
    },
    set(value) {
      define({ [name]: value });
    },
  });
}
lazily("crypto", () => require("crypto").webcrypto);
lazily("CryptoKey", () => require("quire:subtle").CryptoKey);
for (const name of ["fetch", "Headers", "Request", "Response", "FormData", "Blob", "File"]) lazily(name, () => require("quire:fetch")[name]);
