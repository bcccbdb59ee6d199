'use strict';
// Koa's context of one request, as values: what the host gives becomes ctx, what ctx holds at
// the end becomes the response.

const { createHmac, timingSafeEqual } = require('crypto');
const { HttpError, statusNames } = require('quire/errors');

const emptyStatuses = [204, 205, 304];
const redirects = [300, 301, 302, 303, 305, 307, 308];
const mediaTypes = {
  json: 'application/json; charset=utf-8', text: 'text/plain; charset=utf-8', txt: 'text/plain; charset=utf-8', html: 'text/html; charset=utf-8',
  xml: 'application/xml', csv: 'text/csv; charset=utf-8', js: 'application/javascript; charset=utf-8', css: 'text/css; charset=utf-8', bin: 'application/octet-stream',
  pdf: 'application/pdf', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', svg: 'image/svg+xml', zip: 'application/zip',
  ics: 'text/calendar; charset=utf-8', rss: 'application/rss+xml', urlencoded: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data', form: 'application/x-www-form-urlencoded',
};
const goodNames = { 200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information', 206: 'Partial Content', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 307: 'Temporary Redirect', 308: 'Permanent Redirect' };
const bare = (type) => String(type || '').split(';')[0].trim().toLowerCase();

const unparsed = Symbol.for('unparsedBody'); // of the body as it was sent, if the settings ask for it

class Request {
  constructor(given) {
    this.method = given.method;
    this.url = given.url;
    this.originalUrl = given.url;
    this.header = given.headers || {};
    this.query = given.query || {};
    this.body = given.body;
    this.files = filesOf(given.files);
    if (given.raw !== undefined) {
      this.rawBody = given.raw;
      this.body ??= {};
      if (typeof this.body === 'object') this.body[unparsed] = given.raw;
    }
    this.ip = given.ip || '';
    this.params = {};
    this.protocol = given.protocol || 'http';
  }
  get headers() { return this.header; }
  get path() { return this.url.split('?')[0]; }
  get querystring() { const at = this.url.indexOf('?'); return at < 0 ? '' : this.url.slice(at + 1); }
  get search() { return this.querystring ? `?${this.querystring}` : ''; }
  get host() { return this.header.host || ''; }
  get hostname() { return this.host.replace(/:\d+$/, ''); }
  get origin() { return `${this.protocol}://${this.host}`; }
  get href() { return /^https?:\/\//.test(this.originalUrl) ? this.originalUrl : this.origin + this.originalUrl; }
  get secure() { return this.protocol === 'https'; }
  get ips() { return this.ip ? [this.ip] : []; }
  get type() { return bare(this.get('content-type')); }
  get length() { const n = this.get('content-length'); return n === '' ? undefined : Number(n); }
  get(name) {
    const key = String(name).toLowerCase();
    return this.header[key === 'referrer' ? 'referer' : key] || '';
  }
  /** is returns the first of the types that the body has, false for none, null without a body. */
  is(...types) {
    if (this.body === undefined && !this.get('content-length') && !this.get('transfer-encoding')) return null;
    const list = types.flat();
    if (list.length === 0) return this.type || false;
    return list.find((type) => matches(this.type, type)) || false;
  }
  acceptsLanguages(...languages) {
    const weight = (one) => Number((/;\s*q=([\d.]+)/.exec(one) || [0, 1])[1]);
    const accepted = this.get('accept-language').split(',').filter((one) => one.trim() !== '').sort((a, b) => weight(b) - weight(a)).map((one) => one.split(';')[0].trim());
    const list = languages.flat();
    if (list.length === 0) return accepted.length > 0 ? accepted : ['*'];
    if (accepted.length === 0) return list[0];
    for (const one of accepted) {
      const found = one === '*' ? list[0] : list.find((l) => l.toLowerCase() === one.toLowerCase() || one.toLowerCase().startsWith(`${l.toLowerCase()}-`) || l.toLowerCase().startsWith(`${one.toLowerCase()}-`));
      if (found) return found;
    }
    return false;
  }
  accepts(...types) {
    const accepted = (this.get('accept') || '*/*').split(',').map(bare);
    const list = types.flat();
    return list.length === 0 ? accepted : list.find((type) => accepted.some((a) => a === '*/*' || matches(bare(mediaTypes[type] || type), a))) || false;
  }
}

function matches(actual, wanted) {
  const type = bare(wanted.includes('/') ? wanted : mediaTypes[wanted] || `application/${wanted}`);
  if (type.endsWith('/*')) return actual.startsWith(type.slice(0, -1));
  return actual === type || (wanted === 'json' && actual.endsWith('+json'));
}

/** filesOf are the files of a form, by field, as Strapi has them: one, or a list. */
function filesOf(given) {
  if (!given) return undefined;
  const files = new Map(); // a field may have the name of a member of all objects
  for (const { field, path, name, type, size } of given) {
    const file = { filepath: path, newFilename: path.split('/').pop(), originalFilename: name, mimetype: type, size, mtime: new Date(), hashAlgorithm: false, hash: null };
    files.set(field, files.has(field) ? [].concat(files.get(field), file) : file);
  }
  return Object.fromEntries(files);
}

class Response {
  constructor() {
    this.fields = new Map(); // [name as it was written, values], by lower-case name
    this._status = 404;
    this._body = undefined;
    this._explicitStatus = false;
  }
  get status() { return this._status; }
  set status(code) {
    if (!Number.isInteger(code) || code < 100 || code > 999) throw new Error(`${code} is not an HTTP status`);
    this._explicitStatus = true;
    this._status = code;
    if (emptyStatuses.includes(code)) this._body = undefined;
  }
  get message() { return this._message || statusNames[this._status] || goodNames[this._status] || ''; }
  set message(text) { this._message = text; }
  get body() { return this._body; }
  set body(value) {
    this._body = value;
    if (value === null || value === undefined) {
      if (!emptyStatuses.includes(this._status)) this.status = 204;
      if (value === null) this._explicitNull = true;
      this.remove('Content-Type');
      return;
    }
    if (!this._explicitStatus) this.status = 200;
    if (this.has('Content-Type')) return;
    if (typeof value === 'string') this.type = /^\s*</.test(value) ? 'html' : 'text';
    else this.type = value instanceof Uint8Array || isStream(value) ? 'bin' : 'json';
  }
  get type() { return bare(this.get('Content-Type')); }
  set type(type) {
    if (type) this.set('Content-Type', type.includes('/') ? withCharset(type) : mediaTypes[type.replace(/^\./, '')] || type);
    else this.remove('Content-Type');
  }
  get length() { return undefined; }
  set length(_) {}
  get etag() { return this.get('ETag'); }
  set etag(value) { this.set('ETag', /^(W\/)?"/.test(value) ? value : `"${value}"`); }
  get lastModified() { return this.has('Last-Modified') ? new Date(this.get('Last-Modified')) : undefined; }
  set lastModified(value) { this.set('Last-Modified', new Date(value).toUTCString()); }
  get headers() { return Object.fromEntries([...this.fields].map(([key, [, values]]) => [key, values.length === 1 ? values[0] : values])); }
  get header() { return this.headers; }
  get headerSent() { return false; }
  get(name) { const field = this.fields.get(String(name).toLowerCase()); return field ? field[1].join(', ') : ''; }
  has(name) { return this.fields.has(String(name).toLowerCase()); }
  set(name, value) {
    if (name !== null && typeof name === 'object') {
      for (const key of Object.keys(name)) this.set(key, name[key]);
      return;
    }
    const values = (Array.isArray(value) ? value : [value]).map(String);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || values.some((v) => /[\r\n\0]/.test(v))) throw new TypeError(`The header ${JSON.stringify(String(name))} has a character that is not allowed`);
    this.fields.set(name.toLowerCase(), [name, values]);
  }
  append(name, value) {
    const field = this.fields.get(name.toLowerCase());
    this.set(name, field ? [...field[1], ...(Array.isArray(value) ? value : [value])] : value);
  }
  remove(name) { this.fields.delete(String(name).toLowerCase()); }
  vary(name) { this.append('Vary', name); }
  attachment(filename) {
    if (filename && !this.has('Content-Type')) this.type = filename.split('.').pop();
    this.set('Content-Disposition', filename ? `attachment; filename="${filename.replace(/["\\\r\n]/g, '_')}"` : 'attachment');
  }
  redirect(url, alternative) {
    const target = url === 'back' ? alternative || '/' : url;
    this.set('Location', encodeURI(target).replace(/%25/g, '%'));
    if (!redirects.includes(this._status)) this.status = 302;
    this.type = 'text';
    this.body = `Redirecting to ${target}.`;
  }
  is(...types) { const list = types.flat(); return list.length === 0 ? this.type || false : list.find((type) => matches(this.type, type)) || false; }
  send(data, status = 200) { this.status = status; this.body = data; }
  created(data) { this.status = 201; this.body = data; }
  accepted(data) { this.status = 202; this.body = data; }
  noContent() { this.status = 204; }
  deleted(data) {
    if (data === null || data === undefined) this.status = 204;
    else this.send(data);
  }
}

const withCharset = (type) => (/^text\/|^application\/(json|javascript)$/.test(type) && !type.includes('charset') ? `${type}; charset=utf-8` : type);

// badRequest, notFound, conflict and the others.
for (const [code, text] of Object.entries(statusNames)) {
  const words = text.replace(/'/g, '').split(/[ -]/);
  const name = words.map((w, i) => (i === 0 ? w.toLowerCase() : w[0].toUpperCase() + w.slice(1).toLowerCase())).join('');
  Response.prototype[name] = function answer(message = text, details = {}) {
    const error = new HttpError(Number(code), message);
    this.status = error.status;
    this.body = { data: null, error: { status: error.status, name: error.name, message: error.message, details } };
  };
}

/** Signatures are those of cookies, by the keys of config/server; the first one signs. */
class Signatures {
  constructor(keys) { this.keys = keys; }
  sign(text, key = this.keys[0]) { return createHmac('sha1', key).update(text).digest('base64url'); }
  /** index is that of the key with which a text was signed, -1 for none. */
  index(text, signature) {
    const given = Buffer.from(signature);
    return this.keys.findIndex((key) => {
      const right = Buffer.from(this.sign(text, key));
      return right.length === given.length && timingSafeEqual(right, given);
    });
  }
}

/** Cookies reads those of the request and sets those of the response. They are signed if there are keys. */
class Cookies {
  constructor(request, response, keys) {
    Object.assign(this, { request, response, secure: request.secure });
    this.keys = Array.isArray(keys) && keys.length > 0 ? new Signatures(keys) : undefined;
  }
  get(name, { signed = Boolean(this.keys) } = {}) {
    const value = this.sent(name);
    if (!signed || value === undefined) return value;
    const signature = this.sent(`${name}.sig`);
    if (signature === undefined) return undefined;
    const at = this.signatures().index(`${name}=${value}`, signature);
    if (at < 0) this.set(`${name}.sig`, null, { path: '/', signed: false });
    else if (at > 0) this.set(`${name}.sig`, this.keys.sign(`${name}=${value}`), { signed: false });
    return at < 0 ? undefined : value;
  }
  sent(name) {
    const pair = this.request.get('cookie').split(/;\s*/).find((part) => part.startsWith(`${name}=`));
    return pair === undefined ? undefined : pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
  }
  signatures() {
    if (!this.keys) throw new Error('.keys required for signed cookies: set app.keys in config/server');
    return this.keys;
  }
  set(name, value, options = {}) {
    const gone = value === null || value === undefined;
    const pair = `${name}=${gone ? '' : value}`;
    let attributes = `; path=${options.path || '/'}`;
    const expires = gone ? new Date(0) : options.maxAge ? new Date(Date.now() + options.maxAge) : options.expires;
    if (expires) attributes += `; expires=${new Date(expires).toUTCString()}`;
    if (options.domain) attributes += `; domain=${options.domain}`;
    if (options.sameSite) attributes += `; samesite=${options.sameSite === true ? 'strict' : String(options.sameSite).toLowerCase()}`;
    if (options.secure === undefined ? this.secure : options.secure) attributes += '; secure';
    if (options.httpOnly !== false) attributes += '; httponly';
    const { signed = Boolean(this.keys) } = options;
    const pairs = signed ? [pair, `${name}.sig=${this.signatures().sign(pair)}`] : [pair];
    for (const one of pairs) {
      if (/;/.test(one)) throw new TypeError('argument value is invalid');
      this.response.append('Set-Cookie', one + attributes);
    }
    return this;
  }
}

/** rights of a context: the name of its caller for the host, and whether its route is allowed. */
const rights = Symbol('rights');

class Context {
  constructor(given) {
    Object.defineProperty(this, rights, { value: { caller: given.caller, access: given.access, state: given.state || {} } });
    this.request = new Request(given);
    this.response = new Response();
    this.request.ctx = this.response.ctx = this;
    this.request.response = this.response;
    this.state = {};
    this.params = given.params || {};
    this.originalUrl = given.url;
  }
  throw(...args) {
    let [status, message, properties] = [500, undefined, {}];
    for (const arg of args) {
      if (arg instanceof Error) throw arg.status || args.length === 1 ? arg : Object.assign(arg, { status, expose: status < 500 });
      if (typeof arg === 'number') status = arg;
      else if (typeof arg === 'string') message = arg;
      else if (arg) properties = arg;
    }
    throw new HttpError(status, message, properties);
  }
  assert(value, ...args) { if (!value) this.throw(...args); }
  toJSON() { return { request: { method: this.method, url: this.url, header: this.header }, response: { status: this.status } }; }
}

/** authenticate puts the caller into ctx.state, as Strapi does once it has found the route. */
function authenticate(ctx) {
  for (const [key, value] of Object.entries(ctx[rights].state)) if (value !== null && value !== undefined && ctx.state[key] === undefined) ctx.state[key] = value;
  ctx.state.isAuthenticated = true;
  return ctx;
}

/** rare are members that few requests need, made when they are first read. */
const rare = {
  req: ({ request }) => ({ headers: request.header, method: request.method, url: request.originalUrl, socket: { remoteAddress: request.ip } }),
  res: ({ response }) => ({ setHeader: (name, value) => response.set(name, value), getHeader: (name) => response.get(name), statusCode: 404, on() {}, once() {} }),
  cookies: ({ request, response }) => new Cookies(request, response, strapi.config.get('server.app.keys')),
  app: () => ({ context: Context.prototype, strapi }),
};
for (const [name, make] of Object.entries(rare)) {
  const set = (ctx, value) => Object.defineProperty(ctx, name, { value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(Context.prototype, name, { configurable: true, get() { return set(this, make(this))[name]; }, set(value) { set(this, value); } });
}

/** delegate gives the context the members of its request or response. */
function delegate(part, { methods = [], both = [], getters = [] }) {
  const define = (name, property) => Object.defineProperty(Context.prototype, name, { configurable: true, ...property });
  for (const name of methods) define(name, { writable: true, value(...args) { return this[part][name](...args); } });
  for (const name of both) define(name, { get() { return this[part][name]; }, set(value) { this[part][name] = value; } });
  for (const name of getters) define(name, { get() { return this[part][name]; } });
}
delegate('response', {
  methods: Object.getOwnPropertyNames(Response.prototype).filter((n) => !['constructor', 'get', 'is', 'has'].includes(n) && 'value' in Object.getOwnPropertyDescriptor(Response.prototype, n)),
  both: ['status', 'message', 'body', 'type', 'length', 'etag', 'lastModified'],
  getters: ['headerSent'],
});
delegate('request', {
  methods: ['get', 'is', 'accepts', 'acceptsLanguages'],
  both: ['method', 'url', 'query'],
  getters: ['header', 'headers', 'path', 'querystring', 'search', 'host', 'hostname', 'origin', 'href', 'secure', 'ip', 'ips', 'protocol'],
});

const isStream = (value) => typeof value.pipe === 'function' || typeof value.getReader === 'function' || (typeof value === 'object' && Symbol.asyncIterator in value);

const mostBytes = 32 << 20; // of a body that is a stream

/** collected is what a stream yields. */
async function collected(stream) {
  const parts = [];
  let size = 0;
  for await (const part of stream) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    size += bytes.length;
    if (size > mostBytes) {
      if (typeof stream.destroy === 'function') stream.destroy();
      throw new Error(`The body is a stream of more than ${mostBytes} bytes`);
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** responseOf is the response that a context stands for: a text, bytes as characters, or what becomes JSON. */
function responseOf(ctx) {
  const { response, failure } = ctx;
  const { status, body } = response;
  const headers = [...response.fields.values()].flatMap(([name, values]) => values.map((value) => [name, value]));
  if (emptyStatuses.includes(status) || (response._explicitNull && body === null)) return { status, headers, failure };
  if (body === null || body === undefined) {
    const withType = response.has('Content-Type') ? headers : [...headers, ['Content-Type', mediaTypes.text]];
    return { status, headers: withType, text: response.message || String(status), failure };
  }
  if (isStream(body)) return collected(body).then((bytes) => { response._body = bytes; return responseOf(ctx); });
  if (typeof body.then === 'function') return body.then((value) => { response._body = value; return responseOf(ctx); });
  if (body instanceof Uint8Array) return { status, headers, latin1: Buffer.from(body).toString('latin1'), failure };
  return typeof body === 'string' ? { status, headers, text: body, failure } : { status, headers, failure, json: body };
}

module.exports = { Context, authenticate, responseOf, rights };
