package people

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/schema"
	"quire/store"
)

// Directory has the accounts of the admin and their sessions in memory. There is one for each
// data file, over all versions of the site. Its methods may be called from any goroutine.
type Directory struct {
	db          *store.DB
	auth        *auth.Auth
	passwords   *password.Hasher
	log         *slog.Logger
	now         func() time.Time
	unsubscribe func()

	networks auth.HomeNetworks // from which people have signed in
	tries    *auth.Throttle    // of signing in and of passwords, by admin.rateLimit
	codes    *auth.Throttle    // codes of second factors

	mu       sync.RWMutex
	revision uint64 // of the file when it was loaded: the feed continues from there
	site     *schema.Site
	roles    map[string]*Role    // of the site's own, by id
	records  map[string]*record  // of the accounts, by id
	sessions map[string]*session // by digest
	factors  map[string]*factor  // of the accounts that have one, by account id

	assistants map[string]*assistant     // by id
	byToken    map[string]*assistant     // by digest
	titles     map[string]*assistantName // of assistants, also of those that have ended, by id

	byID    map[string]*Account // made from the records
	byEmail map[string]*Account
	swept   time.Time // when sessions that have ended were last removed

	refusedIn time.Time // the minute to which refusals applies
	refusals  int       // recorded in the audit log in that minute
}

// Options configures a Directory. The zero value is ready to use.
type Options struct {
	Log       *slog.Logger     // for operators; discarded by default
	Now       func() time.Time // time.Now by default
	Passwords *password.Hasher // password.NewHasher by default
}

// Open loads the accounts from the data file. Close must be called before db is closed.
func Open(db *store.DB, a *auth.Auth, site *schema.Site, o Options) (*Directory, error) {
	b := &Directory{db: db, auth: a, passwords: o.Passwords, log: o.Log, now: o.Now}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	if b.now == nil {
		b.now = time.Now
	}
	if b.passwords == nil {
		b.passwords = password.NewHasher()
	}
	limit := site.Settings.Admin.RateLimit
	b.tries = auth.NewThrottle(b.now, limit.Max, limit.Interval)
	b.codes = auth.NewThrottle(b.now, mostCodes, codesEvery)
	b.unsubscribe = db.Subscribe(b.apply)
	if err := b.Reload(site); err != nil {
		b.unsubscribe()
		return nil, err
	}
	a.SetAdmins(b.callerOf)
	return b, nil
}

// Close unsubscribes from the feed.
func (b *Directory) Close() { b.unsubscribe() }

// Warn logs a warning for operators.
func (b *Directory) Warn(message string, attributes ...any) { b.log.Warn(message, attributes...) }

// Reload reads accounts, roles and sessions from the data file again, for another version
// of the site. Records that cannot be read count as missing; `quire check` reports them.
func (b *Directory) Reload(site *schema.Site) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.site, b.roles, b.records, b.sessions = site, map[string]*Role{}, map[string]*record{}, map[string]*session{}
	b.factors = map[string]*factor{}
	b.assistants, b.byToken, b.titles = map[string]*assistant{}, map[string]*assistant{}, map[string]*assistantName{}
	b.tries.SetLimit(site.Settings.Admin.RateLimit)
	err := b.db.View(func(tx *store.Tx) error {
		b.revision = tx.Revision()
		for _, bucket := range []string{rolesBucket, accountsBucket, sessionsBucket, factorsBucket, assistantsBucket, namesBucket} {
			err := tx.Records(bucket, func(key string, value []byte) error {
				b.applyLocked(store.RecordChange{Bucket: bucket, Key: key, After: value})
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	b.byID = nil // all must be made again, for this site
	b.compileLocked()
	return err
}

// compileLocked makes the accounts from the records; an account that has not changed stays
// the same object. The rights of roles are computed once for all accounts that have the same. mu must be
// held.
func (b *Directory) compileLocked() {
	former, callers := b.byID, map[string]*auth.Caller{}
	b.byID, b.byEmail = map[string]*Account{}, map[string]*Account{}
	known := map[string]*Role{}
	for _, r := range builtIn() {
		known[r.ID] = r
	}
	maps.Copy(known, b.roles)
	for id, r := range b.records {
		var roles Roles
		for _, id := range r.roles() {
			if role := known[id]; role != nil {
				roles = append(roles, role)
			}
		}
		if roles == nil {
			roles = Roles{nobody}
		}
		a := former[id]
		second := b.factors[id] != nil
		if a == nil || a.record != r || !slices.Equal(a.Roles, roles) || a.SecondFactor != second {
			has, own := idsOf(r.roles()), roles.of(r.Values)
			if len(own) > 0 && own[0] != roles[0] {
				has += " " + id // it has rights of its own
			}
			if callers[has] == nil {
				callers[has] = own.caller(b.site)
			}
			a = &Account{
				ID: id, Name: r.Name, Email: r.Email, Roles: roles, Created: r.Created, Values: r.Values, Language: r.Language, Active: r.Hash != "", SecondFactor: second, Blocked: r.Blocked, OpenID: r.Link != nil,
				record: r, caller: callers[has].As(id, r.epoch()),
			}
		}
		b.byID[id], b.byEmail[a.Email] = a, a
	}
}

// apply updates the Directory for a commit. Records that cannot be read count as missing.
func (b *Directory) apply(c store.Commit) {
	roles, accounts, sessions := c.RecordsOf(rolesBucket), c.RecordsOf(accountsBucket), c.RecordsOf(sessionsBucket)
	factors, assistants := c.RecordsOf(factorsBucket), c.RecordsOf(assistantsBucket)
	if roles == nil && accounts == nil && sessions == nil && factors == nil && assistants == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.site == nil || c.Revision <= b.revision {
		return
	}
	for _, change := range c.Records {
		b.applyLocked(change)
	}
	if roles != nil || accounts != nil || factors != nil {
		b.compileLocked()
	}
}

// applyLocked applies one change of a record. mu must be held.
func (b *Directory) applyLocked(change store.RecordChange) {
	switch change.Bucket {
	case rolesBucket:
		r, err := readRole(change.Key, change.After)
		put(b.roles, change.Key, r, err)
	case accountsBucket:
		r, err := readRecord(change.After)
		put(b.records, change.Key, r, err)
	case factorsBucket:
		f, err := readFactor(change.After)
		if err != nil && change.After != nil {
			f, err = &factor{}, nil // the factor exists, and accepts no code
		}
		put(b.factors, change.Key, f, err)
	case assistantsBucket:
		b.applyAssistantLocked(change)
	case namesBucket:
		n, err := readAssistantName(change.Key, change.After)
		put(b.titles, change.Key, n, err)
	case sessionsBucket:
		s, err := readSession(change.Key, change.After)
		if former := b.sessions[digestIn(change.Key)]; former != nil && err == nil {
			former.noteUse(s.Used)
			return
		}
		put(b.sessions, digestIn(change.Key), s, err)
	}
}

// put puts a value into a map, or removes the key if the value cannot be read.
func put[V any](m map[string]V, key string, value V, err error) {
	if err != nil {
		delete(m, key)
		return
	}
	m[key] = value
}

// Decides reports whether a commit may change who somebody is in the admin, or what anybody
// may do there.
func Decides(c store.Commit) bool {
	for _, r := range c.Records {
		if r.Bucket == accountsBucket || r.Bucket == rolesBucket || (r.Bucket == sessionsBucket || r.Bucket == factorsBucket || r.Bucket == assistantsBucket) && r.After == nil {
			return true
		}
	}
	return false
}

// callerOf returns the caller of an account by its id; nil if there is none, if it is
// blocked, and if the site has no admin.
func (b *Directory) callerOf(id string) *auth.Caller {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if a := b.byID[id]; a != nil && !a.Blocked && b.site.Settings.Admin.Enabled {
		return a.caller
	}
	return nil
}
