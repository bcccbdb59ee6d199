package people

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"time"

	"quire/store"
)

// ErrStep refuses a code for a sign-in that is no longer in progress: it must begin again
// with the password.
var ErrStep = errors.New("the sign-in took too long; begin again")

// StepLife is the maximum time between the password and the second factor.
const StepLife = 5 * time.Minute

// mostCodes is how many codes an account may try in codesEvery, whatever site.json sets:
// there are only a million, and three are valid at a time.
const (
	mostCodes  = 5
	codesEvery = 5 * time.Minute
)

// StepError reports that the password was right, and that the second factor is required.
type StepError struct {
	Ticket string // the browser sends it with the code
}

func (e *StepError) Error() string { return "the second factor is missing" }

// ticket is what a client holds between the password and the second factor, or while it
// sets up a second factor. It is encrypted, and nothing of it is stored.
type ticket struct {
	Account      string `json:"account"`
	Epoch        string `json:"epoch"` // a new password invalidates it
	Expires      int64  `json:"expires"`
	Secret       []byte `json:"secret,omitempty"` // of a factor that is not set up yet, or the challenge for a passkey
	Added        int    `json:"added,omitempty"`  // how many passkeys the account had added before
	Way          Way    `json:"way,omitempty"`    // of a sign-in that still needs the second factor
	ChallengedAt int64  `json:"asked,omitempty"`  // when the challenge was made: of two passkey responses, the later challenge counts
}

// The purposes of tickets. A ticket is valid for one purpose only.
const (
	ticketForStep  = "the second step of a sign-in"
	ticketForSetUp = "setting up a second factor"
)

// issue encrypts a ticket.
func (b *Directory) issue(purpose string, t ticket) (string, error) {
	t.Expires = b.now().Add(StepLife).Unix()
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	return letters.EncodeToString(b.auth.Seal(purpose, text)), nil
}

// redeem decrypts the first of some tickets that is valid. The error is ErrStep.
func (b *Directory) redeem(purpose string, tickets ...string) (ticket, error) {
	for _, sealed := range tickets {
		var t ticket
		raw, err := letters.DecodeString(sealed)
		if err == nil {
			raw, err = b.auth.Unseal(purpose, raw)
		}
		if err == nil {
			err = json.Unmarshal(raw, &t)
		}
		if err == nil && b.now().Unix() < t.Expires {
			return t, nil
		}
	}
	return ticket{}, ErrStep
}

// enter begins a session of an account with the record r, within a transaction, or fails
// with a *StepError if the second factor is required.
func (b *Directory) enter(tx *store.Tx, id string, r *record, d Device) (token string, err error) {
	f, err := factorOf(tx, id)
	if err != nil {
		return "", err
	}
	if f == nil || d.factor {
		return b.begin(tx, id, d)
	}
	sealed, err := b.issue(ticketForStep, ticket{Account: id, Epoch: r.epoch(), Way: d.way})
	if err != nil {
		return "", err
	}
	return "", &StepError{sealed}
}

// Step is the second step of a sign-in.
type Step struct {
	Code string `json:"code"` // of an app, or a recovery code

	Tickets []string   `json:"-"` // from the cookies of the browser; the first valid one counts
	From    netip.Addr `json:"-"`
	Agent   string     `json:"-"` // User-Agent of the browser
}

// errCode refuses a code. A used code is as wrong as any other.
var errCode = &FieldError{"code", "This code is not right, or was used before"}

// SignInStep begins a session after the second factor, and returns its token. Errors are
// ErrStep, ErrClosed, *FieldError, *auth.ThrottledError and the store's.
func (b *Directory) SignInStep(ctx context.Context, s Step) (token string, err error) {
	t, err := b.redeem(ticketForStep, s.Tickets...)
	if err != nil {
		return "", err
	}
	how := ""
	err = b.tryCode(ctx, t.Account, func() error {
		return b.db.Update(func(tx *store.Tx) error {
			if how, err = b.useCode(tx, t, s.Code); err != nil {
				return err
			}
			token, err = b.begin(tx, t.Account, Device{s.From, s.Agent, t.Way, false})
			return errors.Join(err, b.noteFactor(ctx, tx, "session.begin", t.Account, map[string]string{"second factor": how}))
		})
	})
	if err != nil {
		return "", err
	}
	b.networks.Add(t.Account, s.From)
	return token, nil
}

// useCode accepts a code from the holder of a ticket, within a transaction: of several
// requests with the same code one succeeds.
func (b *Directory) useCode(tx *store.Tx, t ticket, code string) (how string, err error) {
	value, err := tx.Record(accountsBucket, t.Account)
	if err != nil {
		return "", err
	}
	if r, err := readRecord(value); err != nil || r.epoch() != t.Epoch || r.Blocked {
		return "", ErrStep
	}
	f, err := factorOf(tx, t.Account)
	if err != nil || f == nil {
		return "", cmp.Or(err, ErrStep)
	}
	if how = b.accept(f, code); how == "" {
		return "", errCode
	}
	return how, f.put(tx, t.Account)
}

// noteFactor records in the audit log what an account does with its second factor.
func (b *Directory) noteFactor(ctx context.Context, tx *store.Tx, action, id string, details map[string]string) error {
	email := ""
	if a := b.ByID(id); a != nil {
		email = a.Email
	}
	return noteOwn(ctx, tx, action, id, email, details)
}

// tryCode runs fn, which accepts a code of an account, unless there were too many wrong
// ones.
func (b *Directory) tryCode(ctx context.Context, id string, fn func() error) error {
	const action = "second factor"
	if err := b.codes.TryAccount(action, id); err != nil {
		return b.refuse(ctx, "account.code", b.ByID(id), err)
	}
	err := fn()
	if errors.Is(err, errCode) {
		return b.refuse(ctx, "account.code", b.ByID(id), err)
	}
	b.codes.TakeBack(action, id)
	return err
}
