package auth

import (
	"context"
	"errors"

	"quire/content"
)

// Session is what somebody who has signed in gets.
type Session struct {
	DocumentID   string // of the user
	JWT          string // empty as long as the user's address is to be confirmed
	RefreshToken string // empty unless the site uses them
}

var errCredentials = invalid("Invalid identifier or password")

// SignIn takes {"identifier", "password"}. It takes as long for an account that
// there is not as for a wrong password. Errors are *content.ValidationError,
// *content.ApplicationError, *ThrottledError and *BusyError.
func (a *Accounts) SignIn(ctx context.Context, f *Form) (*Session, error) {
	identifier, password := f.text("identifier"), f.text("password")
	if err := f.err(); err != nil {
		return nil, err
	}
	if err := a.auth.throttle.account("sign-in", identifier); err != nil {
		return nil, err
	}
	u := a.byIdentifier(a.index.Snapshot(), identifier)
	ok, err := a.knows(u, password)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errCredentials
	case a.unconfirmed(u):
		return nil, &content.ApplicationError{Message: "Your account email is not confirmed"}
	case u.Blocked:
		return nil, &content.ApplicationError{Message: "Your account has been blocked by an administrator"}
	}
	return a.admit(ctx, u, password)
}

// knows reports whether the password is the user's. A nil user has none, and
// neither have users who come in through a provider.
func (a *Accounts) knows(u *User, password string) (bool, error) {
	hash := ""
	if u != nil && (u.Provider == local || u.Provider == "") {
		hash = u.password
	}
	return a.auth.passwords.Matches(hash, password, a.auth.legacy.Load())
}

// local is the provider of users who sign in with a password.
const local = "local"

// unconfirmed reports whether the user has an address to confirm first.
func (a *Accounts) unconfirmed(u *User) bool {
	return a.settings.Confirmation.Required && !u.Confirmed
}

// admit starts a session of a user who has shown the password. Accounts from
// elsewhere get what ours have: a hash of our own and an epoch.
func (a *Accounts) admit(ctx context.Context, u *User, password string) (*Session, error) {
	if u.epoch != "" && !isBcrypt(u.password) {
		return a.session(u)
	}
	var s *Session
	err := a.alone(u.DocumentID, func(now *User) error {
		if now == nil || now.password != u.password {
			return errCredentials
		}
		v := values{"sessionEpoch": newEpoch(), "password": password}
		err := a.update(ctx, now, v)
		if unfit := new(content.ValidationError); errors.As(err, &unfit) { // too short by the rules here
			delete(v, "password")
			err = a.update(ctx, now, v)
		}
		if err == nil {
			now.epoch = v["sessionEpoch"].(string)
			s, err = a.session(now)
		}
		return err
	})
	return s, err
}

// session makes the credentials of a user.
func (a *Accounts) session(u *User) (s *Session, err error) {
	s = &Session{DocumentID: u.DocumentID}
	if a.unconfirmed(u) {
		return s, nil
	}
	id, lifetime := "", a.settings.JWTLifetime
	if a.settings.Refresh.Enabled {
		lifetime = a.settings.Refresh.Access
		if id, s.RefreshToken, err = a.begin(u); err != nil {
			return nil, err
		}
	}
	s.JWT, err = a.auth.sign(u, id, lifetime)
	return s, err
}

// ChangePassword takes {"currentPassword", "password", "passwordConfirmation"}
// of the user who is calling. Every session ends, and a new one begins. Errors
// are those of SignIn, and *UnauthorizedError for a caller without an account.
func (a *Accounts) ChangePassword(ctx context.Context, id Identity, f *Form) (*Session, error) {
	if id.User == nil {
		return nil, errNoUser
	}
	current, password := f.text("currentPassword"), f.repeated()
	if err := f.err(); err != nil {
		return nil, err
	}
	if err := a.auth.throttle.account("change-password", id.User.DocumentID); err != nil {
		return nil, err
	}
	var s *Session
	err := a.alone(id.User.DocumentID, func(u *User) error {
		if u == nil {
			return errNoUser
		}
		ok, err := a.knows(u, current)
		switch {
		case err != nil:
			return err
		case !ok:
			return invalid("The provided current password is invalid")
		case password == current:
			return invalid("Your new password must be different than your current password")
		}
		s, err = a.choose(ctx, u, password)
		return err
	})
	return s, err
}

// choose gives a user a new password. What was handed out before, sessions and
// codes, is void.
func (a *Accounts) choose(ctx context.Context, u *User, password string) (*Session, error) {
	chosen := *u
	chosen.epoch = newEpoch()
	err := a.update(ctx, u, values{"password": password, "sessionEpoch": chosen.epoch, "resetPasswordToken": nil})
	if err != nil {
		return nil, err
	}
	return a.session(&chosen)
}
