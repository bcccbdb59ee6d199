package users

import (
	"context"
	"errors"
	"net/url"
	"time"

	"quire/content/body"
	"quire/store"
)

// ForgotPassword takes {"email"} and sends the user with that address a code for a new
// password. When it returns, the request is in the data file. Neither its result nor the
// time it takes reveals whether the user exists: only the delivery looks the user up.
// Errors are *body.ValidationError, *ThrottledError, *BusyError and those of a write.
func (a *Accounts) ForgotPassword(ctx context.Context, f *Form) error {
	email := f.email("email")
	if err := f.err(); err != nil {
		return err
	}
	if _, err := a.countTry("forgot-password", email, a.byText(a.index.Snapshot(), "email", email).documentID(), f); err != nil {
		return err
	}
	return a.send(ctx, letter{Kind: resetLetter, To: email}, resetLifetime)
}

// send puts a letter into the outbox.
func (a *Accounts) send(ctx context.Context, l letter, lifetime time.Duration) error {
	return a.writer.Record(ctx, a.putLetter(l, lifetime))
}

// resetCode makes the code with which a user can choose a new password. It removes waiting
// mail that would send another code and make this one invalid.
func (a *Accounts) resetCode(ctx context.Context, u *user) (string, error) {
	code, stored := a.newCode(u, u.resetBinding(), a.service.now().Add(resetLifetime))
	return code, a.updateBeside(ctx, u.DocumentID, values{"resetPasswordToken": body.Text(stored)}, func(tx *store.Tx) error {
		return tx.DeleteParcel(mailKind, letter{Kind: resetLetter, To: u.Email}.key())
	})
}

// pageWithCode adds the code as a parameter to a URL. Without a URL it returns the code.
func pageWithCode(page, parameter, code string) string {
	u, err := url.Parse(page)
	if err != nil || page == "" {
		return code
	}
	q := u.Query()
	q.Set(parameter, code)
	u.RawQuery = q.Encode()
	return u.String()
}

var errCode = invalidError("Incorrect code provided")

// ResetPassword takes {"code", "password", "passwordConfirmation"}. Every session ends, and
// a new one begins. Attempts do not count against the user: a code cannot be guessed, and
// strangers could lock the user out. Errors are *body.ValidationError and *BusyError.
func (a *Accounts) ResetPassword(ctx context.Context, f *Form) (*Session, error) {
	password, code := f.repeated(), f.text("code")
	if err := f.err(); err != nil {
		return nil, err
	}
	owner := codeOwner(code)
	var s *Session
	err := a.withUserLock(owner, func(u *user) (err error) {
		if u == nil || u.Blocked || !a.codeWorks(code, u.resetBinding(), u.reset) {
			return errCode
		}
		a.remember(u, f)
		s, err = a.setPassword(ctx, u, password, a.usingUp("reset "+a.codeDigest(code, u.resetBinding()), codeEnds(u.reset)))
		if errors.Is(err, ErrVoucher) {
			err = errCode // another node has taken it meanwhile
		}
		return err
	})
	return s, err
}

// SendConfirmation takes {"email"} and sends the user with that address a code that
// confirms it, unless it is confirmed. It returns the address, and does not reveal whether
// the user exists. Errors are those of ForgotPassword.
func (a *Accounts) SendConfirmation(ctx context.Context, f *Form) (email string, err error) {
	email = f.email("email")
	if err := f.err(); err != nil {
		return "", err
	}
	if _, err := a.countTry("send-confirmation", email, a.byText(a.index.Snapshot(), "email", email).documentID(), f); err != nil {
		return "", err
	}
	return email, a.send(ctx, letter{Kind: confirmationLetter, To: email}, confirmationLifetime)
}

// Confirm takes a code and marks the address of its user as confirmed. With checkOnly it
// writes nothing, and returns the error that it would have returned.
func (a *Accounts) Confirm(ctx context.Context, code string, checkOnly bool) error {
	if code == "" {
		return &body.ValidationError{Issues: []body.Issue{{Path: []string{"confirmation"}, Message: "confirmation is a required field"}}}
	}
	return a.withUserLock(codeOwner(code), func(u *user) error {
		if u == nil || !a.codeWorks(code, u.confirmationBinding(), u.confirmation) {
			return invalidError("Invalid token")
		}
		if checkOnly {
			return nil
		}
		return a.update(ctx, u.DocumentID, values{"confirmed": body.Bool(true), "confirmationToken": {}})
	})
}

// ConfirmationRedirect returns the page for people who have confirmed their address; it may
// be empty.
func (a *Accounts) ConfirmationRedirect() string { return a.settings.Confirmation.Redirect }
