package people

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

// ErrCredentials refuses a sign-in, without saying what is wrong.
var ErrCredentials = errors.New("the email or the password is wrong")

// Credentials are what a person signs in with.
type Credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`

	From  netip.Addr `json:"-"`
	Agent string     `json:"-"` // User-Agent of the browser
}

// SignIn begins a session, and returns its token. An unknown address takes as long as a
// wrong password. Errors are ErrCredentials, *auth.ThrottledError, *password.BusyError,
// ErrClosed, *StepError if the second factor is required, and the store's.
func (b *Directory) SignIn(ctx context.Context, c Credentials) (token string, err error) {
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
		// Record in the audit log that somebody knew the password of an account, and must now
		// prove its second factor.
		e := audit.Event{Action: "session.password", Target: accountTarget(a.ID, a.Email)}
		if err := b.db.Update(func(tx *store.Tx) error { return audit.Note(tx, audit.Of(ctx), e) }); err != nil {
			b.log.Error("cannot record a correct password in the audit log", "account", a.ID, "error", err)
		}
	}
	return token, err
}

// refuse records a refused action in the audit log. a is the account, nil if it does not
// exist: then the log has no name, because what was typed may be a password. It returns
// err.
func (b *Directory) refuse(ctx context.Context, action string, a *Account, err error) error {
	target := audit.Target{Type: "account"}
	if a != nil {
		target = accountTarget(a.ID, a.Email)
	}
	b.NoteRefused(ctx, action, target, nil)
	return err
}

// mostRefusals limits the lines about refused actions in a minute: each is a write.
const mostRefusals = 100

// mayNoteRefusal counts a line about a refused action, and reports whether it is within the
// limit.
func (b *Directory) mayNoteRefusal() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if minute := b.now().Truncate(time.Minute); !minute.Equal(b.refusedIn) {
		b.refusedIn, b.refusals = minute, 0
	}
	b.refusals++
	return b.refusals <= mostRefusals
}

// NoteRefused records a refused action in the audit log. The lines of one network are
// limited as sign-ins are, and all lines by mostRefusals.
func (b *Directory) NoteRefused(ctx context.Context, action string, target audit.Target, details map[string]string) {
	by := audit.Of(ctx)
	if by != nil && b.tries.TryAccount("noted "+action, auth.Network(by.From).String()) != nil {
		return // it does not count against the refusals of others
	}
	if !b.mayNoteRefusal() {
		return
	}
	e := audit.Event{Action: action, Target: target, Outcome: audit.Refused, Details: details}
	if err := b.db.Update(func(tx *store.Tx) error { return audit.Note(tx, by, e) }); err != nil {
		b.log.Error("cannot record a refused action in the audit log", "action", action, "target", target.String(), "error", err)
	}
}

func (b *Directory) find(email string) *Account {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byEmail[email]
}

// countTry counts an attempt against its address and against the account, except one from a
// network from which the account with the id has signed in before: no stranger can lock its
// owner out. takeBack removes it from the count.
func (b *Directory) countTry(email, id string, from netip.Addr) (takeBack func(), err error) {
	const ofAccount, ofAddress = "sign-in to the admin", "sign-in to the admin from"
	t, network := b.tries, auth.Network(from).String()
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
