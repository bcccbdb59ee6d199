"use strict";

const escape = (text) => encodeURIComponent(text);
function unescape(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return globalThis.unescape(text);
  }
}
const plain = (value) => (typeof value === "string" ? value : typeof value === "number" && isFinite(value) ? String(value) : typeof value === "bigint" || typeof value === "boolean" ? String(value) : "");

function stringify(object, sep = "&", eq = "=", { encodeURIComponent = escape } = {}) {
  const pairs = [];
  for (const [key, value] of Object.entries(object ?? {}))
    for (const one of Array.isArray(value) ? value : [value]) pairs.push(encodeURIComponent(key) + eq + encodeURIComponent(plain(one)));
  return pairs.join(sep);
}

function parse(text, sep = "&", eq = "=", { decodeURIComponent = unescape, maxKeys = 1000 } = {}) {
  const out = Object.create(null);
  if (typeof text !== "string" || text === "") return out;
  const pairs = text.split(sep);
  for (const pair of maxKeys > 0 ? pairs.slice(0, maxKeys) : pairs) {
    if (pair === "") continue;
    const at = pair.indexOf(eq);
    const decode = (part) => decodeURIComponent(part.replaceAll("+", " "));
    const key = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : decode(pair.slice(at + eq.length));
    if (!(key in out)) out[key] = value;
    else if (Array.isArray(out[key])) out[key].push(value);
    else out[key] = [out[key], value];
  }
  return out;
}

module.exports = { stringify, parse, escape, unescape, encode: stringify, decode: parse };
