package admin

import (
	"net/http"

	"quire/admin/account"
)

func sessionRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/setup", Open: true, handler: showSetup},
		{Method: http.MethodPost, Path: "/setup", Open: true, handler: setUp},
		{Method: http.MethodGet, Path: "/session", handler: showSession},
		{Method: http.MethodPost, Path: "/session", Open: true, handler: signIn},
		{Method: http.MethodDelete, Path: "/session", handler: signOut},
	}
}

// showSetup says whether the first account is still to be made.
func showSetup(x *exchange) error {
	return x.data(struct {
		Needed bool `json:"needed"`
	}{x.admin.Book.Needed()})
}

// setUp makes the first account and signs it in.
func setUp(x *exchange) error {
	var f account.First
	if err := x.readForm(&f); err != nil {
		return err
	}
	f.From = x.admin.Server.Client(x.request)
	token, err := x.admin.Book.SetUp(x.request.Context(), f)
	return x.enter(token, err)
}

func signIn(x *exchange) error {
	var c account.Credentials
	if err := x.readForm(&c); err != nil {
		return err
	}
	c.From = x.admin.Server.Client(x.request)
	token, err := x.admin.Book.SignIn(x.request.Context(), c)
	return x.enter(token, err)
}

// enter answers a request that began a session.
func (x *exchange) enter(token string, err error) error {
	if err != nil {
		return err
	}
	if x.session, err = x.admin.Book.Session(token); err != nil {
		return err
	}
	x.admin.Server.Name(x.request, x.session.Identity())
	x.setCookie(token)
	return showSession(x)
}

// signOut ends the session.
func signOut(x *exchange) error {
	if err := x.admin.Book.SignOut(x.request.Context(), x.session); err != nil {
		return err
	}
	x.setCookie("")
	return x.empty()
}

// signedIn is who has signed in, as clients see it.
type signedIn struct {
	Account  accountOf `json:"account"`
	Rights   rightsOf  `json:"rights"`
	Language *string   `json:"language"` // of the pages; null for that of the browser
}

type accountOf struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  roleOf `json:"role"`
}

type roleOf struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type rightsOf struct {
	Site []account.Right `json:"site"`
}

func showSession(x *exchange) error {
	a := x.session.Account
	return x.data(signedIn{
		Account: accountOf{a.ID, a.Name, a.Email, roleOf{a.Role.ID, a.Role.Name}},
		Rights:  rightsOf{a.Role.Site},
	})
}
