package settings_test

import (
	"reflect"
	"strings"
	"testing"

	"quire/schema/settings"
	"quire/schema/source"
)

func readProviders(t *testing.T, providers string) []settings.UserProvider {
	t.Helper()
	problems := &source.Problems{}
	config, _ := source.Parse("site.json", []byte(`{"url": "https://cms.example.org/below/", "auth": {"providers": `+providers+`}}`), problems)
	s := settings.Read(config)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	if s.URL != "https://cms.example.org/below" {
		t.Errorf("the address of the site is %s", s.URL)
	}
	return s.Accounts.Providers
}

func TestProvidersHaveDefaults(t *testing.T) {
	got := readProviders(t, `{
		"house": {"issuer": "https://accounts.example.org", "clientId": "x", "scopes": ["email"], "callbacks": ["https://example.org/in"]},
		"hub": {"authorization": "https://hub.example.org/a", "token": "https://hub.example.org/t", "userinfo": "https://hub.example.org/u", "clientId": "y",
			"tokenAuth": "basic", "members": {"username": "login"}, "callbacks": ["https://example.org/in"]}}`)
	in := []string{"https://example.org/in"}
	want := []settings.UserProvider{
		{Callbacks: in, IdentityProvider: settings.IdentityProvider{Name: "house", Issuer: "https://accounts.example.org", ClientID: "x", Scopes: []string{"openid", "email"},
			Members: settings.ProviderMembers{ID: "sub", Email: "email", Verified: "email_verified", Username: "preferred_username"}}},
		{Callbacks: in, IdentityProvider: settings.IdentityProvider{Name: "hub", Authorization: "https://hub.example.org/a", Token: "https://hub.example.org/t", UserInfo: "https://hub.example.org/u",
			ClientID: "y", Basic: true, Members: settings.ProviderMembers{ID: "id", Email: "email", Verified: "email_verified", Username: "login"}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// Whatever somebody asks for, people are sent to a page that site.json names.
func FuzzCallback(f *testing.F) {
	const page = "https://example.org/in"
	p := settings.UserProvider{Callbacks: []string{page}}
	for _, seed := range []string{"", page, page + "?state=x", page + "#x", "https://example.org@evil.example.org/in", "https://example.org\\@evil.example.org/in",
		"https://evil.example.org/in", "//example.org/in", "https://example.org/in/../out", "HTTPS://example.org/in", "https://example.org:443/in", page + "\n", page + "?access_token=x", page + "#", page + "?access_token=x%", page + "?x;access_token=x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, requested string) {
		got, ok := p.Callback(requested)
		if !ok {
			return
		}
		base, query, _ := strings.Cut(got, "?")
		if !strings.EqualFold(base, page) || strings.ContainsAny(query, "\r\n\t#") || strings.Contains("&"+query, "&access_token=") {
			t.Errorf("who asks for %q is sent to %q", requested, got)
		}
	})
}
