package users

import (
	"cmp"
	"context"
	"errors"

	"quire/auth"
	"quire/auth/password"
	"quire/content"
	"quire/content/body"
	"quire/store"
)

// Session is the credentials of a user who has signed in.
type Session struct {
	DocumentID   string // of the user
	JWT          string // empty until the user has confirmed the address
	RefreshToken string // empty unless the site uses them
}

var errCredentials = invalidError("Invalid identifier or password")

// SignIn takes {"identifier", "password"}. An unknown account takes as long as a wrong
// password. Errors are *body.ValidationError, *content.ApplicationError, *ThrottledError
// and *BusyError.
func (a *Accounts) SignIn(ctx context.Context, f *Form) (*Session, error) {
	identifier, password := f.text("identifier"), f.text("password")
	if err := f.err(); err != nil {
		return nil, err
	}
	u := a.byIdentifier(a.index.Snapshot(), identifier)
	takeBack, err := a.countTry("sign-in", identifier, u.documentID(), f)
	if err != nil {
		return nil, err
	}
	ok, err := a.passwordMatches(ctx, u, password)
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
	takeBack()
	a.remember(u, f)
	return a.completeSignIn(ctx, u, password)
}

// countTry counts an attempt against the account with that name, unless the form comes from
// a network from which owner, the documentId of its user, has signed in before. A user with
// a valid credential has a separate count, which no stranger can use up. takeBack removes
// the attempt from the count.
func (a *Accounts) countTry(action, name, owner string, f *Form) (takeBack func(), err error) {
	t := a.auth.Throttle()
	switch {
	case owner == "":
	case a.service.networks.Includes(owner, f.From):
		return func() {}, nil
	case f.By.User != nil && f.By.User.DocumentID == owner:
		action, name = action+" by the user", owner
	}
	return func() { t.TakeBack(action, name) }, t.TryAccount(action, name)
}

// remember stores the network from which a user has signed in.
func (a *Accounts) remember(u *user, f *Form) { a.service.networks.Add(u.DocumentID, f.From) }

// passwordMatches reports whether the password is the user's. A nil user and users of a
// provider have no password.
func (a *Accounts) passwordMatches(ctx context.Context, u *user, password string) (bool, error) {
	hash := ""
	if u != nil && (u.Provider == local || u.Provider == "") {
		hash = u.password
	}
	return a.service.passwords.Matches(ctx, hash, password, a.service.legacy.Load())
}

// local is the provider of users who sign in with a password.
const local = "local"

// unconfirmed reports whether the user must confirm an address first.
func (a *Accounts) unconfirmed(u *user) bool {
	return a.settings.Confirmation.Required && !u.Confirmed
}

// completeSignIn starts a session of a user whose password was right. An imported account
// first gets an epoch and an argon2id hash.
func (a *Accounts) completeSignIn(ctx context.Context, u *user, shown string) (*Session, error) {
	if u.epoch != "" && !password.IsBcrypt(u.password) {
		return a.session(ctx, u)
	}
	var s *Session
	err := a.withUserLock(u.DocumentID, func(now *user) error {
		if now == nil || now.password != u.password {
			return errCredentials
		}
		epoch := cmp.Or(now.epoch, a.firstEpoch(now.DocumentID))
		v := values{"sessionEpoch": body.Text(epoch), "password": body.Text(shown)}
		err := a.update(ctx, now.DocumentID, v)
		if unfit := new(body.ValidationError); errors.As(err, &unfit) { // too short by the rules here
			delete(v, "password")
			err = a.update(ctx, now.DocumentID, v)
		}
		if err == nil {
			now.epoch = epoch
			s, err = a.session(ctx, now)
		}
		return err
	})
	return s, err
}

// session creates the credentials of a user.
func (a *Accounts) session(ctx context.Context, u *user) (s *Session, err error) {
	s = &Session{DocumentID: u.DocumentID}
	if a.unconfirmed(u) {
		return s, nil
	}
	id, lifetime := "", a.settings.JWTLifetime
	if a.settings.Refresh.Enabled {
		lifetime = a.settings.Refresh.Access
		if id, s.RefreshToken, err = a.begin(ctx, u); err != nil {
			return nil, err
		}
	}
	s.JWT, err = a.auth.SignJWT(u.ID, u.epoch, id, lifetime)
	return s, err
}

// ChangePassword takes {"currentPassword", "password", "passwordConfirmation"}
// of the user who is calling. Every session ends, and a new one begins. Errors
// are those of SignIn, and *UnauthorizedError for a caller without an account.
func (a *Accounts) ChangePassword(ctx context.Context, id auth.Identity, f *Form) (*Session, error) {
	if err := id.HasAccount(); err != nil {
		return nil, err
	}
	current, password := f.text("currentPassword"), f.repeated()
	if err := f.err(); err != nil {
		return nil, err
	}
	takeBack, err := a.countTry("change-password", id.User.DocumentID, id.User.DocumentID, f)
	if err != nil {
		return nil, err
	}
	var s *Session
	err = a.withUserLock(id.User.DocumentID, func(u *user) error {
		if u == nil {
			return auth.ErrNoAccount
		}
		ok, err := a.passwordMatches(ctx, u, current)
		switch {
		case err != nil:
			return err
		case !ok:
			return invalidError("The provided current password is invalid")
		case password == current:
			return invalidError("Your new password must be different than your current password")
		}
		takeBack()
		a.remember(u, f)
		s, err = a.setPassword(ctx, u, password, nil)
		return err
	})
	return s, err
}

// setPassword gives a user a new password, ends all sessions and invalidates all codes, and
// starts a session. beside writes records in the same transaction; nil for none.
func (a *Accounts) setPassword(ctx context.Context, u *user, password string, beside func(*store.Tx) error) (*Session, error) {
	chosen := *u
	chosen.epoch = newEpoch()
	err := a.updateBeside(ctx, u.DocumentID, values{"password": body.Text(password), "sessionEpoch": body.Text(chosen.epoch), "resetPasswordToken": {}}, beside)
	if err != nil {
		return nil, err
	}
	return a.session(ctx, &chosen)
}
