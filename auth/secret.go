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

	"quire/content/audit"
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
	// shortestSecret is the minimum length of a secret from outside.
	shortestSecret = 16
)

// Digest is the keyed hash of a token or code. Only this is stored.
type Digest [sha512.Size]byte

// Digest returns the keyed hash of a token or code.
func (a *Auth) Digest(secret string) Digest { return digestOf(*a.keys.token.Load(), secret) }

// KeyFor returns a key for a purpose other than tokens. It is derived from the key of the
// API tokens, so it stays the same as long as the data file does.
func (a *Auth) KeyFor(purpose string) []byte {
	key := digestOf(*a.keys.token.Load(), "key for "+purpose)
	return key[:]
}

// Seal encrypts a text for one purpose: only this data file can open it, for the same
// purpose, and nobody else can create or change one. Keys and texts are in the same file,
// so somebody with the whole file can open it too.
func (a *Auth) Seal(purpose string, text []byte) []byte {
	return a.sealer(purpose).Seal(nil, nil, text, nil)
}

// Unseal returns the text that Seal encrypted. The error says that it is not such a text.
func (a *Auth) Unseal(purpose string, sealed []byte) ([]byte, error) {
	return a.sealer(purpose).Open(nil, nil, sealed, nil)
}

// sealer encrypts with AES-256-GCM and a new nonce for each text.
func (a *Auth) sealer(purpose string) cipher.AEAD {
	block, err := aes.NewCipher(a.KeyFor("sealing " + purpose)[:32])
	if err != nil {
		panic("auth: " + err.Error()) // the key has the right length
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("auth: " + err.Error()) // AES takes keys of this length
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

// keyring has the keys in memory. They are created once and stay in the data file: with
// other keys no token or session would be valid.
type keyring struct {
	outside []byte // signs JWTs instead of the data file's secret; empty for none

	mu       sync.Mutex // held while the feed or load changes the keys
	revision uint64     // of the file when it was loaded: the feed continues from there

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

// keyNames has the names of the keys for errors.
var keyNames = map[string]string{tokenKeyName: "the key of the API tokens", jwtSecretName: "the secret that signs sessions"}

// load reads the keys, after creating those that the data file does not have.
func (b *keyring) load(db *store.DB) error {
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

// apply updates the keys for a commit. It reports whether the key of the tokens has
// changed.
func (b *keyring) apply(c store.Commit) (rekeyed bool) {
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

// setLocked sets the key with that name. mu must be held.
func (b *keyring) setLocked(name string, key []byte) {
	switch {
	case name == tokenKeyName:
		b.token.Store(&key)
	case name == jwtSecretName && len(b.outside) == 0:
		b.secret.Store(&key)
	}
}

// ensureKey creates the key with that name if the data file has none.
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
		if err := read(tx); err != nil || key != nil { // another node may have created it
			return err
		}
		return tx.PutRecord(secretsBucket, name, randomBytes(keyBytes))
	})
}

var errSecretOutside = errors.New("the secret that signs sessions comes from the environment: change JWT_SECRET and start the server again")

// ReplaceSecret sets a new secret for JWTs, which ends every session of every user.
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
