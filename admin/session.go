package admin

import (
	"errors"
	"net/http"
	"time"

	"quire/auth/people"
)

func sessionRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/setup", Open: true, handler: showSetup, summary: "Whether the first account is still to be made", out: neededOf{}},
		{Method: http.MethodPost, Path: "/setup", Open: true, handler: taking(setUp), summary: "Use a link: make the first account, or choose a password", in: people.Choice{}, out: signedIn{}},
		{Method: http.MethodPost, Path: "/setup/link", Open: true, Quiet: true, handler: taking(showLink), summary: "What a link is for", in: linkForm{}, out: linkFor{}},
		{Method: http.MethodGet, Path: "/session", Early: true, handler: showSession, summary: "Who has signed in", out: signedIn{}},
		{Method: http.MethodPut, Path: "/session", Early: true, handler: taking(setProfile), summary: "Change one's own name and language", in: people.Profile{}, out: signedIn{}},
		{Method: http.MethodPut, Path: "/session/password", handler: taking(changePassword), summary: "Change one's own password", in: people.PasswordForm{}},
		{Method: http.MethodPost, Path: "/session", Open: true, handler: taking(signIn), summary: "Sign in", in: people.Credentials{}, out: signedIn{}},
		{Method: http.MethodDelete, Path: "/session", Early: true, handler: signOut, summary: "Sign out"},
		{Method: http.MethodGet, Path: "/sessions", handler: listPlaces, summary: "List where the account has signed in", out: []placeOf{}},
		{Method: http.MethodDelete, Path: "/sessions", handler: endOthers, summary: "End all other sessions of the account"},
		{Method: http.MethodDelete, Path: "/sessions/:id", handler: endPlace, summary: "End a session of the account"},
	}
}

// showSetup answers whether the first account is still missing, and how people sign in.
func showSetup(x *request) error {
	s := &x.admin.Server.Site(x.http).Settings.Admin
	out := neededOf{Needed: x.admin.People.Needed(), Passwords: s.Passwords}
	if s.OpenID != nil {
		out.OpenID = &s.OpenID.Label
	}
	return x.data(out)
}

type neededOf struct {
	Needed    bool    `json:"needed"`
	Passwords bool    `json:"passwords"` // sign in, and passkeys
	OpenID    *string `json:"openid"`    // label of the button that leads to the provider; null for none
}

// setUp takes the choice of the holder of a link: the first account, or a password.
func setUp(x *request, c *people.Choice) error {
	c.From, c.Agent = x.admin.Server.Client(x.http), x.http.UserAgent()
	token, err := x.admin.People.Choose(x.http.Context(), *c)
	return x.enter(token, err)
}

// showLink answers what the token of a link is for: null for the first account, or the
// account whose password it sets.
func showLink(x *request, form *linkForm) error {
	a, err := x.admin.People.LinkOf(form.Token)
	if err != nil {
		return err
	}
	var out linkFor
	if a != nil {
		out.Account = new(showAccount(a))
	}
	return x.data(out)
}

type linkForm struct {
	Token string `json:"token"`
}

// linkFor is what a link is for; without an account it creates the first one.
type linkFor struct {
	Account *accountOf `json:"account"`
}

func signIn(x *request, c *people.Credentials) error {
	c.From, c.Agent = x.admin.Server.Client(x.http), x.http.UserAgent()
	token, err := x.admin.People.SignIn(x.http.Context(), *c)
	return x.enter(token, err)
}

// enter answers a request that began a session.
func (x *request) enter(token string, err error) error {
	if err := x.begin(token, err); err != nil {
		return err
	}
	return showSession(x)
}

// begin stores the token of a new session in the browser.
func (x *request) begin(token string, err error) error {
	if step, ok := errors.AsType[*people.StepError](err); ok {
		x.awaitStep(step.Ticket)
	}
	if err != nil {
		return err
	}
	if x.session, err = x.admin.People.AnySession(token); err != nil {
		return err
	}
	x.admin.Server.Name(x.http, x.session.Identity())
	x.setCookie(token)
	return nil
}

// signOut ends the session.
func signOut(x *request) error {
	if err := x.admin.People.SignOut(x.http.Context(), x.session); err != nil {
		return err
	}
	x.setCookie("")
	return x.empty()
}

// signedIn is the signed-in account, as shown to clients.
type signedIn struct {
	Account  accountOf `json:"account"`
	Rights   rightsOf  `json:"rights"`
	Language *string   `json:"language"` // of the pages; null for the language of the browser

	Password  bool `json:"password"`  // the account has one, and must prove it before it changes its security settings
	Passwords bool `json:"passwords"` // sign in here

	Assistants bool `json:"assistants"` // work on this site
	Mails      bool `json:"mails"`      // invitations are sent by mail

	NeedsFactor bool `json:"needsSecondFactor"` // until it is set up, nothing else is allowed
}

type accountOf struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Role  roleOf   `json:"role"` // the first one
	Roles []roleOf `json:"roles"`
}

type roleOf struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type rightsOf struct {
	Site []people.Right `json:"site"`
}

func showSession(x *request) error {
	return x.showSigned(x.session.Account)
}

func (x *request) showSigned(a *people.Account) error {
	s := signedIn{Account: showAccount(a), Rights: rightsOf{a.Roles.Site()}, NeedsFactor: x.session.NeedsFactor}
	site := &x.admin.Server.Site(x.http).Settings
	s.Password, s.Passwords, s.Assistants = a.Active, site.Admin.Passwords, site.MCP.Enabled
	s.Mails = x.mails()
	if a.Language != "" {
		s.Language = &a.Language
	}
	return x.data(s)
}

func showAccount(a *people.Account) accountOf {
	shown := accountOf{ID: a.ID, Name: a.Name, Email: a.Email}
	for _, r := range a.Roles {
		shown.Roles = append(shown.Roles, roleOf{r.ID, r.Name})
	}
	shown.Role = shown.Roles[0]
	return shown
}

// setProfile changes the personal settings of the account.
func setProfile(x *request, p *people.Profile) error {
	a, err := x.admin.People.SetProfile(x.http.Context(), x.session, *p)
	if err != nil {
		return err
	}
	return x.showSigned(a)
}

// changePassword changes the password of the account, which ends its other sessions.
func changePassword(x *request, f *people.PasswordForm) error {
	return x.done(x.admin.People.ChangePassword(x.http.Context(), x.session, *f))
}

// placeOf is a session of the account: where somebody has signed in.
type placeOf struct {
	ID         string    `json:"id"`
	Address    string    `json:"address"` // at which it began
	Agent      string    `json:"agent"`   // User-Agent of the browser
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt"`
	Way        string    `json:"way"`     // password, passkey, link, command or openid
	Current    bool      `json:"current"` // the session of this request
}

func listPlaces(x *request) error {
	list := []placeOf{}
	for _, p := range x.admin.People.Places(x.session) {
		list = append(list, placeOf{p.ID, p.From, p.Agent, p.Created, p.Used, string(p.Way), p.Current})
	}
	return x.data(list)
}

// endPlace ends one session of the account. If that is the session of this request, the
// next request is not signed in.
func endPlace(x *request) error {
	return x.done(x.admin.People.EndPlace(x.http.Context(), x.session, x.params.ByName("id")))
}

func endOthers(x *request) error {
	return x.done(x.admin.People.EndOthers(x.http.Context(), x.session))
}
