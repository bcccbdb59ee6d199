package auth

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"quire/schema"
	"quire/store"
)

// Where site.json asks for it, a session is short and prolonged by refresh
// tokens, each of which works once. The tokens that follow one another are a
// family. One that is shown twice was stolen, before or after: it ends the family.

const sessionsBucket = "sessions"

const (
	sessionBytes = 16
	refreshBytes = 32
)

// family is one session as it is kept in the data file, under its id.
type family struct {
	User    string    `json:"user"`  // documentId
	Epoch   string    `json:"epoch"` // it ends with the user's epoch
	Hash    []byte    `json:"hash"`  // of the refresh token that works next
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
}

// ends is when the session is over unless it is prolonged before.
func (f *family) ends(r *schema.Refresh) time.Time {
	idle, longest := f.Used.Add(r.Idle), f.Created.Add(r.Longest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// put stores the family with a new refresh token, which it returns.
func (f *family) put(tx *store.Tx, key []byte, id string) (token string, err error) {
	token = id + "." + random(refreshBytes)
	d := hash(key, token)
	f.Hash = d[:]
	value, err := json.Marshal(f)
	if err != nil {
		return "", err
	}
	return token, tx.PutRecord(sessionsBucket, id, value)
}

// sessionBook keeps in memory what a request needs of each session.
type sessionBook struct {
	changing sync.Mutex // held while a session changes, to the end of the commit
	swept    time.Time  // guarded by changing

	mu   sync.RWMutex // guards the map alone, so that no request waits for a commit
	byID map[string]session
}

type session struct {
	user, epoch string
	ends        time.Time
}

// sweepEvery is how often sessions that are over are looked for.
const sweepEvery = time.Hour

func (b *sessionBook) load(db *store.DB, r *schema.Refresh) error {
	b.changing.Lock()
	defer b.changing.Unlock()
	byID := map[string]session{}
	err := db.View(func(tx *store.Tx) error {
		return tx.Records(sessionsBucket, func(id string, value []byte) error {
			f := new(family)
			if err := json.Unmarshal(value, f); err != nil {
				return fmt.Errorf("session %q: %w; `quire check --repair` removes it", id, err)
			}
			byID[id] = session{f.User, f.Epoch, f.ends(r)}
			return nil
		})
	})
	if err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.byID = byID
	}
	return err
}

func (b *sessionBook) find(id string) (session, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	s, ok := b.byID[id]
	return s, ok
}

func (b *sessionBook) set(id string, s session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.byID[id] = s
}

func (b *sessionBook) drop(ids ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		delete(b.byID, id)
	}
}

// alive reports whether the session goes on and is the user's.
func (b *sessionBook) alive(id string, u *User) bool {
	s, ok := b.find(id)
	return ok && s.user == u.DocumentID && s.epoch == u.epoch
}

// over lists the sessions that are over, from time to time.
func (b *sessionBook) over(now time.Time) []string {
	if now.Sub(b.swept) < sweepEvery {
		return nil
	}
	b.swept = now
	b.mu.RLock()
	defer b.mu.RUnlock()
	var ids []string
	for id, s := range b.byID {
		if !now.Before(s.ends) {
			ids = append(ids, id)
		}
	}
	return ids
}

// begin starts a session of the user, and removes those that are over.
func (a *Accounts) begin(u *User) (id, token string, err error) {
	b := &a.auth.sessions
	now := a.auth.now().UTC()
	id = random(sessionBytes)
	f := &family{User: u.DocumentID, Epoch: u.epoch, Created: now, Used: now}
	b.changing.Lock()
	defer b.changing.Unlock()
	over := b.over(now)
	err = a.auth.db.Update(func(tx *store.Tx) error {
		for _, old := range over {
			if err := tx.DeleteRecord(sessionsBucket, old); err != nil {
				return err
			}
		}
		token, err = f.put(tx, a.auth.key, id)
		return err
	})
	if err != nil {
		return "", "", err
	}
	b.drop(over...)
	b.set(id, session{f.User, f.Epoch, f.ends(&a.settings.Refresh)})
	return id, token, nil
}

// end ends one session. One that has ended already is no error.
func (b *sessionBook) end(db *store.DB, id string) error {
	b.changing.Lock()
	defer b.changing.Unlock()
	err := db.Update(func(tx *store.Tx) error { return tx.DeleteRecord(sessionsBucket, id) })
	if err == nil {
		b.drop(id)
	}
	return err
}
