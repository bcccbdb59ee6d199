package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/store"
)

// passkeysBucket holds the passkeys of accounts. A key is the id of the account, a dot and
// the beginning of the hash of the passkey's id.
const passkeysBucket = "admin.passkeys"

// MostPasskeys is the maximum number of passkeys of an account.
const MostPasskeys = 20

const (
	longestCredential  = 1023 // bytes of the id of a passkey
	longestPasskeyName = 100
	challengeBytes     = 32
)

// passkey is the stored form of a passkey.
type passkey struct {
	Account      string    `json:"account"`
	Name         string    `json:"name"`
	ID           []byte    `json:"id"`
	Key          []byte    `json:"key"`  // public, in the form of X.509
	Party        string    `json:"host"` // host of the admin for which it was made
	Uses         uint32    `json:"uses"` // as counted by the authenticator
	ChallengedAt int64     `json:"asked"`
	Created      time.Time `json:"created"`
	Used         time.Time `json:"used,omitzero"`
}

func readPasskey(key string, value []byte) (*passkey, error) {
	p := new(passkey)
	if err := json.Unmarshal(value, p); err != nil {
		return nil, err
	}
	if key != passkeyKey(p.Account, p.ID) {
		return nil, errors.New("it is not of the account and passkey that it is stored with")
	}
	_, err := parseKey(p.Key)
	return p, err
}

func passkeyKey(account string, id []byte) string {
	sum := sha256.Sum256(id)
	return account + "." + hex.EncodeToString(sum[:16])
}

func (p *passkey) put(tx *store.Tx) error {
	return tx.PutJSON(passkeysBucket, passkeyKey(p.Account, p.ID), p)
}

// passkeysOf lists the passkeys of an account, oldest first.
func passkeysOf(tx *store.Tx, id string) (list []*passkey, err error) {
	err = tx.RecordsFrom(passkeysBucket, id+".", "", func(key string, value []byte) bool {
		if p, err := readPasskey(key, value); err == nil {
			list = append(list, p)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *passkey) int { return a.Created.Compare(b.Created) })
	return list, err
}

// dropPasskeys removes the passkeys of an account.
func dropPasskeys(tx *store.Tx, id string) error {
	return tx.DeleteRecords(passkeysBucket, id+".")
}

// Passkey is a passkey as shown to its account.
type Passkey struct {
	ID      string // of the record, not of the passkey
	Name    string
	Host    string // of the admin for which it was made
	Created time.Time
	Used    time.Time // zero for never
}

// Passkeys lists the passkeys of an account, oldest first.
func (b *Directory) Passkeys(s *Session) (list []Passkey, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		all, err := passkeysOf(tx, s.Account.ID)
		for _, p := range all {
			list = append(list, Passkey{digestIn(passkeyKey(p.Account, p.ID)), p.Name, p.Party, p.Created, p.Used})
		}
		return err
	})
	return list, err
}

// changePasskey changes one passkey of an account that has signed in. Errors are
// ErrNotFound and the store's.
func (b *Directory) changePasskey(s *Session, id string, fn func(tx *store.Tx, p *passkey) error) error {
	key := s.Account.ID + "." + id
	return b.changeOwn(s, func(tx *store.Tx, _ *record) error {
		value, err := tx.Record(passkeysBucket, key)
		if err != nil {
			return err
		}
		p, err := readPasskey(key, value)
		if err != nil {
			return ErrNotFound
		}
		return fn(tx, p)
	})
}

// RenamePasskey gives a passkey another name. Errors are *FieldError, ErrNotFound and the
// store's.
func (b *Directory) RenamePasskey(ctx context.Context, s *Session, id, name string) error {
	name, err := passkeyName(name)
	if err != nil {
		return err
	}
	return b.changePasskey(s, id, func(tx *store.Tx, p *passkey) error {
		p.Name = name
		return errors.Join(p.put(tx), b.noteFactor(ctx, tx, "account.passkey-rename", p.Account, p.details()))
	})
}

// RemovePasskey removes a passkey. Errors are ErrNotFound and the store's.
func (b *Directory) RemovePasskey(ctx context.Context, s *Session, id string) error {
	return b.changePasskey(s, id, func(tx *store.Tx, p *passkey) error {
		return errors.Join(tx.DeleteRecord(passkeysBucket, passkeyKey(p.Account, p.ID)), b.noteFactor(ctx, tx, "account.passkey-remove", p.Account, p.details()))
	})
}

// details returns the details for the audit log of a change of a passkey.
func (p *passkey) details() map[string]string { return map[string]string{"passkey": p.Name} }

// passkeyName returns a name without surrounding space. The error is a *FieldError.
func passkeyName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n == 0 || n > longestPasskeyName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", &FieldError{"name", "A passkey has a name of one line and at most 100 characters"}
	}
	return name, nil
}

func newChallenge() []byte {
	challenge := make([]byte, challengeBytes)
	rand.Read(challenge) // never fails
	return challenge
}
