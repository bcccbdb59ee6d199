"use strict";
const { native, queueMicrotask } = require("quire:core");
const about = JSON.parse(native("about"));
const began = Date.now();

function hrtime(since) {
  const now = native("nanoseconds");
  const s = Math.floor(now / 1e9);
  const time = [s, now - s * 1e9];
  if (!since) return time;
  const ns = time[1] - since[1];
  return ns < 0 ? [time[0] - since[0] - 1, ns + 1e9] : [time[0] - since[0], ns];
}
hrtime.bigint = () => BigInt(native("nanoseconds"));

const silent = () => process;
const process = {
  env: { NODE_ENV: "production", ...about.env },
  argv: ["node", "server"],
  execArgv: [],
  pid: 1,
  platform: about.platform,
  arch: about.arch,
  version: "v20.19.0",
  versions: { node: "20.19.0" },
  release: { name: "node" },
  title: "quire",
  exitCode: undefined,
  features: {},
  cwd: () => about.root,
  umask: () => 0o22,
  uptime: () => (Date.now() - began) / 1000,
  memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
  nextTick: queueMicrotask,
  hrtime,
  emitWarning: (warning) => globalThis.console.warn(String(warning?.message ?? warning)),
  stdout: { isTTY: false, write: (text) => (globalThis.console.log(String(text).trimEnd()), true) },
  stderr: { isTTY: false, write: (text) => (globalThis.console.error(String(text).trimEnd()), true) },
  on: silent, once: silent, off: silent, addListener: silent, removeListener: silent, removeAllListeners: silent,
  emit: () => false,
  listeners: () => [],
  listenerCount: () => 0,
};
for (const name of ["exit", "kill", "abort", "chdir", "binding", "dlopen"])
  process[name] = () => {
    throw new Error(`process.${name} is not for a site's code`);
  };

module.exports = process;
