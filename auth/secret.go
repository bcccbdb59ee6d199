package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"quire/audit"
	"quire/store"
)

const (
	secretsBucket = "secrets"
	tokenKeyName  = "token-key"
	jwtSecretName = "jwt-secret"

	keyBytes   = 64
	tokenBytes = 128
	// tokenLength is the length of a token as a client sends it, in hex digits.
	tokenLength = 2 * tokenBytes
	// shortestSecret is how long a secret from outside must be.
	shortestSecret = 16
)

// Digest is the keyed hash of a token or code: only that is stored.
type Digest [sha512.Size]byte

// Digest returns the keyed hash of a token or code.
func (a *Auth) Digest(secret string) Digest { return digestOf(*a.keys.token.Load(), secret) }

// KeyFor is a key for another purpose than tokens. It follows from the key of the API
// tokens, so that it is the same as long as the data file is.
func (a *Auth) KeyFor(purpose string) []byte {
	key := digestOf(*a.keys.token.Load(), "key for "+purpose)
	return key[:]
}

// Seal encrypts a text for one purpose: only this data file can open it, for the same
// purpose, and nobody can make or change one. Keys and texts lie in the same file, so
// whoever has the whole file can open it as well.
func (a *Auth) Seal(purpose string, text []byte) []byte {
	return a.sealer(purpose).Seal(nil, nil, text, nil)
}

// Unseal returns the text that Seal encrypted. The error says that it is no such text.
func (a *Auth) Unseal(purpose string, sealed []byte) ([]byte, error) {
	return a.sealer(purpose).Open(nil, nil, sealed, nil)
}

// sealer encrypts with AES-256-GCM and a nonce of its own for each text.
func (a *Auth) sealer(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(a.KeyFor("sealing " + purpose)[:32])
	if err != nil {
		panic("auth: " + err.Error()) // the key has the right length
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("auth: " + err.Error()) // AES is what it takes
	}
	return sealer
}

func digestOf(key []byte, token string) (d Digest) {
	mac := hmac.New(sha512.New, key)
	mac.Write([]byte(token))
	mac.Sum(d[:0])
	return d
}

// RandomText returns n random bytes in hex digits.
func RandomText(n int) string { return hex.EncodeToString(randomBytes(n)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// keyBook has the keys in memory. They are made once and stay in the data file: with
// others no token or session would be valid.
type keyBook struct {
	outside []byte // signs JWTs in the place of the data file's secret; empty for none

	mu       sync.Mutex // held while the feed or load changes the keys
	revision uint64     // of the file when it was loaded: the feed goes on from there

	token  atomic.Pointer[[]byte] // hashes tokens and codes
	secret atomic.Pointer[[]byte] // signs JWTs
}

// checkJWTSecret refuses a secret from outside that is too short.
func checkJWTSecret(secret string) error {
	if secret != "" && len(secret) < shortestSecret {
		return fmt.Errorf("the secret that signs sessions: JWT_SECRET has %d bytes; it needs %d at least", len(secret), shortestSecret)
	}
	return nil
}

// keyNames says in errors what the keys are.
var keyNames = map[string]string{tokenKeyName: "the key of the API tokens", jwtSecretName: "the secret that signs sessions"}

// load reads the keys, after making those that the data file does not have yet.
func (b *keyBook) load(db *store.DB) error {
	names := []string{tokenKeyName, jwtSecretName}
	if len(b.outside) > 0 {
		names = names[:1]
		b.secret.Store(&b.outside)
	}
	for _, name := range names {
		if err := ensureKey(db, name); err != nil {
			return fmt.Errorf("%s: %w", keyNames[name], err)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return db.View(func(tx *store.Tx) error {
		b.revision = tx.Revision()
		for _, name := range names {
			key, err := tx.Record(secretsBucket, name)
			if err != nil {
				return fmt.Errorf("%s: %w", keyNames[name], err)
			}
			b.setLocked(name, key)
		}
		return nil
	})
}

// apply brings the keys over a commit. It reports whether the key of the
// tokens is another now.
func (b *keyBook) apply(c store.Commit) (rekeyed bool) {
	changes := c.RecordsOf(secretsBucket)
	if changes == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.token.Load() == nil || c.Revision <= b.revision {
		return false
	}
	for _, r := range changes {
		if r.After != nil {
			b.setLocked(r.Key, r.After)
			rekeyed = rekeyed || r.Key == tokenKeyName
		}
	}
	return rekeyed
}

// setLocked sets the key of that name. mu must be held.
func (b *keyBook) setLocked(name string, key []byte) {
	switch {
	case name == tokenKeyName:
		b.token.Store(&key)
	case name == jwtSecretName && len(b.outside) == 0:
		b.secret.Store(&key)
	}
}

// ensureKey makes the key of that name when the data file has none.
func ensureKey(db *store.DB, name string) error {
	var key []byte
	read := func(tx *store.Tx) (err error) {
		key, err = tx.Record(secretsBucket, name)
		return err
	}
	if err := db.View(read); err != nil || key != nil {
		return err
	}
	return db.Update(func(tx *store.Tx) error {
		if err := read(tx); err != nil || key != nil { // of another node by now
			return err
		}
		return tx.PutRecord(secretsBucket, name, randomBytes(keyBytes))
	})
}

var errSecretOutside = errors.New("the secret that signs sessions comes from the environment: change JWT_SECRET and start the server again")

// ReplaceSecret makes another secret for JWTs, which ends every session of every user.
func (a *Auth) ReplaceSecret(ctx context.Context) error {
	if len(a.keys.outside) > 0 {
		return errSecretOutside
	}
	return a.db.Update(func(tx *store.Tx) error {
		if err := tx.PutRecord(secretsBucket, jwtSecretName, randomBytes(keyBytes)); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), audit.Event{Action: "user.sign-out-all", Target: audit.Target{Type: "site"}})
	})
}
