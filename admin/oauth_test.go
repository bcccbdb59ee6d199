package admin_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/store"
)

const (
	verifier = "a verifier that a program has made up, forty-three characters"
	callback = "http://127.0.0.1:33418/callback"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// program is a program that connects by OAuth.
type program struct {
	*client
	id string
}

// newProgram registers a program at the site.
func (o *testAdmin) newProgram() *program {
	o.t.Helper()
	p := &program{client: o.client()}
	p.id = p.want(201, "POST", "//oauth/register", `{"client_name":"Claude","redirect_uris":["`+callback+`"]}`).text("client_id")
	return p
}

// request returns the query with which the program sends a browser to the site. Pairs of
// changes replace its parameters; "-" leaves one out.
func (p *program) request(changes ...string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {p.id}, "redirect_uri": {callback}, "state": {"xyz"}, "resource": {"http://example.com/mcp"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(changes); i += 2 {
		if q.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			q.Del(changes[i])
		}
	}
	return q.Encode()
}

// decide sends the decision of a person, and returns the answer.
func (v *client) decide(status int, query, name string, allow bool) *answer {
	v.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "allow": allow, "name": name, "days": 90, "limits": map[string]any{}})
	check(v.t, err)
	return v.want(status, "POST", "/assistants/connect", string(body))
}

// allow lets a person connect the program, and returns the code.
func (p *program) allow(v *client, name string) string {
	p.t.Helper()
	back, err := url.Parse(strings.ReplaceAll(v.decide(200, p.request(), name, true).text("data.back"), `\u0026`, "&"))
	check(p.t, err)
	if back.Query().Get("state") != "xyz" || back.Query().Get("iss") != "http://example.com" || back.Query().Get("code") == "" {
		p.t.Fatalf("the browser goes to %s", back)
	}
	return back.Query().Get("code")
}

// exchange sends a request for tokens. Pairs of changes are as in request.
func (p *program) exchange(code string, changes ...string) *answer {
	p.t.Helper()
	q := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {p.id}, "redirect_uri": {callback}, "code_verifier": {verifier}, "resource": {"http://example.com/mcp"}}
	for i := 0; i < len(changes); i += 2 {
		if q.Set(changes[i], changes[i+1]); changes[i+1] == "-" {
			q.Del(changes[i])
		}
	}
	return p.post("token", q)
}

func (p *program) post(path string, q url.Values) *answer {
	p.t.Helper()
	return p.ask("POST", "//oauth/"+path, q.Encode(), "Content-Type", "application/x-www-form-urlencoded", "X-Quire-Admin", "-")
}

func (p *program) refresh(token string) *answer {
	p.t.Helper()
	return p.post("token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {p.id}})
}

// acts reports whether a token is valid.
func (o *testAdmin) acts(token string) bool { _, err := o.people.Assistant(token); return err == nil }

func TestProgramsFindTheWay(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v := o.client()
	resource := v.want(200, "GET", "//.well-known/oauth-protected-resource/mcp", "")
	if resource.text("resource") != "http://example.com/mcp" || !strings.Contains(resource.body, `"authorization_servers":["http://example.com"]`) {
		t.Errorf("the resource: %s", resource.body)
	}
	v.want(200, "GET", "//.well-known/oauth-protected-resource", "")
	meta := v.want(200, "GET", "//.well-known/oauth-authorization-server", "")
	for _, part := range []string{`"issuer":"http://example.com"`, `"authorization_endpoint":"http://example.com/oauth/authorize"`, `"code_challenge_methods_supported":["S256"]`, `"registration_endpoint":"http://example.com/oauth/register"`} {
		if !strings.Contains(meta.body, part) {
			t.Errorf("the server has no %s: %s", part, meta.body)
		}
	}
	if meta.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error("a program in a page cannot read where to go")
	}
	v.want(204, "OPTIONS", "//oauth/token", "")
	v.want(405, "GET", "//oauth/token", "")
	v.want(405, "POST", "//.well-known/oauth-authorization-server", "")
	v.want(404, "GET", "//oauth/other", "")
	v.want(404, "GET", "//.well-known/oauth-protected-resource/other", "")
	page := v.want(302, "GET", "//oauth/authorize?client_id=x&state=a%26b", "")
	if page.header.Get("Location") != "/admin/connect?client_id=x&state=a%26b" {
		t.Errorf("a browser is sent to %s", page.header.Get("Location"))
	}
}

// What a client says about the host changes nothing that programs are told: with an address in
// site.json nothing does, and without one only the host that the request is for.
func TestSpoofedHostsChangeNoAddress(t *testing.T) {
	t.Parallel()
	spoofed := []string{"X-Forwarded-Host", "evil.example", "Forwarded", "host=evil.example;proto=https", "X-Forwarded-Proto", "https", "X-Forwarded-Server", "evil.example", "X-Original-Host", "evil.example", "X-Host", "evil.example"}
	paths := []string{"//.well-known/oauth-protected-resource/mcp", "//.well-known/oauth-authorization-server", "//oauth/authorize?client_id=x"}
	open := map[string]*testAdmin{
		"http://example.com":      openWithAssistants(t), // the host of the requests
		"https://cms.example.org": openAdmin(t, `"auth": {`, `"mcp": { "enabled": true }, "url": "https://cms.example.org", "auth": {`),
	}
	for origin, o := range open {
		v := o.owner()
		for _, path := range paths {
			a := v.ask("GET", path, "", spoofed...)
			said := a.body + a.header.Get("Location")
			if strings.Contains(said, "evil") || strings.Contains(said, "://") && strings.Count(said, `"`+origin) != strings.Count(said, "://") {
				t.Errorf("%s of %s: %d %s", path, origin, a.status, said)
			}
		}
		p := &program{client: o.client()}
		p.id = p.want(201, "POST", "//oauth/register", `{"redirect_uris":["`+callback+`"]}`).text("client_id")
		body, err := json.Marshal(map[string]any{"query": p.request("resource", origin+"/mcp"), "allow": true, "name": "A", "days": 1, "limits": map[string]any{}})
		check(t, err)
		back := v.want(200, "POST", "/assistants/connect", string(body), append([]string{"Origin", "-"}, spoofed...)...).text("data.back")
		if !strings.Contains(back, "iss="+url.QueryEscape(origin)) || strings.Contains(back, "evil") {
			t.Errorf("the browser goes to %s", back)
		}
		if a := p.exchange("x", "resource", "https://evil.example/mcp"); a.text("error") != "invalid_target" {
			t.Errorf("another resource: %s", a.body)
		}
	}
	// A site with an address has that one also for requests to another host.
	o := open["https://cms.example.org"]
	r := httptest.NewRequest("GET", "/.well-known/oauth-authorization-server", nil)
	r.Host = "evil.example"
	w := httptest.NewRecorder()
	if o.handler.ServeHTTP(w, r); strings.Contains(w.Body.String(), "evil") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAProgramIsConnected(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v, p := o.owner(), o.newProgram()
	shown := v.want(200, "POST", "/assistants/connection", fmt.Sprintf(`{"query":%q}`, p.request()))
	if shown.text("data.client") != "Claude" || shown.text("data.host") != "127.0.0.1:33418" || shown.text("data.document") != "null" || shown.text("data.back") != "null" {
		t.Errorf("the person sees %s", shown.body)
	}
	code := p.allow(v, "Claude")
	tokens := p.exchange(code)
	if tokens.status != 200 || tokens.text("token_type") != "Bearer" || tokens.text("expires_in") != "3600" || tokens.header.Get("Cache-Control") != "no-store" || !o.acts(tokens.text("access_token")) {
		t.Fatalf("the tokens: %d %s", tokens.status, tokens.body)
	}
	if list := v.want(200, "GET", "/assistants", ""); !strings.Contains(list.body, `"client":"Claude"`) {
		t.Errorf("the list: %s", list.body)
	}
	o.clock.pass(time.Hour)
	next := p.refresh(tokens.text("refresh_token"))
	if next.status != 200 || o.acts(tokens.text("access_token")) || !o.acts(next.text("access_token")) {
		t.Errorf("the next tokens: %d %s", next.status, next.body)
	}
	p.post("revoke", url.Values{"token": {next.text("refresh_token")}, "client_id": {p.id}})
	if o.acts(next.text("access_token")) {
		t.Error("a revoked token is valid")
	}
}

func TestTokensAreRefused(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v, p := o.owner(), o.newProgram()
	code, other := p.allow(v, "Claude"), o.newProgram()
	for name, try := range map[string][]string{
		"invalid_grant of another address":  {"redirect_uri", callback + "/"},
		"invalid_grant of no address":       {"redirect_uri", "-"},
		"invalid_grant of another verifier": {"code_verifier", verifier + "!"},
		"invalid_grant of no verifier":      {"code_verifier", "-"},
		"invalid_grant of another client":   {"client_id", other.id},
		"invalid_grant of no client":        {"client_id", "-"},
		"invalid_grant of no code":          {"code", "-"},
		"invalid_grant of another code":     {"code", code + "0"},
		"invalid_target of a resource":      {"resource", "http://evil.example/mcp"},
		"unsupported_grant_type of none":    {"grant_type", "-"},
		"unsupported_grant_type of another": {"grant_type", "password"},
	} {
		if a := p.exchange(code, try...); a.status != 400 || a.text("error") != strings.Fields(name)[0] {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if a := p.ask("POST", "//oauth/token", "code=a&code=b", "Content-Type", "application/x-www-form-urlencoded"); a.status != 400 || a.text("error") != "invalid_request" {
		t.Errorf("a parameter twice: %d %s", a.status, a.body)
	}
	if a := p.ask("POST", "//oauth/token", "code=%zz"); a.status != 400 {
		t.Errorf("a broken body: %d %s", a.status, a.body)
	}
	if a := p.ask("POST", "//oauth/token", "code="+strings.Repeat("x", 70_000)); a.status != 413 {
		t.Errorf("a long body: %d %s", a.status, a.body)
	}
	if a := p.exchange(code); a.status != 200 {
		t.Fatalf("after all of these the code is refused: %s", a.body)
	}
	late := p.allow(v, "Late")
	o.clock.pass(time.Minute)
	if a := p.exchange(late); a.text("error") != "invalid_grant" {
		t.Errorf("an expired code: %s", a.body)
	}
}

func TestUsedTwiceEndsAllTokens(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v, p := o.owner(), o.newProgram()
	code := p.allow(v, "Code")
	tokens := p.exchange(code)
	if a := p.exchange(code); a.text("error") != "invalid_grant" || o.acts(tokens.text("access_token")) {
		t.Errorf("a code, used twice: %s", a.body)
	}
	first := p.exchange(p.allow(v, "Refresh"))
	second := p.refresh(first.text("refresh_token"))
	if a := p.refresh(first.text("refresh_token")); a.text("error") != "invalid_grant" || o.acts(second.text("access_token")) {
		t.Errorf("a token for new ones, used twice: %s", a.body)
	}
	if a := p.refresh(second.text("refresh_token")); a.text("error") != "invalid_grant" {
		t.Errorf("the newest, after that: %s", a.body)
	}
	lines := o.lines()
	last := lines[len(lines)-1]
	if last.Action != "assistant.end" || last.By.Kind != "public" || last.From != "192.0.2.1" || last.Way != "mcp" {
		t.Errorf("the log says %+v", last)
	}
}

func TestWhatAProgramAsksForIsRefused(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v, p := o.owner(), o.newProgram()
	for _, change := range [][]string{{"client_id", "qrc_unknown"}, {"client_id", "-"}, {"redirect_uri", "http://evil.example/"}, {"redirect_uri", callback + "?x"}, {"redirect_uri", "-"}, {"client_id", "https://127.0.0.1:9/document"}, {"client_id", "https://10.0.0.1/document"}} {
		if a := v.decide(400, p.request(change...), "Claude", true); strings.Contains(a.body, "evil") {
			t.Errorf("%q: %s", change, a.body)
		}
	}
	for _, change := range [][]string{{"code_challenge_method", "plain"}, {"code_challenge_method", "-"}, {"code_challenge", "-"}, {"response_type", "token"}, {"resource", "http://evil.example/mcp"}} {
		query := p.request(change...)
		back := v.decide(200, query, "Claude", true).text("data.back")
		shown := v.want(200, "POST", "/assistants/connection", fmt.Sprintf(`{"query":%q}`, query)).text("data.back")
		if back != shown || !strings.HasPrefix(back, callback+"?error=") || strings.Contains(back, "code=") {
			t.Errorf("%q: the browser goes to %s and %s", change, back, shown)
		}
	}
	if back := v.decide(200, p.request(), "Claude", false).text("data.back"); !strings.HasPrefix(back, callback+"?error=access_denied") {
		t.Errorf("a person who does not agree: %s", back)
	}
	if list := v.want(200, "GET", "/assistants", ""); list.text("data") != "[]" {
		t.Errorf("assistants were made: %s", list.body)
	}
	v.want(400, "POST", "/assistants/connection", `{"query":"%zz"}`)
	v.want(403, "POST", "/assistants/connect", fmt.Sprintf(`{"query":%q,"allow":true,"name":"A","days":1,"limits":{}}`, p.request()), "X-Quire-Admin", "-")
	o.client().want(401, "POST", "/assistants/connect", fmt.Sprintf(`{"query":%q,"allow":true,"name":"A","days":1,"limits":{}}`, p.request()))
}

func TestRegistrationsAreRefused(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v := o.client()
	for body, code := range map[string]string{
		`{}`: "invalid_redirect_uri", `{"redirect_uris":["javascript:alert(1)"]}`: "invalid_redirect_uri", `{"redirect_uris":["http://example.org/callback"]}`: "invalid_redirect_uri",
		`[]`: "invalid_client_metadata", `{"redirect_uris":"x"}`: "invalid_client_metadata", `{"redirect_uris":["` + callback + `"],"client_name":"` + strings.Repeat("x", 200) + `"}`: "invalid_client_metadata",
	} {
		if a := v.ask("POST", "//oauth/register", body); a.status != 400 || a.text("error") != code {
			t.Errorf("%.60s: %d %s", body, a.status, a.body)
		}
	}
	v.want(413, "POST", "//oauth/register", `{"client_name":"`+strings.Repeat("x", 70_000)+`"}`)
	commits := 0
	defer o.db.Subscribe(func(store.Commit) { commits++ })()
	statuses := []int{}
	for range 150 {
		statuses = append(statuses, v.ask("POST", "//oauth/register", `{"redirect_uris":["`+callback+`"]}`).status)
	}
	if commits > 0 {
		t.Error("registrations are stored")
	}
	if !slices.Contains(statuses, 429) {
		t.Error("one address registers without end")
	}
}

// The program of an account that is blocked gets no new tokens.
func TestBlockedAccountsRefreshNothing(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v, p := o.owner(), o.newProgram()
	id, bob := v.addAccount("bob", "editor")
	tokens := p.exchange(p.allow(bob, "Claude"))
	v.want(200, "PUT", "/accounts/"+id, `{"blocked":true}`)
	if a := p.refresh(tokens.text("refresh_token")); a.text("error") != "invalid_grant" || o.acts(tokens.text("access_token")) {
		t.Errorf("a blocked account: %s", a.body)
	}
}
