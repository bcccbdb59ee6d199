package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"

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

// digest is the keyed hash of a token or code.
type digest [sha512.Size]byte

func hash(key []byte, token string) (d digest) {
	mac := hmac.New(sha512.New, key)
	mac.Write([]byte(token))
	mac.Sum(d[:0])
	return d
}

// random returns n random bytes in hex digits.
func random(n int) string { return hex.EncodeToString(randomBytes(n)) }

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// openKeys gets the keys: made once, they stay in the data file, as with others
// no token or session would hold.
func (a *Auth) openKeys(jwtSecret string) error {
	var err error
	if a.key, err = storedKey(a.db, tokenKeyName); err != nil {
		return fmt.Errorf("the key of the API tokens: %w", err)
	}
	secret := []byte(jwtSecret)
	switch {
	case jwtSecret == "":
		secret, err = storedKey(a.db, jwtSecretName)
	case len(secret) < shortestSecret:
		err = fmt.Errorf("JWT_SECRET has %d bytes; it needs %d at least", len(secret), shortestSecret)
	}
	if err != nil {
		return fmt.Errorf("the secret that signs sessions: %w", err)
	}
	a.secretOutside = jwtSecret != ""
	a.secret.Store(&secret)
	return nil
}

// storedKey returns the key of that name, which it makes when there is none.
func storedKey(db *store.DB, name string) ([]byte, error) {
	var key []byte
	read := func(tx *store.Tx) (err error) {
		key, err = tx.Record(secretsBucket, name)
		return err
	}
	if err := db.View(read); err != nil || key != nil {
		return key, err
	}
	key = randomBytes(keyBytes)
	err := db.Update(func(tx *store.Tx) error { return tx.PutRecord(secretsBucket, name, key) })
	return key, err
}

var errSecretOutside = errors.New("the secret that signs sessions comes from the environment: change JWT_SECRET and start the server again")

// changeSecret ends every session of every user: it makes another secret.
func (a *Auth) changeSecret() error {
	if a.secretOutside {
		return errSecretOutside
	}
	secret := randomBytes(keyBytes)
	err := a.db.Update(func(tx *store.Tx) error { return tx.PutRecord(secretsBucket, jwtSecretName, secret) })
	if err == nil {
		a.secret.Store(&secret)
	}
	return err
}
