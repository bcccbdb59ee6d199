package users

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"quire/content/body"
	"quire/notify/outbox"
	"quire/schema/settings"
	"quire/store"
)

// Mail waits in the outbox of the data file, from the write that causes it until it has
// been sent or has become useless. A parcel has the recipient and the purpose, and no code:
// the code is made when the mail is sent, so that a copy of the file lets nobody in.

const (
	mailKind = "mail"

	// mostMail limits the mail that waits. There is at most one of each kind for an
	// address.
	mostMail = 1000
	// longestAddress is longer than mail servers accept.
	longestAddress = 320
)

// letter is the body of a parcel of mail.
type letter struct {
	Kind    string   `json:"kind"` // "reset", "confirmation" or "message"
	To      string   `json:"to"`
	Message *Message `json:"message,omitempty"` // of the project's code; nil for others
}

// The kinds of mail.
const (
	resetLetter        = "reset"
	confirmationLetter = "confirmation"
)

// OutboxFullError: too much mail is waiting to be sent. Try again later.
type OutboxFullError struct{}

func (*OutboxFullError) Error() string { return "Too much is going on at once; try again" }

// key returns the name of a letter's parcel.
func (l letter) key() string {
	to := sha256.Sum256([]byte(l.To))
	return l.Kind + "/" + hex.EncodeToString(to[:])
}

// putLetter returns the part of a transaction that puts a letter into the outbox. If too
// many wait, it fails with an *OutboxFullError.
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

// Deliver sends the mail of the outbox until ctx is done, for the version of the site that
// is served at the time. It retries mail that cannot be sent, after growing pauses, until
// its code would have expired. At the end, mail in progress has a few seconds; the rest
// waits in the data file for the next server. Only one Deliver may run at a time.
func (s *Service) Deliver(ctx context.Context) { s.box.Run(ctx) }

// deliver sends one mail. Its errors follow outbox.Box: nil also for mail that has become
// useless.
func (a *Accounts) deliver(ctx context.Context, p *store.Parcel) error {
	var l letter
	_ = json.Unmarshal(p.Body, &l) // an unreadable letter is useless
	if l.Message != nil {
		return a.deliverMessage(ctx, p, *l.Message)
	}
	u := a.byText(a.index.Snapshot(), "email", l.To)
	e, useful := a.purposeOf(l, u)
	if !useful {
		return nil
	}
	code, err := a.claim(ctx, p, u, e)
	if err != nil {
		return err
	}
	v := variables{u.Username, u.Email, pageWithCode(e.page, e.parameter, code), code}
	if err := a.service.post.send(ctx, &a.site.Settings.Mail, u.Email, e.template, v); err != nil {
		a.service.log.Warn("a mail could not be sent yet", "error", err, "user", u.ID, "tries", p.Tries, "next", p.Due)
		return &outbox.UndeliveredError{Err: err}
	}
	return nil
}

// purpose is the purpose of a letter.
type purpose struct {
	attribute       string // that stores the code
	bound           string // what the code is bound to
	page, parameter string // of the link
	template        settings.MailTemplate
}

// purposeOf returns the purpose of the letter, and false if the user has no use for it.
func (a *Accounts) purposeOf(l letter, u *user) (purpose, bool) {
	mail := &a.site.Settings.Mail
	switch {
	case u == nil || u.Blocked:
	case l.Kind == resetLetter && u.providerKey != "": // a password would bypass the provider
	case l.Kind == resetLetter:
		return purpose{"resetPasswordToken", u.resetBinding(), a.settings.ResetURL, "code", mail.Reset}, true
	case l.Kind == confirmationLetter && !u.Confirmed:
		return purpose{"confirmationToken", u.confirmationBinding(), a.settings.Confirmation.URL, "confirmation", mail.Confirmation}, true
	}
	return purpose{}, false
}

// claim makes the code of a letter. One write stores the code and when to try the
// parcel next, before anything is sent.
func (a *Accounts) claim(ctx context.Context, p *store.Parcel, u *user, e purpose) (code string, err error) {
	code, stored := a.newCode(u, e.bound, p.Expires)
	claim := outbox.Claim(p, a.service.now())
	return code, a.updateBeside(ctx, u.DocumentID, values{e.attribute: body.Text(stored)}, claim)
}
