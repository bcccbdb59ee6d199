package openid

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"quire/schema/settings"
)

// How long a provider's configuration is used: it is read again after fresh, and if that
// fails, at most once in each retry. Meanwhile the last one is used, until it is stale.
const (
	fresh = time.Hour
	retry = 10 * time.Second
	stale = 24 * time.Hour
)

// Provider is a service at which people sign in. Its methods may be called from any
// goroutine.
type Provider struct {
	settings settings.IdentityProvider
	secret   string
	redirect string
	needs    string
	client   *http.Client
	now      func() time.Time

	turn       chan struct{} // held to read and change the fields below; reading the configuration takes a while
	known      *oidc.Provider
	answeredAt time.Time // when known was answered
	failure    error     // of the last attempt, or nil
	again      time.Time // time of the next attempt
}

// Options configures a Provider. All except Needs and Now are required.
type Options struct {
	Secret   string       // of the client; empty for a public one
	Redirect string       // whole address to which the provider redirects people back
	Client   *http.Client // see NewClient
	Needs    string       // requested, with the address, if an ID token lacks it; empty for nothing
	Now      func() time.Time
}

// New returns a provider. It sends no request before somebody signs in.
func New(s settings.IdentityProvider, o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Provider{settings: s, secret: o.Secret, redirect: o.Redirect, needs: o.Needs, client: o.Client, now: o.Now, turn: make(chan struct{}, 1)}
}

// Settings returns the settings of the provider in site.json.
func (p *Provider) Settings() settings.IdentityProvider { return p.settings }

// context makes libraries use our client for requests.
func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// discover returns the configuration of a provider of OpenID Connect. Concurrent callers
// wait for one response. Errors are *UnreachableError.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, &UnreachableError{ctx.Err()}
	}
	if now := p.now(); !now.Before(p.again) {
		p.refresh(ctx, now)
	}
	if p.known != nil && (p.failure == nil || p.now().Sub(p.answeredAt) < stale) {
		return p.known, nil
	}
	return nil, &UnreachableError{p.failure}
}

// refresh reads the configuration of the provider. It continues if its caller goes away,
// because others may wait.
func (p *Provider) refresh(ctx context.Context, now time.Time) {
	found, err := oidc.NewProvider(p.context(context.WithoutCancel(ctx)), p.settings.Issuer)
	if err == nil {
		err = p.checkAddresses(found)
	}
	if p.failure = err; err != nil {
		p.again = p.now().Add(retry)
		return
	}
	p.known, p.answeredAt, p.again = found, now, now.Add(fresh)
}

// checkAddresses refuses a provider whose configuration sends people, or this program, to
// an insecure address: http is only for a provider on this machine, and no other provider
// may lead here with it.
func (p *Provider) checkAddresses(found *oidc.Provider) error {
	var said struct {
		Page  string `json:"authorization_endpoint"`
		Token string `json:"token_endpoint"`
		Keys  string `json:"jwks_uri"`
		Info  string `json:"userinfo_endpoint"` // empty for none
	}
	if err := found.Claims(&said); err != nil {
		return err
	}
	for what, address := range map[string]string{"authorization_endpoint": said.Page, "token_endpoint": said.Token, "jwks_uri": said.Keys, "userinfo_endpoint": said.Info} {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		why := settings.CheckProviderURL(u)
		if why == "" && u.Scheme == "http" && strings.HasPrefix(p.settings.Issuer, "https:") {
			why = "begins with http://, and its issuer with https://"
		}
		if why != "" && (address != "" || what != "userinfo_endpoint") {
			return &UntrustedError{Why: "its " + what + " " + why}
		}
	}
	return nil
}

// endpoint returns where people sign in and where codes are exchanged, and for OpenID
// Connect the provider's configuration, otherwise nil.
func (p *Provider) endpoint(ctx context.Context) (oauth2.Config, *oidc.Provider, error) {
	s := &p.settings
	c := oauth2.Config{ClientID: s.ClientID, ClientSecret: p.secret, RedirectURL: p.redirect, Scopes: s.Scopes}
	if s.Issuer == "" {
		c.Endpoint = oauth2.Endpoint{AuthURL: s.Authorization, TokenURL: s.Token, AuthStyle: oauth2.AuthStyleInParams}
		if s.Basic {
			c.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
		}
		return c, nil, nil
	}
	known, err := p.discover(ctx)
	if err != nil {
		return c, nil, err
	}
	c.Endpoint = known.Endpoint()
	c.Endpoint.AuthStyle = p.style(known)
	return c, known, nil
}

// style returns how the client sends its secret: in a header, unless the provider accepts
// it only in the body, or there is none.
func (p *Provider) style(known *oidc.Provider) oauth2.AuthStyle {
	var said struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	_ = known.Claims(&said) // it was read before
	basic := len(said.Methods) == 0 || slices.Contains(said.Methods, "client_secret_basic")
	if p.secret == "" || !basic {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}
