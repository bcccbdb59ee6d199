package server

import (
	"net/http"

	"quire/auth"
	"quire/index"
	"quire/query"
)

// entering answers a request that ends with a session: the form goes to enter,
// the user is shown as the query asks. The query comes first, so that nobody is
// let in or registered whose answer could not be given.
func entering(x *exchange, enter func(*auth.Form) (*auth.Session, error)) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	f, err := readForm(x)
	if err != nil {
		return err
	}
	s, err := enter(f)
	if err != nil {
		return err
	}
	return x.session(q, s)
}

// session answers with the credentials of a session and its user.
func (x *exchange) session(q *query.Query, s *auth.Session) error {
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
	x.private()
	x.json(http.StatusOK, x.buffer)
	return nil
}

// private keeps an answer that holds a secret out of every cache.
func (x *exchange) private() { x.Header().Set("Cache-Control", "no-store") }

func signIn(x *exchange) error {
	return entering(x, func(f *auth.Form) (*auth.Session, error) {
		return x.edition.accounts.SignIn(x.request.Context(), f)
	})
}

func signUp(x *exchange) error {
	return entering(x, func(f *auth.Form) (*auth.Session, error) {
		return x.edition.accounts.Register(x.request.Context(), f, x.caller)
	})
}

func changePassword(x *exchange) error {
	return entering(x, func(f *auth.Form) (*auth.Session, error) {
		return x.edition.accounts.ChangePassword(x.request.Context(), x.identity, f)
	})
}

func resetPassword(x *exchange) error {
	return entering(x, func(f *auth.Form) (*auth.Session, error) {
		return x.edition.accounts.ResetPassword(x.request.Context(), f)
	})
}

func forgotPassword(x *exchange) error {
	f, err := readForm(x)
	if err == nil {
		err = x.edition.accounts.ForgotPassword(f)
	}
	return x.done(err)
}

// done answers a request that has nothing to show.
func (x *exchange) done(err error) error {
	if err != nil {
		return err
	}
	x.json(http.StatusOK, []byte(`{"ok":true}`))
	return nil
}

func sendConfirmation(x *exchange) error {
	f, err := readForm(x)
	if err != nil {
		return err
	}
	email, err := x.edition.accounts.SendConfirmation(f)
	if err != nil {
		return err
	}
	x.buffer = append(x.scratch(), `{"email":`...)
	x.buffer = append(index.AppendString(x.buffer, email), `,"sent":true}`...)
	x.json(http.StatusOK, x.buffer)
	return nil
}

// confirmEmail takes the code of a link in a mail. Programs that look at the
// links of a mail beforehand ask with HEAD; they do not use the code up.
func confirmEmail(x *exchange) error {
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
	look := x.request.Method == http.MethodHead
	if err := x.edition.accounts.Confirm(x.request.Context(), text, look); err != nil {
		return err
	}
	x.private()
	landing := x.edition.accounts.Landing()
	if landing == "" {
		return x.done(nil)
	}
	x.Header().Set("Location", landing)
	x.WriteHeader(http.StatusFound)
	return nil
}

func refresh(x *exchange) error {
	f, err := readForm(x)
	if err != nil {
		return err
	}
	s, err := x.edition.accounts.Refresh(x.request.Context(), f)
	if err != nil {
		return err
	}
	x.buffer = index.AppendString(append(x.scratch(), `{"jwt":`...), s.JWT)
	x.buffer = index.AppendString(append(x.buffer, `,"refreshToken":`...), s.RefreshToken)
	x.buffer = append(x.buffer, '}')
	x.private()
	x.json(http.StatusOK, x.buffer)
	return nil
}

func logout(x *exchange) error {
	f, err := readForm(x)
	if err == nil {
		err = x.edition.accounts.Logout(x.request.Context(), x.identity, f)
	}
	return x.done(err)
}
