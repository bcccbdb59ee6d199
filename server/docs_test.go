package server_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/server"
)

var update = flag.Bool("update", false, "pack the files of the page at /api/docs anew")

const docsPack = "docs/page.tar.gz"

// docsSources returns the files of the page, by name.
func docsSources(t *testing.T) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("docs/*.[hcm][tsj]*")
	check(t, err)
	files := map[string][]byte{}
	for _, path := range paths {
		files[filepath.Base(path)], err = os.ReadFile(path)
		check(t, err)
	}
	if files["page.html"] == nil || files["page.css"] == nil || files["main.mjs"] == nil {
		t.Fatalf("the sources are %v", paths)
	}
	return files
}

// isLanguage reports whether a file of the page has the words of a language.
func isLanguage(name string) bool { return strings.HasPrefix(name, "words-") }

func packDocs(t *testing.T, files map[string][]byte) []byte {
	var packed bytes.Buffer
	coder, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	check(t, err)
	w := tar.NewWriter(coder)
	names := []string{}
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		check(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}))
		_, err := w.Write(files[name])
		check(t, err)
	}
	check(t, w.Close())
	check(t, coder.Close())
	return packed.Bytes()
}

// The program contains the page as its sources are, in at most 30 KiB without its languages, of
// which a browser loads one in at most 4 KiB.
func TestDocsArePacked(t *testing.T) {
	t.Parallel()
	if *update {
		check(t, os.WriteFile(docsPack, packDocs(t, docsSources(t)), 0o644))
	}
	packed, err := os.ReadFile(docsPack)
	check(t, err)
	all := docsSources(t)
	for name, source := range all {
		if isLanguage(name) {
			if n := len(packDocs(t, map[string][]byte{name: source})); n > 4<<10 {
				t.Errorf("%s has %d bytes", name, n)
			}
			delete(all, name)
		}
	}
	if n := len(packDocs(t, all)); n > 30<<10 {
		t.Errorf("the page has %d bytes", n)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	check(t, err)
	sources := docsSources(t)
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		content, err := io.ReadAll(r)
		check(t, err)
		if !bytes.Equal(content, sources[h.Name]) {
			t.Errorf("%s is another one in %s: go test ./server -run TestDocsArePacked -update", h.Name, docsPack)
		}
		delete(sources, h.Name)
	}
	if len(sources) > 0 {
		t.Errorf("%d files are not in %s: go test ./server -run TestDocsArePacked -update", len(sources), docsPack)
	}
}

// The page has everything that it needs, and its policy allows only that.
func TestDocsPageIsWholeByItself(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	w := fetch(h, "/api/docs", tokens["full"], "")
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "script-src 'self'", "style-src 'self'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("no %s in the policy %s", part, policy)
		}
	}
	page := w.Body.String()
	if strings.Contains(policy, "unsafe") || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || strings.Contains(page, "<style") || strings.Count(page, "<script") != strings.Count(page, "<script type=\"module\" src=\"docs/") {
		t.Errorf("%v %s", w.Header(), page)
	}
	for name, source := range docsSources(t) {
		for _, foreign := range []string{"http://", "https://", "//cdn", "url(", "@import", "innerHTML", "localStorage", "sessionStorage", "document.cookie", "eval("} {
			if strings.Contains(string(source), foreign) {
				t.Errorf("%s has %s in it", name, foreign)
			}
		}
		got := fetch(h, "/api/docs/"+name, "", "")
		if name == "page.html" {
			if got.Code != http.StatusNotFound {
				t.Errorf("%s: %d", name, got.Code)
			}
			continue
		}
		kind := map[string]string{".css": "text/css", ".mjs": "text/javascript"}[filepath.Ext(name)]
		if got.Code != http.StatusOK || got.Body.String() != string(source) || !strings.HasPrefix(got.Header().Get("Content-Type"), kind) || got.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", name, got.Code, got.Header())
		}
		if !isLanguage(name) && !strings.Contains(page, `"docs/`+name+`"`) {
			t.Errorf("the page does not load %s", name)
		}
	}
	if got := fetch(h, "/api/docs/", tokens["full"], ""); !strings.Contains(got.Body.String(), `src="main.mjs"`) {
		t.Errorf("below a slash the page loads %s", got.Body)
	}
	for _, name := range []string{"page.tar.gz", "..%2fdocs.go", "nothing.mjs"} {
		if got := fetch(h, "/api/docs/"+name, "", ""); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", name, got.Code)
		}
	}
}

// A browser of a caller who may not read the description gets the page, which says how to
// sign in. Other clients get the error. An invalid credential is an error for everybody.
func TestDocsSayHowToSignIn(t *testing.T) {
	t.Parallel()
	h, tokens := openSite(t)
	ask := func(path, token, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, test := range []struct {
		path, token, accept string
		status              int
		kind                string
	}{
		{"/api/docs", "", browser, 403, "text/html"},
		{"/api/docs/", "", browser, 403, "text/html"},
		{"/api/docs", "", "text/html", 403, "text/html"},
		{"/api/docs", "", "application/json;q=0.5, text/html;q=0.6", 403, "text/html"},
		{"/api/docs", "", "", 403, "application/json"},
		{"/api/docs", "", "*/*", 403, "application/json"},
		{"/api/docs", "", "application/json", 403, "application/json"},
		{"/api/docs", "", "application/json, text/html;q=0.9", 403, "application/json"},
		{"/api/docs", "", "text/html;q=0", 403, "application/json"},
		{"/api/docs", "", "text/html;q=x", 403, "application/json"},
		{"/api/docs", "", ",;q=,text/", 403, "application/json"},
		{"/api/docs", "nonsense", browser, 401, "application/json"},
		{"/api/docs", tokens["readonly"], "application/json", 200, "text/html"},
		{"/api/docs", tokens["full"], browser, 200, "text/html"},
		{"/api/openapi.json", "", browser, 403, "application/json"},
		{"/api/docs/types", "", browser, 403, "application/json"},
	} {
		got := ask(test.path, test.token, test.accept)
		if got.Code != test.status || !strings.HasPrefix(got.Header().Get("Content-Type"), test.kind) {
			t.Errorf("%s as %.8q for %q: %d %v", test.path, test.token, test.accept, got.Code, got.Header())
		}
		if test.path == "/api/docs" && got.Code != 401 && !strings.Contains(strings.Join(got.Header()["Vary"], ","), "Accept") {
			t.Errorf("%q: the answer varies by %v", test.accept, got.Header()["Vary"])
		}
	}
	refused, shown := ask("/api/docs", "", browser), ask("/api/docs", tokens["full"], browser)
	if refused.Body.String() != shown.Body.String() || refused.Header().Get("Cache-Control") != "no-store" || refused.Header().Get("X-Frame-Options") != "DENY" {
		t.Errorf("who is refused gets another page, %v", refused.Header())
	}
}

// explored is the part of /api/docs/types that the tests read.
type explored struct {
	Caller  string
	Plan    bool
	Locales []string
	Types   []struct {
		UID, Path, Shape      string
		Find, FindOne, Drafts bool
	}
	Shapes map[string][]struct {
		Name, Kind, Shape string
		Zone, Shapes      []string
	}
	Routes []string
}

func (e *explored) has(shape, name string) bool {
	for _, m := range e.Shapes[shape] {
		if m.Name == name {
			return true
		}
	}
	return false
}

func (c *client) explore(t *testing.T, as string) *explored {
	t.Helper()
	got := c.send(as, "GET", "/api/docs/types", "")
	if got.status != 200 {
		t.Fatalf("as %q: %d %s", as, got.status, got.body)
	}
	var e explored
	check(t, json.Unmarshal([]byte(got.body), &e))
	return &e
}

// A reader sees the types and routes that it may use, and no relations to others.
func TestWhatCanBeExplored(t *testing.T) {
	t.Parallel()
	site, err := schema.Load(sampleWith(t, unlimited, `{"public": {"plugin::quire.openapi": ["find"], "api::restaurant.restaurant": ["find"], "api::dish.dish": ["findOne"], "api::chef.chef": ["create"]}}`))
	check(t, err)
	c, _ := newClientOf(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	public, full, readonly := c.explore(t, ""), c.explore(t, "full"), c.explore(t, "readonly")
	types := func(e *explored) (uids []string) {
		for _, known := range e.Types {
			uids = append(uids, known.UID)
		}
		return uids
	}
	if got := types(public); !slices.Equal(got, []string{"api::chef.chef", "api::dish.dish", restaurants}) {
		t.Errorf("the public is shown %v", got)
	}
	if public.Types[0].Shape != "" || public.Types[1].Find || !public.Types[1].FindOne || public.Types[2].Drafts {
		t.Errorf("%+v", public.Types)
	}
	for _, name := range []string{"chef", "categories", "reviews", "signature_dish", "secret_note", "door_code"} {
		if public.has(restaurants, name) {
			t.Errorf("the public is shown restaurants with %s", name)
		}
	}
	for uid := range public.Shapes {
		if strings.HasPrefix(uid, "api::") && uid != restaurants && uid != "api::dish.dish" || uid == schema.UserUID {
			t.Errorf("the public is shown %s", uid)
		}
	}
	if !public.has(restaurants, "cover") || !public.has(restaurants, "name") || !full.has(restaurants, "chef") || full.has(restaurants, "secret_note") {
		t.Error("attributes are missing or too many")
	}
	for route, want := range map[string][3]bool{ // public, full, readonly
		"GET /api/restaurants":              {true, true, true},
		"GET /api/restaurants/{documentId}": {false, true, true},
		"POST /api/chefs":                   {true, true, false},
		"GET /api/reviews":                  {false, true, true},
		"GET /metrics":                      {false, true, false},
	} {
		for i, e := range []*explored{public, full, readonly} {
			if slices.Contains(e.Routes, route) != want[i] {
				t.Errorf("%s for %s: %v", route, e.Caller, !want[i])
			}
		}
	}
	if public.Plan || readonly.Plan || !full.Plan || len(full.Locales) != 2 {
		t.Errorf("plans: %v %v %v, locales %v", public.Plan, readonly.Plan, full.Plan, full.Locales)
	}
	if got := c.send("full", "GET", "/api/docs/types", "").header; !strings.Contains(got.Get("Cache-Control"), "private") {
		t.Errorf("who else may keep the answer: %v", got)
	}
}

// What is hidden from a caller is nowhere in the data of the page, at any depth.
func TestHiddenAttributesCannotBeExplored(t *testing.T) { forEach(t, cannotBeExplored) }

func cannotBeExplored(t *testing.T, w *twins, as string) {
	got := w.ask(as, "GET", "/api/docs/types", "")
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var e explored
	check(t, json.Unmarshal([]byte(got.body), &e))
	requested := 0
	for _, known := range e.Types {
		for _, way := range w.ways(as, w.site.Type(known.UID)) {
			at, exists := known.Shape, known.Shape != ""
			for _, h := range way.hops {
				next := ""
				for _, m := range e.Shapes[at] {
					if m.Name == h.attribute.Name {
						next = m.Shape
						if h.component != nil {
							next = m.Shapes[slices.Index(m.Zone, h.component.UID)]
						}
					}
				}
				at, exists = next, exists && next != ""
			}
			if requested++; exists && e.has(at, way.hidden.Name) {
				t.Errorf("%s is shown %s of %s by way of %v", as, way.hidden.Name, at, way.keys())
			}
		}
	}
	if requested < 50 {
		t.Errorf("%d ways are too few", requested)
	}
}

// A plan does not depend on hidden values, contains no values, and is only for full
// access.
func TestHiddenValuesAreInNoPlan(t *testing.T) { forEach(t, hiddenValuesAreInNoPlan) }

func hiddenValuesAreInNoPlan(t *testing.T, w *twins, as string) {
	planned := 0
	for _, ct := range w.site.Types {
		for _, r := range requests(ct) {
			if r[0] != "GET" && r[0] != "HEAD" {
				continue
			}
			queries := []string{"", "populate=*&sort=id", "filters[id][$gt]=SECRET1", "_q=HIDDEN", "filters[$or][0][documentId]=HIDDENaaaa&filters[$or][1][documentId][$contains]=zzzz"}
			for _, way := range w.ways(as, ct) {
				if len(way.hops) < 2 {
					queries = append(queries, way.queries(w.sides[0].mark)[:4]...)
				}
			}
			for _, q := range queries {
				var plans [2]string
				for i, s := range w.sides {
					for _, caller := range []string{"", "readonly", "ana", as} {
						plan := s.send(caller, r[0], s.path(r[1]+"?"+q), "", explained...).header.Get("X-Quire-Plan")
						if caller != "full" && plan != "" {
							t.Errorf("%s?%s as %q: %s", r[1], q, caller, plan)
						}
						if caller == "full" {
							plans[i], _, _ = strings.Cut(plan, "; select ")
						}
					}
				}
				if plans[0] != plans[1] || strings.Contains(plans[0], "HIDDEN") || strings.Contains(plans[0], "zzzz") {
					t.Errorf("%s?%s: %q and %q", r[1], q, plans[0], plans[1])
				}
				if plans[0] != "" {
					planned++
				}
			}
		}
	}
	if as == "full" && planned < 20 {
		t.Errorf("%d plans are too few", planned)
	}
}

// The page offers of GraphQL what its reader may use: operations, attributes and filters.
func TestGraphQLThatCanBeExplored(t *testing.T) {
	t.Parallel()
	site, err := schema.Load(sampleWith(t, unlimited, `{"public": {"plugin::quire.openapi": ["find"], "api::restaurant.restaurant": ["find"], "api::chef.chef": ["create"]}}`))
	check(t, err)
	site.Settings.GraphQL.Enabled = true
	c, _ := newClientOf(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	offered := func(as string) func(name string) string {
		var got struct {
			Types map[string]struct{ Fields []struct{ Name string } }
		}
		check(t, json.Unmarshal([]byte(c.send(as, "GET", "/api/docs/graphql", "").body), &got))
		return func(name string) (names string) {
			for _, f := range got.Types[name].Fields {
				names += " " + f.Name
			}
			return names + " "
		}
	}
	public, full := offered(""), offered("full")
	if got := public("Query"); got != " restaurants_connection restaurants " {
		t.Errorf("queries of the public: %s", got)
	}
	if got := public("Mutation"); !strings.Contains(got, " createChef ") || strings.Contains(got, "Restaurant") || strings.Contains(got, "deleteChef") {
		t.Errorf("mutations of the public: %s", got)
	}
	for _, name := range []string{"Restaurant", "RestaurantFiltersInput"} {
		if got := public(name); !strings.Contains(got, " name ") || !strings.Contains(got, " stars ") || strings.Contains(got, "chef") || strings.Contains(got, "secret_note") {
			t.Errorf("%s of the public: %s", name, got)
		}
		if got := full(name); !strings.Contains(got, " chef ") || strings.Contains(got, "secret_note") {
			t.Errorf("%s of a full token: %s", name, got)
		}
	}
	if got := full("Mutation"); !strings.Contains(got, " deleteUploadFile ") || !strings.Contains(got, " updateUsersPermissionsRole ") || !strings.Contains(got, " login ") {
		t.Errorf("mutations of a full token: %s", got)
	}
}

// A content type at /api/docs takes precedence over the page and its files.
func TestContentTypeMayBeCalledDocsWithoutThePage(t *testing.T) {
	t.Parallel()
	for _, r := range server.Routes(siteIn(t, "testdata/docs")) {
		if r.Path == "/api/docs/types" || r.Path == "/api/docs/:file" {
			t.Errorf("%s is served beside a content type", r.Path)
		}
	}
}
