package account

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/store"
)

const sessionsBucket = "admin.sessions"

// How long sessions last.
const (
	Idle    = 8 * time.Hour       // without a request
	Longest = 30 * 24 * time.Hour // in any case
)

const (
	tokenBytes = 32
	usedEvery  = 5 * time.Minute // how often the use of a session is stored
	sweepEvery = time.Hour       // how often sessions that are over are removed
)

// ErrNoSession: nobody has signed in with that token, or the session has ended.
var ErrNoSession = errors.New("the session has ended; sign in again")

// session is the stored form of a session, and what is in memory of it. Its key is the
// keyed hash of the token.
type session struct {
	Account string    `json:"account"` // id
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`

	used   *atomic.Int64 // the latest use, in seconds since 1970
	stored *atomic.Int64 // the latest use that was stored
}

// fresh is the session with what is in memory of it.
func (s *session) fresh() *session {
	s.used, s.stored = new(atomic.Int64), new(atomic.Int64)
	s.used.Store(s.Used.Unix())
	s.stored.Store(s.Used.Unix())
	return s
}

// noteUse sets when the session was last used, here or on another node.
func (s *session) noteUse(at time.Time) {
	for last := s.used.Load(); at.Unix() > last; last = s.used.Load() {
		if s.used.CompareAndSwap(last, at.Unix()) {
			return
		}
	}
}

// ends is when the session ends unless it is used before.
func (s *session) ends() time.Time {
	idle, longest := time.Unix(s.used.Load(), 0).Add(Idle), s.Created.Add(Longest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// Session is somebody who has signed in.
type Session struct {
	Account *Account
	key     string
	ends    time.Time
}

// Identity is in whose name requests of the session are served.
func (s *Session) Identity() auth.Identity {
	return auth.Identity{Caller: s.Account.caller, Expires: s.ends}
}

func (b *Book) keyOf(token string) string {
	d := b.auth.Digest(token)
	return hex.EncodeToString(d[:])
}

// Session returns the session of that token. The error is ErrNoSession.
func (b *Book) Session(token string) (*Session, error) {
	if len(token) != 2*tokenBytes {
		return nil, ErrNoSession
	}
	key := b.keyOf(token)
	b.mu.RLock()
	defer b.mu.RUnlock()
	s := b.sessions[key]
	if s == nil || !b.now().Before(s.ends()) || b.byID[s.Account] == nil {
		return nil, ErrNoSession
	}
	return &Session{b.byID[s.Account], key, s.ends()}, nil
}

// Use says that a session is used by a request, so that it goes on. From time to time
// that is stored.
func (b *Book) Use(s *Session) {
	now := b.now()
	b.mu.RLock()
	held := b.sessions[s.key]
	b.mu.RUnlock()
	if held == nil {
		return
	}
	held.noteUse(now)
	last := held.stored.Load()
	if now.Unix()-last < int64(usedEvery/time.Second) || !held.stored.CompareAndSwap(last, now.Unix()) {
		return
	}
	err := b.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(sessionsBucket, s.key)
		if err != nil || value == nil {
			return err // it has ended meanwhile
		}
		return putSession(tx, s.key, &session{Account: held.Account, Created: held.Created, Used: now.UTC()})
	})
	if err != nil {
		b.log.Warn("the use of a session of the admin is not stored", "error", err)
	}
}

func putSession(tx *store.Tx, key string, s *session) error {
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return tx.PutRecord(sessionsBucket, key, value)
}

// begin starts a session of an account within a transaction, and returns its token.
func (b *Book) begin(tx *store.Tx, id string) (token string, err error) {
	token = auth.RandomText(tokenBytes)
	now := b.now().UTC()
	return token, putSession(tx, b.keyOf(token), &session{Account: id, Created: now, Used: now})
}

// SignOut ends a session.
func (b *Book) SignOut(_ context.Context, s *Session) error {
	b.log.Info("signed out of the admin", "account", s.Account.ID, "email", s.Account.Email)
	return b.db.Update(func(tx *store.Tx) error { return tx.DeleteRecord(sessionsBucket, s.key) })
}

// sweep removes sessions that are over, once in sweepEvery.
func (b *Book) sweep(tx *store.Tx) error {
	for _, key := range b.over() {
		if err := tx.DeleteRecord(sessionsBucket, key); err != nil {
			return err
		}
	}
	return nil
}

// over returns the sessions that are over, at most once in sweepEvery.
func (b *Book) over() (keys []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if now.Sub(b.swept) < sweepEvery {
		return nil
	}
	b.swept = now
	for key, s := range b.sessions {
		if !now.Before(s.ends()) {
			keys = append(keys, key)
		}
	}
	return keys
}
