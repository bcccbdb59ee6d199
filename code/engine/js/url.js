// URLs as the WHATWG describes them, and the older functions of Node.
"use strict";
const querystring = require("querystring");
const { inspect } = require("quire:inspect");
const { Buffer } = require("buffer");
const punycode = require("punycode");

const ports = { "http:": "80", "https:": "443", "ftp:": "21", "ws:": "80", "wss:": "443", "file:": "" };
const special = (protocol) => Object.hasOwn(ports, protocol);

function encode(text, unsafe) {
  return text.toWellFormed().replace(unsafe, (c) => (c === "'" ? "%27" : encodeURIComponent(c).replace(/^[^%]$/, (d) => `%${d.charCodeAt(0).toString(16).toUpperCase()}`)));
}
const inPath = /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e%]/gu;
const inQuery = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]/gu;
const inSpecialQuery = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]|'/gu;
const inFragment = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e%]/gu;
const inUser = /[^\x21\x24-\x2e\x30-\x39\x41-\x5a\x5f\x61-\x7a\x7e%]/gu;

function invalid(input) {
  return Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input });
}

function parse(input, base) {
  const text = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*:)(.*)$/is.exec(text);
  const protocol = scheme ? scheme[1].toLowerCase() : base?.protocol;
  if (!protocol) throw invalid(input);
  let rest = scheme ? scheme[2] : text;
  const [, before, query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest);
  rest = special(protocol) ? before.replaceAll("\\", "/") : before;
  const url = { protocol, username: "", password: "", hostname: "", port: "", pathname: "", search: search(query, protocol), hash: hash(fragment), hasHost: false };
  const relative = base && (!scheme || (special(protocol) && protocol === base.protocol && !rest.startsWith("/")));
  if (relative && !rest.startsWith("//")) return resolve(url, rest, query, base, input);
  if (special(protocol) && protocol !== "file:") rest = rest.replace(/^\/*/, "//");
  if (rest.startsWith("//")) return withAuthority(url, rest.slice(2), input);
  url.pathname = rest.startsWith("/") || protocol === "file:" ? path(rest, protocol) : encode(rest, /[^\x20-\x7e]/gu);
  url.hasHost = protocol === "file:";
  return url;
}

function search(query, protocol) {
  return !query || query === "?" ? "" : encode(query, special(protocol) ? inSpecialQuery : inQuery);
}
function hash(fragment) {
  return !fragment || fragment === "#" ? "" : encode(fragment, inFragment);
}

function resolve(url, rest, query, base, input) {
  if (!base.hasHost && !base.pathname.startsWith("/") && rest !== "") throw invalid(input);
  for (const part of ["username", "password", "hostname", "port", "hasHost"]) url[part] = base[part];
  if (rest === "") {
    url.pathname = base.pathname;
    if (query === undefined) url.search = base.search;
  } else {
    url.pathname = path(rest.startsWith("/") ? rest : base.pathname.replace(/[^/]*$/, "") + rest, url.protocol);
  }
  return url;
}

function withAuthority(url, rest, input) {
  const slash = rest.indexOf("/");
  let authority = slash < 0 ? rest : rest.slice(0, slash);
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const [user, ...password] = authority.slice(0, at).split(":");
    url.username = encode(user, inUser);
    url.password = encode(password.join(":"), inUser);
    authority = authority.slice(at + 1);
  }
  const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority) ?? [];
  if (name === undefined || (port && +port > 65535)) throw invalid(input);
  url.hostname = host(name, url.protocol, input);
  if (url.hostname === "" && (port || at >= 0 || (special(url.protocol) && url.protocol !== "file:"))) throw invalid(input);
  url.port = port && String(+port) !== ports[url.protocol] ? String(+port) : "";
  url.pathname = path(slash < 0 ? "" : rest.slice(slash), url.protocol);
  url.hasHost = true;
  return url;
}

function host(name, protocol, input) {
  if (name.startsWith("[")) {
    if (!/^\[[0-9a-f:.]+\]$/i.test(name)) throw invalid(input);
    return name.toLowerCase();
  }
  if (!special(protocol)) return encode(name, /[^\x21-\x7e]/gu);
  let text;
  try {
    text = punycode.toASCII(decodeURIComponent(name).normalize("NFKC").toLowerCase());
  } catch {
    throw invalid(input);
  }
  if (/[\x00-\x20#%/:<>?@[\\\]^|\x7f]/.test(text)) throw invalid(input);
  if (protocol === "file:" && text === "localhost") return "";
  return /(^|\.)(\d+|0x[0-9a-f]*)\.?$/.test(text) ? ipv4(text, input) : text;
}

function ipv4(text, input) {
  const numbers = text.replace(/\.$/, "").split(".").map((part) => (/^0x[0-9a-f]*$/.test(part) ? parseInt(part.slice(2) || "0", 16) : /^0[0-7]*$/.test(part) ? parseInt(part, 8) : /^\d+$/.test(part) ? +part : NaN));
  const last = numbers.pop();
  const left = 4 - numbers.length;
  if (numbers.length > 3 || numbers.some((n) => !(n <= 255)) || !(last < 256 ** left)) throw invalid(input);
  for (let i = left - 1; i >= 0; i--) numbers.push(Math.floor(last / 256 ** i) & 255);
  return numbers.join(".");
}

function path(text, protocol) {
  if (text === "") return special(protocol) ? "/" : "";
  const parts = [];
  const all = text.replace(/^\//, "").split("/");
  all.forEach((part, i) => {
    const last = i === all.length - 1;
    if (/^(\.|%2e){2}$/i.test(part)) parts.pop(), last && parts.push("");
    else if (/^(\.|%2e)$/i.test(part)) last && parts.push("");
    else parts.push(encode(part, inPath));
  });
  return "/" + parts.join("/");
}

class URLSearchParams {
  #pairs = [];
  #changed = () => {};
  constructor(from = "", changed) {
    if (typeof from === "string") this.#read(from);
    else if (from && typeof from[Symbol.iterator] === "function") for (const [k, v] of from) this.#pairs.push([String(k), String(v)]);
    else for (const key of Object.keys(from ?? {})) this.#pairs.push([key, String(from[key])]);
    if (typeof changed === "function") this.#changed = changed;
  }
  #read(text) {
    for (const pair of text.replace(/^\?/, "").split("&")) {
      if (pair === "") continue;
      const at = pair.indexOf("=");
      this.#pairs.push([unform(at < 0 ? pair : pair.slice(0, at)), at < 0 ? "" : unform(pair.slice(at + 1))]);
    }
  }
  append(key, value) {
    this.#pairs.push([String(key), String(value)]);
    this.#changed(this);
  }
  delete(key, value) {
    this.#pairs = this.#pairs.filter(([k, v]) => k !== key || (value !== undefined && v !== value));
    this.#changed(this);
  }
  get(key) {
    return this.#pairs.find(([k]) => k === key)?.[1] ?? null;
  }
  getAll(key) {
    return this.#pairs.filter(([k]) => k === key).map(([, v]) => v);
  }
  has(key, value) {
    return this.#pairs.some(([k, v]) => k === key && (value === undefined || v === value));
  }
  set(key, value) {
    const at = this.#pairs.findIndex(([k]) => k === key);
    if (at < 0) return this.append(key, value);
    this.#pairs[at][1] = String(value);
    this.#pairs = this.#pairs.filter(([k], i) => k !== key || i <= at);
    this.#changed(this);
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#changed(this);
  }
  forEach(fn, self) {
    for (const [k, v] of this.#pairs) Reflect.apply(fn, self, [v, k, this]);
  }
  *keys() {
    for (const [k] of this.#pairs) yield k;
  }
  *values() {
    for (const [, v] of this.#pairs) yield v;
  }
  *entries() {
    for (const [k, v] of this.#pairs) yield [k, v];
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  get size() {
    return this.#pairs.length;
  }
  toString() {
    return this.#pairs.map(([k, v]) => `${form(k)}=${form(v)}`).join("&");
  }
  get [Symbol.toStringTag]() {
    return "URLSearchParams";
  }
  [inspect.custom]() {
    return `URLSearchParams { ${this.#pairs.map(([k, v]) => `${inspect(k)} => ${inspect(v)}`).join(", ")} }`;
  }
}
const form = (text) => encodeURIComponent(text.toWellFormed()).replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll("%20", "+");
const unform = (text) => {
  const plain = text.replaceAll("+", " ");
  return /%[0-9a-f]{2}/i.test(plain) ? Buffer.from(plain.replace(/[^\x00-\x7f]+/g, encodeURIComponent).replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1").toString() : plain;
};

class URL {
  #url;
  #params;
  constructor(input, base) {
    this.#url = parse(String(input), base === undefined ? undefined : parse(String(base)));
    this.#params = this.#newParams();
  }
  #newParams() {
    return new URLSearchParams(this.#url.search, (params) => {
      const text = params.toString();
      this.#url.search = text && `?${text}`;
    });
  }
  #set(change) {
    try {
      change(this.#url);
    } catch {
      // As in browsers, what cannot be set stays what it was.
    }
  }
  get href() {
    const u = this.#url;
    const user = u.username || u.password ? `${u.username}${u.password && `:${u.password}`}@` : "";
    return `${u.protocol}${u.hasHost ? `//${user}${this.host}` : ""}${u.pathname}${u.search}${u.hash}`;
  }
  set href(value) {
    this.#url = parse(String(value));
    this.#params = this.#newParams();
  }
  get origin() {
    return special(this.#url.protocol) && this.#url.protocol !== "file:" ? `${this.#url.protocol}//${this.host}` : "null";
  }
  get protocol() {
    return this.#url.protocol;
  }
  set protocol(value) {
    const next = `${String(value).replace(/:.*$/s, "").toLowerCase()}:`;
    if (!/^[a-z][a-z0-9+.-]*:$/.test(next) || special(next) !== special(this.#url.protocol)) return;
    this.#url.protocol = next;
    if (this.#url.port === ports[next]) this.#url.port = "";
  }
  get username() {
    return this.#url.username;
  }
  set username(value) {
    this.#url.username = encode(String(value), inUser);
  }
  get password() {
    return this.#url.password;
  }
  set password(value) {
    this.#url.password = encode(String(value), inUser);
  }
  get host() {
    return this.#url.hostname + (this.#url.port && `:${this.#url.port}`);
  }
  set host(value) {
    this.#set((u) => {
      const next = withAuthority({ protocol: u.protocol }, String(value).replace(/[/?#].*$/s, ""), value);
      u.hostname = next.hostname;
      if (/:\d/.test(value)) u.port = next.port;
    });
  }
  get hostname() {
    return this.#url.hostname;
  }
  set hostname(value) {
    this.#set((u) => (u.hostname = host(String(value), u.protocol, value)));
  }
  get port() {
    return this.#url.port;
  }
  set port(value) {
    const [digits] = /^\d*/.exec(String(value));
    if (String(value) !== "" && (digits === "" || +digits > 65535)) return;
    this.#url.port = digits === "" || String(+digits) === ports[this.#url.protocol] ? "" : String(+digits);
  }
  get pathname() {
    return this.#url.pathname;
  }
  set pathname(value) {
    this.#url.pathname = path(encode(String(value), /[?#]/g).replace(/^(?!\/)/, "/"), this.#url.protocol);
  }
  get search() {
    return this.#url.search;
  }
  set search(value) {
    this.#url.search = search(String(value).replace(/^(?!\?|$)/, "?").replaceAll("#", "%23"), this.#url.protocol);
    this.#params = this.#newParams();
  }
  get searchParams() {
    return this.#params;
  }
  get hash() {
    return this.#url.hash;
  }
  set hash(value) {
    this.#url.hash = hash(String(value).replace(/^(?!#|$)/, "#"));
  }
  toString() {
    return this.href;
  }
  toJSON() {
    return this.href;
  }
  get [Symbol.toStringTag]() {
    return "URL";
  }
  [inspect.custom]() {
    const shown = {};
    for (const key of ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "searchParams", "hash"]) shown[key] = this[key];
    return `URL ${inspect(shown)}`;
  }
  static canParse(input, base) {
    return URL.parse(input, base) !== null;
  }
  static parse(input, base) {
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }
}

function fileURLToPath(value) {
  const url = new URL(value);
  if (url.protocol !== "file:") throw Object.assign(new TypeError("The URL must be of scheme file"), { code: "ERR_INVALID_URL_SCHEME" });
  return decodeURIComponent(url.pathname);
}
const pathToFileURL = (name) => new URL(`file://${encode(require("path").resolve(name), /[%?#]/g)}`);

// The older form: parts that are missing are null, and nothing is invalid.
function legacyParse(text, withQuery = false, slashes = false) {
  const [, protocol = null, mark, authority = "", pathname, search = null, hash = null] = /^([a-z][a-z0-9+.-]*:)?(\/\/)?((?<=\/\/)[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(slashes || !text.startsWith("//") ? text : text.replace(/^\/\//, "/\\/")) ?? [];
  const at = authority.lastIndexOf("@");
  const [, hostname = "", port = null] = /^(.*?)(?::(\d*))?$/.exec(authority.slice(at + 1).toLowerCase());
  const plain = (pathname ?? "").replace(/^\/\\\//, "//");
  return {
    protocol: protocol?.toLowerCase() ?? null, slashes: mark ? true : null, auth: at < 0 ? null : decodeURIComponent(authority.slice(0, at)),
    host: mark ? hostname + (port ? `:${port}` : "") : null, port, hostname: mark ? hostname : null, hash, search,
    query: withQuery ? querystring.parse((search ?? "").slice(1)) : search?.slice(1) ?? null,
    pathname: plain || (mark ? "/" : null), path: (plain || (mark ? "/" : "")) + (search ?? "") || null, href: text,
  };
}
function legacyFormat(value) {
  if (typeof value === "string" || value instanceof URL) return String(value);
  const { protocol, auth, hostname, port, pathname = "", query, hash } = value;
  const host = value.host ?? (hostname ? hostname + (port ? `:${port}` : "") : null);
  const scheme = protocol ? protocol.replace(/:?$/, ":") : "";
  const search = value.search ?? (query && Object.keys(query).length ? `?${querystring.stringify(query)}` : "");
  const authority = host ? `//${auth ? `${encodeURIComponent(auth).replace("%3A", ":")}@` : ""}${host}` : value.slashes ? "//" : "";
  return scheme + authority + (authority && pathname && !pathname.startsWith("/") ? "/" : "") + (pathname ?? "") + (search ? search.replace(/^(?!\?)/, "?") : "") + (hash ? hash.replace(/^(?!#)/, "#") : "");
}
function legacyResolve(from, to) {
  const url = new URL(to, new URL(from, "resolve://"));
  return url.protocol === "resolve:" ? url.pathname + url.search + url.hash : url.toString();
}

module.exports = {
  URL, URLSearchParams, fileURLToPath, pathToFileURL, parse: legacyParse, format: legacyFormat, resolve: legacyResolve,
  domainToASCII: (name) => URL.parse(`http://${name}`)?.hostname ?? "",
  domainToUnicode: punycode.toUnicode,
  urlToHttpOptions: (url) => ({ protocol: url.protocol, hostname: url.hostname, port: url.port, path: url.pathname + url.search, href: url.href, hash: url.hash, search: url.search, pathname: url.pathname }),
};
