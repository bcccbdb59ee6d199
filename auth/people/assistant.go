package people

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

const assistantsBucket = "admin.assistants"

// MostAssistants is the maximum number of assistants of an account, and LongestAssistant the
// longest time until one ends.
const (
	MostAssistants   = 20
	LongestAssistant = 365 * 24 * time.Hour
)

// assistantPrefix begins the token of each assistant, so that people and programs that look
// for secrets recognize it.
const assistantPrefix = "qra_"

// mostFrom is how many networks of an assistant are stored.
const mostFrom = 8

// ErrNoAssistant refuses a token that is unknown or has ended, or whose owner may not sign
// in now.
var ErrNoAssistant = errors.New("the token is not valid: it has ended, or was never valid")

// Assistant is a program that works on behalf of an account: the holder of a token with a
// part of the rights of its owner. It is immutable.
type Assistant struct {
	ID      string // that of the account, a dot and 16 hex digits
	Name    string
	Account *Account // its owner
	Limits  Limits
	Created time.Time
	Expires time.Time
	Used    time.Time // zero if it was never used
	Client  string    // the name of the program that a person has connected by signing in; empty if the token was made by hand

	caller   *auth.Caller
	proposer *auth.Caller
	ends     time.Time // when the token of this request ends, which is Expires at the latest
	stored   *assistant
}

// Caller returns the caller for what the assistant asks for: what its owner and its limits
// both allow now.
func (a *Assistant) Caller() *auth.Caller { return a.caller }

// Proposer returns the caller for what the assistant proposes to a person: what it would be
// allowed if a person had agreed.
func (a *Assistant) Proposer() *auth.Caller { return a.proposer }

// Identity returns the identity for requests of the assistant.
func (a *Assistant) Identity() auth.Identity { return auth.Identity{Caller: a.caller, Expires: a.ends} }

// Actor returns the assistant as the author of a write.
func (a *Assistant) Actor() store.Actor { return store.ActorOf(store.ByAssistant, a.ID) }

// Title names the assistant and its owner: "Ada's assistant (Claude)".
func (a *Assistant) Title() string { return titleOf(a.Account, a.Name) }

func titleOf(owner *Account, name string) string {
	if owner == nil {
		return "assistant (" + name + ")"
	}
	return owner.Name + "'s assistant (" + name + ")"
}

// Source returns the assistant as the actor in the audit log.
func (a *Assistant) Source(from netip.Addr) *audit.Source {
	return &audit.Source{By: a.Actor(), Name: a.Title(), From: from, Way: audit.ByMCP}
}

// assistant is the stored form of an assistant, and what is in memory of it. Its key is its
// id.
type assistant struct {
	Name    string    `json:"name"`
	Limits  Limits    `json:"limits"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Used    time.Time `json:"used,omitzero"`
	From    []string  `json:"from,omitempty"` // the networks that have used it, see mostFrom

	// How its owner had signed in, as in a session.
	Way    Way  `json:"way"`
	Factor bool `json:"factor,omitempty"`

	Token string    `json:"token,omitempty"` // keyed hash of the token
	Until time.Time `json:"until,omitzero"`  // when that token ends; zero for Expires
	Grant *grant    `json:"grant,omitempty"` // of a program that a person has connected; nil if the token was made by hand

	id     string
	used   atomic.Int64              // the latest use, in seconds since 1970
	saved  atomic.Int64              // the latest use that was stored
	shared atomic.Pointer[Assistant] // for the account as it was when it was last asked for
}

// readAssistant parses the stored form of an assistant.
func readAssistant(id string, value []byte) (*assistant, error) {
	a := &assistant{id: id}
	if err := json.Unmarshal(value, a); err != nil {
		return nil, err
	}
	if account, own, _ := strings.Cut(id, "."); account == "" || own == "" || a.Name == "" || a.Expires.IsZero() {
		return nil, errors.New("it has no account, no name or no end")
	}
	a.used.Store(a.Used.Unix())
	a.saved.Store(a.Used.Unix())
	return a, nil
}

// over reports whether the assistant has ended with its time.
func (a *assistant) over(now time.Time) bool {
	return !now.Before(a.Expires) || a.Grant != nil && !now.Before(a.Grant.Until)
}

// account returns the id of the owner.
func (a *assistant) account() string { account, _, _ := strings.Cut(a.id, "."); return account }

func (a *assistant) put(tx *store.Tx) error {
	return tx.PutJSON(assistantsBucket, a.id, a)
}

// applyAssistantLocked applies one change of the record of an assistant. mu must be held.
func (b *Directory) applyAssistantLocked(change store.RecordChange) {
	former := b.assistants[change.Key]
	if former != nil {
		delete(b.byToken, former.Token)
	}
	a, err := readAssistant(change.Key, change.After)
	if former != nil && err == nil {
		a.noteUse(former.used.Load())
	}
	put(b.assistants, change.Key, a, err)
	if err == nil && a.Token != "" {
		b.byToken[a.Token] = a
	}
}

// Assistant returns the assistant with that token. Errors are ErrNoAssistant, and
// ErrFactorNeeded if its owner has to set up a second factor first.
func (b *Directory) Assistant(token string) (*Assistant, error) {
	if !IsAssistantToken(token) {
		return nil, ErrNoAssistant
	}
	digest := b.digest(token)
	b.mu.RLock()
	defer b.mu.RUnlock()
	stored := b.byToken[digest]
	if stored != nil && !stored.Until.IsZero() && !b.now().Before(stored.Until) {
		return nil, ErrNoAssistant
	}
	return b.mayActLocked(stored)
}

// IsAssistantToken reports whether a text has the form of the token of an assistant.
func IsAssistantToken(text string) bool {
	return strings.HasPrefix(text, assistantPrefix) && len(text) == len(assistantPrefix)+2*tokenBytes
}

// mayActLocked returns a stored assistant if it may act now. mu must be held. Errors are
// those of Assistant.
func (b *Directory) mayActLocked(stored *assistant) (*Assistant, error) {
	if stored == nil || stored.over(b.now()) || !b.site.Settings.Admin.Enabled {
		return nil, ErrNoAssistant
	}
	owner := b.byID[stored.account()]
	switch {
	case owner == nil || owner.Blocked || b.closedLocked(stored.Way):
		return nil, ErrNoAssistant
	case owner.Roles.NeedsFactor(&b.site.Settings.Admin) && !owner.SecondFactor && !stored.Factor:
		return nil, ErrFactorNeeded
	}
	return b.sharedLocked(stored, owner), nil
}

// sharedLocked returns the assistant for its owner as it is now: the same object as long as
// nothing of both has changed. mu must be held.
func (b *Directory) sharedLocked(stored *assistant, owner *Account) *Assistant {
	used := stored.usedAt()
	if a := stored.shared.Load(); a != nil && a.Account == owner && a.Used.Equal(used) {
		return a
	}
	a := &Assistant{
		ID: stored.id, Name: stored.Name, Account: owner, Limits: stored.Limits, Created: stored.Created, Expires: stored.Expires, Used: used,
		ends: stored.Expires, stored: stored,
	}
	if stored.Grant != nil {
		a.Client, a.ends = stored.Grant.ClientName, stored.Until
	}
	if former := stored.shared.Load(); former != nil && former.Account == owner {
		a.caller, a.proposer = former.caller, former.proposer
	} else {
		a.caller = stored.Limits.Caller(b.site, stored.id, owner.Roles.of(owner.Values)...)
		agreed := stored.Limits // as they are when a person has agreed
		for _, one := range []*Allowed{&agreed.Publish, &agreed.Delete} {
			if *one == Ask {
				*one = Yes
			}
		}
		a.proposer = agreed.Caller(b.site, stored.id, owner.Roles.of(owner.Values)...)
	}
	stored.shared.Store(a)
	return a
}

// noteUse sets when the assistant was last used, in seconds since 1970.
func (a *assistant) noteUse(at int64) {
	for last := a.used.Load(); at > last; last = a.used.Load() {
		if a.used.CompareAndSwap(last, at) {
			return
		}
	}
}

// usedAt returns when the assistant was last used; zero for never.
func (a *assistant) usedAt() time.Time {
	if a.used.Load() <= 0 {
		return time.Time{}
	}
	return time.Unix(a.used.Load(), 0).UTC()
}

// Assistants lists the assistants of an account, the newest first. Those that have expired
// are not listed.
func (b *Directory) Assistants(account string) []*Assistant {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := []*Assistant{}
	for _, a := range b.assistants {
		if owner := b.byID[account]; owner != nil && a.account() == account && !a.over(b.now()) && a.Token != "" {
			list = append(list, b.sharedLocked(a, owner))
		}
	}
	slices.SortFunc(list, func(a, b *Assistant) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return list
}

// AssistantByID returns an assistant that has not ended, by its id, for commands on the machine. Errors
// are those of Assistant.
func (b *Directory) AssistantByID(id string) (*Assistant, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.mayActLocked(b.assistants[id])
}

// Title returns the name of an account, or of one of its assistants with that of its owner,
// also after it has ended: "Ada's assistant (Claude)". It is empty for others.
func (b *Directory) Title(actor store.Actor) string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	owner, named := b.byID[actor.Account()], b.titles[actor.ID()]
	switch {
	case actor.Kind() == store.ByAdmin && owner != nil:
		return owner.Name
	case actor.Kind() == store.ByAssistant && named != nil:
		return titleOf(owner, named.Name)
	}
	return ""
}

// UseAssistant records that a request uses an assistant. From time to time that is stored.
// The audit log has a line for each network from which it is first used.
func (b *Directory) UseAssistant(a *Assistant, from netip.Addr) {
	now, held, network := b.now(), a.stored, auth.Network(from).String()
	held.noteUse(now.Unix())
	last := held.saved.Load()
	isNew := from.IsValid() && len(held.From) < mostFrom && !slices.Contains(held.From, network)
	if !isNew && now.Unix()-last < int64(usedEvery/time.Second) || !held.saved.CompareAndSwap(last, now.Unix()) {
		return
	}
	err := b.db.Update(func(tx *store.Tx) error {
		stored, err := assistantOf(tx, a.ID)
		if err != nil || stored == nil {
			return err // it has ended meanwhile
		}
		stored.Used = now.UTC()
		if isNew && !slices.Contains(stored.From, network) {
			stored.From = append(stored.From, network)
			err = audit.Note(tx, a.Source(from), audit.Event{Action: "assistant.network", Target: assistantTarget(a.ID, a.Name)})
		}
		return errors.Join(err, stored.put(tx))
	})
	if err != nil {
		b.log.Warn("cannot record the use of an assistant", "error", err)
	}
}

// assistantOf reads an assistant within a transaction; nil if there is none, or if its record cannot be
// read.
func assistantOf(tx *store.Tx, id string) (*assistant, error) {
	value, err := tx.Record(assistantsBucket, id)
	if err != nil || value == nil {
		return nil, err
	}
	a, err := readAssistant(id, value)
	if err != nil {
		return nil, nil
	}
	return a, nil
}

func assistantTarget(id, name string) audit.Target {
	return audit.Target{Type: "assistant", ID: id, Name: name}
}

// String names the assistant in logs.
func (a *Assistant) String() string { return fmt.Sprintf("assistant %s", a.ID) }
