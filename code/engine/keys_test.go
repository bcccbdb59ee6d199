package engine

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
)

// pair returns a private key and its public key as PEM.
func pair(t *testing.T, private, public any) []string {
	t.Helper()
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	check(t, err)
	open, err := x509.MarshalPKIXPublicKey(public)
	check(t, err)
	return []string{
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: open})),
	}
}

func TestSignaturesOfKeys(t *testing.T) {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	check(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	e := start(t, `
		const c = require("crypto");
		__quire.run = ([key, pub, hash, pss]) => {
			const options = (k) => (pss ? { key: k, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength: c.constants.RSA_PSS_SALTLEN_DIGEST } : k);
			const s = hash ? c.createSign(hash).update("text").sign(options(key), "base64") : c.sign(null, Buffer.from("text"), key).toString("base64");
			const v = (text) => (hash ? c.createVerify(hash).update(text).verify(options(pub), s, "base64") : c.verify(null, Buffer.from(text), pub, Buffer.from(s, "base64")));
			let wrong; try { c.createPrivateKey(pub) } catch (e) { wrong = "not private" }
			return [v("text"), v("other"), c.createPublicKey(key).asymmetricKeyType, c.createPrivateKey(key).type, wrong];
		};
		__quire.none = () => c.createPublicKey("no key");`, Options{})
	for _, k := range []struct {
		keys       []string
		hash, want string
		pss        bool
	}{
		{pair(t, r, &r.PublicKey), "RSA-SHA256", `[true,false,"rsa","private","not private"]`, false},
		{pair(t, r, &r.PublicKey), "sha512", `[true,false,"rsa","private","not private"]`, true},
		{pair(t, ec, &ec.PublicKey), "sha256", `[true,false,"ec","private","not private"]`, false},
		{pair(t, ed, edPublic), "", `[true,false,"ed25519","private","not private"]`, false},
	} {
		argument, err := json.Marshal([]any{k.keys[0], k.keys[1], k.hash, k.pss})
		check(t, err)
		if got := answer(t, e, "run", string(argument)); got != k.want {
			t.Errorf("%s %v: %s, want %s", k.hash, k.pss, got, k.want)
		}
	}
	if _, err := e.Call(t.Context(), "", "none", nil); err == nil || !strings.Contains(err.Error(), "not a PEM") {
		t.Error(err)
	}
}

// Nothing interrupts work with a key, so that of a stranger, as one in a JWK, may not be large.
func TestLargeKeysAreRefused(t *testing.T) {
	t.Parallel()
	e := start(t, `
		const c = require("crypto");
		const n = Buffer.alloc(2049, 255).toString("base64url");
		const refused = (fn) => { try { fn(); return "" } catch (e) { return e.message } };
		__quire.run = () => [refused(() => c.createPublicKey({ format: "jwk", key: { kty: "RSA", n, e: "AQAB" } })), refused(() => c.generateKeyPairSync("rsa", { modulusLength: 8192 }))];`, Options{})
	if got := answer(t, e, "run", ""); got != `["the key has more than 16384 bits","an RSA key has 1024 to 4096 bits"]` {
		t.Error(got)
	}
}

// An RSA key of composite numbers is no key, and reading a long one would take minutes.
func TestLongKeysAndSaltsAreRefused(t *testing.T) {
	t.Parallel()
	e := start(t, `
		const c = require("crypto");
		const refused = (fn) => { try { fn(); return "" } catch (e) { return e.message } };
		const long = Buffer.alloc(40000, 255);
		const pem = "-----BEGIN RSA PRIVATE KEY-----\n" + long.toString("base64") + "\n-----END RSA PRIVATE KEY-----\n";
		const n = long.toString("base64url");
		__quire.run = () => [
			refused(() => c.createPrivateKey(pem)),
			refused(() => c.createPrivateKey({ format: "der", type: "pkcs1", key: long })),
			refused(() => c.createPrivateKey({ format: "jwk", key: { kty: "RSA", n, e: "AQAB", d: n, p: n, q: n, dp: n, dq: n, qi: n } })),
		];
		__quire.salts = (key) => [256, 257, 2 ** 28, 2 ** 62].map((saltLength) => refused(() => c.sign("sha256", Buffer.from("x"), { key, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength })));`, Options{})
	if got := answer(t, e, "run", ""); strings.Count(got, "the key has more than 32768 bytes") != 3 {
		t.Error(got)
	}
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	check(t, err)
	argument, err := json.Marshal(pair(t, k, &k.PublicKey)[0])
	check(t, err)
	if got := answer(t, e, "salts", string(argument)); strings.Count(got, "the salt is longer than the key") != 3 || !strings.Contains(got, "too long") {
		t.Error(got)
	}
}

// The info of HKDF is hashed for each part of the key, so that much of it would take minutes.
func TestMuchInfoOfAKeyIsRefused(t *testing.T) {
	t.Parallel()
	e := start(t, `
		const c = require("crypto");
		const made = (info) => { try { return c.hkdfSync("sha256", "key", "salt", info, 255 * 32).byteLength } catch (e) { return e.message } };
		__quire.run = () => [made(Buffer.alloc(1024, "é")), made(Buffer.alloc(1025))];`, Options{})
	if got := answer(t, e, "run", ""); got != `[8160,"info of 1025 bytes is longer than 1024"]` {
		t.Error(got)
	}
}

// No key is written in plain text where the code asks for it encrypted.
func TestAKeyIsNotExportedWithoutItsPassphrase(t *testing.T) {
	t.Parallel()
	e := start(t, `
		const { generateKeyPairSync } = require("crypto");
		const as = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" };
		const refused = (fn) => { try { return fn() } catch (e) { return e.message } };
		__quire.run = () => [refused(() => generateKeyPairSync("ed25519").privateKey.export(as)), refused(() => generateKeyPairSync("ed25519", { privateKeyEncoding: as }))];`, Options{})
	if got := answer(t, e, "run", ""); got != `["A key is not encrypted when it is exported","A key is not encrypted when it is exported"]` {
		t.Error(got)
	}
}
