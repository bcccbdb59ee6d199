package server_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// persisted returns a GET of a query by its hash, and with its text if withText is set.
func persisted(query string, withText bool) *http.Request {
	values := url.Values{"extensions": {fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(query)))}}
	if withText {
		values.Set("query", query)
	}
	return httptest.NewRequest(http.MethodGet, "/graphql?"+values.Encode(), nil)
}

func serveOnce(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A query that was sent once is known by its hash.
func TestPersistedQueries(t *testing.T) {
	h, tokens := openGraphQL(t)
	query := `{ restaurants { name } }`
	ask := func(withText bool) *httptest.ResponseRecorder {
		r := persisted(query, withText)
		r.Header.Set("Authorization", "Bearer "+tokens["full"])
		return serveOnce(h, r)
	}
	if w := ask(false); w.Code != 200 || w.Body.String() != `{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}` || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("unknown: %d %s %v", w.Code, w.Body, w.Header())
	}
	for _, withText := range []bool{true, false} {
		if w := ask(withText); w.Code != 200 || w.Body.String() != `{"data":{"restaurants":[{"name":"Open"}]}}` {
			t.Errorf("%v: %d %s", withText, w.Code, w.Body)
		}
	}
	query = `{ restaurants { nope } }`
	ask(true)
	if w := ask(false); !strings.Contains(w.Body.String(), "PersistedQueryNotFound") {
		t.Errorf("a query that is not valid became known: %s", w.Body)
	}
	for extensions, want := range map[string]string{
		`{"persistedQuery":{"version":2,"sha256Hash":""}}`:                                   "Unsupported persisted query version",
		`{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 64) + `"}}`:    "provided sha does not match query",
		`{"persistedQuery":{"version":1,"sha256Hash":"` + strings.Repeat("0", 99_99) + `"}}`: "provided sha does not match query",
		`{"persistedQuery":{"version":1,"sha256Hash":"xyz"}}`:                                "64 digits",
		`{"persistedQuery":5}`: "must be an object",
		`[]`:                   "must be an object",
	} {
		body := `{"query":"{ restaurants { name } }","extensions":` + extensions + `}`
		r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if w := serveOnce(h, r); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.100s: %d %s", extensions, w.Code, w.Body)
		}
	}
}

// A page's queries can be cached, and have not changed until what they show changes.
func TestGraphQLResponsesCanBeCached(t *testing.T) {
	site := sampleSite(t)
	site.Settings.GraphQL.Enabled = true
	site.Settings.Cache = map[string]time.Duration{"api::restaurant.restaurant": time.Minute, "api::chef.chef": time.Second}
	h, tokens := openTokens(t, t.TempDir(), site)
	get := func(token, query, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/graphql?query="+url.QueryEscape(query), nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		r.Header.Set("If-None-Match", tag)
		return serveOnce(h, r)
	}
	const both = `{ restaurants { name } chefs { name } }`
	tag := get("", both, "").Header().Get("ETag")
	for _, test := range []struct {
		token, query, tag string
		status            int
		cacheControl      string
	}{
		{"", both, "", 200, "public, max-age=1"},
		{"", both, tag, 304, "public, max-age=1"},
		{"", `{ restaurants { name } }`, tag, 200, "public, max-age=60"},
		{"", `{ restaurants { name } categories { name } }`, tag, 200, "no-cache"},
		{tokens["full"], both, tag, 200, "private, no-cache"},
		{"", `{ restaurants { name } i18NLocales { code } }`, "", 200, "no-store"}, // has an error
		{tokens["full"], `{ i18NLocales { code } }`, "", 200, "private, no-cache"},
		{"", `{ nope }`, "", 400, "no-store"},
	} {
		if w := get(test.token, test.query, test.tag); w.Code != test.status || w.Header().Get("Cache-Control") != test.cacheControl || (w.Header().Get("ETag") == "") != (test.cacheControl == "no-store") {
			t.Errorf("%s: %d %v %s", test.query, w.Code, w.Header(), w.Body)
		}
	}
	askGraphQL(t, h, tokens["full"], `mutation { createDish(data: {name: "Soup"}) { name } }`, nil)
	if w := get("", both, tag); w.Code != 304 {
		t.Errorf("after another type changed: %d", w.Code)
	}
	askGraphQL(t, h, tokens["full"], `mutation { createChef(data: {name: "Ada"}) { name } }`, nil)
	if w := get("", both, tag); w.Code != 200 || !strings.Contains(w.Body.String(), "Ada") {
		t.Errorf("after a change: %d %s", w.Code, w.Body)
	}
}

// A repeated query is compiled once for each set of rights, and still answers each caller
// with what this caller may see now.
func TestARepeatedQueryKeepsToTheRightsOfItsCaller(t *testing.T) {
	h, tokens := openGraphQL(t)
	ask := func(token string, variables any) string {
		_, body := askGraphQL(t, h, token, `query Q($n: String) { restaurants(filters: {name: {eq: $n}}) { name } a: restaurants(status: DRAFT, sort: "name") { name } }`, variables)
		return body
	}
	for range 3 {
		if got := ask(tokens["full"], map[string]string{"n": "Open"}); got != `{"data":{"restaurants":[{"name":"Open"}],"a":[{"name":"Hidden"},{"name":"Open"}]}}` {
			t.Errorf("with all rights: %s", got)
		}
		if got := ask(tokens["full"], map[string]string{"n": "Else"}); got != `{"data":{"restaurants":[],"a":[{"name":"Hidden"},{"name":"Open"}]}}` {
			t.Errorf("with another variable: %s", got)
		}
		if got := ask("", map[string]string{"n": "Open"}); !strings.HasPrefix(got, `{"data":null`) || !strings.Contains(got, "FORBIDDEN") {
			t.Errorf("without rights: %s", got)
		}
	}
}
