// Names of hosts beyond ASCII, RFC 3492.
"use strict";

function adapt(delta, count, first) {
  let k = 0;
  delta = first ? Math.floor(delta / 700) : delta >> 1;
  for (delta += Math.floor(delta / count); delta > 455; k += 36) delta = Math.floor(delta / 35);
  return k + Math.floor((36 * delta) / (delta + 38));
}
const threshold = (k, bias) => (k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias);
const digit = (n) => String.fromCharCode(n < 26 ? n + 97 : n + 22);

function encode(text) {
  const points = Array.from(text, (c) => c.codePointAt(0));
  const basic = points.filter((c) => c < 0x80);
  let out = String.fromCharCode(...basic) + (basic.length ? "-" : "");
  let [n, delta, bias, done] = [0x80, 0, 72, basic.length];
  while (done < points.length) {
    const next = Math.min(...points.filter((c) => c >= n));
    delta += (next - n) * (done + 1);
    n = next;
    for (const c of points) {
      if (c < n) delta++;
      if (c !== n) continue;
      let q = delta;
      for (let k = 36; ; k += 36) {
        const t = threshold(k, bias);
        if (q < t) break;
        out += digit(t + ((q - t) % (36 - t)));
        q = Math.floor((q - t) / (36 - t));
      }
      out += digit(q);
      bias = adapt(delta, done + 1, done === basic.length);
      delta = 0;
      done++;
    }
    delta++;
    n++;
  }
  return out;
}

function decode(text) {
  const at = text.lastIndexOf("-");
  const out = at > 0 ? Array.from(text.slice(0, at)) : [];
  let [n, i, bias] = [0x80, 0, 72];
  for (let index = at > 0 ? at + 1 : 0; index < text.length; ) {
    const before = i;
    for (let w = 1, k = 36; ; k += 36) {
      const c = text.charCodeAt(index++);
      const value = c >= 48 && c <= 57 ? c - 22 : c >= 97 && c <= 122 ? c - 97 : c >= 65 && c <= 90 ? c - 65 : NaN;
      if (!(value >= 0)) throw new RangeError("Invalid input");
      i += value * w;
      const t = threshold(k, bias);
      if (value < t) break;
      w *= 36 - t;
    }
    bias = adapt(i - before, out.length + 1, before === 0);
    n += Math.floor(i / (out.length + 1));
    i %= out.length + 1;
    out.splice(i++, 0, String.fromCodePoint(n));
  }
  return out.join("");
}

const labels = (name, map) => name.split(/[.\u3002\uff0e\uff61]/).map(map).join(".");
module.exports = {
  encode, decode,
  toASCII: (name) => labels(name, (label) => (/[^\x00-\x7f]/.test(label) ? `xn--${encode(label)}` : label)),
  toUnicode: (name) => labels(name, (label) => (/^xn--/i.test(label) ? decode(label.slice(4).toLowerCase()) : label)),
  ucs2: { decode: (text) => Array.from(text, (c) => c.codePointAt(0)), encode: (points) => String.fromCodePoint(...points) },
};
