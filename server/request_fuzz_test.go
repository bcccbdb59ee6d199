package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

// siteSecret is part of every hidden value of the fuzzed site.
const siteSecret = "5ecret-of-the-site"

// mostWrites is the number of writes after which a fuzzed site is emptied.
const mostWrites = 300

// fuzzedSite is a site with an entry of each kind, which gets arbitrary requests.
type fuzzedSite struct {
	handler http.Handler
	tokens  []string // of the callers: nobody, full access, read-only, a user
	writes  int
}

// FuzzRequest: whatever a client sends, it can read the response. No request returns
// 500, no response contains a hidden value, and no page of another site may use what a
// browser knows about the client.
func FuzzRequest(f *testing.F) {
	for i, seed := range []struct{ target, headers, body string }{
		{"/api/restaurants?populate=*&filters[name][$contains]=a&sort=chef.name", "Accept-Encoding: gzip\r\n", ""},
		{"/api/restaurants", "Content-Type: application/json\r\n", `{"data": {"name": "x", "door_code": "abc123"}}`},
		{"/api/restaurants/1?status=draft&locale=fr", "Strapi-Response-Format: v4\r\n", `{"data": {"categories": {"connect": [1]}}}`},
		{"/api/users/me", "X-Quire-Explain: 1\r\nIf-None-Match: *\r\n", ""},
		{"/api/auth/local/register", "Origin: https://elsewhere.example\r\n", `{"username": "bo", "email": "bo@example.org", "password": "secret-1"}`},
		{"/api/users-permissions/roles/1", "X-Forwarded-For: 10.0.0.1\r\n", `{"name": "x", "permissions": {}}`},
		{"/api/upload", "Content-Type: multipart/form-data; boundary=b\r\n", "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a\"\r\n\r\nx\r\n--b--"},
		{"/uploads/%2e%2e/quire.db", "Range: bytes=0-\r\n", ""},
		{"/api/dishes/?_q=5ecret", "Access-Control-Request-Method: PUT\r\n", ""},
		{"/api/auth/email-confirmation?confirmation=x", "", ""},
		{"/api/openapi.json", "Accept-Encoding: zstd\r\n", ""},
		{"/api/restaurants/_count?_q=bistro&locale=*", "", ""},
		{"/api/restaurants/_aggregate?groupBy=chef.name,vegan&sum=stars&min=name&sort=count:desc", "", ""},
		{"/api/dishes?_q=soup&sort=_rank", "", ""},
	} {
		f.Add(uint8(i), seed.target, seed.headers, []byte(seed.body), uint8(i))
	}
	site := openFuzzed(f)
	f.Fuzz(func(t *testing.T, verb uint8, target, headers string, body []byte, caller uint8) {
		r := site.request(verb, target, headers, body, caller)
		if r == nil {
			return
		}
		w := httptest.NewRecorder()
		site.handler.ServeHTTP(w, r)
		said := target + headers + string(body)
		checkAnswer(t, r, w, said)
		if r.Method != "GET" && w.Code < 300 {
			if site.writes++; site.writes%mostWrites == 0 {
				site.empty(t)
				site.fill(t)
			}
		}
	})
}

func openFuzzed(t testing.TB) *fuzzedSite {
	t.Helper()
	server, keys, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler))
	s := &fuzzedSite{handler: server.Handler(), tokens: []string{"", createToken(t, keys, "full", auth.FullAccess), createToken(t, keys, "readonly", auth.ReadOnly), ""}}
	s.fill(t)
	return s
}

// fill creates an entry of each kind, with the secret in hidden attributes.
func (s *fuzzedSite) fill(t testing.TB) {
	t.Helper()
	var session struct {
		JWT string `json:"jwt"`
	}
	check(t, json.Unmarshal(s.must(t, "POST", "/api/auth/local/register", `{"username": "ana", "email": "ana@example.org", "password": "`+siteSecret+`"}`), &session))
	s.tokens[3] = session.JWT
	s.must(t, "POST", "/api/chefs", `{"data": {"name": "Ana"}}`)
	s.must(t, "POST", "/api/categories", `{"data": {"name": "Vegan", "code": 1}}`)
	s.must(t, "POST", "/api/restaurants", `{"data": {"name": "Bistro", "secret_note": "`+siteSecret+`", "opening_hours": [{"day": "mon", "note": "`+siteSecret+`"}]}}`)
	s.must(t, "POST", "/api/reviews", `{"data": {"note": 1}}`)
	s.must(t, "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
}

var entryID = regexp.MustCompile(`"id":(\d+),"documentId":"([^"]+)"`)

// empty deletes everything that fill and the requests have created.
func (s *fuzzedSite) empty(t testing.TB) {
	t.Helper()
	for _, path := range []string{"/api/chefs", "/api/categories", "/api/restaurants", "/api/reviews", "/api/dishes", "/api/upload/files", "/api/users"} {
		for {
			found := entryID.FindAllSubmatch(s.must(t, "GET", path+"?status=draft&fields=id", ""), -1)
			for _, ids := range found {
				name := string(ids[2])
				if path == "/api/users" {
					name = string(ids[1])
				}
				s.must(t, "DELETE", path+"/"+name, "")
			}
			if len(found) == 0 {
				break
			}
		}
	}
}

// must sends a request of a caller who may do everything.
func (s *fuzzedSite) must(t testing.TB, method, path, body string) []byte {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if !strings.HasPrefix(path, "/api/auth/") {
		r.Header.Set("Authorization", "Bearer "+s.tokens[1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// request returns what net/http makes of these parts; nil if it refuses them.
func (s *fuzzedSite) request(verb uint8, target, headers string, body []byte, caller uint8) *http.Request {
	verbs := []string{"GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "BREW"}
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", verbs[int(verb)%len(verbs)], target, headers)
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil
	}
	r.RemoteAddr = "192.0.2.1:1000"
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if token := s.tokens[int(caller)%len(s.tokens)]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// checkAnswer checks the rules for every response. said is what the client sent, which
// a response may repeat.
func checkAnswer(t *testing.T, r *http.Request, w *httptest.ResponseRecorder, said string) {
	t.Helper()
	h, body := w.Header(), uncoded(t, w)
	all := fmt.Sprint(h) + string(body)
	for _, secret := range []string{siteSecret, "$argon2", "sessionEpoch"} {
		if strings.Contains(all, secret) && !strings.Contains(said, secret[:4]) {
			t.Errorf("%s %s: the answer has %s in it: %s", r.Method, r.RequestURI, secret, all)
		}
	}
	if h.Get("Access-Control-Allow-Origin") != "*" || h["Access-Control-Allow-Credentials"] != nil || h["Set-Cookie"] != nil {
		t.Errorf("%s %s: %v", r.Method, r.RequestURI, h)
	}
	switch {
	case w.Code >= 500:
		t.Errorf("%s %s: %d %s", r.Method, r.RequestURI, w.Code, body)
	case r.Method == "HEAD", strings.HasPrefix(r.URL.Path, "/uploads"): // without a body, or a file
	case w.Code >= 400:
		a := &answer{status: w.Code, header: h, body: string(body)}
		a.checkEnvelope(t, r.Method+" "+r.RequestURI)
	case w.Code == http.StatusNoContent, w.Code == http.StatusNotModified:
		if len(body) > 0 {
			t.Errorf("%s %s: %d with the body %q", r.Method, r.RequestURI, w.Code, body)
		}
	case strings.HasPrefix(h.Get("Content-Type"), "application/json") && !json.Valid(body):
		t.Errorf("%s %s: no JSON: %s", r.Method, r.RequestURI, body)
	}
}

// uncoded returns the body of a response without its coding.
func uncoded(t *testing.T, w *httptest.ResponseRecorder) []byte {
	t.Helper()
	body := w.Body.Bytes()
	switch coding := w.Header().Get("Content-Encoding"); coding {
	case "":
	case "gzip":
		from, err := gzip.NewReader(w.Body)
		check(t, err)
		body, err = io.ReadAll(from)
		check(t, err)
	case "zstd":
		from, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		check(t, err)
		defer from.Close()
		body, err = from.DecodeAll(body, nil)
		check(t, err)
	default:
		t.Fatalf("coded as %q", coding)
	}
	return body
}

// FuzzServedSite: any site that loads and passes CheckSite can be served, and its
// description is JSON.
func FuzzServedSite(f *testing.F) {
	const name = `{"info": {"singularName": "dish", "pluralName": "dishes"}, "attributes": {"name": {"type": "string", "default": "x"}}}`
	f.Add(name, `{}`)
	f.Add(`{"kind": "singleType", "info": {"singularName": "upload", "pluralName": "users"}, "attributes": {"a\"b": {"type": "enumeration", "enum": ["x\u0000"]}}}`, `{}`)
	f.Add(name, `{"defaults": {"api::a.dish": {"populate": {"a": {"b": 1}}, "sort": "name"}}, "roles": {"public": {"plugin::upload.content-api": ["find"]}}}`)
	f.Add(`{"info": {"singularName": "docs", "pluralName": "openapi"}, "attributes": {"all": {"type": "relation", "relation": "manyToMany", "target": "api::a.docs"}}}`, `{"cache": {"api::a.docs": "1s"}}`)
	f.Fuzz(func(t *testing.T, content, settings string) {
		site, err := schema.Load(fstest.MapFS{
			"src/api/a/content-types/a/schema.json": {Data: []byte(content)},
			"site.json":                             {Data: []byte(settings)},
		})
		if err != nil || server.CheckSite(site) != nil {
			return
		}
		if description := openAPIOf(site); !json.Valid(description) {
			t.Errorf("the description is no JSON: %s", description)
		}
		for _, r := range server.Routes(site) {
			if r.Method == "" || r.Path == "" || r.Path[0] != '/' || !r.Open && (r.Permission.UID == "" || r.Permission.Action == "") {
				t.Errorf("a route %+v", r)
			}
		}
	})
}
