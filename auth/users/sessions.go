package users

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
	"time"

	"quire/auth"
	"quire/schema/settings"
	"quire/store"
)

// If site.json enables it, JWTs are short-lived and renewed by refresh tokens, each of
// which works once. The tokens that follow one another are a family. A token that is used
// twice was stolen, so it ends the family.

const sessionsBucket = "sessions"

// Passing returns the buckets of what lets users in for a limited time: sessions with
// refresh tokens. A restored backup does not restore them, because they may have ended
// since.
func Passing() []string { return []string{sessionsBucket} }

const (
	sessionBytes = 16
	refreshBytes = 32
)

// family is the stored form of a session. Its key is the session's id.
type family struct {
	User    string    `json:"user"`  // documentId
	Epoch   string    `json:"epoch"` // the session ends with the user's epoch
	Hash    []byte    `json:"hash"`  // of the refresh token that works next
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
}

// ends returns when the session ends if it is not prolonged.
func (f *family) ends(r *settings.Refresh) time.Time {
	idle, longest := f.Used.Add(r.Idle), f.Created.Add(r.Longest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// putFamily stores a family with a new refresh token, which it returns.
func (a *Accounts) putFamily(tx *store.Tx, id string, f *family) (token string, err error) {
	token = a.signRefresh(id + "." + auth.RandomText(refreshBytes))
	d := a.auth.Digest(token)
	f.Hash = d[:]
	value, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	return token, tx.PutRecord(sessionsBucket, id, value)
}

// signRefresh returns a refresh token with its signature, which shows that it was issued here.
func (a *Accounts) signRefresh(token string) string {
	d := a.auth.Digest("refresh token " + token)
	return token + "." + hex.EncodeToString(d[:])
}

// issuedRefresh reports whether a refresh token was issued here, whether it is the latest
// one or not.
func (a *Accounts) issuedRefresh(token string) bool {
	end := max(strings.LastIndexByte(token, '.'), 0)
	return subtle.ConstantTimeCompare([]byte(a.signRefresh(token[:end])), []byte(token)) == 1
}

// sessionCache holds in memory what a request needs of each session. Only the feed of
// commits changes it.
type sessionCache struct {
	// Held until the end of the commit that changes a session: each lock serves several
	// sessions.
	turns [64]sync.Mutex

	// Held while the feed or load changes the sessions; guards what they need.
	moving   sync.Mutex
	refresh  settings.Refresh
	revision uint64 // of the file when it was loaded: the feed continues from there

	mu    sync.RWMutex // guards only the fields below, so that no request waits for a commit
	byID  map[string]session
	swept time.Time
}

// withLock runs fn while nobody else in this process changes the session. Other sessions
// can change at the same time, and share a commit.
func (b *sessionCache) withLock(id string, fn func() error) error {
	turn := &b.turns[crc32.ChecksumIEEE([]byte(id))%uint32(len(b.turns))]
	turn.Lock()
	defer turn.Unlock()
	return fn()
}

type session struct {
	user, epoch string
	ends        time.Time
}

// sweepEvery is how often expired sessions are removed.
const sweepEvery = time.Hour

func (b *sessionCache) load(db *store.DB, r *settings.Refresh) error {
	b.moving.Lock()
	defer b.moving.Unlock()
	byID, revision := map[string]session{}, uint64(0)
	err := db.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Records(sessionsBucket, func(id string, value []byte) error {
			f := new(family)
			if err := json.Unmarshal(value, f); err != nil {
				return fmt.Errorf("session %q: %w; `quire check --repair` removes it", id, err)
			}
			byID[id] = session{f.User, f.Epoch, f.ends(r)}
			return nil
		})
	})
	if err != nil {
		return err
	}
	b.refresh, b.revision = *r, revision
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byID = byID
	return nil
}

// apply updates the sessions for a commit. A session that cannot be read has ended.
func (b *sessionCache) apply(c store.Commit) {
	changes := c.RecordsOf(sessionsBucket)
	if changes == nil {
		return
	}
	b.moving.Lock()
	defer b.moving.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byID == nil || c.Revision <= b.revision {
		return
	}
	for _, r := range changes {
		f := new(family)
		if json.Unmarshal(r.After, f) != nil {
			delete(b.byID, r.Key)
			continue
		}
		b.byID[r.Key] = session{f.User, f.Epoch, f.ends(&b.refresh)}
	}
}

func (b *sessionCache) find(id string) (session, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	s, ok := b.byID[id]
	return s, ok
}

// Decides reports whether a commit may change who a caller is or what anybody may do, like
// auth.Decides but including sessions.
func Decides(c store.Commit) bool { return auth.Decides(c) || c.RecordsOf(sessionsBucket) != nil }

// alive reports whether the session has not ended and belongs to the user.
func (b *sessionCache) alive(id string, u *user) bool {
	s, ok := b.find(id)
	return ok && s.user == u.DocumentID && s.epoch == u.epoch
}

// expired returns the sessions that have ended, at most once in sweepEvery.
func (b *sessionCache) expired(now time.Time) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Sub(b.swept) < sweepEvery {
		return nil
	}
	b.swept = now
	var ids []string
	for id, s := range b.byID {
		if !now.Before(s.ends) {
			ids = append(ids, id)
		}
	}
	return ids
}

// begin starts a session of the user. From time to time it removes sessions that have
// ended.
func (a *Accounts) begin(ctx context.Context, u *user) (id, token string, err error) {
	b := &a.service.sessions
	now := a.service.now().UTC()
	if over := b.expired(now); over != nil {
		if err := a.sweep(ctx, over); err != nil {
			return "", "", err
		}
	}
	id = auth.RandomText(sessionBytes)
	f := &family{User: u.DocumentID, Epoch: u.epoch, Created: now, Used: now}
	err = b.withLock(id, func() error {
		return a.writer.Record(ctx, func(tx *store.Tx) (err error) {
			token, err = a.putFamily(tx, id, f)
			return err
		})
	})
	return id, token, err
}

// sweep removes sessions that have ended.
func (a *Accounts) sweep(ctx context.Context, over []string) error {
	return a.writer.Record(ctx, func(tx *store.Tx) error {
		for _, id := range over {
			if err := tx.DeleteRecord(sessionsBucket, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// end ends one session. A session that has already ended is not an error.
func (a *Accounts) end(ctx context.Context, id string) error {
	return a.service.sessions.withLock(id, func() error {
		return a.writer.Record(ctx, func(tx *store.Tx) error { return tx.DeleteRecord(sessionsBucket, id) })
	})
}
