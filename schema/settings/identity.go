package settings

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// IdentityProvider is a service at which people sign in, by OpenID Connect if it has an
// issuer, otherwise by OAuth 2. Its secret is in the environment.
type IdentityProvider struct {
	Name     string // 1 to 30 of a-z, 0-9 and -; part of addresses
	Issuer   string // where the addresses of the provider are read from; empty for OAuth 2
	ClientID string
	Public   bool // the client has no secret
	Scopes   []string

	// OAuth 2 only: the addresses of the sign-in page, of the exchange of codes, of the
	// person who has signed in, and of a list of e-mail addresses like GitHub's; the last
	// may be empty.
	Authorization, Token, UserInfo, Emails string

	Basic       bool // the secret is sent in a header; with an issuer, the provider's configuration decides
	Members     ProviderMembers
	TrustEmails bool // its e-mail addresses belong to the person, even if it does not say that they are verified
}

// ProviderMembers are the names of the members that describe a person. Names with dots lead
// into objects and lists.
type ProviderMembers struct{ ID, Email, Verified, Username string }

const (
	longestClientID = 500 // bytes
	mostScopes      = 20
)

var (
	providerName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$`)
	scopeName    = regexp.MustCompile(`^[!#-\[\]-~]{1,200}$`) // of RFC 6749
	memberName   = regexp.MustCompile(`^[^\x00-\x1f\x7f]{1,100}$`)
)

var identityKeys = []string{"issuer", "clientId", "public", "scopes", "authorization", "token", "userinfo", "emails", "tokenAuth", "members", "trustEmails"}

// readIdentityProvider reads {"issuer": ..., "clientId": ..., "scopes": [...]}. others are
// settings that only some providers have; the caller reads them.
func readIdentityProvider(name string, o source.Object, others ...string) IdentityProvider {
	o.Only(append(identityKeys, others...)...)
	p := IdentityProvider{Name: name, ClientID: o.Text("clientId"), Public: o.Flag("public", false), TrustEmails: o.Flag("trustEmails", false)}
	if p.ClientID == "" || len(p.ClientID) > longestClientID {
		o.RefuseAt("clientId", "must be a text of 1 to 500 bytes", "write what the provider calls the client ID")
	}
	p.readAddresses(o)
	p.readScopes(o)
	p.readTokenAuth(o)
	p.readMembers(o.Object("members"))
	return p
}

// readAddresses reads the issuer, or the addresses that replace it.
func (p *IdentityProvider) readAddresses(o source.Object) {
	p.Issuer = readProviderURL(o, "issuer", false)
	p.Authorization, p.Token = readProviderURL(o, "authorization", true), readProviderURL(o, "token", true)
	p.UserInfo, p.Emails = readProviderURL(o, "userinfo", true), readProviderURL(o, "emails", true)
	_, issuer := o.Get("issuer")
	for _, key := range []string{"authorization", "token", "userinfo", "emails"} {
		switch _, given := o.Get(key); {
		case issuer && given:
			o.RefuseAt(key, "stands beside an issuer, which says where that is", "remove it, or the issuer")
		case !issuer && !given && key != "emails":
			o.RefuseAt(key, "is missing, and so is an issuer", `write the "issuer" of OpenID Connect, or "authorization", "token" and "userinfo" of OAuth 2`)
		}
	}
}

func (p *IdentityProvider) readScopes(o source.Object) {
	if p.Issuer != "" {
		p.Scopes = []string{"openid", "email", "profile"}
	}
	v, ok := o.Get("scopes")
	if !ok {
		return
	}
	words := v.Words()
	if len(words) > mostScopes {
		v.Refuse(fmt.Sprintf("has %d scopes, more than %d", len(words), mostScopes), "remove some")
		return
	}
	p.Scopes = nil
	for _, w := range words {
		if !scopeName.MatchString(w.Text) {
			w.Refuse(fmt.Sprintf("%.100q is not a scope", w.Text), `write one such as "email"`)
		}
		p.Scopes = append(p.Scopes, w.Text)
	}
	if p.Issuer != "" && !slices.Contains(p.Scopes, "openid") {
		p.Scopes = append([]string{"openid"}, p.Scopes...)
	}
}

// readTokenAuth reads how the secret is sent to a provider of OAuth 2.
func (p *IdentityProvider) readTokenAuth(o source.Object) {
	v, ok := o.Get("tokenAuth")
	if !ok {
		return
	}
	text, _ := v.Text()
	switch {
	case p.Issuer != "":
		v.Refuse("is set together with an issuer, whose configuration decides", "remove it")
	case text != "basic" && text != "post":
		v.Refuse(fmt.Sprintf("%.100q is not a way to send a secret", text), `write "post", as most providers take it, or "basic"`)
	}
	p.Basic = text == "basic"
}

func (p *IdentityProvider) readMembers(o source.Object) {
	o.Only("id", "email", "verified", "username")
	m := ProviderMembers{ID: "id", Email: "email", Verified: "email_verified", Username: "username"}
	if p.Issuer != "" {
		m.ID, m.Username = "sub", "preferred_username"
		if _, given := o.Get("id"); given {
			o.RefuseAt("id", "stands beside an issuer, with which it is sub", "remove it")
		}
	}
	for key, name := range map[string]*string{"id": &m.ID, "email": &m.Email, "verified": &m.Verified, "username": &m.Username} {
		if *name = textOr(o, key, *name); !memberName.MatchString(*name) {
			o.RefuseAt(key, "must be the name of a member, of 1 to 100 characters", `write one such as "login" or "data.0.login"`)
		}
	}
	p.Members = m
}

// readProviderURL reads an address of a provider; "" if there is none.
func readProviderURL(o source.Object, key string, query bool) string {
	v, ok := o.Get(key)
	if !ok {
		return ""
	}
	text, ok := v.Text()
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	why := "is not a web address"
	switch {
	case err != nil || u.Host == "":
	case len(text) > longestAddress:
		why = fmt.Sprintf("is longer than %d bytes", longestAddress)
	case u.RawQuery != "" && !query:
		why = "has a query"
	default:
		why = CheckProviderURL(u)
	}
	if why != "" {
		v.Refuse(why, `write a whole address, such as "https://accounts.example.org"`)
	}
	return text
}

// CheckProviderURL returns why an address cannot be one of a provider; empty if it can. It
// must be https, or http to this machine, where nobody can listen on the way.
func CheckProviderURL(u *url.URL) string {
	switch {
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "is not an address that begins with https://"
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "begins with http://, which only providers on this machine may"
	case u.User != nil:
		return "has a user name or password"
	case u.Fragment != "":
		return "has a fragment"
	}
	return ""
}

// CheckProviderAddress refuses a network address to which the name of a provider leads if
// it cannot be one: link-local addresses, where clouds serve their secrets, and multicast
// addresses. Providers in a private network are usual.
func CheckProviderAddress(a netip.Addr) error {
	switch a = a.Unmap(); {
	case a.Zone() != "", a.IsLinkLocalUnicast():
		return errors.New("the address is link-local, which no provider has")
	case a.IsMulticast(), a == broadcast:
		return errors.New("the address is a multicast address, which no provider has")
	}
	return nil
}

var broadcast = netip.AddrFrom4([4]byte{255, 255, 255, 255})

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}
