"use strict";
const { native } = require("quire:core");
const { Buffer, toBytes, toLatin1, fromLatin1 } = require("buffer");
const { promisify } = require("util");

const latin1 = (value, encoding) => toLatin1(value instanceof KeyObject ? value.bytes : toBytes(value, encoding));
const out = (bytes, encoding) => (encoding && encoding !== "buffer" ? bytes.toString(encoding) : bytes);

// The parts of a stream of bytes, which Go gets at once when it ends.
class Parts {
  parts = [];
  update(data, encoding) {
    if (this.done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.parts.push(latin1(data, encoding));
    return this;
  }
  write(data) {
    this.update(data);
    return true;
  }
  end(data) {
    if (data !== undefined) this.update(data);
  }
  text() {
    this.done = true;
    return this.parts.join("");
  }
}

class Hash extends Parts {
  constructor(name) {
    super();
    native("hash", name, "");
    this.name = name;
  }
  digest(encoding) {
    if (this.done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    return out(fromLatin1(native("hash", this.name, this.text())), encoding);
  }
  copy() {
    return Object.assign(new Hash(this.name), { parts: [...this.parts] });
  }
}
class Hmac extends Parts {
  constructor(name, key) {
    super();
    this.key = latin1(key);
    this.name = name;
    native("hmac", name, "", "");
  }
  digest(encoding) {
    return out(fromLatin1(native("hmac", this.name, this.key, this.text())), encoding);
  }
}

// All that a cipher makes comes with final: what is added up is the same.
class Cipher extends Parts {
  constructor(name, key, iv, encrypt) {
    super();
    Object.assign(this, { name: name.toLowerCase(), key: latin1(key), iv: latin1(iv ?? ""), encrypt, aad: "", tag: "" });
    if (!/^aes-(128|192|256)-(cbc|gcm|ctr)$/.test(this.name)) throw Object.assign(new Error("Unknown cipher"), { code: "ERR_CRYPTO_UNKNOWN_CIPHER" });
    if (this.key.length * 8 !== Number(this.name.split("-")[1])) throw Object.assign(new RangeError("Invalid key length"), { code: "ERR_CRYPTO_INVALID_KEYLEN" });
    if (this.iv.length !== 16 && !this.name.endsWith("gcm")) throw Object.assign(new TypeError("Invalid initialization vector"), { code: "ERR_CRYPTO_INVALID_IV" });
  }
  update(data, from, to) {
    super.update(data, from);
    return out(Buffer.alloc(0), to);
  }
  final(encoding) {
    if (!this.encrypt && !this.tag && this.name.endsWith("gcm")) throw new Error("Unsupported state or unable to authenticate data");
    let bytes;
    try {
      bytes = fromLatin1(native("cipher", this.name, this.encrypt, this.key, this.iv, this.text(), this.aad, this.tag));
    } catch (e) {
      if (this.name.endsWith("gcm")) throw new Error("Unsupported state or unable to authenticate data");
      throw Object.assign(new Error(e.message), { code: e.message === "bad decrypt" ? "ERR_OSSL_BAD_DECRYPT" : "ERR_OSSL_WRONG_FINAL_BLOCK_LENGTH" });
    }
    if (this.encrypt && this.name.endsWith("gcm")) {
      this.tag = toLatin1(bytes.subarray(-16));
      bytes = bytes.subarray(0, -16);
    }
    return out(bytes, encoding);
  }
  setAAD(bytes) {
    this.aad = latin1(bytes);
    return this;
  }
  getAuthTag() {
    return fromLatin1(this.tag);
  }
  setAuthTag(bytes, encoding) {
    this.tag = latin1(bytes, encoding);
    return this;
  }
  setAutoPadding() {
    throw new Error("setAutoPadding is not supported");
  }
}

class KeyObject {
  constructor(type, bytes, about = {}) {
    Object.defineProperty(this, "bytes", { value: bytes });
    Object.assign(this, { ...about, type });
    if (type === "secret") this.symmetricKeySize = bytes.length;
  }
  export({ format = this.type === "secret" ? "buffer" : "pem", type, cipher, passphrase } = {}) {
    if (cipher || passphrase) fail("A key is not encrypted when it is exported");
    if (this.type === "secret") return format === "jwk" ? { kty: "oct", k: Buffer.from(this.bytes).toString("base64url") } : Buffer.from(this.bytes);
    if (format === "jwk") return JSON.parse(formOf(this, "jwk"));
    const form = this.type === "public" && type !== "pkcs1" ? "spki" : type ?? "pkcs8";
    const bytes = formOf(this, form, format !== "der");
    return format === "der" ? bytes : bytes.toString();
  }
  equals(other) {
    return this.type === other.type && Buffer.from(this.bytes).equals(Buffer.from(other.bytes));
  }
}
function fail(message, code) {
  throw Object.assign(new Error(message), code ? { code } : {});
}
const formOf = (key, form, asPEM = false) => fromLatin1(native("key form", form, latin1(key), asPEM));
function pem(key) {
  const inner = key?.key ?? key;
  if (inner instanceof KeyObject) return inner;
  const form = key?.format === "jwk" ? "jwk" : key?.format === "der" ? (key.type ?? "spki") : "pem";
  if (form !== "jwk" && typeof inner !== "string" && !ArrayBuffer.isView(inner)) fail("The key must be a PEM", "ERR_INVALID_ARG_TYPE");
  try {
    const bytes = form === "pem" ? toBytes(inner) : toBytes(native("read key", form, form === "jwk" ? JSON.stringify(inner) : latin1(inner)));
    const about = JSON.parse(native("key", toLatin1(bytes)));
    return new KeyObject(about.type, bytes, about);
  } catch (e) {
    fail(e.message, "ERR_OSSL_UNSUPPORTED");
  }
}
function createPrivateKey(key) {
  const object = pem(key);
  return object.type === "private" ? object : fail("The key is not private", "ERR_OSSL_UNSUPPORTED");
}
function createPublicKey(key) {
  const object = pem(key);
  return object.type === "public" ? object : pem({ key: formOf(object, "spki"), format: "der" });
}
function checkKind(kind) {
  if (!["rsa", "ec", "ed25519"].includes(kind)) throw Object.assign(new TypeError(`A key of the kind ${kind} is not supported`), { code: "ERR_INVALID_ARG_VALUE" });
}
function generateKeyPairSync(kind, o = {}) {
  checkKind(kind);
  const privateKey = pem(native("make key", kind, kind === "rsa" ? o.modulusLength : o.namedCurve));
  const shown = (key, as) => (as ? key.export(as) : key);
  return { publicKey: shown(createPublicKey(privateKey), o.publicKeyEncoding), privateKey: shown(privateKey, o.privateKeyEncoding) };
}

function generateKeyPair(kind, o, done) {
  checkKind(kind);
  later(() => generateKeyPairSync(kind, o), (e, pair) => (e ? done(e) : done(null, pair.publicKey, pair.privateKey)));
}
generateKeyPair[promisify.custom] = async (kind, o) => generateKeyPairSync(kind, o);

class ECDH {
  #keys = {};
  constructor(curve) {
    this.#agree = (key, other) => JSON.parse(native("agree", curve, key, other));
    this.#agree("", "");
  }
  #agree;
  generateKeys(encoding) {
    this.#keys = this.#agree("", "");
    return this.getPublicKey(encoding);
  }
  setPrivateKey(key, encoding) {
    this.#keys = this.#agree(latin1(key, encoding), "");
  }
  getPublicKey(encoding) {
    return out(fromLatin1(this.#keys.public), encoding);
  }
  getPrivateKey(encoding) {
    return out(fromLatin1(this.#keys.private), encoding);
  }
  computeSecret(other, from, to) {
    return out(fromLatin1(this.#agree(this.#keys.private, latin1(other, from)).secret), to);
  }
}

const isJoined = (key) => key?.dsaEncoding === "ieee-p1363";
const pss = (key) => [(key?.padding ?? 1) === constants.RSA_PKCS1_PSS_PADDING, key?.saltLength === undefined || key.saltLength === constants.RSA_PSS_SALTLEN_AUTO ? 0 : key.saltLength];
const sign = (name, data, key) => signature(name ?? "", latin1(data), key);
function signature(name, data, key) {
  return fromLatin1(native("sign", name, latin1(createPrivateKey(key)), ...pss(key), data, isJoined(key)));
}
const verify = (name, data, key, bytes) => isSignature(name ?? "", latin1(data), key, latin1(bytes));
const isSignature = (name, data, key, bytes) => native("verify", name, latin1(pem(key)), ...pss(key), data, bytes, isJoined(key));
class Sign extends Parts {
  constructor(name) {
    super();
    native("hash", name, "");
    this.name = name;
  }
  sign(key, encoding) {
    return out(signature(this.name, this.text(), key), encoding);
  }
  verify(key, bytes, encoding) {
    return isSignature(this.name, this.text(), key, latin1(bytes, encoding));
  }
}

const randomBytes = (n, done) => later(() => fromLatin1(native("random", n)), done);
function randomFillSync(into, from = 0, length) {
  const bytes = into instanceof ArrayBuffer ? new Uint8Array(into) : new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
  bytes.set(fromLatin1(native("random", length ?? bytes.length - from)), from);
  return into;
}
function randomUUID() {
  const b = fromLatin1(native("random", 16));
  b[6] = (b[6] & 15) | 64;
  b[8] = (b[8] & 63) | 128;
  return b.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
function randomInt(low, high, done) {
  if (high === undefined || typeof high === "function") [low, high, done] = [0, low, high];
  const range = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0 || range > 2 ** 48 - 1) throw Object.assign(new RangeError("The range of randomInt is out of range"), { code: "ERR_OUT_OF_RANGE" });
  return later(() => {
    for (;;) {
      const n = fromLatin1(native("random", 6)).readUIntBE(0, 6);
      if (n < 2 ** 48 - (2 ** 48 % range)) return low + (n % range);
    }
  }, done);
}

// later answers at once, or through the callback that Node's form with one gets.
function later(fn, done) {
  if (typeof done !== "function") return fn();
  let result;
  let error = null;
  try {
    result = fn();
  } catch (e) {
    error = e;
  }
  setImmediate(done, error, result);
}

function timingSafeEqual(a, b) {
  const [x, y] = [toBytes(a), toBytes(b)];
  if (x.length !== y.length) throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" });
  let different = 0;
  for (let i = 0; i < x.length; i++) different |= x[i] ^ y[i];
  return different === 0;
}

const derive = (options, password, salt) => fromLatin1(native("derive", JSON.stringify(options), latin1(password), latin1(salt)));
const pbkdf2Sync = (password, salt, iterations, l, hash) => derive({ kind: "pbkdf2", hash, iterations, l }, password, salt);
const hkdfSync = (hash, key, salt, info, l) => new Uint8Array(derive({ kind: "hkdf", hash, l, info: latin1(info) }, key, salt)).buffer;
const scryptSync = (password, salt, l, o = {}) => derive({ kind: "scrypt", l, n: o.N ?? o.cost ?? 16384, r: o.r ?? o.blockSize ?? 8, p: o.p ?? o.parallelization ?? 1 }, password, salt);

const webcrypto = {
  getRandomValues(into) {
    if (into.byteLength > 65536) throw new DOMException("The requested length exceeds 65,536 bytes", "QuotaExceededError");
    return randomFillSync(into);
  },
  randomUUID,
};
Object.defineProperty(webcrypto, "subtle", { get: () => require("quire:subtle").subtle, enumerable: true });

const constants = { RSA_PKCS1_PADDING: 1, RSA_PKCS1_PSS_PADDING: 6, RSA_PSS_SALTLEN_DIGEST: -1, RSA_PSS_SALTLEN_MAX_SIGN: -2, RSA_PSS_SALTLEN_AUTO: -2 };
module.exports = {
  createHash: (name) => new Hash(name),
  createHmac: (name, key) => new Hmac(name, key),
  createCipheriv: (name, key, iv) => new Cipher(name, key, iv, true),
  createDecipheriv: (name, key, iv) => new Cipher(name, key, iv, false),
  createSign: (name) => new Sign(name),
  createVerify: (name) => new Sign(name),
  createSecretKey: (key, encoding) => new KeyObject("secret", toBytes(key, encoding)),
  hash: (name, data, encoding = "hex") => new Hash(name).update(data).digest(encoding),
  getHashes: () => native("hashes").split(" "),
  getCiphers: () => ["cbc", "gcm", "ctr"].flatMap((mode) => [128, 192, 256].map((bits) => `aes-${bits}-${mode}`)),
  pbkdf2: (password, salt, iterations, length, hash, done) => later(() => pbkdf2Sync(password, salt, iterations, length, hash), done),
  scrypt: (password, salt, length, options, done = options) => later(() => scryptSync(password, salt, length, typeof options === "function" ? {} : options), done),
  hkdf: (hash, key, salt, info, length, done) => later(() => hkdfSync(hash, key, salt, info, length), done),
  generateKeyPair,
  createECDH: (curve) => new ECDH(curve),
  randomFill: (into, ...rest) => later(() => randomFillSync(into, ...rest.slice(0, -1)), rest.at(-1)),
  KeyObject, Hash, Hmac, createPrivateKey, createPublicKey, sign, verify, randomBytes, pseudoRandomBytes: randomBytes, rng: randomBytes,
  randomFillSync, randomUUID, randomInt, timingSafeEqual, pbkdf2Sync, scryptSync, hkdfSync, generateKeyPairSync, webcrypto, constants,
  getRandomValues: webcrypto.getRandomValues,
};
Object.defineProperty(module.exports, "subtle", { get: () => webcrypto.subtle, enumerable: true });
