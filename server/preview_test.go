package server_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"quire/server"
)

func TestAPreviewLinkShowsADraft(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	a := s.send("full", "POST", s.named("/api/restaurants/{r}/actions/preview-link"), "")
	token := a.text(t, "data.token")
	if want := s.named("https://front.example.org/en/draft?id={r}&v=draft&previewToken=") + token; a.status != 200 || a.text(t, "data.url") != want {
		t.Errorf("%d %s, want the url %s", a.status, a.body, want)
	}
	if a.text(t, "data.expiresAt") != "2026-05-01T13:00:00.000Z" || a.header.Get("Cache-Control") != keepNever {
		t.Errorf("%v %s", a.header, a.body)
	}
	for path, want := range map[string]string{
		"/api/restaurants/{r}":                                   `"name":"Draft"`,
		"/api/restaurants/{r}?status=draft":                      `"name":"Draft"`,
		"/api/restaurants/{r}?status=published":                  `"name":"Public"`,
		"/api/restaurants/{r}?locale=fr":                         `"name":"Brouillon"`,
		"/api/restaurants":                                       `"total":1`,
		"/api/restaurants?locale=*":                              `"total":2`,
		"/api/restaurants?filters[slug]=draft":                   `"name":"Draft"`,
		"/api/restaurants?filters[slug]=public&status=published": `"name":"Public"`,
		"/api/restaurants?filters[chef][name]=Ada":               `"name":"Draft"`,
		"/api/restaurants?sort=chef.name":                        `"name":"Draft"`,
		"/api/restaurants?filters[slug]=SECRET":                  `"total":0`,
		"/api/restaurants?locale=it&fallbackLocale=fr":           `"name":"Brouillon"`,
		"/api/restaurants/{r}?populate=*":                        `"chef":{"id"`,
		"/api/restaurants/{r}?populate=reviews":                  `"note":5`,
		"/api/restaurants/{r}?populate=localizations":            `"name":"Brouillon"`,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			got := s.show(token, method, path, "")
			if got.status != 200 || method == "GET" && !strings.Contains(got.body, want) {
				t.Errorf("%s: %d %s, want %s", path, got.status, got.body, want)
			}
			if got.header.Get("Cache-Control") != "private, no-store" || got.header.Get("Referrer-Policy") != "no-referrer" || got.header.Get("ETag") != "" {
				t.Errorf("%s %s: %v", method, path, got.header)
			}
		}
	}
	if got := s.show(token, "GET", "/api/restaurants", "", "Strapi-Response-Format", "v4"); !strings.Contains(got.body, `"attributes":{`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	for _, headers := range [][]string{held("*"), {"X-Quire-Explain", "1"}} {
		if got := s.show(token, "GET", "/api/restaurants/{r}", "", headers...); got.status != 200 || got.header.Get("X-Quire-Plan") != "" {
			t.Errorf("%v: %d %v", headers, got.status, got.header)
		}
	}
}

// The holder of a link learns nothing about other documents, not even that they exist:
// the responses stay the same to the last byte when these change.
func TestAPreviewLinkTellsNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	token := s.link("full", "/api/restaurants/{r}", "")
	shown := []string{
		"/api/restaurants", "/api/restaurants?locale=*&sort=name:desc", "/api/restaurants?populate=*", "/api/restaurants?populate[*]=5", "/api/restaurants/{r}?populate[*]=4",
		"/api/restaurants?populate=chef.restaurants,categories.restaurants", "/api/restaurants?populate[0]=categories.restaurants.chef", "/api/restaurants?populate[chef][populate]=*",
		"/api/restaurants?populate[chef][populate][restaurants][count]=true", "/api/restaurants?populate[chef][populate][restaurants][fields]=name",
		"/api/restaurants?populate[categories][populate][restaurants][filters][name]=SECRET", "/api/restaurants?populate[reviews][populate][restaurant][populate][chef][populate]=restaurants",
		"/api/restaurants?populate[localizations][populate][chef][populate]=restaurants", "/api/restaurants?populate[sections][populate]=*",
		"/api/restaurants?filters[name][$ne]=x", "/api/restaurants?filters[$or][0][tagline]=SECRET&filters[$or][1][id][$gt]=0", "/api/restaurants?filters[documentId][$in][0]={other}&filters[documentId][$in][1]={r}",
		"/api/restaurants?filters[$not][name]=SECRET", "/api/restaurants?filters[documentId]={other}", "/api/restaurants?filters[categories][name]=soups", "/api/restaurants?sort=chef.name,slug",
		"/api/restaurants?pagination[page]=2&pagination[pageSize]=1", "/api/restaurants?pagination[start]=0&pagination[limit]=1", "/api/restaurants?pagination[after]=&pagination[limit]=1",
		"/api/restaurants?locale=it&fallbackLocale=fr,en&populate=*", "/api/restaurants?status=published&populate[*]=3", "/api/restaurants/{r}?filters[name]=SECRET",
	}
	refused := []string{
		"/api/restaurants?filters[chef][restaurants][name][$startsWith]=S", "/api/restaurants?filters[$or][0][$not][categories][restaurants][name]=SECRET", "/api/restaurants?sort=chef.restaurants.name",
		"/api/restaurants?populate[chef][filters][restaurants][name]=SECRET", "/api/restaurants?populate[chef][sort]=restaurants.name", "/api/restaurants?populate[categories][filters][restaurants][slug][$null]=true",
		"/api/restaurants?populate[reviews][filters][restaurant][categories][restaurants][id][$gt]=0", "/api/restaurants?filters[localizations][chef][restaurants][id][$gt]=0",
		"/api/restaurants?_q=SECRET", "/api/restaurants?_q=a&sort=_rank", "/api/restaurants?publicationFilter=modified", "/api/restaurants?hasPublishedVersion=true",
		"/api/restaurants/{other}", "/api/restaurants/nothing", "/api/restaurants/_count", "/api/restaurants/_aggregate", "/api/restaurants/_aggregate?groupBy=name", "/api/homepage", "/api/chefs", "/api/chefs/{chef}", "/api/categories",
	}
	ask := func() map[string]string {
		seen := map[string]string{}
		for i, path := range append(shown, refused...) {
			a, want := s.show(token, "GET", path, ""), 200
			if i >= len(shown) {
				want = 403
			}
			if path == "/api/restaurants/{r}?filters[name]=SECRET" {
				want = 404
			}
			if a.status != want || strings.Contains(a.body, "SECRET") || strings.Contains(a.body, s.names["other"]) {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
			a.header.Del("X-Request-Id")
			seen[path] = fmt.Sprint(a.status, a.header, a.body)
		}
		return seen
	}
	before := ask()
	s.put("/api/restaurants/{other}?status=draft", `{"name": "AAA SECRET", "categories": []}`)
	s.make("third", "/api/restaurants?status=draft", `{"name": "SECRET 3", "chef": "{chef}", "categories": ["{cat}"]}`)
	s.make("fourth", "/api/restaurants", `{"name": "Zzz SECRET", "chef": "{chef}"}`)
	for path, after := range ask() {
		if after != before[path] {
			t.Errorf("%s shows that other restaurants have changed:\n%s\n%s", path, before[path], after)
		}
	}
}

// All routes except the reads of its document refuse the holder of a link, even if its
// maker may do everything.
func TestAPreviewLinkOpensNothingElse(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	token := s.link("full", "/api/restaurants/{r}", "")
	open := 0
	for _, r := range server.Routes(s.site) {
		path := strings.NewReplacer(":documentId", "{r}", ":id", "1", ":revision", "1", "*name", "x.png").Replace(r.Path)
		body := ""
		if r.Method != "GET" {
			body = `{"data": {}}`
		}
		a := s.show(token, r.Method, path, body)
		if r.Path == "/api/restaurants" && r.Method == "GET" || r.Path == "/api/restaurants/:documentId" && r.Method == "GET" {
			open++
			if a.status != 200 {
				t.Errorf("%s %s: %d %s", r.Method, path, a.status, a.body)
			}
			continue
		}
		if a.status != 403 || !strings.Contains(a.body, "preview link reads one document") {
			t.Errorf("%s %s: %d %s", r.Method, path, a.status, a.body)
		}
	}
	if open != 2 {
		t.Errorf("%d routes are open", open)
	}
	batch := `{"requests": [{"method": "PUT", "url": "` + s.named("/api/restaurants/{r}") + `?previewToken=` + token + `", "body": {"data": {}}}]}`
	for _, as := range []string{"", "full"} {
		if a := s.send(as, "POST", "/api/_batch", batch); a.status != 403 || strings.Contains(a.body, token) {
			t.Errorf("in a batch of %q: %d %s", as, a.status, a.body)
		}
	}
	if a := s.send("full", "PUT", s.named("/api/restaurants/{r}?previewToken=")+token, `{"data": {"name": "Mine"}}`); a.status != 403 {
		t.Errorf("a write of somebody who may write: %d %s", a.status, a.body)
	}
}

// A link to a single type works as long as the document is the one for which it was
// made.
func TestAPreviewLinkOfASingleType(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, `{"api::homepage.homepage": "https://front.example.org/", "api::chef.chef": "https://front.example.org/{locale}/{name}"}`)
	a := s.send("full", "POST", "/api/homepage/actions/preview-link", "")
	token := a.text(t, "data.token")
	if a.text(t, "data.url") != "https://front.example.org/?previewToken="+token {
		t.Error(a.body)
	}
	if a := s.show(token, "GET", "/api/homepage", ""); a.status != 200 || !strings.Contains(a.body, `"title":"SECRET"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	s.send("full", "DELETE", "/api/homepage", "")
	s.put("/api/homepage?status=draft", `{"title": "another"}`)
	if a := s.show(token, "GET", "/api/homepage", ""); a.status != 404 || a.header.Get(versionHeader) != "" {
		t.Errorf("another document in its place: %d %v %s", a.status, a.header, a.body)
	}
	if a := s.send("full", "POST", s.named("/api/chefs/{chef}/actions/preview-link"), ""); !strings.HasPrefix(a.text(t, "data.url"), "https://front.example.org/en/Ada?") {
		t.Errorf("of a type without locales: %s", a.body)
	}
	if a := s.send("full", "POST", "/api/chefs/none/actions/preview-link", ""); a.status != 404 {
		t.Errorf("of no document: %d %s", a.status, a.body)
	}
	if a := s.send("full", "POST", s.named("/api/categories/{cat}/actions/preview-link"), ""); a.status != 405 {
		t.Errorf("of a type without drafts: %d %s", a.status, a.body)
	}
	if a := s.send("full", "POST", s.named("/api/restaurants/{r}/actions/preview-link"), ""); a.status != 200 || !strings.Contains(a.body, `"url":null`) {
		t.Errorf("without an address: %d %s", a.status, a.body)
	}
}

func TestWhatAPreviewLinkIsAskedFor(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, `{"api::restaurant.restaurant": "https://front.example.org/{slug}/{seats}/{stars}/{rating}/{vegan}/{locale}"}`)
	path := s.named("/api/restaurants/{r}/actions/preview-link")
	if a := s.send("full", "POST", path, ""); a.status != 400 || a.Error.Name != "ValidationError" || !strings.Contains(a.Error.Message, `"seats" has no value`) {
		t.Errorf("a missing value: %d %s", a.status, a.body)
	}
	s.put("/api/restaurants/{r}?status=draft", `{"seats": "9007199254740993", "stars": 3, "rating": 1234567.5}`)
	s.put("/api/restaurants/{r}?status=draft&locale=fr", `{"slug": "brouillon"}`)
	if a := s.send("full", "POST", path, ""); !strings.HasPrefix(a.text(t, "data.url"), "https://front.example.org/draft/9007199254740993/3/1234567.5/false/en?previewToken=") {
		t.Error(a.body)
	}
	if a := s.send("full", "POST", path+"?locale=fr", ""); !strings.Contains(a.text(t, "data.url"), "/fr?previewToken=") {
		t.Error(a.body)
	}
	s.put("/api/restaurants/{r}?status=draft", `{"slug": ".."}`)
	for _, test := range []struct {
		query, body string
		status      int
		message     string
	}{
		{"?status=draft", "", 400, "slug"},
		{"?status=published", `{"expiresIn": "7d"}`, 400, "seats"},
		{"?locale=de", "", 400, `no locale "de"`},
		{"?locale=*", "", 400, "no locale"},
		{"?locale=it", "", 404, "Not Found"},
		{"?status=other", "", 400, "status"},
		{"", `{"expiresIn": "7d1s"}`, 400, "expiresIn"},
		{"", `{"expiresIn": "8d"}`, 400, "expiresIn"},
		{"", `{"expiresIn": "59s"}`, 400, "expiresIn"},
		{"", `{"expiresIn": "-1h"}`, 400, "expiresIn"},
		{"", `{"expiresIn": 3600}`, 400, "expiresIn"},
		{"", `{"expiresIn": null}`, 400, "expiresIn"},
		{"?expiresIn=1m", "", 400, "into the body"},
		{"", `null`, 400, "body"},
		{"", `{"for": "1h"}`, 400, `"for"`},
		{"", `[]`, 400, "body"},
		{"", `"1h"`, 400, "body"},
	} {
		a := s.send("full", "POST", path+test.query, test.body)
		if a.status != test.status || !strings.Contains(a.Error.Message, test.message) {
			t.Errorf("%s %s: %d %s", test.query, test.body, a.status, a.body)
		}
	}
	if a := s.send("full", "POST", path, `{"expiresIn": "1m"}`, "Content-Type", "text/plain"); a.status != 400 || !strings.Contains(a.Error.Message, "Content-Type") {
		t.Errorf("a body that does not say what it is: %d %s", a.status, a.body)
	}
}

// A response need not show the values in an address.
func TestPreviewLinksOfHiddenNames(t *testing.T) {
	t.Parallel()
	folder := previewFolder(t, `{"api::restaurant.restaurant": "https://front.example.org/{locale}/{documentId}/{status}"}`).(fstest.MapFS)
	folder["site.json"].Data = []byte(strings.Replace(string(folder["site.json"].Data), `{"preview"`, `{"responses": {"privateAttributes": ["id", "documentId", "locale"]}, "preview"`, 1))
	s := &previewSite{openAccountSite(t, folder, options{}), nil, map[string]string{}}
	s.make("r", "/api/restaurants?status=draft", `{"name": "Draft"}`)
	if a := s.send("full", "POST", s.named("/api/restaurants/{r}/actions/preview-link"), ""); a.status != 200 || !strings.Contains(a.body, s.named("https://front.example.org/en/{r}/draft?previewToken=")) {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A link shows no number that grows with writes elsewhere on the site, or that reveals
// links which its maker may not read.
func TestAPreviewLinkShowsNoVersion(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	token := s.link("full", "/api/restaurants/{r}", "")
	if a := s.send("full", "GET", s.named("/api/restaurants/{r}"), ""); a.header.Get(versionHeader) == "" {
		t.Errorf("no version for others: %v", a.header)
	}
	for _, path := range []string{"/api/restaurants/{r}", "/api/restaurants/{r}?status=published", "/api/restaurants/{r}?populate=*"} {
		if a := s.show(token, "GET", path, ""); a.status != 200 || a.header.Get(versionHeader) != "" || a.header.Get("Access-Control-Expose-Headers") != "" {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
}
