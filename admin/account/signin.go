package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"quire/audit"
	"quire/auth"
	"quire/store"
)

// ErrCredentials refuses a sign-in, without a word about what is wrong.
var ErrCredentials = errors.New("the email or the password is wrong")

// Credentials is what somebody signs in with.
type Credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`

	From  netip.Addr `json:"-"`
	Agent string     `json:"-"` // what the browser says of itself
}

// SignIn begins a session, and returns its token. An address of no account takes as long
// as a wrong password. Errors are ErrCredentials, *auth.ThrottledError,
// *password.BusyError, ErrClosed, *StepError where the second factor is to follow, and the
// store's.
func (b *Book) SignIn(ctx context.Context, c Credentials) (token string, err error) {
	if b.closed(ByPassword) {
		return "", ErrClosed
	}
	email := Normal(c.Email)
	a, id, hash := b.find(email), "", ""
	if a != nil {
		id, hash = a.ID, a.record.Hash
	}
	takeBack, err := b.countTry(email, id, c.From)
	if err != nil {
		return "", err
	}
	ok, err := b.passwords.Matches(ctx, hash, c.Password, false)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return "", b.refuse(ctx, "session.begin", a, ErrCredentials)
	}
	takeBack()
	err = b.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(accountsBucket, a.ID)
		if err != nil {
			return err
		}
		r, err := readRecord(value)
		if err != nil || r.Hash != hash || r.Blocked {
			return ErrCredentials // or they were changed meanwhile
		}
		if token, err = b.enter(tx, a.ID, r, Device{c.From, c.Agent, ByPassword, false}); err != nil {
			return err
		}
		return noteOwn(ctx, tx, "session.begin", a.ID, email, nil)
	})
	switch {
	case err == nil:
		b.networks.Add(a.ID, c.From)
	case errors.As(err, new(*StepError)):
		b.noteStep(ctx, a)
	}
	return token, err
}

// noteStep notes in the audit log that somebody knew the password of an account, and is to
// show its second factor.
func (b *Book) noteStep(ctx context.Context, a *Account) {
	e := audit.Event{Action: "session.password", Target: accountTarget(a.ID, a.Email)}
	if err := b.db.Update(func(tx *store.Tx) error { return audit.Note(tx, audit.Of(ctx), e) }); err != nil {
		b.log.Error("cannot record a correct password in the audit log", "account", a.ID, "error", err)
	}
}

// refuse notes in the audit log that something was refused which somebody has tried to do
// to an account, nil for one that is not there: what was typed in its place may be a
// password. It returns err.
func (b *Book) refuse(ctx context.Context, action string, a *Account, err error) error {
	target := audit.Target{Type: "account"}
	if a != nil {
		target = accountTarget(a.ID, a.Email)
	}
	b.NoteRefused(ctx, action, target, nil)
	return err
}

// mostRefusals bounds the lines about what is refused, in a minute: each is a write.
const mostRefusals = 100

// mayNoteRefusal counts a line about what is refused, and reports whether it is not one too
// many.
func (b *Book) mayNoteRefusal() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if minute := b.now().Truncate(time.Minute); !minute.Equal(b.refusedIn) {
		b.refusedIn, b.refusals = minute, 0
	}
	b.refusals++
	return b.refusals <= mostRefusals
}

// NoteRefused notes in the audit log that something was refused. Those of one network are
// limited as sign-ins are, and all of them by mostRefusals, also where auth.rateLimit is
// off.
func (b *Book) NoteRefused(ctx context.Context, action string, target audit.Target, details map[string]string) {
	by := audit.Of(ctx)
	if by != nil && b.auth.Throttle().TryAccount("noted "+action, auth.Network(by.From).String()) != nil {
		return // it takes nothing away from what others are refused
	}
	if !b.mayNoteRefusal() {
		return
	}
	e := audit.Event{Action: action, Target: target, Outcome: audit.Refused, Details: details}
	if err := b.db.Update(func(tx *store.Tx) error { return audit.Note(tx, by, e) }); err != nil {
		b.log.Error("cannot record a refused action in the audit log", "action", action, "target", target.String(), "error", err)
	}
}

func (b *Book) find(email string) *Account {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byEmail[email]
}

// countTry counts a try against the address that it comes from and against the account,
// but for one from a network from which the account of the id has signed in before: no
// stranger can keep its owner out. takeBack uncounts it.
func (b *Book) countTry(email, id string, from netip.Addr) (takeBack func(), err error) {
	const ofAccount, ofAddress = "sign-in to the admin", "sign-in to the admin from"
	t, network := b.auth.Throttle(), auth.Network(from).String()
	if err := t.TryAccount(ofAddress, network); err != nil {
		return nil, err
	}
	if id != "" && b.networks.Includes(id, from) {
		return func() { t.TakeBack(ofAddress, network) }, nil
	}
	if err := t.TryAccount(ofAccount, email); err != nil {
		return nil, err
	}
	return func() { t.TakeBack(ofAddress, network); t.TakeBack(ofAccount, email) }, nil
}
