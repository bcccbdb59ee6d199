package server_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth/openid/openidtest"
)

const frontPage = "https://front.example.org/connect/test"

// connectSite is the sample with a provider, and with more members in "auth".
func connectSite(t *testing.T, p *openidtest.Provider, provider, more string) fs.FS {
	t.Helper()
	folder := fstest.MapFS{}
	site := sampleWith(t, "{}", noRoles).(fstest.MapFS)
	for name, file := range site {
		folder[name] = file
	}
	folder["site.json"] = &fstest.MapFile{Data: fmt.Appendf(nil, `{"url": "https://cms.example.org", "auth": {%s
		"providers": {"test": {"issuer": %q, "clientId": %q, "callbacks": [%q, "https://other.example.org/in?from=cms"] %s}}}}`, more, p.URL, openidtest.ClientID, frontPage, provider)}
	return folder
}

const noLimit = `"rateLimit": {"enabled": false},`

func openConnect(t *testing.T, provider, more string) (*accountSite, *openidtest.Provider) {
	p := openidtest.New(t)
	return openAccountSite(t, connectSite(t, p, provider, more), options{ProviderSecret: openidtest.Secret}), p
}

// browser is a browser: it keeps the cookies of the site.
type browser struct {
	*accountSite
	cookie string
}

func (v *browser) get(path string) *answer {
	v.t.Helper()
	a := v.send("", "GET", path, "", "Cookie", v.cookie)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		v.cookie = c.Name + "=" + c.Value
	}
	return a
}

// location returns the address of a redirect.
func location(t *testing.T, a *answer) *url.URL {
	t.Helper()
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil || a.status != 302 || a.header.Get("Location") == "" {
		t.Fatalf("the browser is not sent on: %d %s", a.status, a.body)
	}
	return u
}

// comeBack begins to sign in and signs in at the provider. It returns the path on the site
// to which the provider redirects.
func (v *browser) comeBack(begin string) string {
	v.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Get(location(v.t, v.get(begin)).String())
	check(v.t, err)
	answer.Body.Close()
	back, err := answer.Location()
	check(v.t, err)
	if !strings.HasPrefix(back.String(), "https://cms.example.org/api/connect/test/callback?") {
		v.t.Fatalf("the provider sends the browser to %s", back)
	}
	return back.RequestURI()
}

// signIn does all steps, and returns the last response.
func (v *browser) signIn() *answer {
	v.t.Helper()
	front := location(v.t, v.get(v.comeBack("/api/connect/test")))
	return v.get("/api/auth/test/callback?" + front.RawQuery)
}

func TestSomebodySignsInAtAProvider(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	first := location(t, v.get(v.comeBack("/api/connect/test")))
	if base, _, _ := strings.Cut(first.String(), "?"); base != frontPage || !first.Query().Has("access_token") || len(first.Query()) != 1 {
		t.Fatalf("the front end gets %s", first)
	}
	a := v.get("/api/auth/test/callback?populate=role&" + first.RawQuery)
	if a.status != 200 || a.text(t, "user.email") != "ana@example.org" || a.text(t, "user.username") != "ana" || a.text(t, "user.provider") != "test" ||
		a.text(t, "user.confirmed") != "true" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a.header.Get("Cache-Control") != "no-store" || a.header.Get("Etag") != "" || strings.Contains(a.body, "providerKey") {
		t.Errorf("the answer is %v %s", a.header, a.body)
	}
	h.tokens["ana"] = a.text(t, "jwt")
	if me := h.send("ana", "GET", "/api/users/me", ""); me.text(t, "username") != "ana" {
		t.Errorf("with the JWT: %s", me.body)
	}
	p.Person["email"], p.Person["email_verified"] = "new@example.org", false // the address does not identify the person
	if again := v.signIn(); again.text(t, "user.id") != a.text(t, "user.id") || again.text(t, "user.email") != "ana@example.org" {
		t.Errorf("the second time: %s", again.body)
	}
	if audit := h.send("full", "GET", "/api/users/count", ""); audit.body != "1" {
		t.Errorf("there are %s users", audit.body)
	}
}

func TestAVoucherWorksOnceAndForItsProvider(t *testing.T) {
	t.Parallel()
	h, _ := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	query := location(t, v.get(v.comeBack("/api/connect/test"))).RawQuery
	if a := h.send("", "HEAD", "/api/auth/test/callback?"+query, ""); a.status != 204 {
		t.Errorf("a look at it is %d", a.status)
	}
	if a := v.get("/api/auth/test/callback?" + query); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for name, query := range map[string]string{
		"used": query, "the provider's": "access_token=access", "cut": query[:len(query)-4], "empty": "access_token=", "missing": "",
		"an ID token": "id_token=x.y.z", "a list": "access_token[]=x", "an object": "access_token[$ne]=x", "of another purpose": "access_token=" + strings.Repeat("QUFB", 30),
	} {
		a := h.send("", "GET", "/api/auth/test/callback?"+query, "")
		if a.status != 400 || strings.Contains(a.body, "jwt") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

func TestAttemptsOfOtherBrowsers(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, "", noLimit)
	mine, theirs := &browser{accountSite: h}, &browser{accountSite: h}
	back := mine.comeBack("/api/connect/test")
	for name, do := range map[string]func() *answer{
		"a browser that began nothing":       func() *answer { return h.send("", "GET", back, "") },
		"a browser that began something":     func() *answer { theirs.comeBack("/api/connect/test"); return theirs.get(back) },
		"a refusal":                          func() *answer { return theirs.get("/api/connect/test/callback?error=access_denied&state=x") },
		"a state that is repeated with none": func() *answer { return h.send("", "GET", "/api/connect/test/callback", "") },
	} {
		front := location(t, do())
		if front.Query().Get("error") != "oauth_error" || front.Query().Has("access_token") || !strings.HasPrefix(front.String(), frontPage) {
			t.Errorf("%s: %s", name, front)
		}
	}
	if p.Count("/token") != 0 {
		t.Error("a code was exchanged")
	}
	if front := location(t, mine.get(back)); !front.Query().Has("access_token") {
		t.Errorf("the browser itself: %s", front)
	}
	if front := location(t, mine.get(back)); front.Query().Has("access_token") {
		t.Errorf("the browser itself, again: %s", front)
	}
}

func TestWhatTheFrontEndHearsOfFailures(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	back := v.comeBack("/api/connect/test")
	u, _ := url.Parse(back)
	front := location(t, v.get("/api/connect/test/callback?error=access_denied&error_description=secret&state="+u.Query().Get("state")))
	if q := front.Query(); q.Get("error") != "access_denied" || strings.Contains(front.String(), "secret") {
		t.Errorf("a refusal: %s", front)
	}
	p.Change = func(c map[string]any) { c["nonce"] = "other" }
	if front := location(t, v.get(v.comeBack("/api/connect/test"))); front.Query().Get("error_description") != "The provider did not prove who signed in" {
		t.Errorf("another nonce: %s", front)
	}
	p.Answer["/token"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }
	if front := location(t, v.get(v.comeBack("/api/connect/test"))); front.Query().Get("error_description") != "The provider cannot be reached" {
		t.Errorf("a broken provider: %s", front)
	}
	if log := h.log.String(); !strings.Contains(log, "another attempt to sign in") || strings.Contains(log, openidtest.Secret) || strings.Contains(log, "code=") {
		t.Errorf("the log says %s", log)
	}
	p.Answer["/.well-known/openid-configuration"] = http.NotFound
	other := openAccountSite(t, connectSite(t, p, "", noLimit), options{ProviderSecret: openidtest.Secret})
	if a := other.send("", "GET", "/api/connect/test", ""); a.status != 503 {
		t.Errorf("a provider that says nothing of itself: %d %s", a.status, a.body)
	}
}

func TestWhereTheBrowserIsSent(t *testing.T) {
	t.Parallel()
	h, _ := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	for requested, want := range map[string]string{
		"": frontPage + "?", frontPage + "?state=mine": frontPage + "?state=mine&", "https://other.example.org/in": "https://other.example.org/in?",
	} {
		front := location(t, v.get(v.comeBack("/api/connect/test?callback="+url.QueryEscape(requested)))).String()
		if !strings.HasPrefix(front, want+"access_token=") {
			t.Errorf("who asks for %q comes to %s", requested, front)
		}
	}
	for _, requested := range []string{
		"https://evil.example.org/connect/test", "https://front.example.org/connect", "https://front.example.org/connect/test/..", "http://front.example.org/connect/test",
		"https://front.example.org:8443/connect/test", "https://front.example.org@evil.example.org/connect/test", "//front.example.org/connect/test", "/connect/test",
		"javascript:alert(1)", frontPage + "#x", frontPage + "?access_token=x", frontPage + "/", "https://front.example.org\\@evil.example.org/connect/test",
		frontPage + "?" + strings.Repeat("x", 2000),
	} {
		if a := v.get("/api/connect/test?callback=" + url.QueryEscape(requested)); a.status != 400 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%.100q: %d %s", requested, a.status, a.header.Get("Location"))
		}
	}
	if a := v.get("/api/connect/test?callback[]=x"); a.status != 400 {
		t.Errorf("a list: %d", a.status)
	}
}

func TestWhoseAccountItIs(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	h.join("ana") // with a password
	if a := v.signIn(); a.status != 400 || a.text(t, "error.message") != "Email is already taken." {
		t.Errorf("the address of somebody with a password: %d %s", a.status, a.body)
	}
	p.Person["email"] = "ANA@EXAMPLE.ORG"
	if a := v.signIn(); a.status != 400 {
		t.Errorf("the same in capital letters: %d %s", a.status, a.body)
	}
	for message, change := range map[string]func(){
		"Email was not verified by the provider.": func() { p.Person["email"], p.Person["email_verified"] = "cyd@example.org", false },
		"Email was not available.":                func() { delete(p.Person, "email") },
	} {
		change()
		if a := v.signIn(); a.status != 400 || a.text(t, "error.message") != message {
			t.Errorf("%s: %d %s", message, a.status, a.body)
		}
	}
	p.Person["email"], p.Person["email_verified"], p.Person["preferred_username"] = "cyd@example.org", true, "ana@example.org"
	made := v.signIn()
	if name := made.text(t, "user.username"); !strings.HasPrefix(name, "ana") || name == "ana" || strings.Contains(name, "@") {
		t.Errorf("the user is called %s", name)
	}
	p.Person["sub"] = "person-2"
	if a := v.signIn(); a.status != 400 || a.text(t, "error.message") != "Email is already taken." {
		t.Errorf("another person with the same address: %d %s", a.status, a.body)
	}
	if a := h.send("", "POST", "/api/auth/local", `{"identifier": "cyd@example.org", "password": "secret-1"}`); a.status != 400 {
		t.Errorf("with a password: %d %s", a.status, a.body)
	}
	id := made.text(t, "user.id")
	if a := h.send("full", "PUT", "/api/users/"+id, `{"blocked": true}`); a.status != 200 {
		t.Fatal(a.body)
	}
	p.Person["sub"] = "person-1"
	if a := v.signIn(); a.status != 400 || a.text(t, "error.message") != "Your account has been blocked by an administrator" {
		t.Errorf("blocked: %d %s", a.status, a.body)
	}
}

// A user of the provider who has never signed in there, as after an import, is the one with
// the verified address.
func TestUsersWhoAreThereAlready(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, "", noLimit)
	v := &browser{accountSite: h}
	h.join("ana")
	if a := h.send("full", "PUT", "/api/users/1", `{"provider": "test"}`); a.status != 200 {
		t.Fatal(a.body)
	}
	p.Person["email_verified"] = false
	if a := v.signIn(); a.status != 400 {
		t.Errorf("an address that is not verified: %d %s", a.status, a.body)
	}
	p.Person["email_verified"] = true
	if a := v.signIn(); a.status != 200 || a.text(t, "user.id") != "1" {
		t.Errorf("%d %s", a.status, a.body)
	}
	p.Person["sub"] = "person-2"
	if a := v.signIn(); a.status != 400 {
		t.Errorf("another person with the address: %d %s", a.status, a.body)
	}
	if a := h.send("full", "PUT", "/api/users/1", `{"provider": "local"}`); a.status != 200 {
		t.Fatal(a.body)
	}
	p.Person["sub"], p.Person["email"] = "person-1", "new@example.org"
	if a := v.signIn(); a.status != 400 {
		t.Errorf("a user who signs in with a password now: %d %s", a.status, a.body)
	}
	if a := h.send("full", "PUT", "/api/users/1", `{"providerKey": "test:x"}`); a.status != 400 {
		t.Errorf("setting the key: %d %s", a.status, a.body)
	}
}

func TestRegistrationIsClosed(t *testing.T) {
	t.Parallel()
	h, _ := openConnect(t, "", noLimit+`"register": {"enabled": false},`)
	if a := (&browser{accountSite: h}).signIn(); a.status != 400 || a.text(t, "error.message") != "Register action is actually not available." {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestSessionsOfProvidersAreRefreshed(t *testing.T) {
	t.Parallel()
	h, _ := openConnect(t, "", noLimit+`"refresh": {"enabled": true}, "confirmation": {"required": true},`)
	a := (&browser{accountSite: h}).signIn()
	if a := h.send("", "POST", "/api/auth/refresh", fmt.Sprintf(`{"refreshToken": %q}`, a.text(t, "refreshToken"))); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestTrustedAddresses(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, `, "trustEmails": true`, noLimit)
	delete(p.Person, "email_verified")
	if a := (&browser{accountSite: h}).signIn(); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestIDTokensOfPrograms(t *testing.T) {
	t.Parallel()
	h, p := openConnect(t, `, "idTokens": true`, noLimit)
	token := p.IDToken("")
	if a := h.send("", "GET", "/api/auth/test/callback?id_token="+token, ""); a.status != 200 || a.text(t, "user.email") != "ana@example.org" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	parts := strings.Split(token, ".")
	other := parts[1][:len(parts[1])-1]
	bad := map[string]string{
		"used":                         token,
		"used, with a line feed":       parts[0] + "." + parts[1] + "%0A." + parts[2],
		"used, with a space":           "%20" + token,
		"used, in JSON":                url.QueryEscape(fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q,"header":{"x":"."}}`, parts[0], parts[1], parts[2])),
		"used, with letters that vary": parts[0] + "." + other + string(parts[1][len(other)]+1) + "." + parts[2],
	}
	for name, change := range map[string]func(map[string]any){
		"of another client": func(c map[string]any) { c["aud"] = "other" },
		"expired":           func(c map[string]any) { c["exp"] = time.Now().Add(-time.Second).Unix() },
		"old":               func(c map[string]any) { c["iat"] = time.Now().Add(-11 * time.Minute).Unix() },
		"to come":           func(c map[string]any) { c["iat"] = time.Now().Add(11 * time.Minute).Unix() },
		"without a moment":  func(c map[string]any) { delete(c, "iat") },
	} {
		p.Change = change
		bad[name] = p.IDToken("")
	}
	for name, token := range bad {
		if a := h.send("", "GET", "/api/auth/test/callback?id_token="+token, ""); a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	closed := openAccountSite(t, connectSite(t, p, "", noLimit), options{ProviderSecret: openidtest.Secret})
	p.Change = nil
	if a := closed.send("", "GET", "/api/auth/test/callback?id_token="+p.IDToken(""), ""); a.status != 400 || a.text(t, "error.message") != "No access_token." {
		t.Errorf("where the site does not take them: %d %s", a.status, a.body)
	}
}

func TestProvidersThatAreNotThere(t *testing.T) {
	t.Parallel()
	p := openidtest.New(t)
	h := openAccountSite(t, connectSite(t, p, "", noLimit), options{})
	for _, path := range []string{"/api/connect/test", "/api/connect/test/callback", "/api/auth/test/callback", "/api/connect/other", "/api/connect/other/callback", "/api/auth/other/callback"} {
		if a := h.send("", "GET", path, ""); a.status != 400 || a.text(t, "error.message") != "This provider is disabled" {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if !strings.Contains(h.log.String(), "nobody can sign in at a provider") {
		t.Error("the log does not say that a secret is missing")
	}
	closed := openAccountSite(t, func() fs.FS {
		site := connectSite(t, p, "", noLimit).(fstest.MapFS)
		text := strings.TrimSuffix(string(site["site.json"].Data), "}") + `, "roles": {"public": {"plugin::users-permissions.auth": ["register"]}}}`
		site["site.json"] = &fstest.MapFile{Data: []byte(text)}
		return site
	}(), options{ProviderSecret: openidtest.Secret})
	for _, path := range []string{"/api/connect/test", "/api/connect/test/callback", "/api/auth/test/callback"} {
		if a := closed.send("", "GET", path, ""); a.status != 403 {
			t.Errorf("%s, which the public may not: %d %s", path, a.status, a.body)
		}
	}
}

func TestTriesAtProvidersAreLimited(t *testing.T) {
	t.Parallel()
	h, _ := openConnect(t, "", `"rateLimit": {"max": 3},`)
	for _, path := range []string{"/api/connect/test", "/api/connect/test/callback", "/api/auth/test/callback?access_token=x"} {
		for i := range 4 {
			if a := h.send("", "GET", path, ""); (a.status == 429) != (i == 3) {
				t.Errorf("%s, try %d: %d %s", path, i+1, a.status, a.body)
			}
		}
	}
}
