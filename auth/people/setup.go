package people

import (
	"context"
	"errors"
	"net/netip"

	"quire/auth"
	"quire/store"
)

// ErrSetUp refuses a first account if there already is one.
var ErrSetUp = errors.New("the site already has an account; sign in")

// Needed reports whether the site has no account yet.
func (b *Directory) Needed() bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.byID) == 0
}

// SetupToken creates a token for creating the first account, and returns it; empty if there
// is an account.
func (b *Directory) SetupToken() (token string, err error) {
	if !b.Needed() {
		return "", nil
	}
	err = b.db.Update(func(tx *store.Tx) error {
		if n, err := tx.CountRecords(accountsBucket, ""); err != nil || n > 0 {
			return err
		}
		if err := dropOldLinks(tx); err != nil {
			return err
		}
		token, err = b.putLink(tx, link{Made: b.now().UTC()})
		return err
	})
	return token, err
}

// Choice is what the holder of a link chooses. Name and email are those of the first
// account.
type Choice struct {
	Token    string `json:"token"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`

	From  netip.Addr `json:"-"`
	Agent string     `json:"-"` // User-Agent of the browser
}

// LinkOf returns the account whose password can be chosen with a link; nil for the link for
// the first account. The error is ErrLink, or the store's.
func (b *Directory) LinkOf(token string) (a *Account, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		l, err := b.findLink(tx, token)
		if err != nil {
			return err
		}
		if a = b.ByID(l.Account); l.Account != "" && a == nil {
			return ErrLink
		}
		return nil
	})
	return a, err
}

// Choose takes the choice of the holder of a link: it creates the first account, an owner,
// or sets the password of the account of the link, which ends its sessions. It signs in,
// and returns the token of the session. Errors are ErrSetUp, ErrLink, *FieldError,
// *password.BusyError, ErrClosed, *StepError as of SignIn, and the store's.
func (b *Directory) Choose(ctx context.Context, c Choice) (token string, err error) {
	a, err := b.LinkOf(c.Token)
	if err != nil {
		return "", b.refuse(ctx, "account.link", nil, err)
	}
	ch := AccountChange{Password: &c.Password}
	if a == nil {
		ch.Name, ch.Email = &c.Name, &c.Email
	}
	next, err := b.prepare(ctx, &record{Role: owner, Created: b.now().UTC()}, ch)
	if err != nil {
		return "", err
	}
	var step *StepError
	id := auth.RandomText(idBytes)
	if a != nil {
		id = a.ID
	}
	err = b.db.Update(func(tx *store.Tx) error {
		l, err := b.findLink(tx, c.Token)
		if err != nil {
			return err // it was used meanwhile
		}
		r, err := chosen(tx, a, next)
		if err == nil {
			err = errors.Join(r.put(tx, id), dropLinks(tx, ""), dropLinks(tx, id), endAccess(tx, id, ""))
		}
		if err != nil {
			return err
		}
		action := "account.link"
		if a == nil {
			action = "account.first"
		}
		if token, err = b.enter(tx, id, r, Device{c.From, c.Agent, l.way(), false}); errors.As(err, &step) {
			err = nil // the password has been set all the same
		}
		return errors.Join(err, noteOwn(ctx, tx, action, id, r.Email, nil))
	})
	if err == nil && step != nil {
		err = step
	}
	return token, err
}

const idBytes = 8

// chosen returns the record to store: that of the first account, if there is none, or that
// of a with a new password.
func chosen(tx *store.Tx, a *Account, next *record) (*record, error) {
	if a == nil {
		n, err := tx.CountRecords(accountsBucket, "")
		if err == nil && n > 0 {
			err = ErrSetUp
		}
		return next, err
	}
	value, err := tx.Record(accountsBucket, a.ID)
	if err != nil {
		return nil, err
	}
	r, err := readRecord(value)
	if err != nil || r.Blocked {
		return nil, ErrLink // the account was removed, or may not sign in
	}
	r.Hash = next.Hash
	return r, nil
}
