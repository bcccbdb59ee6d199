package query

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// sealer encrypts cursors, so that nobody can read their values or make others. The same
// cursor is always encrypted the same way: responses do not change if the content does not.
type sealer struct {
	aead   cipher.AEAD
	nonces []byte // the key with which a nonce is computed from the text
}

func newSealer(secret []byte) *sealer {
	derive := func(purpose string) []byte { return keyed(secret, []byte(purpose)) }
	block, err := aes.NewCipher(derive("cursors"))
	if err != nil {
		panic(err) // the length of the key is right
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // blocks of AES have the right length
	}
	return &sealer{aead, derive("nonces of cursors")}
}

func keyed(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)
}

// SealWith makes all queries compiled from now on encrypt their cursors with a secret.
// Cursors encrypted with another one are refused. Without it the secret is random, and
// cursors are valid only for this Compiler. Call it before Compile.
func (c *Compiler) SealWith(secret []byte) { c.sealer = newSealer(secret) }

func randomSecret() []byte {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return secret
}

func (s *sealer) seal(plain []byte) string {
	sum := sha256.Sum256(append(s.nonces[:len(s.nonces):len(s.nonces)], plain...))
	nonce := sum[:s.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, plain, nil))
}

func (s *sealer) open(text string) ([]byte, error) {
	if len(text) > mostCursor {
		return nil, errCursor
	}
	sealed, err := decodeBase64(text)
	if err != nil || len(sealed) < s.aead.NonceSize() {
		return nil, errCursor
	}
	plain, err := s.aead.Open(nil, sealed[:s.aead.NonceSize()], sealed[s.aead.NonceSize():], nil)
	if err != nil {
		return nil, errCursor
	}
	return plain, nil
}

// decodeBase64 accepts only the canonical encoding: the decoder would skip line ends.
func decodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errCursor
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
