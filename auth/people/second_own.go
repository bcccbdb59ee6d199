package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"quire/store"
)

// The second factor of an account: the account sets it up, replaces it and switches it off;
// others can remove it.

// FactorState is the state of a second factor as shown to its account.
type FactorState struct {
	On       bool
	Since    time.Time
	Recovery int // unused recovery codes
	Required bool
}

// Factor returns the state of the second factor of an account.
func (b *Directory) Factor(s *Session) (state FactorState) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	state.Required = s.Account.Roles.NeedsFactor(&b.site.Settings.Admin)
	if f := b.factors[s.Account.ID]; f != nil {
		state.On, state.Since, state.Recovery = true, f.Since, len(f.Recovery)
	}
	return state
}

// Proof proves again who the user is, before a change of the second factor.
type Proof struct {
	Password string `json:"password"`
	Code     string `json:"code,omitempty"` // of the existing second factor
}

// FactorSetUp is what an app needs, and what confirms it.
type FactorSetUp struct {
	Secret string // in letters and digits, for typing
	URL    string // for scanning
	Ticket string // for ConfirmFactor, within StepLife
}

// BeginFactor makes a secret for the app of an account that has no second factor. It is
// stored when a code confirms it. site is the name of the site in the app. Errors are those
// of ChangePassword, and *RefusedError.
func (b *Directory) BeginFactor(ctx context.Context, s *Session, site string, p Proof) (*FactorSetUp, error) {
	if s.Account.SecondFactor {
		return nil, errHasFactor
	}
	if err := b.checkOwnPassword(ctx, s, "password", p.Password); err != nil {
		return nil, err
	}
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	sealed, err := b.issue(ticketForSetUp, ticket{Account: s.Account.ID, Epoch: s.Account.record.epoch(), Secret: secret})
	if err != nil {
		return nil, err
	}
	return &FactorSetUp{letters.EncodeToString(secret), codeURL(secret, site, s.Account.Email), sealed}, nil
}

var (
	errHasFactor = refused("Your account already has a second factor; switch it off first")
	errNoFactor  = refused("Your account has no second factor")
)

// FactorConfirmation proves that the app has the secret.
type FactorConfirmation struct {
	Ticket string `json:"ticket"`
	Code   string `json:"code"`
}

// ConfirmFactor switches the second factor on, and returns its recovery codes. All other
// sessions of the account end. Errors are ErrStep, *FieldError, *RefusedError,
// *auth.ThrottledError, ErrNoSession and the store's.
func (b *Directory) ConfirmFactor(ctx context.Context, s *Session, c FactorConfirmation) (codes []string, err error) {
	t, err := b.redeem(ticketForSetUp, c.Ticket)
	if err != nil || t.Account != s.Account.ID {
		return nil, ErrStep
	}
	now := b.now().UTC()
	err = b.tryCode(ctx, t.Account, func() error {
		return b.changeOwn(s, func(tx *store.Tx, r *record) error {
			former, err := factorOf(tx, t.Account)
			switch {
			case err != nil:
				return err
			case former != nil:
				return errHasFactor
			case r.epoch() != t.Epoch:
				return ErrStep
			}
			f := &factor{Secret: b.auth.Seal(factorPurpose, t.Secret), Since: now}
			if b.accept(f, c.Code) != "an app" {
				return errCode
			}
			codes = b.renewRecovery(f)
			if err := endSessions(tx, t.Account, s.session.key); err != nil {
				return err
			}
			return errors.Join(f.put(tx, t.Account), b.noteFactor(ctx, tx, "account.factor-on", t.Account, nil))
		})
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// RenewRecovery replaces the recovery codes. Errors are those of DropFactor.
func (b *Directory) RenewRecovery(ctx context.Context, s *Session, p Proof) (codes []string, err error) {
	err = b.proven(ctx, s, p, func(tx *store.Tx, f *factor) error {
		codes = b.renewRecovery(f)
		return errors.Join(f.put(tx, s.Account.ID), b.noteFactor(ctx, tx, "account.recovery-codes", s.Account.ID, nil))
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// DropFactor switches the second factor off. Errors are *FieldError, *RefusedError,
// *auth.ThrottledError, *password.BusyError, ErrNoSession and the store's.
func (b *Directory) DropFactor(ctx context.Context, s *Session, p Proof) error {
	return b.proven(ctx, s, p, func(tx *store.Tx, _ *factor) error {
		return errors.Join(tx.DeleteRecord(factorsBucket, s.Account.ID), b.noteFactor(ctx, tx, "account.factor-off", s.Account.ID, nil))
	})
}

// Prove returns nil if the user of the session proves again that the account is theirs:
// with its password and, if it has a second factor, a code. Errors are those of DropFactor.
func (b *Directory) Prove(ctx context.Context, s *Session, p Proof) error {
	if !s.Account.SecondFactor {
		return b.checkOwnPassword(ctx, s, "password", p.Password)
	}
	return b.proven(ctx, s, p, func(tx *store.Tx, f *factor) error { return f.put(tx, s.Account.ID) })
}

// proven changes the second factor of an account after checking its password and a code.
func (b *Directory) proven(ctx context.Context, s *Session, p Proof, fn func(tx *store.Tx, f *factor) error) error {
	if !s.Account.SecondFactor {
		return errNoFactor
	}
	if err := b.checkOwnPassword(ctx, s, "password", p.Password); err != nil {
		return err
	}
	return b.tryCode(ctx, s.Account.ID, func() error {
		return b.changeOwn(s, func(tx *store.Tx, r *record) error {
			if r.Hash != s.Account.record.Hash {
				return ErrNoSession // it was changed meanwhile, which has ended this session
			}
			f, err := factorOf(tx, s.Account.ID)
			if err != nil || f == nil {
				return cmp.Or(err, errNoFactor)
			}
			if b.accept(f, p.Code) == "" {
				return errCode
			}
			return fn(tx, f)
		})
	})
}

// ClearFactor removes the second factor and the passkeys of another account, whose user has
// lost them. Errors are ErrNotFound, ErrForbidden, *RefusedError and the store's.
func (b *Directory) ClearFactor(by By, id string) error {
	if by.is(id) {
		return refused("Switch your own second factor off with your password and a code")
	}
	return b.change(by, func(c *change) error {
		r, err := c.mayChange(id)
		if err != nil {
			return err
		}
		return errors.Join(dropPasskeys(c.Tx, id), c.DeleteRecord(factorsBucket, id), c.note("account.factor-clear", id, r, nil))
	})
}
