package openid_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/auth/openid"
	"quire/auth/openid/openidtest"
	"quire/schema/settings"
)

// Each answer of a provider can be broken in each way; none lets anybody in.
func TestAnswersOfAProviderThatIsBroken(t *testing.T) {
	for fault, answer := range map[string]http.HandlerFunc{
		"too long":   func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, io.LimitReader(blanks{}, 1<<20+1)) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) },
		"an error":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"nothing":    func(http.ResponseWriter, *http.Request) {},
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"a list":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "[]") },
		"an end too early": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			io.WriteString(w, "{")
		},
	} {
		for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/userinfo"} {
			p := openidtest.New(t)
			p.Change = func(c map[string]any) { delete(c, "email") }
			p.Answer[path] = answer
			id, err := round(t, newProvider(p))
			if !errors.As(err, new(*openid.UnreachableError)) && !errors.As(err, new(*openid.UntrustedError)) {
				t.Errorf("%s answers %s: %+v, %v", path, fault, id, err)
			}
			if err != nil && len(err.Error()) > 600 {
				t.Errorf("%s answers %s: the error has %d bytes", path, fault, len(err.Error()))
			}
			if n := p.Count(path); n > 2 {
				t.Errorf("%s answers %s: it was asked %d times", path, fault, n)
			}
		}
	}
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) { return copy(p, strings.Repeat(" ", len(p))), nil }

func TestAProviderThatDoesNotAnswer(t *testing.T) {
	p := openidtest.New(t)
	requested := make(chan struct{}, 1)
	p.Answer["/token"] = func(_ http.ResponseWriter, r *http.Request) {
		requested <- struct{}{}
		io.Copy(io.Discard, r.Body) // so that the server notices when the caller goes
		<-r.Context().Done()
	}
	provider := newProvider(p)
	a, address, err := provider.Begin(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	query := visit(t, address)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-requested; cancel() }()
	if _, err := provider.Finish(ctx, a, query); !errors.As(err, new(*openid.UnreachableError)) {
		t.Errorf("it ends with %v", err)
	}
	if openid.NewClient(anywhere).Timeout != 10*time.Second {
		t.Error("a request may take another time than ten seconds")
	}
}

func TestWhereRequestsMayGo(t *testing.T) {
	p := openidtest.New(t)
	o := options()
	o.Client = openid.NewClient((&settings.Events{}).CheckAddress)
	provider := openid.New(newProvider(p).Settings(), o)
	if _, _, err := provider.Begin(t.Context(), ""); !errors.As(err, new(*settings.AddressError)) {
		t.Errorf("to this machine, which nothing allows: %v", err)
	}
	answer, err := openid.NewClient(anywhere).Get("http://provider.example.org/")
	if err == nil {
		answer.Body.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "begins with http://") {
		t.Errorf("without TLS: %v", err)
	}
}

func TestAProviderThatSaysOfItselfWhatItIsNot(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"another issuer":     func(d map[string]any) { d["issuer"] = "https://elsewhere.example.org" },
		"a page without TLS": func(d map[string]any) { d["authorization_endpoint"] = "http://elsewhere.example.org/" },
		"a script":           func(d map[string]any) { d["authorization_endpoint"] = "javascript:alert(1)" },
		"codes without TLS":  func(d map[string]any) { d["token_endpoint"] = "http://elsewhere.example.org/" },
		"keys in a file":     func(d map[string]any) { d["jwks_uri"] = "file:///etc/passwd" },
		"no keys":            func(d map[string]any) { delete(d, "jwks_uri") },
		"people without TLS": func(d map[string]any) { d["userinfo_endpoint"] = "http://elsewhere.example.org/" },
	} {
		p := openidtest.New(t)
		p.Answer["/.well-known/openid-configuration"] = func(w http.ResponseWriter, _ *http.Request) {
			d := p.Description()
			change(d)
			openidtest.Write(w, d)
		}
		if _, _, err := newProvider(p).Begin(t.Context(), ""); !errors.As(err, new(*openid.UnreachableError)) {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// said is an answer that needs no network.
type said map[string]any

func (s said) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	openidtest.Write(w, s)
	return w.Result(), nil
}

// A provider elsewhere does not have this program ask what listens on this machine.
func TestAProviderElsewhereDoesNotLeadHere(t *testing.T) {
	const issuer = "https://accounts.example.org"
	for name, works := range map[string]bool{"": true, "token_endpoint": false, "jwks_uri": false, "userinfo_endpoint": false, "authorization_endpoint": false} {
		d := said{"issuer": issuer, "authorization_endpoint": issuer + "/a", "token_endpoint": issuer + "/t", "jwks_uri": issuer + "/k", "userinfo_endpoint": issuer + "/u"}
		if name != "" {
			d[name] = "http://127.0.0.1:9/"
		}
		o := options()
		o.Client = &http.Client{Transport: d}
		p := openid.New(settings.IdentityProvider{Name: "test", Issuer: issuer, ClientID: openidtest.ClientID}, o)
		if _, _, err := p.Begin(t.Context(), ""); (err == nil) != works {
			t.Errorf("with %q: %v", name, err)
		}
	}
}

// The provider is asked what it is once an hour, every ten seconds while it does not answer,
// and what it said holds for a day.
func TestAProviderIsNotAskedEachTime(t *testing.T) {
	const path = "/.well-known/openid-configuration"
	p := openidtest.New(t)
	now := time.Now()
	o := options()
	o.Now = func() time.Time { return now }
	provider := openid.New(newProvider(p).Settings(), o)
	begin := func(pass time.Duration, requested int, works bool) {
		t.Helper()
		now = now.Add(pass)
		_, _, err := provider.Begin(t.Context(), "")
		if n := p.Count(path); n != requested || (err == nil) != works {
			t.Errorf("asked %d times and not %d; %v", n, requested, err)
		}
	}
	begin(0, 1, true)
	begin(59*time.Minute, 1, true)
	begin(time.Minute, 2, true)
	p.Answer[path] = http.NotFound
	begin(time.Hour, 3, true)
	begin(9*time.Second, 3, true)
	begin(time.Second, 4, true)
	begin(22*time.Hour, 5, true)
	begin(time.Hour, 6, false)
	begin(9*time.Second, 6, false)
	delete(p.Answer, path)
	begin(time.Second, 7, true)
}
