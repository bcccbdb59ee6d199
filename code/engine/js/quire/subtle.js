// Web Crypto, on top of node:crypto. What wraps keys and encrypts with RSA is missing.
"use strict";
const { native } = require("quire:core");
const { Buffer, toLatin1, fromLatin1 } = require("buffer");
const { DOMException } = require("quire:web");
const crypto = require("crypto");

const curves = { "P-256": "prime256v1", "P-384": "secp384r1", "P-521": "secp521r1" };
const isAES = (name) => name.startsWith("AES-");
const isPair = (name) => /^(RSA|ECDSA|ED25519)/i.test(name);
const kindOf = (name) => (name.startsWith("RSA") ? "rsa" : name === "ECDSA" ? "ec" : "ed25519"); // of a pair, as Node says it
const names = ["HMAC", "AES-GCM", "AES-CBC", "AES-CTR", "PBKDF2", "HKDF", "RSASSA-PKCS1-v1_5", "RSA-PSS", "ECDSA", "Ed25519"];

class CryptoKey {
  #object;
  constructor(object, algorithm, extractable, usages) {
    this.#object = object;
    Object.assign(this, { type: object.type, extractable, algorithm, usages });
  }
  static object = (key, usage, name) => {
    if (usage && (!key.usages.includes(usage) || name !== key.algorithm.name)) refuse("InvalidAccessError", `The key is not for ${usage} with ${name}`);
    return key.#object;
  };
}
const { object } = CryptoKey;
delete CryptoKey.object;

function refuse(name, message) {
  throw new DOMException(message, name);
}

// known is the algorithm with its name as the standard writes it.
function known(algorithm) {
  const given = typeof algorithm === "string" ? { name: algorithm } : algorithm;
  const name = names.find((n) => n.toLowerCase() === String(given?.name).toLowerCase());
  if (!name) refuse("NotSupportedError", `The algorithm ${given?.name} is not supported`);
  return { ...given, name };
}
const hashOf = (hash) => ({ name: String(hash?.name ?? hash).toUpperCase() });
// bitsOf is how long a new key is; one of HMAC as a block of its hash, unless it says otherwise.
const bitsOf = ({ length, hash }) => length ?? (/384|512/.test(hashOf(hash).name) ? 1024 : 512);
const bytesOf = (data) => Buffer.from(ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));
const given = (bytes) => new Uint8Array(bytes).buffer;

function keyOf(key, { name, hash, namedCurve }, extractable, usages) {
  const about = key.asymmetricKeyDetails;
  const algorithm = { name };
  if (hash && !isPair(name)) algorithm.hash = hashOf(hash);
  if (name === "HMAC" || isAES(name)) algorithm.length = key.symmetricKeySize * 8;
  if (isAES(name) && ![128, 192, 256].includes(algorithm.length)) refuse("DataError", "An AES key has 128, 192 or 256 bits");
  if (isPair(name)) {
    const kind = kindOf(name);
    if (key.asymmetricKeyType !== kind || (namedCurve && curves[namedCurve] !== about.namedCurve)) refuse("DataError", `The key is not one of ${name}`);
    if (kind === "rsa") Object.assign(algorithm, { modulusLength: about.modulusLength, publicExponent: new Uint8Array([about.publicExponent >> 16, about.publicExponent >> 8, about.publicExponent]), hash: hashOf(hash) });
    if (kind === "ec") algorithm.namedCurve = Object.keys(curves).find((n) => curves[n] === about.namedCurve);
  }
  return new CryptoKey(key, algorithm, extractable, [...usages]);
}

function readKey(format, data, name) {
  try {
    if (!isPair(name)) return crypto.createSecretKey(format === "jwk" ? Buffer.from(data.k, "base64url") : bytesOf(data));
    if (format === "jwk") return data.d ? crypto.createPrivateKey({ key: data, format }) : crypto.createPublicKey({ key: data, format });
    const key = { key: bytesOf(data), format: "der", type: format };
    return format === "pkcs8" ? crypto.createPrivateKey(key) : crypto.createPublicKey(key);
  } catch (e) {
    return refuse("DataError", e.message);
  }
}

// signing are the arguments of crypto.sign and verify.
function signing(algorithm, key) {
  const hash = algorithm.name === "Ed25519" ? null : hashOf(algorithm.hash ?? key.algorithm.hash).name;
  const padding = algorithm.name === "RSA-PSS" ? crypto.constants.RSA_PKCS1_PSS_PADDING : undefined;
  return [hash, (object) => ({ key: object, padding, saltLength: algorithm.saltLength, dsaEncoding: "ieee-p1363" })];
}

function cipher(algorithm, key, usage, data) {
  const { name } = algorithm;
  const secret = object(key, usage, name);
  if ((algorithm.tagLength ?? 128) !== 128) refuse("NotSupportedError", "A tag has 128 bits");
  const kind = `aes-${secret.symmetricKeySize * 8}-${name.slice(4).toLowerCase()}`;
  const more = algorithm.additionalData ? toLatin1(bytesOf(algorithm.additionalData)) : "";
  try {
    return given(fromLatin1(native("cipher", kind, usage === "encrypt", toLatin1(secret.export()), toLatin1(bytesOf(algorithm.iv ?? algorithm.counter)), toLatin1(bytesOf(data)), more, "")));
  } catch (e) {
    return refuse("OperationError", e.message);
  }
}

function derive(algorithm, key, length, usage) {
  const { name } = algorithm;
  const secret = object(key, usage, name).export();
  if (!length || length % 8) refuse("OperationError", "The length is a number of bits that are whole bytes");
  const [hash, salt] = [hashOf(algorithm.hash).name, bytesOf(algorithm.salt)];
  if (name === "HKDF") return crypto.hkdfSync(hash, secret, salt, bytesOf(algorithm.info), length / 8);
  return given(crypto.pbkdf2Sync(secret, salt, algorithm.iterations, length / 8, hash));
}

const begins = { HMAC: "HS", "RSASSA-PKCS1-v1_5": "RS", "RSA-PSS": "PS" };
function toJWK(key, inner) {
  const { name, hash, length } = key.algorithm;
  const alg = begins[name] ? begins[name] + hash.name.slice(4) : isAES(name) ? `A${length}${name.slice(4)}` : undefined;
  return { key_ops: key.usages, ext: key.extractable, ...inner.export({ format: "jwk" }), ...(alg && { alg }) };
}

const subtle = {
  digest: async (name, data) => given(crypto.createHash(hashOf(name).name).update(bytesOf(data)).digest()),
  async importKey(format, data, algorithm, extractable, usages) {
    const wanted = known(algorithm);
    const formats = isPair(wanted.name) ? ["jwk", "spki", "pkcs8"] : ["raw", "jwk"];
    if (!formats.includes(format)) refuse("NotSupportedError", `A key of ${wanted.name} is imported as ${formats.join(", ")}`);
    return keyOf(readKey(format, data, wanted.name), wanted, extractable, usages);
  },
  async exportKey(format, key) {
    const inner = object(key);
    if (!key.extractable) refuse("InvalidAccessError", "The key is not extractable");
    if (format === "jwk") return toJWK(key, inner);
    const wanted = { secret: "raw", public: "spki", private: "pkcs8" }[key.type];
    if (format !== wanted) refuse("NotSupportedError", `This key is exported as jwk or ${wanted}`);
    return given(inner.export(format === "raw" ? {} : { format: "der", type: format }));
  },
  async generateKey(algorithm, extractable, usages) {
    const wanted = known(algorithm);
    const { name } = wanted;
    if (!isPair(name)) return keyOf(crypto.createSecretKey(crypto.randomBytes(bitsOf(wanted) / 8)), wanted, extractable, usages);
    const pair = crypto.generateKeyPairSync(kindOf(name), wanted);
    const only = (usage) => usages.filter((u) => u === usage);
    return { publicKey: keyOf(pair.publicKey, wanted, true, only("verify")), privateKey: keyOf(pair.privateKey, wanted, extractable, only("sign")) };
  },
  async sign(algorithm, key, data) {
    const wanted = known(algorithm);
    const inner = object(key, "sign", wanted.name);
    if (wanted.name === "HMAC") return given(crypto.createHmac(key.algorithm.hash.name, inner).update(bytesOf(data)).digest());
    const [hash, how] = signing(wanted, key);
    return given(crypto.sign(hash, bytesOf(data), how(inner)));
  },
  async verify(algorithm, key, signature, data) {
    const wanted = known(algorithm);
    const inner = object(key, "verify", wanted.name);
    if (wanted.name === "HMAC") {
      const sum = crypto.createHmac(key.algorithm.hash.name, inner).update(bytesOf(data)).digest();
      return sum.length === bytesOf(signature).length && crypto.timingSafeEqual(sum, bytesOf(signature));
    }
    const [hash, how] = signing(wanted, key);
    return crypto.verify(hash, bytesOf(data), how(inner), bytesOf(signature));
  },
  encrypt: async (algorithm, key, data) => cipher(known(algorithm), key, "encrypt", data),
  decrypt: async (algorithm, key, data) => cipher(known(algorithm), key, "decrypt", data),
  deriveBits: async (algorithm, key, length) => derive(known(algorithm), key, length, "deriveBits"),
  async deriveKey(algorithm, key, of, extractable, usages) {
    const wanted = known(of);
    return keyOf(crypto.createSecretKey(bytesOf(derive(known(algorithm), key, bitsOf(wanted), "deriveKey"))), wanted, extractable, usages);
  },
};
for (const name of ["wrapKey", "unwrapKey"]) subtle[name] = async () => refuse("NotSupportedError", `crypto.subtle.${name} is not supported`);

module.exports = { subtle, CryptoKey };
