package server

import (
	"net/http"

	"quire/auth/users"
	"quire/index"
	"quire/query"
)

// openSession serves a request that opens a session. It reads the form, up to the given
// number of bytes, calls enter to open the session, and shows the user as the query
// requests. It checks the query first, so that nobody is signed in or registered if the
// response is not possible.
func openSession(x *request, most int64, enter func(*users.Form) (*users.Session, error)) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	f, err := readForm(x, most)
	if err != nil {
		return err
	}
	if err := x.prepareAnswer(q); err != nil {
		return err
	}
	s, err := enter(f)
	if err != nil {
		return err
	}
	return x.answerSession(q, s)
}

// answerSession sends the credentials of a session and its user.
func (x *request) answerSession(q *query.Query, s *users.Session) error {
	dst := append(x.scratch(), '{')
	for _, secret := range []struct{ key, value string }{{`"jwt":`, s.JWT}, {`"refreshToken":`, s.RefreshToken}} {
		if secret.value != "" {
			dst = append(index.AppendString(append(dst, secret.key...), secret.value), ',')
		}
	}
	dst, err := x.appendUser(append(dst, `"user":`...), q, s.DocumentID)
	if err != nil {
		return err
	}
	x.buffer = append(dst, '}')
	x.forbidCaching()
	x.json(http.StatusOK, x.buffer)
	return nil
}

// forbidCaching keeps a response with a secret out of every cache.
func (x *request) forbidCaching() { x.Header().Set("Cache-Control", "no-store") }

func signIn(x *request) error {
	return openSession(x, credentialBytes, func(f *users.Form) (*users.Session, error) {
		return x.site.accounts.SignIn(x.http.Context(), f)
	})
}

func signUp(x *request) error {
	if err := x.site.accounts.CanRegister(); err != nil {
		return err
	}
	return openSession(x, x.site.schema.Settings.Limits.BodyBytes, func(f *users.Form) (*users.Session, error) {
		return x.site.accounts.Register(x.http.Context(), f, x.caller)
	})
}

func changePassword(x *request) error {
	if err := x.identity.HasAccount(); err != nil {
		return err
	}
	return openSession(x, credentialBytes, func(f *users.Form) (*users.Session, error) {
		return x.site.accounts.ChangePassword(x.http.Context(), x.identity, f)
	})
}

func resetPassword(x *request) error {
	return openSession(x, credentialBytes, func(f *users.Form) (*users.Session, error) {
		return x.site.accounts.ResetPassword(x.http.Context(), f)
	})
}

func forgotPassword(x *request) error {
	f, err := readForm(x, credentialBytes)
	if err == nil {
		err = x.site.accounts.ForgotPassword(x.http.Context(), f)
	}
	return x.answerOK(err)
}

// answerOK responds to a request that has nothing to show.
func (x *request) answerOK(err error) error {
	if err != nil {
		return err
	}
	x.json(http.StatusOK, []byte(`{"ok":true}`))
	return nil
}

func sendConfirmation(x *request) error {
	f, err := readForm(x, credentialBytes)
	if err != nil {
		return err
	}
	email, err := x.site.accounts.SendConfirmation(x.http.Context(), f)
	if err != nil {
		return err
	}
	x.buffer = append(x.scratch(), `{"email":`...)
	x.buffer = append(index.AppendString(x.buffer, email), `,"sent":true}`...)
	x.json(http.StatusOK, x.buffer)
	return nil
}

// confirmEmail takes the code of a link in a mail. Programs that check the links in a mail
// send HEAD, which does not use up the code.
func confirmEmail(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	code := params.Get("confirmation")
	if code != nil && !code.IsText() {
		return invalid("confirmation must be a single text")
	}
	text := ""
	if code != nil {
		text = code.Text
	}
	look := x.http.Method == http.MethodHead
	if err := x.site.accounts.Confirm(x.http.Context(), text, look); err != nil {
		return err
	}
	x.forbidCaching()
	landing := x.site.accounts.ConfirmationRedirect()
	if landing == "" {
		return x.answerOK(nil)
	}
	x.Header().Set("Location", landing)
	x.WriteHeader(http.StatusFound)
	return nil
}

// refresh is limited like signing in, except that only failed attempts count, because a
// site that is rendered on a server refreshes all its sessions from one address.
func refresh(x *request) error {
	var s *users.Session
	err := x.site.accounts.CanRefresh()
	if err == nil {
		err = x.tryCredential("POST /api/auth/refresh", func() error {
			f, err := readForm(x, credentialBytes)
			if err == nil {
				s, err = x.site.accounts.Refresh(x.http.Context(), f)
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	x.buffer = index.AppendString(append(x.scratch(), `{"jwt":`...), s.JWT)
	x.buffer = index.AppendString(append(x.buffer, `,"refreshToken":`...), s.RefreshToken)
	x.buffer = append(x.buffer, '}')
	x.forbidCaching()
	x.json(http.StatusOK, x.buffer)
	return nil
}

func logout(x *request) error {
	if err := x.identity.HasAccount(); err != nil {
		return err
	}
	f, err := readForm(x, credentialBytes)
	if err == nil {
		err = x.site.accounts.Logout(x.http.Context(), x.identity, f)
	}
	return x.answerOK(err)
}
