package engine

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/scrypt"
)

// Bytes cross between Go and JavaScript as Latin 1: each character is one byte.

func toLatin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

func fromLatin1(s string) []byte {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = append(b, byte(r))
	}
	return b
}

func (a arguments) bytes(i int) []byte { return fromLatin1(a.text(i)) }

var ofCrypto = map[string]native{
	"hash":     ofBytes(nativeHash),
	"hmac":     ofBytes(nativeHMAC),
	"random":   ofBytes(nativeRandom),
	"derive":   ofBytes(nativeDerive),
	"cipher":   ofBytes(nativeCipher),
	"sign":     ofBytes(nativeSign),
	"verify":   nativeVerify,
	"key":      nativeKey,
	"read key": nativeReadKey,
	"key form": ofBytes(nativeKeyForm),
	"make key": nativeMakeKey,
	"agree":    nativeAgree,
	"hashes": func(*machine, arguments) (any, error) {
		return strings.Join(slices.Sorted(maps.Keys(hashes)), " "), nil
	},
}

func ofBytes(f func(a arguments) ([]byte, error)) native {
	return func(_ *machine, a arguments) (any, error) {
		b, err := f(a)
		return toLatin1(b), err
	}
}

var hashes = map[string]struct {
	make func() hash.Hash
	id   crypto.Hash
}{
	"md5":        {md5.New, crypto.MD5},
	"sha1":       {sha1.New, crypto.SHA1},
	"sha224":     {sha256.New224, crypto.SHA224},
	"sha256":     {sha256.New, crypto.SHA256},
	"sha384":     {sha512.New384, crypto.SHA384},
	"sha512":     {sha512.New, crypto.SHA512},
	"sha512-256": {sha512.New512_256, crypto.SHA512_256},
}

// hashOf finds a hash by the names that Node has for it: "sha256", "SHA-256", "RSA-SHA256".
func hashOf(name string) (func() hash.Hash, crypto.Hash, error) {
	plain := strings.TrimPrefix(strings.ToLower(name), "rsa-")
	if rest, found := strings.CutPrefix(plain, "sha-"); found {
		plain = "sha" + rest
	}
	h, found := hashes[plain]
	if !found {
		return nil, 0, fmt.Errorf("the digest method %s is not supported", name)
	}
	return h.make, h.id, nil
}

// nativeHash hashes text or bytes: the name, the bytes.
func nativeHash(a arguments) ([]byte, error) {
	h, _, err := hashOf(a.text(0))
	if err != nil {
		return nil, err
	}
	sum := h()
	sum.Write(a.bytes(1))
	return sum.Sum(nil), nil
}

// nativeHMAC: the name of the hash, the key, the bytes.
func nativeHMAC(a arguments) ([]byte, error) {
	h, _, err := hashOf(a.text(0))
	if err != nil {
		return nil, err
	}
	sum := hmac.New(h, a.bytes(1))
	sum.Write(a.bytes(2))
	return sum.Sum(nil), nil
}

func nativeRandom(a arguments) ([]byte, error) {
	n := a.number(0)
	if n < 0 || n > maxRandom {
		return nil, fmt.Errorf("%d random bytes are more than %d", n, maxRandom)
	}
	b := make([]byte, n)
	_, err := rand.Read(b)
	return b, err
}

// nativeDerive makes a key of a password or, by HKDF, of another key. The work that it may take is
// bounded, because nothing interrupts it.
func nativeDerive(a arguments) ([]byte, error) {
	var o struct {
		Kind, Hash, Info       string // info of HKDF has a byte in each character
		Iterations, N, R, P, L int
	}
	if err := json.Unmarshal([]byte(a.text(0)), &o); err != nil {
		return nil, err
	}
	if o.L < 0 || o.L > 1<<16 {
		return nil, fmt.Errorf("a key of %d bytes is longer than %d", o.L, 1<<16)
	}
	password, salt := a.bytes(1), a.bytes(2)
	if o.Kind == "scrypt" {
		if o.N <= 0 || o.R <= 0 || o.P <= 0 || o.N > maxDerive/128/o.R/o.P {
			return nil, errors.New("memory limit exceeded")
		}
		return scrypt.Key(password, salt, o.N, o.R, o.P, o.L)
	}
	h, id, err := hashOf(o.Hash)
	if err != nil {
		return nil, err
	}
	if o.Kind == "hkdf" {
		info := fromLatin1(o.Info)
		if len(info) > maxInfo {
			return nil, fmt.Errorf("info of %d bytes is longer than %d", len(info), maxInfo)
		}
		return hkdf.Key(h, password, salt, string(info), o.L)
	}
	if most := maxIterations / (1 + o.L/id.Size()); o.Iterations < 1 || o.Iterations > most {
		return nil, fmt.Errorf("%d iterations for %d bytes are not between 1 and %d", o.Iterations, o.L, most)
	}
	return pbkdf2.Key(h, string(password), salt, o.Iterations, o.L)
}

// nativeCipher: the name, whether to encrypt, the key, the initialisation vector, the bytes,
// what is authenticated besides, and the tag. GCM appends its tag when it encrypts.
func nativeCipher(a arguments) ([]byte, error) {
	name, encrypt, key, iv, data := strings.ToLower(a.text(0)), a.truth(1), a.bytes(2), a.bytes(3), a.bytes(4)
	bits, mode, _ := strings.Cut(strings.TrimPrefix(name, "aes-"), "-")
	if fmt.Sprint(len(key)*8) != bits {
		return nil, errors.New("the key has another length")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	if mode != "gcm" && len(iv) != aes.BlockSize || len(iv) == 0 {
		return nil, errors.New("the initialization vector has another length")
	}
	switch {
	case mode == "ctr":
		cipher.NewCTR(block, iv).XORKeyStream(data, data)
		return data, nil
	case mode == "cbc" && encrypt:
		pad := aes.BlockSize - len(data)%aes.BlockSize
		for range pad {
			data = append(data, byte(pad))
		}
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(data, data)
		return data, nil
	case mode == "cbc":
		return decryptCBC(cipher.NewCBCDecrypter(block, iv), data)
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(iv))
	if err != nil {
		return nil, err
	}
	if encrypt {
		return gcm.Seal(nil, iv, data, a.bytes(5)), nil
	}
	return gcm.Open(nil, iv, append(data, a.bytes(6)...), a.bytes(5))
}

var errDecrypt = errors.New("bad decrypt")

func decryptCBC(mode cipher.BlockMode, data []byte) ([]byte, error) {
	if len(data) == 0 || len(data)%aes.BlockSize != 0 {
		return nil, errors.New("wrong final block length")
	}
	mode.CryptBlocks(data, data)
	pad := int(data[len(data)-1])
	if pad == 0 || pad > aes.BlockSize {
		return nil, errDecrypt
	}
	for _, c := range data[len(data)-pad:] {
		if int(c) != pad {
			return nil, errDecrypt
		}
	}
	return data[:len(data)-pad], nil
}
