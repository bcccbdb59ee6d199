package admin

import (
	"net/http"
	"time"

	"quire/auth"
	"quire/auth/people"
	"quire/content/audit"
)

func accountRoutes() []Route {
	const one = "/accounts/:id"
	return []Route{
		{Method: http.MethodGet, Path: "/accounts", Right: people.Accounts, handler: listAccounts, summary: "List the accounts", out: []accountLine{}},
		{Method: http.MethodPost, Path: "/accounts", Right: people.Accounts, handler: taking(createAccount),
			summary: "Make an account", in: people.NewAccount{}, out: accountLine{}, status: http.StatusCreated},
		{Method: http.MethodPut, Path: one, Right: people.Accounts, handler: taking(changeAccount), summary: "Change an account", in: people.AccountChange{}, out: accountLine{}},
		{Method: http.MethodDelete, Path: one, Right: people.Accounts, handler: removeAccount, summary: "Remove an account"},
		{Method: http.MethodDelete, Path: one + "/sessions", Right: people.Accounts, handler: endSessions, summary: "End the sessions of somebody else"},
		{Method: http.MethodPost, Path: one + "/reset-link", Right: people.Accounts, handler: makeResetLink, summary: "Make a link that lets choose a password", out: resetLink{}},
		{Method: http.MethodPost, Path: one + "/invitation", Right: people.Accounts, handler: invite, summary: "Send such a link by mail, or make it if the site sends no mail", out: invitation{}},
	}
}

// accountLine is an account as shown to accounts that may change accounts.
type accountLine struct {
	accountOf
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"` // of its sessions; null if it has none
	Active     bool       `json:"active"`     // a password has been chosen
	Second     bool       `json:"secondFactor"`
	Blocked    bool       `json:"blocked"` // it cannot sign in
	OpenID     bool       `json:"openid"`  // it is linked to a person at the provider

	Values auth.AccountValues `json:"values"` // for conditions of roles
}

func (x *request) line(a *people.Account) accountLine { return lineOf(a, x.admin.People.LastUses()) }

func lineOf(a *people.Account, lastUses map[string]time.Time) accountLine {
	l := accountLine{accountOf: showAccount(a), CreatedAt: a.Created, Active: a.Active, Second: a.SecondFactor, Blocked: a.Blocked, OpenID: a.OpenID, Values: a.Values}
	if l.Values == nil {
		l.Values = auth.AccountValues{}
	}
	if last, used := lastUses[a.ID]; used {
		l.LastUsedAt = &last
	}
	return l
}

// by returns the actor of a change of accounts.
func (x *request) by() people.By {
	return people.By{Account: x.session.Account, Source: audit.Of(x.http.Context())}
}

func listAccounts(x *request) error {
	list, lastUses := []accountLine{}, x.admin.People.LastUses()
	for _, a := range x.admin.People.List() {
		list = append(list, lineOf(a, lastUses))
	}
	return x.data(list)
}

func createAccount(x *request, n *people.NewAccount) error {
	a, err := x.admin.People.Create(x.http.Context(), x.by(), *n)
	if err != nil {
		return err
	}
	return x.answerData(http.StatusCreated, x.line(a))
}

func changeAccount(x *request, c *people.AccountChange) error {
	a, err := x.admin.People.Change(x.http.Context(), x.by(), x.params.ByName("id"), *c)
	if err != nil {
		return err
	}
	return x.data(x.line(a))
}

func removeAccount(x *request) error {
	return x.done(x.admin.People.Remove(x.by(), x.params.ByName("id")))
}

// endSessions ends the sessions of another account.
func endSessions(x *request) error {
	return x.done(x.admin.People.EndAll(x.by(), x.params.ByName("id")))
}

// makeResetLink answers with the path of a link for choosing the password of the account;
// the actor passes it on.
func makeResetLink(x *request) error {
	token, expires, err := x.admin.People.ResetLink(x.by(), x.params.ByName("id"))
	if err != nil {
		return err
	}
	return x.data(resetLink{LinkPath(token), expires})
}

type resetLink struct {
	Path      string    `json:"path"` // at this host
	ExpiresAt time.Time `json:"expiresAt"`
}

// LinkPath returns the path of the page where the holder of a link chooses a password.
func LinkPath(token string) string { return Path + "/setup#" + token }
