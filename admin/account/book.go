package account

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/schema"
	"quire/store"
)

// Book has the accounts of the admin and their sessions in memory. There is one for each
// data file, over all versions of the site. Its methods may be called from any goroutine.
type Book struct {
	db          *store.DB
	auth        *auth.Auth
	passwords   *password.Hasher
	log         *slog.Logger
	now         func() time.Time
	unsubscribe func()

	mu       sync.RWMutex
	revision uint64 // of the file when it was loaded: the feed goes on from there
	site     *schema.Site
	byID     map[string]*Account
	byEmail  map[string]*Account
	sessions map[string]*session // by key
	swept    time.Time           // when sessions that are over were last removed
}

// Options configures a Book. The zero value is ready to use.
type Options struct {
	Log       *slog.Logger     // for operators; discarded by default
	Now       func() time.Time // time.Now by default
	Passwords *password.Hasher // password.NewHasher by default
}

// Open loads the accounts from the data file. Close must be called before db is closed.
func Open(db *store.DB, a *auth.Auth, site *schema.Site, o Options) (*Book, error) {
	b := &Book{db: db, auth: a, passwords: o.Passwords, log: o.Log, now: o.Now}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.passwords == nil {
		b.passwords = password.NewHasher()
	}
	b.unsubscribe = db.Subscribe(b.apply)
	if err := b.Reload(site); err != nil {
		b.unsubscribe()
		return nil, err
	}
	a.SetAdmins(b.callerOf)
	return b, nil
}

// Close unsubscribes from the feed.
func (b *Book) Close() { b.unsubscribe() }

// Reload reads accounts and sessions from the data file again, for another version of the
// site.
func (b *Book) Reload(site *schema.Site) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.site, b.byID, b.byEmail, b.sessions = site, map[string]*Account{}, map[string]*Account{}, map[string]*session{}
	return b.db.View(func(tx *store.Tx) error {
		b.revision = tx.Revision()
		err := tx.Records(accountsBucket, func(id string, value []byte) error {
			r, err := readRecord(value)
			if err != nil {
				return fmt.Errorf("account %q of the admin: %w; `quire check --repair` removes it", id, err)
			}
			b.setLocked(id, r)
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Records(sessionsBucket, func(key string, value []byte) error {
			s := new(session)
			if err := json.Unmarshal(value, s); err != nil {
				return fmt.Errorf("session %.8q of the admin: %w; `quire check --repair` removes it", key, err)
			}
			b.sessions[key] = s.fresh()
			return nil
		})
	})
}

// setLocked puts an account into the Book. mu must be held.
func (b *Book) setLocked(id string, r *record) {
	if former := b.byID[id]; former != nil {
		delete(b.byEmail, former.Email)
	}
	role := roleOf(r.Role)
	a := &Account{ID: id, Name: r.Name, Email: r.Email, Role: role, Created: r.Created, hash: r.Hash, caller: role.callerOf(id, b.site)}
	b.byID[id], b.byEmail[r.Email] = a, a
}

// apply brings the Book over a commit. What cannot be read counts as gone.
func (b *Book) apply(c store.Commit) {
	accounts, sessions := c.RecordsOf(accountsBucket), c.RecordsOf(sessionsBucket)
	if accounts == nil && sessions == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.site == nil || c.Revision <= b.revision {
		return
	}
	for _, change := range accounts {
		if r, err := readRecord(change.After); err == nil {
			b.setLocked(change.Key, r)
		} else if former := b.byID[change.Key]; former != nil {
			delete(b.byID, change.Key)
			delete(b.byEmail, former.Email)
		}
	}
	for _, change := range sessions {
		s := new(session)
		if json.Unmarshal(change.After, s) != nil {
			delete(b.sessions, change.Key)
			continue
		}
		if former := b.sessions[change.Key]; former != nil {
			former.noteUse(s.Used)
			continue
		}
		b.sessions[change.Key] = s.fresh()
	}
}

// Decides reports whether a commit may change who somebody is in the admin, or what
// anybody may do there.
func Decides(c store.Commit) bool {
	for _, r := range c.Records {
		if r.Bucket == accountsBucket || r.Bucket == sessionsBucket && r.After == nil {
			return true
		}
	}
	return false
}

// callerOf returns the caller of an account by its id, nil where there is none.
func (b *Book) callerOf(id string) *auth.Caller {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if a := b.byID[id]; a != nil {
		return a.caller
	}
	return nil
}
