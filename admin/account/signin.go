package account

import (
	"context"
	"errors"
	"net/netip"

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
// *password.BusyError, *StepError where the second factor is to follow, and the store's.
func (b *Book) SignIn(ctx context.Context, c Credentials) (token string, err error) {
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
		b.log.Warn("a sign-in to the admin failed", "email", email[:min(len(email), longestEmail)], "from", c.From)
		return "", ErrCredentials
	}
	takeBack()
	err = b.db.Update(func(tx *store.Tx) error {
		value, err := tx.Record(accountsBucket, a.ID)
		if err != nil {
			return err
		}
		r, err := readRecord(value)
		if err != nil || r.Hash != hash {
			return ErrCredentials // which were changed meanwhile
		}
		token, err = b.enter(tx, a.ID, r, Device{c.From, c.Agent})
		return err
	})
	if err == nil {
		b.networks.Add(a.ID, c.From)
		b.log.Info("signed in to the admin", "account", a.ID, "email", email, "from", c.From)
	}
	return token, err
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
