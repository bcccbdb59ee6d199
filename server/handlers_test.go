package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

// client sends requests to one site over a real connection.
type client struct {
	t      *testing.T
	url    string
	tokens map[string]string
}

func newClient(t *testing.T) *client {
	t.Helper()
	handler, tokens := openSite(t)
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return &client{t, s.URL, tokens}
}

// answer is a response as a client sees it. Error is empty after a success.
type answer struct {
	status int
	header http.Header
	body   string
	Error  struct {
		Status  int             `json:"status"`
		Name    string          `json:"name"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
	} `json:"error"`
}

// send sends a request as the holder of a token, or without a credential. Headers are
// pairs of name and value.
func (c *client) send(as, method, path, body string, headers ...string) *answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	check(c.t, err)
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+c.tokens[as])
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	check(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(c.t, err)
	a := &answer{status: response.StatusCode, header: response.Header, body: string(text)}
	if a.status >= 400 && method != http.MethodHead {
		a.checkEnvelope(c.t, method+" "+path)
	}
	return a
}

// checkEnvelope checks the rules for every error.
func (a *answer) checkEnvelope(t *testing.T, request string) {
	t.Helper()
	var whole map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &whole); err != nil || string(whole["data"]) != "null" || len(whole) != 2 {
		t.Errorf("%.80s: not an error envelope: %s", request, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), a); err != nil || a.Error.Status != a.status || a.Error.Message == "" || a.Error.Details == nil {
		t.Errorf("%.80s: status %d, error %+v", request, a.status, a.Error)
	}
	if got := a.header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("%.80s: Content-Type %q", request, got)
	}
}

// documentID returns the documentId of the entry in the response.
func (a *answer) documentID(t *testing.T) string {
	t.Helper()
	var body struct {
		Data struct {
			DocumentID string `json:"documentId"`
		} `json:"data"`
	}
	check(t, json.Unmarshal([]byte(a.body), &body))
	if body.Data.DocumentID == "" {
		t.Fatalf("no documentId in %s", a.body)
	}
	return body.Data.DocumentID
}

func TestRouting(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, test := range []struct {
		as, method, path string
		status           int
		name             string
	}{
		{"", "GET", "/_health", 204, ""},
		{"", "HEAD", "/_health", 204, ""},
		{"", "GET", "/_health/", 204, ""},
		{"", "POST", "/_health", 405, "MethodNotAllowedError"},
		{"full", "GET", "/api/dishes", 200, ""},
		{"full", "GET", "/api/dishes/", 200, ""},
		{"full", "GET", "/api/dishes/?sort=name", 200, ""},
		{"full", "GET", "/api/dishes/" + id + "/", 200, ""},
		{"full", "HEAD", "/api/dishes", 200, ""},
		{"full", "HEAD", "/api/dishes/nope", 404, ""},
		{"full", "GET", "/api/dishes/nope", 404, "NotFoundError"},
		{"full", "GET", "/api/dishes/1", 404, "NotFoundError"},
		{"full", "GET", "/api/dishes/" + id + "/name", 404, "NotFoundError"},
		{"full", "GET", "/api/dishes/%2e%2e%2f", 404, "NotFoundError"},
		{"full", "GET", "/api/dishes/%00", 404, "NotFoundError"},
		{"full", "GET", "//api/dishes", 404, "NotFoundError"},
		{"full", "GET", "/api/Dishes", 404, "NotFoundError"},
		{"full", "GET", "/api/dish", 404, "NotFoundError"},
		{"full", "GET", "/api", 404, "NotFoundError"},
		{"full", "GET", "/api/", 404, "NotFoundError"},
		{"full", "GET", "/", 404, "NotFoundError"},
		{"full", "GET", "/api/components/place.geo", 404, "NotFoundError"},
		{"full", "PATCH", "/api/dishes/" + id, 405, "MethodNotAllowedError"},
		{"full", "PUT", "/api/dishes", 405, "MethodNotAllowedError"},
		{"full", "POST", "/api/homepage", 405, "MethodNotAllowedError"},
		{"full", "GET", "/api/homepage", 404, "NotFoundError"},
		{"full", "DELETE", "/api/homepage", 204, ""},
		{"full", "DELETE", "/api/dishes/nope", 204, ""},
		{"full", "BREW", "/api/dishes", 405, "MethodNotAllowedError"},
	} {
		got := c.send(test.as, test.method, test.path, "")
		if got.status != test.status || got.Error.Name != test.name {
			t.Errorf("%s %s: %d %s, want %d %s", test.method, test.path, got.status, got.Error.Name, test.status, test.name)
		}
		if got.status == 204 && got.body != "" {
			t.Errorf("%s %s: 204 with the body %q", test.method, test.path, got.body)
		}
	}
}

func TestMethodNotAllowedSaysWhatIs(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	if got := c.send("", "PATCH", "/api/dishes", "").header.Get("Allow"); got != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("Allow: %s", got)
	}
	if got := c.send("", "OPTIONS", "/api/homepage", ""); got.status != 204 || got.header.Get("Allow") != "DELETE, GET, HEAD, OPTIONS, PUT" {
		t.Errorf("OPTIONS: %d, Allow: %s", got.status, got.header.Get("Allow"))
	}
	if got := c.send("", "OPTIONS", "/api/nothing", ""); got.status != 404 {
		t.Errorf("OPTIONS of an unknown path: %d", got.status)
	}
}

// TRACE would send back the headers of a request, with their secrets.
func TestTraceIsRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, path := range []string{"/api/dishes", "/_health", "/uploads/a.png"} {
		if got := c.send("full", "TRACE", path, "", "X-Secret", "4711"); got.status != 405 || strings.Contains(got.body, "4711") {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestHeadIsGetWithoutTheBody(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	get, head := c.send("full", "GET", "/api/dishes", ""), c.send("full", "HEAD", "/api/dishes", "")
	if head.body != "" || head.header.Get("Content-Length") != get.header.Get("Content-Length") || head.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %q, Content-Length %s; GET has %s", head.body, head.header.Get("Content-Length"), get.header.Get("Content-Length"))
	}
}

// The order in which a request is checked: route, credential, permission, query and
// body, existence.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.tokens["bad"] = strings.Repeat("0", 256)
	for _, test := range []struct {
		as, method, path string
		status           int
	}{
		{"bad", "GET", "/api/nothing", 404},
		{"bad", "PATCH", "/api/dishes", 405},
		{"bad", "GET", "/api/dishes", 401},
		{"bad", "GET", "/api/reviews?filters[zzz]=1", 401},
		{"bad", "GET", "/_health", 401},
		{"", "GET", "/api/reviews?filters[zzz]=1", 403},
		{"", "GET", "/api/reviews/nope", 403},
		{"", "POST", "/api/dishes", 403},
		{"readonly", "POST", "/api/dishes", 403},
		{"readonly", "DELETE", "/api/dishes/nope", 403},
		{"", "GET", "/api/dishes?filters[zzz]=1", 400},
		{"", "GET", "/api/dishes/nope?fields=zzz", 400},
		{"full", "PUT", "/api/dishes/nope", 400},
		{"full", "PUT", "/api/dishes/nope?fields=zzz", 400},
		{"full", "DELETE", "/api/dishes/nope?populate[photo][filters][zzz]=1", 400},
		{"", "GET", "/api/dishes/nope", 404},
	} {
		if got := c.send(test.as, test.method, test.path, ""); got.status != test.status {
			t.Errorf("%q %s %s: %d %s, want %d", test.as, test.method, test.path, got.status, got.body, test.status)
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		authorization string
		status        int
	}{
		{"Bearer " + c.tokens["full"], 200},
		{"bearer " + c.tokens["full"], 200},
		{"BEARER  " + c.tokens["full"], 200},
		{"Bearer " + c.tokens["full"] + "0", 401},
		{"Bearer x", 401},
		{"Bearer", 403},
		{"Bearer ", 403},
		{"Basic abc", 403},
		{c.tokens["full"], 403},
		{"", 403},
	} {
		got := c.send("", "GET", "/api/reviews", "", "Authorization", test.authorization)
		if got.status != test.status {
			t.Errorf("Authorization %.20q: %d, want %d", test.authorization, got.status, test.status)
		}
		if strings.Contains(got.body, c.tokens["full"]) {
			t.Error("the answer repeats the token")
		}
	}
}

func TestEveryRouteHasAnAccessRule(t *testing.T) {
	t.Parallel()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	known := map[auth.Permission]bool{}
	for _, p := range auth.TokenPermissions(site) {
		known[p] = true
	}
	open := map[string]bool{"POST /api/_batch": true, "GET /api/_events": true, "GET /api/_changes": true, "GET /api/_search": true, "GET /api/_suggest": true, "GET /_health": true, "GET /_ready": true, "GET /uploads/*name": true, "GET /api/docs/:file": true}
	c := newClient(t)
	for _, r := range server.Routes(site) {
		name := r.Method + " " + r.Path
		if r.Open != open[name] {
			t.Errorf("%s: open to everyone is %t", name, r.Open)
		}
		if !r.Open && !known[r.Permission] {
			t.Errorf("%s needs %s, which nobody can be given", name, r.Permission)
		}
		public := r.Open || len(r.Roles(site)) > 0 && strings.Contains(strings.Join(r.Roles(site), " "), auth.PublicRole)
		path := strings.ReplaceAll(r.Path, ":documentId", "x")
		if r.Path == "/api/_events" {
			path += "?status=both" // otherwise the response would not end
		}
		got := c.send("", r.Method, path, "")
		if r.Path == "/api/_batch" {
			public = false // for callers who may do any write
		}
		if (got.status != 403) != public {
			t.Errorf("%s answers %d to a caller without a token; public is %t", name, got.status, public)
		}
	}
}

func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	preflight := c.send("", "OPTIONS", "/api/dishes", "", "Origin", "https://elsewhere.example", "Access-Control-Request-Method", "PUT")
	if preflight.status != 204 {
		t.Errorf("preflight: %d", preflight.status)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin":      "*",
		"Access-Control-Allow-Methods":     "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS",
		"Access-Control-Allow-Headers":     "Content-Type,Authorization,Origin,Accept,If-Match,If-None-Match,Last-Event-ID,Strapi-Response-Format,Strapi-Encode-Source-Maps,X-Quire-Source",
		"Access-Control-Max-Age":           "31536000",
		"Access-Control-Allow-Credentials": "",
	} {
		if got := preflight.header.Get(name); got != want {
			t.Errorf("preflight: %s: %q, want %q", name, got, want)
		}
	}
	for _, path := range []string{"/api/dishes", "/api/nothing", "/api/reviews"} {
		got := c.send("", "GET", path, "", "Origin", "https://elsewhere.example").header
		if got.Get("Access-Control-Allow-Origin") != "*" || got.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestLocales(t *testing.T) {
	t.Parallel()
	first, second := newClient(t), newClient(t)
	got := first.send("full", "GET", "/api/i18n/locales", "")
	if again := second.send("full", "GET", "/api/i18n/locales", ""); got.body != again.body {
		t.Errorf("another server lists other locales: %s, %s", got.body, again.body)
	}
	var list []map[string]any
	check(t, json.Unmarshal([]byte(got.body), &list))
	seen := map[any]bool{}
	for i, code := range []string{"en", "fr", "it"} {
		if list[i]["code"] != code || list[i]["isDefault"] != (code == "en") || len(list[i]) != 8 {
			t.Errorf("locale %d: %v, want %s", i, list[i], code)
		}
		seen[list[i]["id"]], seen[list[i]["documentId"]] = true, true
	}
	if len(seen) != 6 {
		t.Errorf("the ids are not unique: %v", seen)
	}
}
