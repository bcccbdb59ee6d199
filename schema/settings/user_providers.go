package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"quire/schema/source"
)

// UserProvider is a provider at which users of the site sign in.
type UserProvider struct {
	IdentityProvider

	// Callbacks are the pages of the front end to which people are redirected after signing
	// in. The first is the default.
	Callbacks []string

	// IDTokens accepts ID tokens for this client, as programs on phones get them from the
	// provider.
	IDTokens bool
}

// MaxProviders limits the providers of a site.
const MaxProviders = 30

const mostCallbacks = 20

// readProviders reads "providers": {"google": {"issuer": ..., "callbacks": [...]}}.
func (s *Settings) readProviders(auth source.Object) {
	o := auth.Object("providers")
	if len(o.Members) > MaxProviders {
		o.Refuse(fmt.Sprintf("has %d providers, more than %d", len(o.Members), MaxProviders), "remove some")
		return
	}
	for _, m := range o.Members {
		one, ok := m.Object()
		if !ok {
			continue
		}
		if !providerName.MatchString(m.Key) || m.Key == "local" {
			m.Refuse(fmt.Sprintf("%.100q is not a name of a provider", m.Key), `write 1 to 30 of a-z, 0-9 and -, such as "google"; "local" is that of passwords`)
		}
		p := UserProvider{IdentityProvider: readIdentityProvider(m.Key, one, "callbacks", "idTokens")}
		p.Callbacks = readCallbacks(one)
		p.IDTokens = one.Flag("idTokens", false)
		if p.IDTokens && p.Issuer == "" {
			one.RefuseAt("idTokens", "needs an issuer: OAuth 2 has no ID tokens", "remove it, or name an issuer")
		}
		s.Accounts.Providers = append(s.Accounts.Providers, p)
	}
	if len(o.Members) > 0 {
		s.requireURL(auth, "providers")
	}
}

// readCallbacks reads the pages to which people are redirected; at least one is required.
func readCallbacks(o source.Object) []string {
	v, ok := o.Get("callbacks")
	if !ok {
		o.RefuseAt("callbacks", "is missing", `name the pages of the front end to which people come once they have signed in: ["https://example.org/connect/google"]`)
		return nil
	}
	var list []string
	words := v.Words()
	if n := len(words); v.Raw[0] == '[' && (n == 0 || n > mostCallbacks) {
		v.Refuse(fmt.Sprintf("has %d addresses", n), fmt.Sprintf("name 1 to %d", mostCallbacks))
	}
	for _, w := range words {
		u, err := url.Parse(w.Text)
		if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" || len(w.Text) > longestAddress || hasDots(u.EscapedPath()) {
			w.Refuse(fmt.Sprintf("%.100q is not a web address to which people can be sent", w.Text), `write a whole one without a fragment, such as "https://example.org/connect/google"`)
			continue
		}
		list = append(list, w.Text)
	}
	return list
}

// ownParameters are added to the address of a callback.
var ownParameters = []string{"access_token", "id_token", "error", "error_description"}

// Callback returns the page to which to redirect somebody who requests the address, "" for
// the first. It must be one of Callbacks, except for its query, which the request may
// choose.
func (p *UserProvider) Callback(requested string) (string, bool) {
	if requested == "" {
		return p.Callbacks[0], true
	}
	u, err := url.Parse(requested)
	if err != nil || len(requested) > longestAddress || strings.Contains(requested, "#") || u.User != nil {
		return "", false
	}
	given, err := url.ParseQuery(u.RawQuery)
	if err != nil || slices.ContainsFunc(ownParameters, given.Has) { // what cannot be parsed here may be one of them to others
		return "", false
	}
	return requested, slices.ContainsFunc(p.Callbacks, func(text string) bool {
		c, err := url.Parse(text)
		return err == nil && c.Scheme == u.Scheme && c.Host == u.Host && c.EscapedPath() == u.EscapedPath()
	})
}
