package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

// plainSeal stands for the encryption of a site.
type plainSeal struct{}

func (plainSeal) Seal(purpose string, text []byte) []byte { return append([]byte(purpose), text...) }

func (plainSeal) Unseal(purpose string, sealed []byte) ([]byte, error) {
	text, ok := strings.CutPrefix(string(sealed), purpose)
	if !ok {
		return nil, errors.New("not sealed here")
	}
	return []byte(text), nil
}

// anywhere allows all addresses.
func anywhere(netip.Addr) error { return nil }

// newClients returns Clients that read documents from the handler, and how many they have read.
func newClients(t *testing.T, h http.HandlerFunc) (_ *Clients, host string, reads *int) {
	t.Helper()
	s := httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	reads = new(int)
	c := NewClients(plainSeal{}, func(allow func(netip.Addr) error) *http.Client {
		*reads++
		client := *s.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		if err := allow(netip.MustParseAddr("127.0.0.1")); err != nil {
			client.Transport = refusing{err}
		}
		return &client
	})
	return c, s.URL, reads
}

type refusing struct{ err error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

// codeOf returns the code of an error of OAuth.
func codeOf(err error) string {
	var wrong *Error
	if errors.As(err, &wrong) {
		return wrong.Code
	}
	return ""
}

func TestRegistrationIsRefused(t *testing.T) {
	c, _, _ := newClients(t, nil)
	good := []string{"https://claude.ai/callback", "http://127.0.0.1:33418/callback", "http://localhost/callback", "http://[::1]:5/"}
	one, err := c.Register(Registration{Name: " Claude ", Redirects: good})
	if err != nil || one.Name != "Claude" {
		t.Fatalf("%+v, %v", one, err)
	}
	found, err := c.Find(t.Context(), one.ID, anywhere)
	if err != nil || found.Name != "Claude" || !found.Allows(good[0]) {
		t.Errorf("the client is found as %+v, %v", found, err)
	}
	for _, redirect := range []string{
		"", "/callback", "javascript:alert(1)", "data:text/html,x", "http://example.org/callback", "http://127.0.0.1.example.org/", "http://192.168.0.7/", "cursor://callback",
		"https://user@example.org/", "https://example.org/#fragment", "https://example.org/#", "https:example.org", "https:///x", "https://example.org/\\x", "https://example.org/ x",
		"https://example.org/\n", "https://example.org/" + strings.Repeat("x", longestRedirect),
	} {
		if _, err := c.Register(Registration{Redirects: []string{redirect}}); codeOf(err) != "invalid_redirect_uri" {
			t.Errorf("%.40q: %v", redirect, err)
		}
	}
	many := strings.Split(strings.Repeat("https://example.org/,", mostRedirects)+"https://example.org/", ",")
	for name, r := range map[string]Registration{
		"no address": {}, "many addresses": {Redirects: many}, "a long name": {Name: strings.Repeat("x", longestName+1), Redirects: good},
		"lines": {Name: "a\nb", Redirects: good}, "an invisible name": {Name: "a\u202eb", Redirects: good}, "other grants": {Redirects: good, Grants: []string{"client_credentials"}},
		"other responses": {Redirects: good, Responses: []string{"token"}},
	} {
		if _, err := c.Register(r); codeOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnknownClientsAreRefused(t *testing.T) {
	c, host, reads := newClients(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	for _, id := range []string{
		"", "x", "qrc_", "qrc_%", "qrc_eyJ9", "http://example.org/client", "https://example.org", "https://example.org/", "https://u@example.org/c", "https://example.org/c#f", "https://example.org/a/../c",
		"https://example.org/" + strings.Repeat("x", longestAddress), "ftp://example.org/c", "https://example.org:22/c", "https://example.org:/c", "https://example.org:0/c",
	} {
		if _, err := c.Find(t.Context(), id, anywhere); codeOf(err) != "invalid_client" {
			t.Errorf("%.40q: %v", id, err)
		}
	}
	if *reads != 0 {
		t.Errorf("%d requests were made for them", *reads)
	}
	if _, err := c.Find(t.Context(), host+"/gone", anywhere); codeOf(err) != "invalid_client" {
		t.Errorf("a document that does not exist: %v", err)
	}
}

func TestDocumentsOfClients(t *testing.T) {
	var host string
	document := func(id, rest string) string {
		return `{"client_id": "` + host + id + `", "client_name": "Claude", "redirect_uris": ["https://claude.ai/callback"]` + rest + `}`
	}
	c, host, reads := newClients(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good":
			w.Write([]byte(document("/good", "")))
		case "/other":
			w.Write([]byte(document("/good", "")))
		case "/secret":
			w.Write([]byte(document("/secret", `, "token_endpoint_auth_method": "client_secret_basic"`)))
		case "/large":
			w.Write([]byte(document("/large", `, "x": "`+strings.Repeat("x", longestDocument)+`"`)))
		case "/moved":
			http.Redirect(w, r, host+"/good", http.StatusFound)
		case "/script":
			w.Write([]byte(`{"client_id": "` + host + `/script", "redirect_uris": ["javascript:alert(1)"]}`))
		}
	})
	for range 3 {
		one, err := c.Find(t.Context(), host+"/good", anywhere)
		if err != nil || one.Name != "Claude" || !one.Allows("https://claude.ai/callback") {
			t.Fatalf("%+v, %v", one, err)
		}
	}
	if *reads != 1 {
		t.Errorf("the document was read %d times", *reads)
	}
	c.now = func() time.Time { return time.Now().Add(2 * documentLasts) }
	if _, err := c.Find(t.Context(), host+"/good", anywhere); err != nil || *reads != 2 {
		t.Errorf("an old document is not read again: %d times, %v", *reads, err)
	}
	for _, path := range []string{"/other", "/secret", "/large", "/moved", "/script", "/empty"} {
		if _, err := c.Find(t.Context(), host+path, anywhere); codeOf(err) != "invalid_client" {
			t.Errorf("%s: %v", path, err)
		}
	}
	private := errors.New("a private address")
	if _, err := c.Find(t.Context(), host+"/private", func(netip.Addr) error { return private }); codeOf(err) != "invalid_client" || strings.Contains(err.Error(), "private address") {
		t.Errorf("an address that is not allowed: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Find(cancelled, host+"/late", anywhere); codeOf(err) != "invalid_client" {
		t.Errorf("after the request has ended: %v", err)
	}
}

func TestKnownDocumentsAreBounded(t *testing.T) {
	c, _, _ := newClients(t, nil)
	for i := range mostDocuments + 5 {
		c.remember(&Client{ID: "https://example.org/" + strings.Repeat("x", i)})
	}
	if len(c.known) > mostDocuments {
		t.Errorf("%d documents are kept", len(c.known))
	}
}

func TestOnlyNamedAddressesAreAllowed(t *testing.T) {
	c := &Client{Redirects: []string{"https://claude.ai/callback?a=b", "http://127.0.0.1/callback", "http://localhost:8080/x"}}
	for redirect, allowed := range map[string]bool{
		"https://claude.ai/callback?a=b": true, "http://127.0.0.1:5/callback": true, "http://127.0.0.1/callback": true, "http://localhost:9/x": true,
		"https://claude.ai/callback": false, "https://claude.ai:443/callback?a=b": false, "https://claude.ai/callback?a=b&c=d": false, "https://CLAUDE.ai/callback?a=b": false,
		"http://claude.ai/callback?a=b": false, "http://127.0.0.1:5/other": false, "http://127.0.0.2:5/callback": false, "https://127.0.0.1/callback": false,
		"http://localhost/callback": false, "http://127.0.0.1:5/callback#x": false, "": false, "https://evil.example/": false,
	} {
		if c.Allows(redirect) != allowed {
			t.Errorf("%q: %t", redirect, !allowed)
		}
	}
}

func TestWhatAClientAsksForIsChecked(t *testing.T) {
	c, _, _ := newClients(t, nil)
	one, err := c.Register(Registration{Name: "Claude", Redirects: []string{"https://claude.ai/callback?a=b"}})
	if err != nil {
		t.Fatal(err)
	}
	const issuer, resource = "https://cms.example.org", "https://cms.example.org/mcp"
	ask := func(change func(url.Values)) (*Authorization, error) {
		p := url.Values{
			"client_id": {one.ID}, "redirect_uri": {one.Redirects[0]}, "response_type": {"code"}, "state": {"s&t"}, "resource": {resource},
			"code_challenge": {strings.Repeat("a", 43)}, "code_challenge_method": {"S256"}, "scope": {"mcp offline_access"},
		}
		change(p)
		return c.Authorization(t.Context(), p, issuer, resource, anywhere)
	}
	a, err := ask(func(url.Values) {})
	if err != nil || a.Granted("c") != "https://claude.ai/callback?a=b&code=c&iss=https%3A%2F%2Fcms.example.org&state=s%26t" {
		t.Fatalf("%+v, %v", a, err)
	}
	for name, wrong := range map[string]struct {
		code   string
		change func(url.Values)
	}{
		"unknown client":    {"", func(p url.Values) { p.Set("client_id", "qrc_x") }},
		"no client":         {"", func(p url.Values) { p.Del("client_id") }},
		"other address":     {"", func(p url.Values) { p.Set("redirect_uri", "https://evil.example/") }},
		"no address":        {"", func(p url.Values) { p.Del("redirect_uri") }},
		"two addresses":     {"", func(p url.Values) { p.Add("redirect_uri", "https://evil.example/") }},
		"token":             {"unsupported_response_type", func(p url.Values) { p.Set("response_type", "token") }},
		"plain":             {"invalid_request", func(p url.Values) { p.Set("code_challenge_method", "plain") }},
		"no method":         {"invalid_request", func(p url.Values) { p.Del("code_challenge_method") }},
		"no challenge":      {"invalid_request", func(p url.Values) { p.Del("code_challenge") }},
		"a short challenge": {"invalid_request", func(p url.Values) { p.Set("code_challenge", "abc") }},
		"other resource":    {"invalid_target", func(p url.Values) { p.Set("resource", "https://evil.example/mcp") }},
		"a long state":      {"invalid_request", func(p url.Values) { p.Set("state", strings.Repeat("x", longestState+1)) }},
	} {
		a, err := ask(wrong.change)
		switch {
		case codeOf(err) == "" || (a == nil) != (wrong.code == ""):
			t.Errorf("%s: %+v, %v", name, a, err)
		case a != nil && codeOf(err) != wrong.code:
			t.Errorf("%s: %v", name, err)
		case a != nil && !strings.HasPrefix(a.Refused(err.(*Error)), "https://claude.ai/callback?a=b&error="+wrong.code+"&"):
			t.Errorf("%s: the browser goes to %s", name, a.Refused(err.(*Error)))
		}
	}
}
