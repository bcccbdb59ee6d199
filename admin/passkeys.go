package admin

import (
	"net/http"
	"time"

	"quire/auth/people"
)

func passkeyRoutes() []Route {
	const own, one = "/session/passkeys", "/session/passkeys/:id"
	return []Route{
		{Method: http.MethodPost, Path: "/session/passkey/begin", Open: true, Quiet: true, handler: challengePasskey, summary: "Ask for a sign-in with a passkey", out: passkeyChallenge{}},
		{Method: http.MethodPost, Path: "/session/passkey", Open: true, handler: taking(signInPasskey), summary: "Sign in with a passkey", in: people.PasskeyAnswer{}, out: signedIn{}},
		{Method: http.MethodGet, Path: own, handler: listPasskeys, summary: "List the passkeys of the account", out: []passkeyOf{}},
		{Method: http.MethodPost, Path: own + "/begin", Quiet: true, handler: taking(beginPasskey), summary: "Begin to add a passkey", in: people.Proof{}, out: passkeyBegun{}},
		{Method: http.MethodPost, Path: own, handler: taking(addPasskey), summary: "Add a passkey", in: people.NewPasskey{}},
		{Method: http.MethodPut, Path: one, handler: taking(renamePasskey), summary: "Rename a passkey", in: passkeyName{}},
		{Method: http.MethodDelete, Path: one, handler: removePasskey, summary: "Remove a passkey"},
	}
}

// passkeyCookie holds the challenge for a sign-in with a passkey.
const passkeyCookie = "quire_admin_passkey"

// party returns the address at which people have the admin: the one in site.json, otherwise
// that of the request. A request with another host finds no passkey: each is stored with
// its host, and the browser signs it.
func (x *request) party() people.RelyingParty {
	if address := x.admin.Server.Site(x.http).Settings.URL; address != "" {
		return people.PartyAt(address)
	}
	scheme := "http"
	if x.admin.Server.OverTLS(x.http) {
		scheme = "https"
	}
	return people.RelyingParty{Origin: scheme + "://" + x.http.Host}
}

// passkeyChallenge is the challenge for an authenticator at a sign-in.
type passkeyChallenge struct {
	Challenge []byte `json:"challenge"`
	Host      string `json:"host"` // for which the passkey was made
}

func challengePasskey(x *request) error {
	sealed, challenge, err := x.admin.People.ChallengePasskey()
	if err != nil {
		return err
	}
	x.putCookie(passkeyCookie, sealed, people.StepLife)
	return x.data(passkeyChallenge{challenge, x.party().ID()})
}

func signInPasskey(x *request, a *people.PasskeyAnswer) error {
	a.Tickets, a.Party = x.cookies(passkeyCookie), x.party()
	a.From, a.Agent = x.admin.Server.Client(x.http), x.http.UserAgent()
	token, err := x.admin.People.SignInPasskey(x.http.Context(), *a)
	if err == nil {
		x.putCookie(passkeyCookie, "", 0)
		x.putCookie(stepCookie, "", 0)
	}
	return x.enter(token, err)
}

// passkeyOf is a passkey as shown to its account.
type passkeyOf struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Host       string     `json:"host"` // for which it was made
	CreatedAt  time.Time  `json:"createdAt"`
	LastUsedAt *time.Time `json:"lastUsedAt"`
}

func listPasskeys(x *request) error {
	all, err := x.admin.People.Passkeys(x.session)
	if err != nil {
		return err
	}
	list := []passkeyOf{}
	for _, p := range all {
		one := passkeyOf{ID: p.ID, Name: p.Name, Host: p.Host, CreatedAt: p.Created}
		if !p.Used.IsZero() {
			one.LastUsedAt = &p.Used
		}
		list = append(list, one)
	}
	return x.data(list)
}

// passkeyBegun is what the browser needs to make a passkey.
type passkeyBegun struct {
	Ticket    string   `json:"ticket"` // sent back with the new passkey
	Challenge []byte   `json:"challenge"`
	Host      string   `json:"host"`
	User      []byte   `json:"user"`  // the id of the account
	Known     [][]byte `json:"known"` // existing passkeys of the account
}

func beginPasskey(x *request, p *people.Proof) error {
	begun, err := x.admin.People.BeginPasskey(x.http.Context(), x.session, *p)
	if err != nil {
		return err
	}
	known := append([][]byte{}, begun.Known...)
	return x.data(passkeyBegun{begun.Ticket, begun.Challenge, x.party().ID(), []byte(x.session.Account.ID), known})
}

func addPasskey(x *request, n *people.NewPasskey) error {
	n.Party = x.party()
	return x.done(x.admin.People.AddPasskey(x.http.Context(), x.session, *n))
}

type passkeyName struct {
	Name string `json:"name"`
}

func renamePasskey(x *request, form *passkeyName) error {
	return x.done(x.admin.People.RenamePasskey(x.http.Context(), x.session, x.params.ByName("id"), form.Name))
}

func removePasskey(x *request) error {
	return x.done(x.admin.People.RemovePasskey(x.http.Context(), x.session, x.params.ByName("id")))
}
