package server_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Responses to reads that are requested again and again come from a cache (response_cache.go).
// These tests request each read often enough to be stored, and compare it with the same read
// with more ampersands in the query string, which is another request each time.

// repeatedReads are reads and their headers. Names in braces stand for documents.
var repeatedReads = []struct {
	path    string
	headers []string
}{
	{"/api/restaurants?sort=id", nil},
	{"/api/restaurants?sort=id", []string{"Strapi-Response-Format", "v4"}},
	{"/api/restaurants?sort=id&locale=fr", nil},
	{"/api/restaurants?sort=id&locale=*&populate=*", nil},
	{"/api/restaurants?status=draft&sort=id&populate=chef", nil},
	{"/api/restaurants?filters[chef][name][$startsWith]=A", nil},
	{"/api/restaurants?publicationFilter=modified", nil},
	{"/api/restaurants/{place}", nil},
	{"/api/restaurants/{place}", []string{"Strapi-Response-Format", "v4"}},
	{"/api/restaurants/{place}?locale=fr", nil},
	{"/api/restaurants/{place}?status=draft&populate=*", nil},
	{"/api/restaurants/{place}?populate[chef][populate]=restaurants", nil},
	{"/api/chefs/{chef}", nil},
	{"/api/chefs?_q=a&populate[restaurants][count]=true", nil},
	{"/api/restaurants/_count?locale=*", nil},
	{"/api/restaurants/_aggregate?groupBy=chef.name&count=true", nil},
	{"/api/homepage", nil},
	{"/api/restaurants/_search?q=bis", nil},
	{"/api/restaurants/_suggest?q=bis", nil},
	{"/api/_search?q=ada", nil},
	{"/api/_search?q=biscotte&types=api::restaurant.restaurant", nil},
	{"/api/_suggest?q=a", nil},
}

// A change of content, of a draft, of a locale or of rights is seen by the next read of every
// caller.
func TestRepeatedReadsFollowChanges(t *testing.T) {
	t.Parallel()
	site := sampleSite(t)
	delete(site.Settings.Roles, "public")
	folder := t.TempDir()
	s, keys, _ := open(t, folder, site, slog.New(slog.DiscardHandler))
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	c := &client{t, h.URL, map[string]string{"full": createToken(t, keys, "full", "full-access"), "readonly": createToken(t, keys, "readonly", "read-only")}}
	chef := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	place := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Biscotte", "chef": "`+chef+`"}}`).documentID(t)
	role := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(c.send("full", "GET", "/api/users-permissions/roles?filters[type]=public", "").body)[1]
	named := strings.NewReplacer("{chef}", chef, "{place}", place)
	const allow = `{"name": "Public", "permissions": {"api::restaurant": {"controllers": {"restaurant": {"find": {"enabled": true}, "findOne": {"enabled": true}}}}%s}}`
	fresh := 0
	for _, write := range []struct{ method, path, body string }{
		{"PUT", "/api/users-permissions/roles/" + role, fmt.Sprintf(allow, "")},
		{"PUT", "/api/restaurants/{place}", `{"data": {"name": "Brioche"}}`},
		{"PUT", "/api/chefs/{chef}", `{"data": {"name": "Bob"}}`},
		{"PUT", "/api/chefs/{chef}?status=draft", `{"data": {"name": "Anna"}}`},
		{"PUT", "/api/users-permissions/roles/" + role, fmt.Sprintf(allow, `, "api::chef": {"controllers": {"chef": {"find": {"enabled": true}}}}`)},
		{"PUT", "/api/chefs/{chef}", `{"data": {"name": "Anna"}}`},
		{"PUT", "/api/restaurants/{place}?locale=fr", `{"data": {"name": "Baguette"}}`},
		{"PUT", "/api/restaurants/{place}?locale=fr&status=draft", `{"data": {"name": "Croissant"}}`},
		{"PUT", "/api/users-permissions/roles/" + role, fmt.Sprintf(allow, "")},
		{"POST", "/api/restaurants", `{"data": {"name": "Madeleine", "chef": "` + chef + `"}}`},
		{"PUT", "/api/homepage", `{"data": {"title": "Home"}}`},
		{"PUT", "/api/restaurants/{place}", `{"data": {"chef": null}}`},
		{"DELETE", "/api/restaurants/{place}?locale=fr", ""},
		{"DELETE", "/api/chefs/{chef}", ""},
		{"DELETE", "/api/restaurants/{place}", ""},
	} {
		if got := c.send("full", write.method, named.Replace(write.path), write.body); got.status >= 300 {
			t.Fatalf("%+v: %d %s", write, got.status, got.body)
		}
		for _, read := range repeatedReads {
			for _, as := range []string{"", "readonly", "full"} {
				path := named.Replace(read.path)
				fresh++
				want := c.send(as, "GET", path+"?"[:1-strings.Count(path, "?")]+strings.Repeat("&", fresh), "", read.headers...)
				for range 3 {
					got := c.send(as, "GET", path, "", read.headers...)
					if got.status != want.status || got.body != want.body || got.header.Get("Quire-Version") != want.header.Get("Quire-Version") {
						t.Fatalf("after %+v, %s as %q %v: %d %s, want %d %s", write, path, as, read.headers, got.status, got.body, want.status, want.body)
					}
				}
			}
		}
	}
	if s.CachedBytes() == 0 {
		t.Error("nothing was stored, so nothing was tested")
	}
}

// A path with an encoded question mark is another one than the same bytes with a query string.
func TestRepeatedReadsOfOddPaths(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	chef := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	for range 3 {
		if got := c.send("full", "GET", "/api/chefs/"+chef+"?populate=restaurants&x=?populate=restaurants", ""); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if got := c.send("full", "GET", "/api/chefs/"+chef+"%3Fpopulate=restaurants&x=?populate=restaurants", ""); got.status != 404 {
		t.Errorf("no document has that id: %d %s", got.status, got.body)
	}
}

// While others write, a client that has the response to its write sees it in all its reads.
func TestAcknowledgedWritesAreRead(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	var wait sync.WaitGroup
	for w := range 3 {
		dish := c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Soup %d"}}`, w)).documentID(t)
		wait.Go(func() {
			for i := range 60 {
				price := 1000*(w+1) + i
				c.send("full", "PUT", "/api/dishes/"+dish, fmt.Sprintf(`{"data": {"price": %d}}`, price))
				for range 1 + rand.IntN(3) {
					for _, path := range []string{"/api/dishes", "/api/dishes/" + dish, "/api/dishes?fields=price&filters[documentId]=" + dish} {
						if got := c.send("readonly", "GET", path, ""); !strings.Contains(got.body, fmt.Sprintf(`"price":%d`, price)) {
							t.Errorf("%s does not show %d: %s", path, price, got.body)
						}
					}
				}
			}
		})
	}
	wait.Wait()
}
