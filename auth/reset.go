package auth

import (
	"context"
	"net/url"

	"quire/content"
)

// ForgotPassword takes {"email"} and has a code for a new password sent to the
// user of that address. What it returns does not tell whether there is one, nor
// does the time it takes: that is found out afterwards. Errors are
// *content.ValidationError, *ThrottledError and *BusyError.
func (a *Accounts) ForgotPassword(f *Form) error {
	email := f.email("email")
	if err := f.err(); err != nil {
		return err
	}
	if err := a.auth.throttle.account("forgot-password", email); err != nil {
		return err
	}
	return a.auth.jobs.add(func(ctx context.Context) error { return a.sendReset(ctx, email) })
}

// sendReset makes and sends a code, unless there is no such user, or a blocked one.
func (a *Accounts) sendReset(ctx context.Context, email string) error {
	u := a.byText(a.index.Snapshot(), "email", email)
	if u == nil || u.Blocked {
		return nil
	}
	code, err := a.resetCode(ctx, u)
	if err != nil {
		return err
	}
	t := a.site.Settings.Mail.Reset
	return a.auth.post.send(ctx, &a.site.Settings.Mail, u.Email, t, variables{u.Username, u.Email, link(a.settings.ResetURL, "code", code), code})
}

// resetCode makes the one code with which a user can choose a new password.
func (a *Accounts) resetCode(ctx context.Context, u *User) (string, error) {
	code, stored := a.newCode(u.DocumentID, resetLifetime)
	return code, a.update(ctx, u, values{"resetPasswordToken": stored})
}

// link adds a parameter to a URL. Without one it is the code alone.
func link(page, parameter, code string) string {
	u, err := url.Parse(page)
	if err != nil || page == "" {
		return code
	}
	q := u.Query()
	q.Set(parameter, code)
	u.RawQuery = q.Encode()
	return u.String()
}

var errCode = invalid("Incorrect code provided")

// ResetPassword takes {"code", "password", "passwordConfirmation"}. Every session
// ends, and a new one begins. Errors are *content.ValidationError,
// *ThrottledError and *BusyError.
func (a *Accounts) ResetPassword(ctx context.Context, f *Form) (*Session, error) {
	password, code := f.repeated(), f.text("code")
	if err := f.err(); err != nil {
		return nil, err
	}
	owner := ownerOf(code)
	if err := a.auth.throttle.account("reset-password", owner); err != nil {
		return nil, err
	}
	var s *Session
	err := a.alone(owner, func(u *User) (err error) {
		if u == nil || u.Blocked || !a.redeems(code, u.reset) {
			return errCode
		}
		s, err = a.choose(ctx, u, password)
		return err
	})
	return s, err
}

// SendConfirmation takes {"email"} and has the user of that address asked to
// confirm it, if that is still to be done. It returns the address, and does not
// tell whether there is such a user. Errors are those of ForgotPassword.
func (a *Accounts) SendConfirmation(f *Form) (email string, err error) {
	email = f.email("email")
	if err := f.err(); err != nil {
		return "", err
	}
	if err := a.auth.throttle.account("send-confirmation", email); err != nil {
		return "", err
	}
	return email, a.auth.jobs.add(func(ctx context.Context) error { return a.askToConfirm(ctx, email) })
}

// askToConfirm sends a user the code that confirms the address.
func (a *Accounts) askToConfirm(ctx context.Context, email string) error {
	u := a.byText(a.index.Snapshot(), "email", email)
	if u == nil || u.Blocked || u.Confirmed {
		return nil
	}
	code, stored := a.newCode(u.DocumentID, confirmationLifetime)
	if err := a.update(ctx, u, values{"confirmationToken": stored}); err != nil {
		return err
	}
	t := a.site.Settings.Mail.Confirmation
	return a.auth.post.send(ctx, &a.site.Settings.Mail, u.Email, t, variables{u.Username, u.Email, link(a.settings.Confirmation.URL, "confirmation", code), code})
}

// Confirm takes a code and marks the address of its user as confirmed. With
// look set it only finds out whether it could.
func (a *Accounts) Confirm(ctx context.Context, code string, look bool) error {
	if code == "" {
		return &content.ValidationError{Issues: []content.Issue{{Path: []string{"confirmation"}, Message: "confirmation is a required field"}}}
	}
	return a.alone(ownerOf(code), func(u *User) error {
		if u == nil || !a.redeems(code, u.confirmation) {
			return invalid("Invalid token")
		}
		if look {
			return nil
		}
		return a.update(ctx, u, values{"confirmed": true, "confirmationToken": nil})
	})
}

// Landing is where people go once they have confirmed their address; empty for
// nowhere.
func (a *Accounts) Landing() string { return a.settings.Confirmation.Redirect }
