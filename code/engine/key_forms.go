package engine

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// Forms of a key besides a PEM: "spki" of a public and "pkcs8" of a private key, "pkcs1" of RSA,
// "sec1" of an elliptic curve, and "jwk".

// nativeReadKey makes a PEM of a key: its form, the bytes.
func nativeReadKey(_ *machine, a arguments) (any, error) {
	key, err := parseKey(a.text(0), a.bytes(1))
	if err != nil {
		return nil, err
	}
	return toPEM(key)
}

func parseKey(form string, b []byte) (any, error) {
	if len(b) > maxKeyBytes {
		return nil, errLongKey
	}
	switch form {
	case "spki":
		return x509.ParsePKIXPublicKey(b)
	case "pkcs8":
		return x509.ParsePKCS8PrivateKey(b)
	case "pkcs1":
		if key, err := x509.ParsePKCS1PrivateKey(b); err == nil {
			return key, nil
		}
		return x509.ParsePKCS1PublicKey(b)
	case "sec1":
		return x509.ParseECPrivateKey(b)
	case "jwk":
		var key jose.JSONWebKey
		err := key.UnmarshalJSON(b)
		return key.Key, err
	}
	return nil, fmt.Errorf("%q is not a form of a key", form)
}

// toPEM returns a private key as PKCS 8, and a public one as SPKI.
func toPEM(key any) (string, error) {
	form := "spki"
	if _, private := key.(crypto.Signer); private {
		form = "pkcs8"
	}
	b, err := pemOf(form, key)
	return string(b), err
}

// pemOf returns a form of a key as a PEM.
func pemOf(form string, key any) ([]byte, error) {
	b, err := formOf(form, key)
	kind := map[string]string{"spki": "PUBLIC KEY", "pkcs8": "PRIVATE KEY", "pkcs1": "RSA PUBLIC KEY", "sec1": "EC PRIVATE KEY"}[form]
	if _, private := key.(crypto.Signer); private && form == "pkcs1" {
		kind = "RSA PRIVATE KEY"
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), err
}

// nativeKeyForm returns another form of a PEM: the form, the PEM, and whether the form is a PEM
// too. The public forms of a private key are those of its public one.
func nativeKeyForm(a arguments) ([]byte, error) {
	key, err := readKey(a.bytes(1))
	switch {
	case err != nil:
		return nil, err
	case a.truth(2):
		return pemOf(a.text(0), key)
	}
	return formOf(a.text(0), key)
}

func formOf(form string, key any) ([]byte, error) {
	signer, private := key.(crypto.Signer)
	switch form {
	case "jwk":
		return jose.JSONWebKey{Key: key}.MarshalJSON()
	case "pkcs8":
		return x509.MarshalPKCS8PrivateKey(key)
	case "spki":
		if private {
			key = signer.Public()
		}
		return x509.MarshalPKIXPublicKey(key)
	}
	switch k := key.(type) {
	case *rsa.PrivateKey:
		if form == "pkcs1" {
			return x509.MarshalPKCS1PrivateKey(k), nil
		}
	case *rsa.PublicKey:
		if form == "pkcs1" {
			return x509.MarshalPKCS1PublicKey(k), nil
		}
	case *ecdsa.PrivateKey:
		if form == "sec1" {
			return x509.MarshalECPrivateKey(k)
		}
	}
	return nil, fmt.Errorf("%q is not a form of this key", form)
}

// nativeMakeKey makes a private key, a PEM: the kind, the bits of RSA or the curve.
func nativeMakeKey(_ *machine, a arguments) (any, error) {
	var key any
	var err error
	switch kind := a.text(0); kind {
	case "rsa":
		bits := a.number(1)
		if bits < 1024 || bits > maxRSAMade {
			return nil, fmt.Errorf("an RSA key has 1024 to %d bits", maxRSAMade)
		}
		key, err = rsa.GenerateKey(rand.Reader, bits)
	case "ec":
		c, unknown := curveOf(a.text(1))
		if unknown != nil {
			return nil, unknown
		}
		key, err = ecdsa.GenerateKey(c.signing, rand.Reader)
	case "ed25519":
		_, key, err = ed25519.GenerateKey(rand.Reader)
	default:
		return nil, fmt.Errorf("a key of the kind %s is not supported", kind)
	}
	if err != nil {
		return nil, err
	}
	return toPEM(key)
}

// curve is an elliptic curve for its two uses.
type curve struct {
	signing   elliptic.Curve
	agreement ecdh.Curve
}

// curveOf finds a curve by the name that Node has for it, or by that of NIST.
func curveOf(name string) (curve, error) {
	switch name {
	case "prime256v1", "P-256":
		return curve{elliptic.P256(), ecdh.P256()}, nil
	case "secp384r1", "P-384":
		return curve{elliptic.P384(), ecdh.P384()}, nil
	case "secp521r1", "P-521":
		return curve{elliptic.P521(), ecdh.P521()}, nil
	}
	return curve{}, fmt.Errorf("the curve %s is not supported", name)
}

// nativeAgree is Diffie-Hellman on a curve: its name, a private key, empty for a new one, and the
// public key of the other side, empty for none. It returns the private key, the public one and the
// secret, as JSON.
func nativeAgree(_ *machine, a arguments) (any, error) {
	c, err := curveOf(a.text(0))
	if err != nil {
		return nil, err
	}
	var private *ecdh.PrivateKey
	if b := a.bytes(1); len(b) == 0 {
		private, err = c.agreement.GenerateKey(rand.Reader)
	} else {
		private, err = c.agreement.NewPrivateKey(b)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]string{"private": toLatin1(private.Bytes()), "public": toLatin1(private.PublicKey().Bytes())}
	if b := a.bytes(2); len(b) > 0 {
		public, err := c.agreement.NewPublicKey(b)
		if err != nil {
			return nil, err
		}
		secret, err := private.ECDH(public)
		if err != nil {
			return nil, err
		}
		out["secret"] = toLatin1(secret)
	}
	text, err := json.Marshal(out)
	return string(text), err
}
