package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"quire/content/body"
	"quire/schema/settings"
	"quire/store"
)

// Mail waits in the outbox of the data file, from the write that causes it until it has
// been sent or has become useless. A parcel has the recipient and the purpose, and no
// code: the code is made when the mail is sent, so that no copy of the file lets anybody
// in.

const (
	mailKind = "mail"

	// mostMail bounds the mail that waits. There is at most one of each kind for an
	// address.
	mostMail = 1000
	// longestAddress is more than a mail server takes.
	longestAddress = 320

	firstPause, longestPause = 10 * time.Second, 6 * time.Hour
	// storeRetry is the pause after the data file has refused a change.
	storeRetry = 10 * time.Second
	// closingGrace is how long mail under way may take once the server stops.
	closingGrace = 5 * time.Second
)

// letter is the body of a parcel of mail.
type letter struct {
	Kind string `json:"kind"` // "reset" or "confirmation"
	To   string `json:"to"`
}

// The kinds of mail.
const (
	resetLetter        = "reset"
	confirmationLetter = "confirmation"
)

// OutboxFullError: too much mail waits to be sent. Try again a little later.
type OutboxFullError struct{}

func (*OutboxFullError) Error() string { return "Too much is going on at once; try again" }

// key names the parcel of a letter.
func (l letter) key() string {
	to := sha256.Sum256([]byte(l.To))
	return l.Kind + "/" + hex.EncodeToString(to[:])
}

// putLetter returns the part of a transaction that puts a letter into the outbox. When
// too many wait, it fails with an *OutboxFullError.
func (a *Accounts) putLetter(l letter, lifetime time.Duration) func(tx *store.Tx) error {
	now := a.service.now().UTC()
	return func(tx *store.Tx) error {
		if len(l.To) > longestAddress {
			return nil
		}
		former, err := tx.Parcel(mailKind, l.key())
		if err != nil {
			return err
		}
		p := store.Parcel{Kind: mailKind, Key: l.key(), Created: now, Due: now, Expires: now.Add(lifetime)}
		if former != nil {
			p.Tries = former.Tries
		} else if n, err := tx.CountParcels(mailKind); err != nil || n >= mostMail {
			return cmp.Or(err, error(&OutboxFullError{}))
		}
		if p.Body, err = json.Marshal(l); err != nil {
			return err
		}
		return tx.PutParcel(&p)
	}
}

// wake has Deliver read the outbox.
func (s *Service) wake() {
	select {
	case s.woken <- struct{}{}:
	default: // it will anyway
	}
}

// Deliver sends the mail of the outbox until ctx is done. It retries what cannot be
// sent, after pauses that grow, until its code would have expired. At the end a mail
// under way has a few seconds; the others wait in the data file for the next server.
// Only one Deliver may run at a time.
func (s *Service) Deliver(ctx context.Context) {
	sending, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(closingGrace, giveUp) })()
	for ctx.Err() == nil {
		timer := time.NewTimer(s.deliverDue(ctx, sending))
		select {
		case <-ctx.Done():
		case <-s.woken:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// deliverDue sends what is due, unless ctx is done, and returns the time until more is
// due.
func (s *Service) deliverDue(ctx, sending context.Context) time.Duration {
	least := time.Duration(0)
	for _, p := range s.parcels() {
		if ctx.Err() != nil || p.Due.After(s.now()) {
			break
		}
		if err := s.deliver(sending, p); err != nil {
			s.log.Error("the outbox cannot be changed; its mail is tried again", "error", err)
			least = storeRetry
		}
	}
	if rest := s.parcels(); len(rest) > 0 {
		return max(least, rest[0].Due.Sub(s.now()))
	}
	return time.Hour
}

// parcels returns the mail that waits, by when it is due.
func (s *Service) parcels() (parcels []store.Parcel) {
	err := s.db.View(func(tx *store.Tx) (err error) {
		parcels, err = tx.Parcels(mailKind)
		return err
	})
	if err != nil {
		s.log.Error("the outbox cannot be read", "error", err)
	}
	slices.SortStableFunc(parcels, func(p, q store.Parcel) int { return p.Due.Compare(q.Due) })
	return parcels
}

// deliver sends one mail for the site as it is served now. A panic is an error.
func (s *Service) deliver(ctx context.Context, p store.Parcel) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return s.serving.Load().deliver(ctx, p)
}

// deliver sends one mail, or removes it where it has become useless. Mail that cannot
// be sent stays in the outbox; the error is the store's.
func (a *Accounts) deliver(ctx context.Context, p store.Parcel) error {
	var l letter
	_ = json.Unmarshal(p.Body, &l) // an unreadable letter is useless
	u := a.byText(a.index.Snapshot(), "email", l.To)
	e, useful := a.purposeOf(l, u)
	if !useful || !a.service.now().Before(p.Expires) {
		return a.discard(ctx, p)
	}
	code, err := a.claim(ctx, &p, u, e)
	switch {
	case errors.Is(err, errWithdrawn):
		return nil
	case err != nil:
		return err
	}
	v := variables{u.Username, u.Email, pageWithCode(e.page, e.parameter, code), code}
	if err := a.service.post.send(ctx, &a.site.Settings.Mail, u.Email, e.template, v); err != nil {
		a.service.log.Warn("a mail is not sent yet", "error", err, "user", u.ID, "tries", p.Tries, "next", p.Due)
		return nil
	}
	return a.discard(ctx, p)
}

// purpose is what a letter is for.
type purpose struct {
	attribute       string // that stores the code
	bound           string // what the code is bound to
	page, parameter string // of the link
	template        settings.MailTemplate
}

// purposeOf returns what the letter is for, false where the user has no use for it.
func (a *Accounts) purposeOf(l letter, u *user) (purpose, bool) {
	mail := &a.site.Settings.Mail
	switch {
	case u == nil || u.Blocked:
	case l.Kind == resetLetter:
		return purpose{"resetPasswordToken", u.resetBinding(), a.settings.ResetURL, "code", mail.Reset}, true
	case l.Kind == confirmationLetter && !u.Confirmed:
		return purpose{"confirmationToken", u.confirmationBinding(), a.settings.Confirmation.URL, "confirmation", mail.Confirmation}, true
	}
	return purpose{}, false
}

// errWithdrawn: the parcel was removed before it was delivered.
var errWithdrawn = errors.New("the mail is not to be sent any more")

// claim makes the code of a letter. One write stores the code and when to try the
// parcel next, before anything is sent.
func (a *Accounts) claim(ctx context.Context, p *store.Parcel, u *user, e purpose) (code string, err error) {
	code, stored := a.newCode(u, e.bound, p.Expires)
	p.Tries++
	p.Due = a.service.now().UTC().Add(pauseAfter(p.Tries))
	return code, a.updateBeside(ctx, u.DocumentID, values{e.attribute: body.Text(stored)}, func(tx *store.Tx) error {
		waiting, err := tx.Parcel(p.Kind, p.Key)
		switch {
		case err != nil:
			return err
		case waiting == nil:
			return errWithdrawn
		}
		return tx.PutParcel(p)
	})
}

// pauseAfter returns the pause after so many tries.
func pauseAfter(tries int) time.Duration {
	pause := firstPause
	for range tries - 1 {
		if pause *= 3; pause >= longestPause {
			return longestPause
		}
	}
	return pause
}

// discard removes a parcel, unless it has been put again meanwhile.
func (a *Accounts) discard(ctx context.Context, p store.Parcel) error {
	return a.writer.Record(ctx, func(tx *store.Tx) error {
		waiting, err := tx.Parcel(p.Kind, p.Key)
		if err != nil || waiting == nil || waiting.Revision != p.Revision {
			return err
		}
		return tx.DeleteParcel(p.Kind, p.Key)
	})
}
