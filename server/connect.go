package server

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"quire/auth"
	"quire/auth/openid"
	"quire/auth/users"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// Users sign in at a provider in three steps, as in Strapi: /connect sends the browser to
// the provider, /connect/…/callback receives it back and redirects it to the front end with
// an access_token, and /auth/…/callback exchanges that for a session. Strapi's access_token
// is that of the provider, which every client of the provider has. Here it is a voucher of
// our own, see users.Vouch.

// connectRoutes are the routes of the providers that the site names.
func connectRoutes(site *schema.Site) (routes []Route) {
	for i := range site.Settings.Accounts.Providers {
		p := &site.Settings.Accounts.Providers[i]
		begin, back, enter := "/api/connect/"+p.Name, "/api/connect/"+p.Name+"/callback", "/api/auth/"+p.Name+"/callback"
		routes = append(routes,
			Route{Method: http.MethodGet, Path: begin, Permission: auth.Connect, Throttled: true, handler: atProvider(p, beginConnect)},
			Route{Method: http.MethodGet, Path: back, Permission: auth.Connect, Throttled: true, handler: atProvider(p, finishConnect)},
			Route{Method: http.MethodGet, Path: enter, Permission: auth.SignIn, handler: atProvider(p, enterConnect)})
	}
	return routes
}

// connection is a provider that is set up.
type connection struct {
	*openid.Provider
	settings *settings.UserProvider
}

// openProviders returns the providers whose secret is known, by name.
func openProviders(d *Deps) map[string]*connection {
	s := &d.Site.Settings
	open := map[string]*connection{}
	client := openid.NewClient(settings.CheckProviderAddress)
	for i := range s.Accounts.Providers {
		p := &s.Accounts.Providers[i]
		secret, err := "", error(nil)
		switch {
		case p.Public:
		case d.ProviderSecret == nil:
			err = errors.New("its secret is not known")
		default:
			secret, err = d.ProviderSecret(p.Name)
		}
		if err != nil {
			d.Log.Warn("nobody can sign in at a provider", "provider", p.Name, "error", err)
			continue
		}
		o := openid.Options{Secret: secret, Redirect: s.URL + "/api/connect/" + p.Name + "/callback", Client: client, Now: d.Now}
		open[p.Name] = &connection{openid.New(p.IdentityProvider, o), p}
	}
	return open
}

// errNoProvider is the response if a provider is unknown or has no secret.
func errNoProvider() *problem {
	return &problem{http.StatusBadRequest, "ApplicationError", "This provider is disabled", none{}}
}

// missing responds if there is nothing. Strapi's clients recognise a missing provider by
// this message.
func missing(w http.ResponseWriter, r *http.Request) {
	p, path := notFound(), r.URL.Path
	if strings.HasPrefix(path, "/api/connect/") || strings.HasPrefix(path, "/api/auth/") && strings.HasSuffix(path, "/callback") {
		p = errNoProvider()
	}
	w.(*request).fail(p)
}

// atProvider is a step at a provider. Programs that check links send HEAD, which does not
// start a step.
func atProvider(p *settings.UserProvider, step func(*request, *connection) error) handler {
	return func(x *request) error {
		c := x.site.providers[p.Name]
		if c == nil {
			return errNoProvider()
		}
		x.forbidCaching()
		if x.http.Method == http.MethodHead {
			x.answerEmpty()
			return nil
		}
		return step(x, c)
	}
}

// keeper stores attempts to sign in, in the browser.
func (x *request) keeper() *openid.Keeper {
	secure := strings.HasPrefix(x.site.schema.Settings.URL, "https:")
	return &openid.Keeper{Name: "quire-connect", Secure: secure, Sealer: x.site.auth, Now: x.site.now}
}

// beginConnect redirects the browser to the provider.
func beginConnect(x *request, c *connection) error {
	query, err := x.query()
	if err != nil {
		return err
	}
	requested, err := textParameter(query, "callback")
	if err != nil {
		return err
	}
	back, ok := c.settings.Callback(requested)
	if !ok {
		return invalid("Invalid callback URL provided")
	}
	attempt, address, err := c.Begin(x.http.Context(), back)
	if err == nil {
		err = x.keeper().Put(x, attempt)
	}
	if err != nil {
		x.noteRefusal(c, err)
		return unavailable("The provider cannot be reached; try again later")
	}
	x.sendOn(address)
	return nil
}

// textParameter returns the text of a query parameter, or "" if there is none.
func textParameter(query *params.Node, name string) (string, error) {
	n := query.Get(name)
	if n == nil {
		return "", nil
	}
	if !n.IsText() {
		return "", invalid(name + " must be a single text")
	}
	return n.Text, nil
}

// sendOn redirects the browser. The address that it came from is not passed on, because it
// may contain secrets.
func (x *request) sendOn(address string) {
	x.Header()["Referrer-Policy"] = noReferrer
	x.Header().Set("Location", address)
	x.WriteHeader(http.StatusFound)
}

// finishConnect receives the browser from the provider and redirects it to the front end,
// with a voucher or an error.
func finishConnect(x *request, c *connection) error {
	query := x.http.URL.Query()
	back, _ := c.settings.Callback("")
	attempt, err := x.keeper().Take(x, x.http, c.settings.Name, query.Get("state"))
	if err == nil {
		if still, ok := c.settings.Callback(attempt.Return); ok { // site.json may have changed
			back = still
		}
		var id *openid.Identity
		if id, err = c.Finish(x.http.Context(), attempt, query); err == nil {
			voucher, err := x.site.accounts.Vouch(personOf(c, id))
			if err != nil {
				return err
			}
			x.sendOn(withParameters(back, url.Values{"access_token": {voucher}}))
			return nil
		}
	}
	x.noteRefusal(c, err)
	x.sendOn(withParameters(back, reasons(err)))
	return nil
}

func personOf(c *connection, id *openid.Identity) users.Person {
	return users.Person{Provider: c.settings.Name, Subject: id.Subject, Email: id.Email, Verified: id.EmailVerified, Username: id.Username}
}

// withParameters adds parameters to an address and keeps those that it has, so that a front
// end gets back the state that it sent.
func withParameters(address string, more url.Values) string {
	sign := "?"
	if strings.Contains(address, "?") {
		sign = "&"
	}
	return address + sign + more.Encode()
}

// reasons are the reasons of a failed sign-in for the front end, without details for
// operators.
func reasons(err error) url.Values {
	code, why := "oauth_error", "The provider did not prove who signed in"
	var refused *openid.RefusedError
	var state *openid.StateError
	switch {
	case errors.As(err, &refused):
		code, why = refused.Code, "The provider refused to sign in"
	case errors.As(err, &state):
		why = "OAuth2 state mismatch: " + state.Why
	case errors.As(err, new(*openid.UnreachableError)):
		why = "The provider cannot be reached"
	}
	return url.Values{"error": {code}, "error_description": {why}}
}

// noteRefusal logs why nobody was signed in.
func (x *request) noteRefusal(c *connection, err error) {
	x.server.log.Warn("a sign-in at a provider failed", "provider", c.settings.Name, "error", err, "id", x.id[0])
}

// enterConnect exchanges a proof of a sign-in for a session. Only failed attempts count
// against the limit, because a site that is rendered on a server exchanges all vouchers
// from one address.
func enterConnect(x *request, c *connection) error {
	tree, err := x.query()
	if err != nil {
		return err
	}
	voucher, err := textParameter(tree, "access_token")
	if err != nil {
		return err
	}
	token, err := textParameter(tree, "id_token")
	if err != nil {
		return err
	}
	q, err := x.userQuery(nil)
	if err == nil {
		err = x.prepareAnswer(q)
	}
	if err != nil {
		return err
	}
	var s *users.Session
	err = x.tryCredential("GET /api/auth/:provider/callback", func() error {
		s, err = x.enter(c, voucher, token)
		return err
	})
	if err != nil {
		return err
	}
	return x.answerSession(q, s)
}

// enter starts a session for a voucher or, if the site accepts them, an ID token.
func (x *request) enter(c *connection, voucher, token string) (*users.Session, error) {
	ctx, accounts := x.http.Context(), x.site.accounts
	switch {
	case voucher != "":
		return accounts.Redeem(ctx, c.settings.Name, voucher)
	case token == "" || !c.settings.IDTokens:
		return nil, &problem{http.StatusBadRequest, "ApplicationError", "No access_token.", none{}}
	}
	id, ticket, err := c.Check(ctx, token)
	if errors.As(err, new(*openid.UnreachableError)) {
		x.noteRefusal(c, err)
		return nil, unavailable("The provider cannot be reached; try again later")
	}
	if err != nil {
		x.noteRefusal(c, err)
		return nil, users.ErrVoucher
	}
	return accounts.Connect(ctx, personOf(c, id), ticket.Once, ticket.Ends)
}
