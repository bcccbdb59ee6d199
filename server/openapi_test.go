package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

// fetch gets a path in that response format; "" for the usual one.
func fetch(h http.Handler, path, token, format string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if format != "" {
		r.Header.Set("Strapi-Response-Format", format)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func siteIn(t *testing.T, folder string) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS(folder))
	check(t, err)
	return site
}

// Another reader of OpenAPI documents accepts the document, in both formats.
func TestDescriptionIsValid(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	documents := map[string][]byte{}
	for _, format := range []string{"v5", "v4"} {
		documents[format] = fetch(h, "/api/openapi.json", tokens["full"], format).Body.Bytes()
	}
	for _, folder := range []string{"../app/templates/guide", "../app/templates/blank", "../server/describe/testdata/odd"} {
		documents[folder] = openAPIOf(siteIn(t, folder))
	}
	for name, document := range documents {
		parsed, err := openapi3.NewLoader().LoadFromData(document)
		if err == nil {
			err = parsed.Validate(context.Background(), openapi3.IsOpenAPI31OrLater())
		}
		if err == nil {
			err = eachKeyOnce(json.NewDecoder(bytes.NewReader(document)))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// eachKeyOnce reads a value of JSON, and reports a key that an object has twice.
func eachKeyOnce(d *json.Decoder) error {
	begins, err := d.Token()
	if _, nested := begins.(json.Delim); err != nil || !nested {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if begins == json.Delim('{') {
			key, err := d.Token()
			if err == nil && seen[key] {
				err = fmt.Errorf("the key %q is there twice, before byte %d", key, d.InputOffset())
			}
			if err != nil {
				return err
			}
			seen[key] = true
		}
		if err := eachKeyOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// describedOperation is the part of an operation that the tests read.
type describedOperation struct {
	OperationID string
	Summary     string
	Description string
	Security    []map[string][]string
}

func operationsOf(t *testing.T, document []byte) map[string]describedOperation {
	t.Helper()
	var d struct {
		Paths map[string]map[string]describedOperation
	}
	check(t, json.Unmarshal(document, &d))
	operations := map[string]describedOperation{}
	for path, methods := range d.Paths {
		for method, o := range methods {
			operations[strings.ToUpper(method)+" "+path] = o
		}
	}
	return operations
}

var placeholder = regexp.MustCompile(`/[:*](\w+)`)

func TestEveryRouteIsDescribedAndNothingElse(t *testing.T) {
	t.Parallel()
	site := siteIn(t, "../testdata/site")
	operations := operationsOf(t, openAPIOf(site))
	names := map[string]bool{}
	for _, r := range server.Routes(site) {
		key := r.Method + " " + placeholder.ReplaceAllString(r.Path, "/{$1}")
		o, ok := operations[key]
		if !ok {
			t.Errorf("%s is not described", key)
		}
		if o.Summary == r.Method+" "+r.Path {
			t.Errorf("builtin.api has no %s", key)
		}
		if !r.Open && !strings.Contains(o.Description, "`"+r.Permission.String()+"`") {
			t.Errorf("%s does not say that it needs %s", key, r.Permission)
		}
		if names[o.OperationID] {
			t.Errorf("two operations are called %s", o.OperationID)
		}
		names[o.OperationID] = true
		delete(operations, key)
	}
	for key := range operations {
		t.Errorf("%s is described and not served", key)
	}
	for _, name := range []string{"restaurant/get/restaurants", "homepage/put/homepage", "users-permissions/post/auth_local", "dish/put/dishes_by_documentId"} {
		if !names[name] {
			t.Errorf("no operation is called %s", name)
		}
	}
}

// The description says which operations need a credential at the moment.
func TestDescriptionTellsWhoMayCall(t *testing.T) {
	t.Parallel()
	operations := operationsOf(t, openAPIOf(siteIn(t, "../testdata/site")))
	for key, want := range map[string]int{ // number of ways to be allowed
		"GET /_health":          0,
		"GET /api/restaurants":  2,
		"POST /api/restaurants": 1,
		"POST /api/auth/local":  2,
		"GET /api/users/me":     1,
	} {
		o := operations[key]
		open := slices.ContainsFunc(o.Security, func(way map[string][]string) bool { return len(way) == 0 })
		if o.Security == nil || len(o.Security) != want || open != (want == 2) {
			t.Errorf("%s: %v", key, o.Security)
		}
	}
}

// A role that is not set in site.json can change while the server runs, and the
// description changes with it.
func TestDescriptionFollowsTheRoles(t *testing.T) {
	t.Parallel()
	served, keys, _ := open(t, t.TempDir(), siteIn(t, "testdata/docs"), slog.New(slog.DiscardHandler))
	h, token := served.Handler(), createToken(t, keys, "full", auth.FullAccess)
	waysIn := func() int {
		operations := operationsOf(t, fetch(h, "/api/openapi.json", token, "").Body.Bytes())
		return len(operations["GET /api/docs/{documentId}"].Security)
	}
	if got := waysIn(); got != 1 {
		t.Errorf("%d ways in before", got)
	}
	r := httptest.NewRequest(http.MethodPut, "/api/users-permissions/roles/"+keys.Role(auth.PublicRole).DocumentID,
		strings.NewReader(`{"permissions": {"api::doc": {"controllers": {"doc": {"findOne": {"enabled": true}}}}}}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if got := waysIn(); w.Code != http.StatusOK || got != 2 {
		t.Errorf("%d ways in after %d %s", got, w.Code, w.Body)
	}
}

func TestDescriptionNeedsItsPermission(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	for _, path := range []string{"/api/openapi.json", "/api/docs"} {
		for who, want := range map[string]int{"": 403, "nonsense": 401, tokens["readonly"]: 200, tokens["full"]: 200} {
			if got := fetch(h, path, who, "").Code; got != want {
				t.Errorf("%s with the token %.10q: %d, want %d", path, who, got, want)
			}
		}
	}
}

// A content type takes precedence over the page on the same path.
func TestContentTypeMayBeCalledDocs(t *testing.T) {
	t.Parallel()
	site := siteIn(t, "testdata/docs")
	var permissions []string
	for _, r := range server.Routes(site) {
		if r.Method == http.MethodGet && r.Path == "/api/docs" {
			permissions = append(permissions, r.Permission.String())
		}
	}
	if problems := server.CheckSite(site); problems != nil || !slices.Equal(permissions, []string{"api::doc.doc.find"}) {
		t.Errorf("%v, %v", permissions, problems)
	}
}

// A caller who may use a route only in part, to write drafts or to take something back,
// may call it.
func TestRoutesForAPart(t *testing.T) {
	t.Parallel()
	site, err := schema.Load(sampleWith(t, unlimited, `{"public": {"api::chef.chef": ["createDraft", "unpublish"]}}`))
	check(t, err)
	operations := operationsOf(t, openAPIOf(site))
	for key, may := range map[string]bool{
		"POST /api/chefs": true, "GET /api/chefs/{documentId}/schedule": true, "POST /api/chefs/{documentId}/actions/unpublish": true,
		"PUT /api/chefs/{documentId}": false, "POST /api/chefs/{documentId}/actions/publish": false, "GET /api/chefs": false,
	} {
		if got := len(operations[key].Security); got == 2 != may || got == 0 {
			t.Errorf("%s has %d ways in", key, got)
		}
	}
	for _, r := range server.Routes(site) {
		if key := r.Method + " " + placeholder.ReplaceAllString(r.Path, "/{$1}"); key == "POST /api/chefs" && !slices.Contains(r.Roles(site), auth.PublicRole) {
			t.Errorf("%s is for %v", key, r.Roles(site))
		}
	}
}

// The pages about site.json and about roles name every action that a type can have. The
// page about the API names every path of the server itself that is not about accounts.
func TestPagesNameWhatCanBeGiven(t *testing.T) {
	t.Parallel()
	page := func(name string) string {
		text, err := os.ReadFile("../docs/" + name)
		check(t, err)
		return string(text)
	}
	for _, name := range []string{"site.md", "auth.md"} {
		for _, a := range (&schema.Type{DraftAndPublish: true}).Actions() {
			if !strings.Contains(page(name), "`"+string(a)+"`") {
				t.Errorf("docs/%s has no `%s`", name, a)
			}
		}
	}
	api := page("api.md")
	for _, r := range server.Routes(siteIn(t, "../app/templates/blank")) {
		path, _, _ := strings.Cut(r.Path, "/:")
		if !strings.HasPrefix(path, "/api/auth/") && !strings.HasPrefix(path, "/api/users") && !strings.Contains(api, strings.TrimSuffix(path, "/*name")) && !strings.HasPrefix(path, "/api/upload/") {
			t.Errorf("docs/api.md has no %s", path)
		}
	}
}

// openAPIOf describes all routes of a site without code.
func openAPIOf(site *schema.Site) []byte { return server.OpenAPI(site, server.Routes(site), nil) }
