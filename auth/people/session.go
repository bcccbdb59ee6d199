package people

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

const sessionsBucket = "admin.sessions"

// Passing returns the buckets of what lets people and their assistants in for a limited
// time: sessions, links for choosing a password, and the assistants. A restored backup does not restore them, because they may
// have ended since.
func Passing() []string { return []string{sessionsBucket, linksBucket, assistantsBucket} }

// How long sessions last, and the maximum for each account: another one ends the oldest.
const (
	Idle         = 8 * time.Hour       // without a request
	Longest      = 30 * 24 * time.Hour // in any case
	MostSessions = 50
)

const (
	tokenBytes = 32
	usedEvery  = 5 * time.Minute // how often the use of a session is stored
	sweepEvery = time.Hour       // how often sessions that have ended are removed
)

// ErrNoSession: nobody has signed in with that token, or the session has ended.
var ErrNoSession = errors.New("the session has ended; sign in again")

// session is the stored form of a session, and what is in memory of it. Its key is the
// id of the account, a dot and the keyed hash of the token.
type session struct {
	Account string    `json:"account"` // id
	Created time.Time `json:"created"`
	Used    time.Time `json:"used"`
	From    string    `json:"from,omitempty"`  // the address at which it began
	Agent   string    `json:"agent,omitempty"` // User-Agent of the browser
	Way     Way       `json:"way,omitempty"`
	Factor  bool      `json:"factor,omitempty"` // the provider has checked a second factor, and the site trusts it

	key    string
	used   atomic.Int64 // the latest use, in seconds since 1970
	stored atomic.Int64 // the latest use that was stored
}

func readSession(key string, value []byte) (*session, error) {
	s := &session{key: key}
	if err := json.Unmarshal(value, s); err != nil {
		return nil, err
	}
	if account, _, ok := strings.Cut(key, "."); !ok || account != s.Account {
		return nil, errors.New("it is not of the account that it is stored with")
	}
	if s.Way == "" {
		s.Way = ByPassword
	}
	s.used.Store(s.Used.Unix())
	s.stored.Store(s.Used.Unix())
	return s, nil
}

func putSession(tx *store.Tx, key string, s *session) error {
	return tx.PutJSON(sessionsBucket, key, s)
}

// digestIn returns the keyed hash of the token, which is in the key of a session.
func digestIn(key string) string { _, digest, _ := strings.Cut(key, "."); return digest }

// noteUse sets when the session was last used, here or on another node.
func (s *session) noteUse(at time.Time) {
	for last := s.used.Load(); at.Unix() > last; last = s.used.Load() {
		if s.used.CompareAndSwap(last, at.Unix()) {
			return
		}
	}
}

// ends returns when the session ends if it is not used.
func (s *session) ends() time.Time {
	idle, longest := time.Unix(s.used.Load(), 0).Add(Idle), s.Created.Add(Longest)
	if idle.Before(longest) {
		return idle
	}
	return longest
}

// Session is a session of a user who has signed in.
type Session struct {
	Account     *Account
	NeedsFactor bool // it may only set up a second factor, which the site requires

	session *session
	ends    time.Time
}

// Identity returns the identity for requests of the session.
func (s *Session) Identity() auth.Identity {
	return auth.Identity{Caller: s.Account.caller, Expires: s.ends}
}

// digest returns the keyed hash of a token, in hex digits.
func (b *Directory) digest(token string) string {
	d := b.auth.Digest(token)
	return hex.EncodeToString(d[:])
}

// ErrFactorNeeded refuses an account without a second factor if the site requires one.
var ErrFactorNeeded = errors.New("the account needs a second factor first")

// Session returns the session with that token. Errors are ErrNoSession, and ErrFactorNeeded
// if the session may only set up a second factor.
func (b *Directory) Session(token string) (*Session, error) {
	s, err := b.AnySession(token)
	if err == nil && s.NeedsFactor {
		return nil, ErrFactorNeeded
	}
	return s, err
}

// AnySession is Session for requests that every account may make, with a second factor or
// without. The error is ErrNoSession.
func (b *Directory) AnySession(token string) (*Session, error) {
	if len(token) != 2*tokenBytes {
		return nil, ErrNoSession
	}
	digest := b.digest(token)
	b.mu.RLock()
	defer b.mu.RUnlock()
	s := b.sessions[digest]
	if s == nil || b.byID[s.Account] == nil || b.byID[s.Account].Blocked || b.closedLocked(s.Way) {
		return nil, ErrNoSession
	}
	ends := s.ends()
	if !b.now().Before(ends) {
		return nil, ErrNoSession
	}
	a := b.byID[s.Account]
	needs := a.Roles.NeedsFactor(&b.site.Settings.Admin) && !a.SecondFactor && !s.Factor
	return &Session{a, needs, s, ends}, nil
}

// Use records that a request uses a session, which prolongs it. From time to time that is
// stored.
func (b *Directory) Use(s *Session) {
	now, held := b.now(), s.session
	held.noteUse(now)
	last := held.stored.Load()
	if now.Unix()-last < int64(usedEvery/time.Second) || !held.stored.CompareAndSwap(last, now.Unix()) {
		return
	}
	err := b.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(sessionsBucket, held.key)
		if err != nil || value == nil {
			return err // it has ended meanwhile
		}
		return putSession(tx, held.key, &session{Account: held.Account, Created: held.Created, Used: now.UTC(), From: held.From, Agent: held.Agent, Way: held.Way, Factor: held.Factor})
	})
	if err != nil {
		b.log.Warn("cannot record the use of a session of the admin", "error", err)
	}
}

// Device is where a session begins.
type Device struct {
	From  netip.Addr
	Agent string // User-Agent of the browser

	way    Way
	factor bool // see session.Factor
}

// longestAgent is the maximum stored length of a User-Agent.
const longestAgent = 300

// begin starts a session of an account within a transaction, and returns its token. Errors
// are ErrClosed and the store's.
func (b *Directory) begin(tx *store.Tx, id string, d Device) (token string, err error) {
	if b.closed(d.way) {
		return "", ErrClosed
	}
	if err := b.sweep(tx); err != nil {
		return "", err
	}
	if err := endOldest(tx, id); err != nil {
		return "", err
	}
	token = auth.RandomText(tokenBytes)
	now := b.now().UTC()
	return token, putSession(tx, id+"."+b.digest(token), &session{
		Account: id, Created: now, Used: now, From: address(d.From), Agent: oneLine(d.Agent, longestAgent), Way: d.way, Factor: d.factor,
	})
}

// SignOut ends a session.
func (b *Directory) SignOut(ctx context.Context, s *Session) error {
	return b.db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.DeleteRecord(sessionsBucket, s.session.key), noteOwn(ctx, tx, "session.end", s.Account.ID, s.Account.Email, nil))
	})
}

// noteOwn records in the audit log what an account does to itself.
func noteOwn(ctx context.Context, tx *store.Tx, action, id, email string, details map[string]string) error {
	return audit.Note(tx, ownSource(ctx, id, email), audit.Event{Action: action, Target: accountTarget(id, email), Details: details})
}
