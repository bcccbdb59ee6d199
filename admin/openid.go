package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"quire/auth"
	"quire/auth/openid"
	"quire/auth/people"
	"quire/content/audit"
	"quire/schema/settings"
)

// The provider of the site signs people in: the browser goes there, and returns with a code
// that only the server can use. The code is accepted only from the browser that was sent.
func openIDRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: providerPath, Open: true, OneNode: true, handler: beginOpenID,
			summary: "Sign in at the provider: the browser is sent there, and in the end to a page of the admin", query: []string{"to"}, status: http.StatusFound},
		{Method: http.MethodGet, Path: providerPath + "/callback", Open: true, Foreign: true, OneNode: true, handler: finishOpenID,
			summary: "Where the provider sends the browser back: to a page of the admin, also where nobody is let in", query: []string{"code", "state", "iss", "error"}, status: http.StatusFound},
	}
}

const (
	providerPath   = "/session/openid"
	providerCookie = "quire_admin_openid"
	providerName   = "admin"
)

// How often people of one network may begin to sign in at the provider, and return from it,
// independent of site.json: the requests to the provider are made in the name of the site.
const (
	mostRequests  = 60
	requestPeriod = 5 * time.Minute
)

// providerDesk has the provider of the site, and makes a new one when site.json changes.
type providerDesk struct {
	client   *http.Client
	requests *auth.Throttle

	mu       sync.Mutex
	redirect string
	made     *openid.Provider
}

func newProviderDesk() *providerDesk {
	return &providerDesk{client: openid.NewClient(settings.CheckProviderAddress), requests: auth.NewThrottle(time.Now, mostRequests, requestPeriod)}
}

// errNoSecret: the client of the provider has a secret, and it is not in the environment.
var errNoSecret = errors.New("neither ADMIN_OPENID_SECRET nor admin.openid.public is set")

// provider returns the provider of the site. Errors are people.ErrClosed if there is none,
// and errNoSecret.
func (x *request) provider() (*openid.Provider, *settings.Settings, error) {
	s := &x.admin.Server.Site(x.http).Settings
	e := s.Admin.OpenID
	switch {
	case e == nil:
		return nil, s, people.ErrClosed
	case x.admin.Secret == "" && !e.Provider.Public:
		return nil, s, errNoSecret
	}
	d, redirect := x.admin.providers, s.URL+APIPath+providerPath+"/callback"
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made == nil || d.redirect != redirect || !reflect.DeepEqual(d.made.Settings(), e.Provider) {
		d.redirect = redirect
		d.made = openid.New(e.Provider, openid.Options{Secret: x.admin.Secret, Redirect: redirect, Client: d.client, Needs: e.Roles.Claim})
	}
	return d.made, s, nil
}

// keeper returns the Keeper of attempts to sign in.
func (x *request) keeper(s *settings.Settings) *openid.Keeper {
	return &openid.Keeper{Name: providerCookie, Secure: strings.HasPrefix(s.URL, "https://"), Sealer: x.admin.Auth, Now: time.Now}
}

// checkProviderRate counts a request to the provider. The error is an *auth.ThrottledError.
func (x *request) checkProviderRate(what string) error {
	return x.admin.providers.requests.TryAccount(what, auth.Network(x.admin.Server.Client(x.http)).String())
}

// beginOpenID sends the browser to the provider.
func beginOpenID(x *request) error {
	if x.http.Method != http.MethodGet {
		return x.empty()
	}
	if err := x.checkProviderRate("begun"); err != nil {
		return x.turnAway(err)
	}
	p, s, err := x.provider()
	if err != nil {
		return x.turnAway(err)
	}
	attempt, address, err := p.Begin(x.http.Context(), wayBack(x.http.URL.Query().Get("to")))
	if err != nil {
		return x.turnAway(err)
	}
	if err := x.keeper(s).Put(x.writer, attempt); err != nil {
		return err
	}
	return x.send(address)
}

// finishOpenID signs in the person whom the provider sent back.
func finishOpenID(x *request) error {
	if x.http.Method != http.MethodGet {
		return x.empty()
	}
	p, s, err := x.provider()
	if err != nil {
		return x.turnAway(err)
	}
	parameters := x.http.URL.Query()
	attempt, err := x.keeper(s).Take(x.writer, x.http, providerName, parameters.Get("state"))
	if err == nil {
		err = x.checkProviderRate("back")
	}
	if err != nil {
		return x.turnAway(err)
	}
	who, err := p.Finish(x.http.Context(), attempt, parameters)
	if err != nil {
		return x.turnAway(err)
	}
	token, err := x.admin.People.SignInOpenID(x.http.Context(), x.person(who, s.Admin.OpenID))
	if step, ok := errors.AsType[*people.StepError](err); ok {
		x.awaitStep(step.Ticket)
		return x.send(Path + "/?" + url.Values{"second": {"1"}, "to": {attempt.Return}}.Encode())
	}
	if err = x.begin(token, err); err != nil {
		return x.turnAway(err)
	}
	return x.send(attempt.Return)
}

// person converts the identity at the provider into a Person of the accounts.
func (x *request) person(who *openid.Identity, e *settings.AdminOpenID) people.Person {
	p := people.Person{
		Issuer: e.Provider.Issuer, Subject: who.Subject, Email: who.Email, EmailVerified: who.EmailVerified, Name: who.Name,
		From: x.admin.Server.Client(x.http), Agent: x.http.UserAgent(),
	}
	if p.Name == "" {
		p.Name = who.Username
	}
	if e.Roles.Claim != "" {
		p.Role = who.Claims.At(e.Roles.Claim)
	}
	var ways []string // of RFC 8176
	p.Factor = json.Unmarshal(who.Claims.At("amr"), &ways) == nil && slices.Contains(ways, "mfa")
	return p
}

// send redirects the browser. It sends no referrer.
func (x *request) send(address string) error {
	h := x.writer.Header()
	h.Set("Location", address)
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	x.writer.WriteHeader(http.StatusFound)
	return nil
}

// turnAway redirects the browser to the sign-in page, which explains the code in words. It
// contains nothing that the provider or the browser has sent. It returns other errors.
func (x *request) turnAway(err error) error {
	code := turnedAway(err)
	if code == "" {
		return err
	}
	var refused *people.OpenIDError
	if !errors.As(err, &refused) && !errors.As(err, new(*auth.ThrottledError)) { // the refusal is recorded, unless there are too many
		x.admin.People.Warn("a sign-in to the admin by the provider failed", "why", code, "error", err.Error())
		x.admin.People.NoteRefused(x.http.Context(), "session.begin", audit.Target{Type: "account"}, map[string]string{"why": "provider: " + code})
	}
	return x.send(Path + "/?" + url.Values{"error": {code}}.Encode())
}

// turnedAway returns the code of an error for the page; empty if the page has no words for
// it.
func turnedAway(err error) string {
	var refused *people.OpenIDError
	switch {
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, new(*auth.ThrottledError)):
		return "many"
	case errors.As(err, new(*openid.StateError)):
		return "state"
	case errors.As(err, new(*openid.RefusedError)):
		return "refused"
	case errors.As(err, new(*openid.UntrustedError)), errors.As(err, new(*openid.UnreachableError)),
		errors.Is(err, errNoSecret), errors.Is(err, context.DeadlineExceeded):
		return "provider"
	case errors.Is(err, people.ErrClosed):
		return "closed"
	}
	return ""
}

// longestBack limits the path of the page to which the browser returns, in bytes.
const longestBack = 1000

// wayBack returns the page of the admin to which the browser returns: the requested one or,
// if that is not a page of the admin, the home.
func wayBack(to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil, len(to) > longestBack, u.Scheme != "", u.Host != "", u.User != nil, u.Opaque != "":
	case strings.Contains(u.Path, `\`), strings.ContainsFunc(u.Path, unicode.IsControl):
	case path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/"), !strings.HasPrefix(u.Path, Path+"/"), strings.HasPrefix(u.Path, Path+"/api/"):
	default:
		return u.String()
	}
	return Path + "/"
}
