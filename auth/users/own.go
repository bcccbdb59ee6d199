package users

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/auth"
	"quire/content/body"
	"quire/index"
	"quire/notify/outbox"
	"quire/store"
)

// What a project's own code does with accounts and mail. It acts for the owner of the site,
// so nobody is asked for a password.

// SignInAs begins a session of a user, and returns its JWT. Without refresh tokens it writes
// nothing. The error is an *auth.UnauthorizedError if there is no such user, or the user is
// blocked.
func (a *Accounts) SignInAs(ctx context.Context, s *index.Snapshot, id uint64) (jwt string, err error) {
	u := a.byID(s, id)
	if u == nil || u.Blocked {
		return "", &auth.UnauthorizedError{Message: "There is no user who could sign in"}
	}
	if u.epoch == "" {
		u.epoch = a.firstEpoch(u.DocumentID)
		if a.settings.Refresh.Enabled {
			if err := a.update(ctx, u.DocumentID, values{"sessionEpoch": body.Text(u.epoch)}); err != nil {
				return "", err
			}
		}
	}
	begun, err := a.session(ctx, u)
	if err != nil {
		return "", err
	}
	return begun.JWT, nil
}

// HasPassword reports whether a password is that of a user. Tries with a wrong one count
// against the account. Errors are *ThrottledError and *BusyError.
func (a *Accounts) HasPassword(ctx context.Context, s *index.Snapshot, id uint64, password string) (bool, error) {
	const action = "password by code"
	u := a.byID(s, id)
	if u == nil {
		return false, nil
	}
	if err := a.auth.Throttle().TryAccount(action, u.DocumentID); err != nil {
		return false, err
	}
	ok, err := a.passwordMatches(ctx, u, password)
	if ok {
		a.auth.Throttle().TakeBack(action, u.DocumentID)
	}
	return ok, err
}

// VerifyJWT returns the id of the user whose session a JWT continues. The error is an
// *auth.UnauthorizedError.
func (a *Accounts) VerifyJWT(jwt string) (id uint64, err error) {
	who, err := a.auth.Authenticate(jwt, a)
	if err == nil && who.User == nil {
		err = &auth.UnauthorizedError{Message: "This is no JWT of a user"}
	}
	if err != nil {
		return 0, err
	}
	return who.User.ID, nil
}

// messageLetter is mail that the project's code or the server has written.
const messageLetter = "message"

const (
	messageLifetime = 24 * time.Hour
	mostMessage     = 1 << 20 // bytes of one mail
)

// Mail returns the part of a transaction that puts a mail into the outbox. An empty From is
// that of site.json.
func (a *Accounts) Mail(m Message) (func(tx *store.Tx) error, error) {
	if len(m.Subject)+len(m.Text)+len(m.HTML) > mostMessage {
		return nil, &body.ValidationError{Message: fmt.Sprintf("A mail has at most %d bytes", mostMessage)}
	}
	if !strings.Contains(m.To, "@") || len(m.To) > longestAddress || strings.ContainsAny(m.To+m.From+m.Subject, "\r\n") {
		return nil, &body.ValidationError{Message: "A mail needs one address to send it to, and a subject of one line"}
	}
	text, err := json.Marshal(letter{Kind: messageLetter, To: m.To, Message: &m})
	if err != nil {
		return nil, err
	}
	now := a.service.now().UTC()
	p := store.Parcel{Kind: mailKind, Key: messageLetter + "/" + rand.Text(), Created: now, Due: now, Expires: now.Add(messageLifetime), Body: text}
	return func(tx *store.Tx) error {
		if n, err := tx.CountParcels(mailKind); err != nil || n >= mostMail {
			if err == nil {
				err = &OutboxFullError{}
			}
			return err
		}
		return tx.PutParcel(&p)
	}, nil
}

// Letter returns the part of a transaction that puts a mail into the outbox. Errors of the
// transaction are *OutboxFullError and the store's.
func (s *Service) Letter(m Message) (func(tx *store.Tx) error, error) {
	return s.serving.Load().Mail(m)
}

// Notice is Mail for the version of the site that is served. If too much mail waits already, the
// part of the transaction does nothing: a notice is not worth failing for.
func (s *Service) Notice(m Message) (func(tx *store.Tx) error, error) {
	put, err := s.serving.Load().Mail(m)
	if err != nil {
		return nil, err
	}
	return func(tx *store.Tx) error {
		err := put(tx)
		if full := (*OutboxFullError)(nil); errors.As(err, &full) {
			return nil
		}
		return err
	}, nil
}

// deliverMessage sends a mail that the project's code, the admin or the server has written.
func (a *Accounts) deliverMessage(ctx context.Context, p *store.Parcel, m Message) error {
	site := &a.site.Settings.Mail
	mailer, err := a.service.post.chosenMailer(site)
	if err == errNoMail {
		a.service.log.Warn("a mail is not sent", "error", ErrNoMail)
		return nil
	}
	if m.From == "" {
		m.From = site.From
	}
	if err == nil {
		err = mailer.Send(ctx, m)
	}
	if err != nil {
		a.service.log.Warn("a mail could not be sent yet", "error", err, "tries", p.Tries, "next", p.Due)
		return &outbox.UndeliveredError{Err: err}
	}
	return nil
}
