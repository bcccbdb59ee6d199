// The package undici, whose own fetch needs sockets, on top of the one that is here.
"use strict";
const { Readable } = require("stream");

async function request(url, { method = "GET", headers, body, query, signal } = {}) {
  const at = new URL(url);
  for (const [name, value] of Object.entries(query ?? {})) at.searchParams.append(name, value);
  const response = await fetch(at, { method, headers, body, signal });
  const whole = new Response(await response.arrayBuffer());
  const reading = ["json", "text", "arrayBuffer", "blob"].map((name) => [name, () => whole.clone()[name]()]);
  const stream = Readable.from((async function* () { yield Buffer.from(await whole.clone().arrayBuffer()); })());
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: Object.assign(stream, Object.fromEntries(reading)) };
}

// Connections are those of the server, which opens and closes them.
class Dispatcher {
  compose() {
    return this;
  }
  async close() {}
  async destroy() {}
}
class Agent extends Dispatcher {}
let used = new Agent();

module.exports = {
  request, Dispatcher, Agent,
  getGlobalDispatcher: () => used,
  setGlobalDispatcher: (dispatcher) => void (used = dispatcher),
  interceptors: {},
};
for (const name of ["fetch", "Headers", "Request", "Response", "FormData", "File"]) Object.defineProperty(module.exports, name, { get: () => globalThis[name], enumerable: true });
for (const name of ["Client", "Pool", "BalancedPool", "ProxyAgent", "EnvHttpProxyAgent", "RetryAgent", "MockAgent", "DecoratorHandler", "RedirectHandler", "RetryHandler", "WebSocket", "EventSource", "stream", "pipeline", "connect", "upgrade"])
  module.exports[name] = function () {
    throw new Error(`undici.${name} cannot run here: the code of a site opens no sockets; use fetch`);
  };
