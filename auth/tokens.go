package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/audit"
	"quire/store"
)

const tokensBucket = "tokens"

// MostTokens is the maximum number of API tokens of a site.
const MostTokens = 1000

// tokenCache has every API token in memory, by its keyed hash. Computing that is most of the
// cost of a small request, so a token that was found once is found by a cheaper hash, until
// a token is created or revoked.
type tokenCache struct {
	mu       sync.RWMutex
	revision uint64 // of the file when it was loaded: the feed continues from there
	byHash   map[Digest]*cachedToken
	found    map[[sha256.Size]byte]*cachedToken
}

// cachedToken is a token in memory, with its caller.
type cachedToken struct {
	token  *token
	caller *Caller
	used   atomic.Int64 // when its use was last stored, in seconds since 1970
}

func (b *tokenCache) load(db *store.DB) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	byHash := map[Digest]*cachedToken{}
	revision := uint64(0)
	err := db.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Records(tokensBucket, func(name string, value []byte) error {
			t, err := parseToken(value)
			if err != nil {
				return fmt.Errorf("token %q: %w; `quire check --repair` removes it", name, err)
			}
			byHash[Digest(t.Hash)] = newCachedToken(t)
			return nil
		})
	})
	if err == nil {
		b.byHash, b.revision = byHash, revision
		b.forgetLocked()
	}
	return err
}

func newCachedToken(t *token) *cachedToken {
	h := &cachedToken{token: t, caller: t.caller()}
	h.used.Store(t.Used.Unix())
	return h
}

// apply updates the tokens for a commit.
func (b *tokenCache) apply(c store.Commit) {
	changes := c.RecordsOf(tokensBucket)
	if changes == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byHash == nil || c.Revision <= b.revision {
		return
	}
	for _, r := range changes {
		b.replaceLocked(r.Before, r.After)
	}
}

// replaceLocked replaces the stored form of a token. A token that cannot be read counts as
// none. mu must be held.
func (b *tokenCache) replaceLocked(before, after []byte) {
	former, _ := parseToken(before)
	next, _ := parseToken(after)
	if former != nil && next != nil && former.sameButUse(next) {
		if h := b.byHash[Digest(next.Hash)]; h != nil {
			h.noteUse(next.Used)
			return
		}
	}
	if former != nil {
		delete(b.byHash, Digest(former.Hash))
	}
	if next != nil {
		b.byHash[Digest(next.Hash)] = newCachedToken(next)
	}
	b.forgetLocked()
}

// forget empties the cache of tokens that were found by the cheaper hash.
func (b *tokenCache) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgetLocked()
}

func (b *tokenCache) forgetLocked() { b.found = map[[sha256.Size]byte]*cachedToken{} }

// find returns a token in memory, or nil.
func (b *tokenCache) find(key []byte, token string) *cachedToken {
	sum := sha256.Sum256([]byte(token))
	b.mu.RLock()
	h := b.found[sum]
	b.mu.RUnlock()
	if h != nil {
		return h
	}
	d := digestOf(key, token)
	if b.byDigest(d) == nil {
		return nil // without taking the write lock
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h = b.byHash[d] // again, so that a token that was removed meanwhile is not found
	if h != nil {
		b.found[sum] = h
	}
	return h
}

func (b *tokenCache) byDigest(d Digest) *cachedToken {
	b.mu.RLock()
	defer b.mu.RUnlock()
	h := b.byHash[d]
	if h == nil || subtle.ConstantTimeCompare(h.token.Hash, d[:]) != 1 {
		return nil
	}
	return h
}

// usedEvery is how often the use of a token is stored.
const usedEvery = time.Minute

// touch reports whether the use of the token should be stored now.
func (h *cachedToken) touch(now time.Time) bool {
	last := h.used.Load()
	return now.Unix()-last >= int64(usedEvery/time.Second) && h.used.CompareAndSwap(last, now.Unix())
}

// noteUse sets when the token was last used, here or on another node.
func (h *cachedToken) noteUse(at time.Time) {
	for last := h.used.Load(); at.Unix() > last; last = h.used.Load() {
		if h.used.CompareAndSwap(last, at.Unix()) {
			return
		}
	}
}

// storeUse stores when the token was used, unless it has been revoked since.
func (t *token) storeUse(now time.Time) func(tx *store.Tx) error {
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

// CreateToken stores a new token and returns it: 256 hex digits that cannot be shown again.
// It is valid when CreateToken returns. An invalid spec is a *TokenError. The context has
// the actor for the audit log.
func (a *Auth) CreateToken(ctx context.Context, spec TokenSpec) (string, error) {
	spec.Name = strings.TrimSpace(spec.Name)
	if err := spec.check(a.roles.currentSite()); err != nil {
		return "", err
	}
	plain := RandomText(tokenBytes)
	t := a.describe(spec, plain)
	err := a.db.Update(func(tx *store.Tx) error {
		if err := t.insert(tx); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), t.event("token.create"))
	})
	if err != nil {
		return "", err
	}
	return plain, nil
}

// event returns the line of the audit log for an action on the token.
func (t *token) event(action string) audit.Event {
	e := audit.Event{Action: action, Target: audit.Target{Type: "token", ID: t.Name, Name: t.Name}}
	e.Details = map[string]string{"kind": string(t.Kind), "permissions": strings.Join(t.Permissions, " ")}
	if !t.Expires.IsZero() {
		e.Details["expires"] = t.Expires.Format(time.RFC3339)
	}
	return e
}

func (a *Auth) describe(spec TokenSpec, plain string) *token {
	d := a.Digest(plain)
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
		return tokenError("name", "there is a token %q already", t.Name)
	}
	if n, err := tx.CountRecords(tokensBucket, ""); err != nil {
		return err
	} else if n >= MostTokens {
		return tokenError("name", "the site has %d tokens already; revoke some first", n)
	}
	return t.put(tx)
}

func (t *token) put(tx *store.Tx) error {
	return tx.PutJSON(tokensBucket, t.Name, t)
}

// RoleIdentity returns an identity with the rights of a role of the site and without a
// user, to show what the role may see; false if the role does not exist.
func (a *Auth) RoleIdentity(kind string) (Identity, bool) {
	r := a.Role(kind)
	if r == nil {
		return Identity{}, false
	}
	return Identity{Caller: r.caller}, true
}

// RevokeToken deletes a token. It is refused from then on. If the token does not exist, the
// error is a *NoSuchError.
func (a *Auth) RevokeToken(ctx context.Context, name string) error {
	return a.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(tokensBucket, name)
		if err == nil && value == nil {
			err = &NoSuchError{"token", name}
		}
		if err != nil {
			return err
		}
		t, err := parseToken(value)
		if err != nil {
			return err
		}
		return errors.Join(tx.DeleteRecord(tokensBucket, name), audit.Note(tx, audit.Of(ctx), t.event("token.revoke")))
	})
}

// TokenInfo describes a token, without the token itself.
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

// NoSuchError: something that a command names does not exist.
type NoSuchError struct{ Kind, Name string }

func (e *NoSuchError) Error() string { return fmt.Sprintf("there is no %s %q", e.Kind, e.Name) }
