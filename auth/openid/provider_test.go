package openid_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"quire/auth/openid"
	"quire/auth/openid/openidtest"
	"quire/schema/settings"
)

func anywhere(netip.Addr) error { return nil }

func newProvider(p *openidtest.Provider) *openid.Provider {
	s := settings.IdentityProvider{Name: "test", Issuer: p.URL, ClientID: openidtest.ClientID, Scopes: []string{"openid"},
		Members: settings.ProviderMembers{ID: "sub", Email: "email", Verified: "email_verified", Username: "preferred_username"}}
	return openid.New(s, options())
}

func options() openid.Options {
	return openid.Options{Secret: openidtest.Secret, Redirect: "https://cms.example.org/back", Client: openid.NewClient(anywhere)}
}

// round begins an attempt, has the browser sign in, and finishes with what the provider
// sends back.
func round(t *testing.T, p *openid.Provider) (*openid.Identity, error) {
	t.Helper()
	a, address, err := p.Begin(t.Context(), "")
	if err != nil {
		return nil, err
	}
	return p.Finish(t.Context(), a, visit(t, address))
}

// visit follows an address of the provider and returns the query with which it sends back.
func visit(t *testing.T, address string) url.Values {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	back, err := answer.Location()
	if err != nil {
		t.Fatalf("the provider answered %d and sends nobody back", answer.StatusCode)
	}
	return back.Query()
}

func TestSomebodySignsIn(t *testing.T) {
	p := openidtest.New(t)
	id, err := round(t, newProvider(p))
	if err != nil {
		t.Fatal(err)
	}
	if id.Subject != "person-1" || id.Email != "ana@example.org" || !id.EmailVerified || id.Username != "ana" {
		t.Errorf("who signed in is %+v", id)
	}
}

func TestTheAddressComesFromUserinfo(t *testing.T) {
	p := openidtest.New(t)
	p.Info = map[string]any{"sub": "person-1", "email": "ana@example.org", "email_verified": "true"}
	p.Change = func(c map[string]any) { delete(c, "email"); delete(c, "email_verified") }
	id, err := round(t, newProvider(p))
	if err != nil || id.Email != "ana@example.org" || !id.EmailVerified {
		t.Fatalf("who signed in is %+v, %v", id, err)
	}
	p.Info["sub"] = "person-2"
	if _, err := round(t, newProvider(p)); !errors.As(err, new(*openid.UntrustedError)) {
		t.Errorf("with the address of somebody else: %v", err)
	}
}

func TestAddressesThatAreNotVerified(t *testing.T) {
	for _, verified := range []any{nil, false, "false", 1, "yes"} {
		p := openidtest.New(t)
		p.Person["email_verified"] = verified
		id, err := round(t, newProvider(p))
		if err != nil || id.EmailVerified {
			t.Errorf("with email_verified %v: %+v, %v", verified, id, err)
		}
	}
}

func TestWhatIsTooLongIsLeftOut(t *testing.T) {
	p := openidtest.New(t)
	p.Person["email"], p.Person["preferred_username"] = strings.Repeat("x", 309)+"@example.org", strings.Repeat("x", 256)
	if id, err := round(t, newProvider(p)); err != nil || id.Email != "" || id.EmailVerified || id.Username != "" {
		t.Errorf("who signed in is %+v, %v", id, err)
	}
}

func TestIDTokensThatProveNothing(t *testing.T) {
	other := openidtest.New(t)
	for name, lie := range map[string]func(*openidtest.Provider){
		"another nonce":      func(p *openidtest.Provider) { p.Change = set("nonce", "another") },
		"no nonce":           func(p *openidtest.Provider) { p.Change = func(c map[string]any) { delete(c, "nonce") } },
		"another audience":   func(p *openidtest.Provider) { p.Change = set("aud", "another") },
		"no audience":        func(p *openidtest.Provider) { p.Change = set("aud", []string{}) },
		"two audiences":      func(p *openidtest.Provider) { p.Change = set("aud", []string{"another", openidtest.ClientID}) },
		"another party":      func(p *openidtest.Provider) { p.Change = set("azp", "another") },
		"expired":            func(p *openidtest.Provider) { p.Change = set("exp", time.Now().Add(-time.Second).Unix()) },
		"not yet valid":      func(p *openidtest.Provider) { p.Change = set("nbf", time.Now().Add(time.Hour).Unix()) },
		"another issuer":     func(p *openidtest.Provider) { p.Change = set("iss", "https://elsewhere.example.org") },
		"no subject":         func(p *openidtest.Provider) { p.Change = set("sub", "") },
		"a long subject":     func(p *openidtest.Provider) { p.Change = set("sub", strings.Repeat("x", 256)) },
		"of another token":   func(p *openidtest.Provider) { p.Change = set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA") },
		"signed by another":  func(p *openidtest.Provider) { p.Sign = other.SignES256 },
		"not a token at all": func(p *openidtest.Provider) { p.Sign = func(map[string]any) string { return "x.y.z" } },
		"without a token":    func(p *openidtest.Provider) { p.Sign = func(map[string]any) string { return "" } },
		"signed by none": func(p *openidtest.Provider) {
			p.Sign = func(c map[string]any) string {
				return openidtest.Sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, c)
			}
		},
		"signed with the public key": func(p *openidtest.Provider) {
			p.Sign = func(c map[string]any) string {
				return openidtest.Sign(jwt.SigningMethodHS256, p.PublicKey(), c)
			}
		},
		"signed with the client's secret": func(p *openidtest.Provider) {
			p.Sign = func(c map[string]any) string {
				return openidtest.Sign(jwt.SigningMethodHS256, []byte(openidtest.Secret), c)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := openidtest.New(t)
			lie(p)
			if id, err := round(t, newProvider(p)); !errors.As(err, new(*openid.UntrustedError)) {
				t.Errorf("who signed in is %+v, %v", id, err)
			}
		})
	}
}

func set(name string, value any) func(map[string]any) {
	return func(claims map[string]any) { claims[name] = value }
}

func TestWhatTheBrowserComesBackWith(t *testing.T) {
	p := openidtest.New(t)
	provider := newProvider(p)
	for name, c := range map[string]struct {
		change func(url.Values)
		want   any
	}{
		"a refusal":                    {func(q url.Values) { q.Set("error", "access_denied") }, new(*openid.RefusedError)},
		"no code":                      {func(q url.Values) { q.Del("code") }, new(*openid.UntrustedError)},
		"a code nobody gave":           {func(q url.Values) { q.Set("code", "x") }, new(*openid.RefusedError)},
		"the name of another provider": {func(q url.Values) { q.Set("iss", "https://elsewhere.example.org") }, new(*openid.UntrustedError)},
	} {
		a, address, err := provider.Begin(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		query := visit(t, address)
		c.change(query)
		if _, err := provider.Finish(t.Context(), a, query); !errors.As(err, c.want) {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

func TestACodeOfAnotherAttempt(t *testing.T) {
	p := openidtest.New(t)
	provider := newProvider(p)
	mine, _, err := provider.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, theirs, err := provider.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Finish(t.Context(), mine, visit(t, theirs)); !errors.As(err, new(*openid.RefusedError)) {
		t.Errorf("the verifier of one attempt and the code of another: %v", err)
	}
}

func TestAProviderOfOAuth2(t *testing.T) {
	p := openidtest.New(t)
	p.Info = map[string]any{"id": 4711, "login": "ana", "email": nil, "data": []any{map[string]any{"mail": "deep@example.org"}}}
	p.Answer["/emails"] = func(w http.ResponseWriter, _ *http.Request) {
		openidtest.Write(w, []any{map[string]any{"email": "old@example.org", "verified": true}, map[string]any{"email": "ana@example.org", "primary": true, "verified": true}})
	}
	s := settings.IdentityProvider{Name: "hub", Authorization: p.URL + "/authorize", Token: p.URL + "/token", UserInfo: p.URL + "/userinfo", Emails: p.URL + "/emails",
		ClientID: openidtest.ClientID, Members: settings.ProviderMembers{ID: "id", Email: "email", Verified: "email_verified", Username: "login"}}
	id, err := round(t, openid.New(s, options()))
	if err != nil || id.Subject != "4711" || id.Username != "ana" || id.Email != "ana@example.org" || !id.EmailVerified {
		t.Errorf("who signed in is %+v, %v", id, err)
	}
	s.Emails, s.Basic, s.Members.Email = "", true, "data.0.mail"
	id, err = round(t, openid.New(s, options()))
	if err != nil || id.Email != "deep@example.org" || id.EmailVerified {
		t.Errorf("with an address deep inside, who signed in is %+v, %v", id, err)
	}
}

// What is the same of everybody names nobody, and an address that lower case makes another is
// not theirs.
func TestNobodyIsTakenForAnother(t *testing.T) {
	p := openidtest.New(t)
	s := settings.IdentityProvider{Name: "hub", Authorization: p.URL + "/authorize", Token: p.URL + "/token", UserInfo: p.URL + "/userinfo",
		ClientID: openidtest.ClientID, TrustEmails: true, Members: settings.ProviderMembers{ID: "id", Email: "email", Verified: "email_verified", Username: "login"}}
	for _, id := range []any{true, false, nil, "", []any{1}, map[string]any{"id": 1}} {
		p.Info = map[string]any{"id": id, "email": "ana@example.org"}
		if who, err := round(t, openid.New(s, options())); !errors.As(err, new(*openid.UntrustedError)) {
			t.Errorf("%v is %+v, %v", id, who, err)
		}
	}
	for email, theirs := range map[string]bool{"Ana@Example.org": true, "\u00c9ve@example.org": true, "mar\u212a@example.org": false, "\u0130da@example.org": false} {
		p.Info = map[string]any{"id": 1, "email": email}
		if who, err := round(t, openid.New(s, options())); err != nil || who.EmailVerified != theirs {
			t.Errorf("%s is %+v, %v", email, who, err)
		}
	}
}

func TestAttemptsStayWithTheBrowser(t *testing.T) {
	now := time.Now()
	k := &openid.Keeper{Name: "test", Secure: true, Sealer: plain{}, Now: func() time.Time { return now }}
	a := &openid.Attempt{Provider: "test", State: "state", Ends: now.Add(time.Minute)}
	kept := httptest.NewRecorder()
	if err := k.Put(kept, a); err != nil {
		t.Fatal(err)
	}
	set := kept.Header().Get("Set-Cookie")
	for _, part := range []string{"__Host-test=", "Path=/", "Max-Age=600", "HttpOnly", "Secure", "SameSite=Lax"} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie is %q, without %s", set, part)
		}
	}
	take := func(cookie, provider, state string) (*httptest.ResponseRecorder, error) {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Cookie", cookie)
		_, err := k.Take(w, r, provider, state)
		return w, err
	}
	cookie, _, _ := strings.Cut(set, ";")
	for name, c := range map[string][3]string{
		"another browser":  {"", "test", "state"},
		"another state":    {cookie, "test", "other"},
		"no state":         {cookie, "test", ""},
		"another provider": {cookie, "other", "state"},
		"a changed cookie": {"__Host-test=eHh4", "test", "state"},
	} {
		if w, err := take(c[0], c[1], c[2]); !errors.As(err, new(*openid.StateError)) || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("with %s: %v, and the cookie is %q", name, err, w.Header().Get("Set-Cookie"))
		}
	}
	if w, err := take(cookie, "test", "state"); err != nil || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("the browser itself: %v, and keeps %q", err, w.Header().Get("Set-Cookie"))
	}
	now = now.Add(time.Minute)
	if _, err := take(cookie, "test", "state"); !errors.As(err, new(*openid.StateError)) {
		t.Errorf("after the end: %v", err)
	}
}

// plain seals by a mark.
type plain struct{}

func (plain) Seal(purpose string, text []byte) []byte { return append([]byte(purpose), text...) }
func (plain) Unseal(purpose string, sealed []byte) ([]byte, error) {
	if text, ok := strings.CutPrefix(string(sealed), purpose); ok {
		return []byte(text), nil
	}
	return nil, errors.New("not sealed")
}
