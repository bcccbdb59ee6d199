package auth

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/store"
)

const tokensBucket = "tokens"

// tokenBook keeps every API token in memory, by its hash. The keyed hash is most of
// what it costs to answer a small request, so tokens that were found once are found
// by a quicker one until a token comes or goes.
type tokenBook struct {
	mu     sync.RWMutex
	byHash map[digest]*holder
	found  map[[sha256.Size]byte]*holder
}

// holder is a token in memory, with the caller that it stands for.
type holder struct {
	token  *token
	caller *Caller
	used   atomic.Int64 // when use was last noted, in seconds since 1970
}

func (b *tokenBook) load(db *store.DB) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	byHash := map[digest]*holder{}
	err := db.View(func(tx *store.Tx) error {
		return tx.Records(tokensBucket, func(name string, value []byte) error {
			t, err := parseToken(value)
			if err != nil {
				return fmt.Errorf("token %q: %w; `quire check --repair` removes it", name, err)
			}
			byHash[digest(t.Hash)] = newHolder(t)
			return nil
		})
	})
	if err == nil {
		b.byHash = byHash
		b.forget()
	}
	return err
}

func newHolder(t *token) *holder {
	h := &holder{token: t, caller: t.caller()}
	h.used.Store(t.Used.Unix())
	return h
}

func (b *tokenBook) add(t *token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byHash[digest(t.Hash)] = newHolder(t)
	b.forget()
}

func (b *tokenBook) remove(t *token) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.byHash, digest(t.Hash))
	b.forget()
}

// forget has tokens found by their keyed hash again. Its caller holds mu.
func (b *tokenBook) forget() { b.found = map[[sha256.Size]byte]*holder{} }

// find returns the holder of a token, or nil when there is none.
func (b *tokenBook) find(key []byte, token string) *holder {
	sum := sha256.Sum256([]byte(token))
	b.mu.RLock()
	h := b.found[sum]
	b.mu.RUnlock()
	if h != nil {
		return h
	}
	return b.findFirst(hash(key, token), sum)
}

func (b *tokenBook) findFirst(d digest, sum [sha256.Size]byte) *holder {
	b.mu.Lock() // over both, so that a token that is removed meanwhile is not found again
	defer b.mu.Unlock()
	h := b.byHash[d]
	if h == nil || subtle.ConstantTimeCompare(h.token.Hash, d[:]) != 1 {
		return nil
	}
	b.found[sum] = h
	return h
}

// usedEvery is how often the use of a token is noted.
const usedEvery = time.Minute

// touch reports whether the use of the token is to be noted now.
func (h *holder) touch(now time.Time) bool {
	last := h.used.Load()
	return now.Unix()-last >= int64(usedEvery/time.Second) && h.used.CompareAndSwap(last, now.Unix())
}

// stamp notes when the token was used, unless it has been revoked since.
func (t *token) stamp(now time.Time) func(tx *store.Tx) error {
	return func(tx *store.Tx) error {
		value, err := tx.Record(tokensBucket, t.Name)
		if err != nil || value == nil {
			return err
		}
		stored, err := parseToken(value)
		if err != nil || string(stored.Hash) != string(t.Hash) {
			return err
		}
		stored.Used = now.UTC()
		return stored.put(tx)
	}
}

// CreateToken stores a new token and returns it: 256 hex digits that cannot be
// had again. A spec that cannot be met is a *TokenError.
func (a *Auth) CreateToken(spec TokenSpec) (string, error) {
	spec.Name = strings.TrimSpace(spec.Name)
	if err := spec.check(a.roles.siteNow()); err != nil {
		return "", err
	}
	plain := random(tokenBytes)
	t := a.describe(spec, plain)
	if err := a.db.Update(t.insert); err != nil {
		return "", err
	}
	a.tokens.add(t)
	return plain, nil
}

func (a *Auth) describe(spec TokenSpec, plain string) *token {
	d := hash(a.key, plain)
	t := &token{Name: spec.Name, Kind: spec.Kind, Permissions: spec.Permissions, Hash: d[:], Created: a.now().UTC()}
	if spec.Lifetime > 0 {
		t.Expires = t.Created.Add(spec.Lifetime)
	}
	return t
}

func (t *token) insert(tx *store.Tx) error {
	former, err := tx.Record(tokensBucket, t.Name)
	if err != nil {
		return err
	}
	if former != nil {
		return refuse("there is a token %q already", t.Name)
	}
	return t.put(tx)
}

func (t *token) put(tx *store.Tx) error {
	value, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return tx.PutRecord(tokensBucket, t.Name, value)
}

// RevokeToken deletes a token: from now on it is no credential. A token that
// does not exist is a *NoSuchError.
func (a *Auth) RevokeToken(name string) error {
	var revoked *token
	err := a.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(tokensBucket, name)
		if err == nil && value == nil {
			err = &NoSuchError{"token", name}
		}
		if err != nil {
			return err
		}
		if revoked, err = parseToken(value); err != nil {
			return err
		}
		return tx.DeleteRecord(tokensBucket, name)
	})
	if err != nil {
		return err
	}
	a.tokens.remove(revoked)
	return nil
}

// TokenInfo is what can be known of a token: all but the token.
type TokenInfo struct {
	Name        string    `json:"name"`
	Kind        TokenKind `json:"type"`
	Permissions []string  `json:"permissions,omitempty"`
	Created     time.Time `json:"createdAt"`
	Expires     time.Time `json:"expiresAt,omitzero"`  // zero for never
	Used        time.Time `json:"lastUsedAt,omitzero"` // to the minute; zero for never
}

// Tokens lists the API tokens by name.
func (a *Auth) Tokens() ([]TokenInfo, error) {
	var list []TokenInfo
	err := a.db.View(func(tx *store.Tx) error {
		return tx.Records(tokensBucket, func(name string, value []byte) error {
			t, err := parseToken(value)
			if err != nil {
				return fmt.Errorf("token %q: %w", name, err)
			}
			list = append(list, TokenInfo{t.Name, t.Kind, t.Permissions, t.Created, t.Expires, t.Used})
			return nil
		})
	})
	slices.SortFunc(list, func(a, b TokenInfo) int { return cmp.Compare(a.Name, b.Name) })
	return list, err
}

// NoSuchError says that what a command names is not there.
type NoSuchError struct{ Kind, Name string }

func (e *NoSuchError) Error() string { return fmt.Sprintf("there is no %s %q", e.Kind, e.Name) }
