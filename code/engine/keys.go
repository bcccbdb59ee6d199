package engine

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
)

var (
	errKey     = errors.New("the key is not a PEM of RSA, an elliptic curve or Ed25519")
	errLongKey = fmt.Errorf("the key has more than %d bytes", maxKeyBytes)
)

// readKey reads a private or public key, or the public key of a certificate.
func readKey(text []byte) (any, error) {
	key, err := readPEM(text)
	public := key
	if signer, private := key.(crypto.Signer); private && err == nil {
		public = signer.Public()
	}
	if k, isRSA := public.(*rsa.PublicKey); isRSA && err == nil && k.N.BitLen() > maxRSARead {
		return nil, fmt.Errorf("the key has more than %d bits", maxRSARead)
	}
	return key, err
}

func readPEM(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errKey
	}
	if len(block.Bytes) > maxKeyBytes {
		return nil, errLongKey
	}
	switch block.Type {
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return c.PublicKey, nil
	}
	return nil, errKey
}

// nativeKey says of a PEM what Node says of a KeyObject.
func nativeKey(_ *machine, a arguments) (any, error) {
	key, err := readKey(a.bytes(0))
	if err != nil {
		return nil, err
	}
	about := map[string]any{"type": "public"}
	if signer, ok := key.(crypto.Signer); ok {
		about["type"] = "private"
		key = signer.Public()
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		about["asymmetricKeyType"], about["asymmetricKeyDetails"] = "rsa", map[string]any{"modulusLength": k.N.BitLen(), "publicExponent": k.E}
	case *ecdsa.PublicKey:
		curve := map[int]string{256: "prime256v1", 384: "secp384r1", 521: "secp521r1"}[k.Params().BitSize]
		about["asymmetricKeyType"], about["asymmetricKeyDetails"] = "ec", map[string]any{"namedCurve": curve}
	case ed25519.PublicKey:
		about["asymmetricKeyType"] = "ed25519"
	default:
		return nil, errKey
	}
	text, err := json.Marshal(about)
	return string(text), err
}

// nativeSign: the hash, the key as PEM, whether the padding is PSS, the length of the salt, the
// bytes, and whether the signature of a curve is its two numbers, one behind the other.
func nativeSign(a arguments) ([]byte, error) {
	key, err := readKey(a.bytes(1))
	if err != nil {
		return nil, err
	}
	if k, ok := key.(ed25519.PrivateKey); ok {
		return ed25519.Sign(k, a.bytes(4)), nil
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("a public key does not sign")
	}
	sum, id, err := digest(a.text(0), a.bytes(4))
	if err != nil {
		return nil, err
	}
	var options crypto.SignerOpts = id
	if k, isRSA := key.(*rsa.PrivateKey); isRSA && a.truth(2) {
		if a.number(3) > k.Size() { // it would be made before it is refused
			return nil, errors.New("the salt is longer than the key")
		}
		options = &rsa.PSSOptions{SaltLength: a.number(3), Hash: id}
	}
	signature, err := signer.Sign(rand.Reader, sum, options)
	if k, isCurve := key.(*ecdsa.PrivateKey); isCurve && err == nil && a.truth(5) {
		return joinNumbers(signature, curveBytes(&k.PublicKey))
	}
	return signature, err
}

// numbers is a signature of a curve: in ASN.1, or one behind the other, each with as many bytes as
// the curve has.
type numbers struct{ R, S *big.Int }

func curveBytes(k *ecdsa.PublicKey) int { return (k.Params().BitSize + 7) / 8 }

func joinNumbers(signature []byte, size int) ([]byte, error) {
	var n numbers
	if _, err := asn1.Unmarshal(signature, &n); err != nil {
		return nil, err
	}
	both := make([]byte, 2*size)
	n.R.FillBytes(both[:size])
	n.S.FillBytes(both[size:])
	return both, nil
}

func splitNumbers(signature []byte, size int) ([]byte, error) {
	if len(signature) != 2*size {
		return nil, errors.New("the signature has another length")
	}
	return asn1.Marshal(numbers{new(big.Int).SetBytes(signature[:size]), new(big.Int).SetBytes(signature[size:])})
}

func digest(name string, data []byte) ([]byte, crypto.Hash, error) {
	h, id, err := hashOf(name)
	if err != nil {
		return nil, 0, err
	}
	sum := h()
	sum.Write(data)
	return sum.Sum(nil), id, nil
}

// nativeVerify takes what nativeSign takes, and the signature before the last of that.
func nativeVerify(_ *machine, a arguments) (any, error) {
	key, err := readKey(a.bytes(1))
	if err != nil {
		return nil, err
	}
	if signer, ok := key.(crypto.Signer); ok {
		key = signer.Public()
	}
	data, signature := a.bytes(4), a.bytes(5)
	if k, ok := key.(ed25519.PublicKey); ok {
		return ed25519.Verify(k, data, signature), nil
	}
	sum, id, err := digest(a.text(0), data)
	if err != nil {
		return nil, err
	}
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		if a.truth(6) {
			if signature, err = splitNumbers(signature, curveBytes(k)); err != nil {
				return false, nil
			}
		}
		return ecdsa.VerifyASN1(k, sum, signature), nil
	case *rsa.PublicKey:
		if a.truth(2) {
			return rsa.VerifyPSS(k, id, sum, signature, &rsa.PSSOptions{SaltLength: a.number(3), Hash: id}) == nil, nil
		}
		return rsa.VerifyPKCS1v15(k, id, sum, signature) == nil, nil
	}
	return nil, errKey
}
