package server_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema/settings"
	"quire/server"
)

// family serves a site with the settings of the sample site, as change modifies them.
// It creates one category with 40 children: populated in circles, they are many.
func family(t *testing.T, change func(*settings.Settings)) (*client, *server.Server) {
	t.Helper()
	site := sampleSite(t)
	change(&site.Settings)
	s, keys, _ := open(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	listener := httptest.NewServer(s.Handler())
	t.Cleanup(listener.Close)
	c := &client{t, listener.URL, map[string]string{"full": createToken(t, keys, "full", auth.FullAccess)}}
	parent := c.send("full", "POST", "/api/categories", `{"data": {"name": "Parent"}}`).documentID(t)
	for i := range 40 {
		body := fmt.Sprintf(`{"data": {"name": "Child %d", "parent": %q}}`, i, parent)
		if a := c.send("full", "POST", "/api/categories", body); a.status != 201 {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	return c, s
}

// inCircles is a populate parameter that shows 40 children for each of 41 categories,
// twice.
const inCircles = "pagination[pageSize]=100&populate[parent][populate][children][populate][parent][populate]=children"

// A query that takes longer than the setting is ended, on every endpoint, and the
// response asks to try again. A quick one succeeds.
func TestQueriesHaveATime(t *testing.T) {
	t.Parallel()
	c, s := family(t, func(s *settings.Settings) { s.Limits.QueryTime = 1 })
	for _, path := range []string{
		"/api/categories?fields=name&" + inCircles,
		"/api/categories?fields=name&" + strings.Replace(inCircles, "[populate]=children", "[populate][children][filters][name][$containsi]=zzz", 1),
	} {
		if a := c.send("full", "GET", path, ""); a.status != 503 || a.header.Get("Retry-After") != "1" || !strings.Contains(a.body, "took longer than 1ns") {
			t.Errorf("%s: %d %.200s", path, a.status, a.body)
		}
	}
	if a := c.send("full", "GET", "/api/categories?populate=parent", ""); a.status != 200 {
		t.Errorf("a short query: %d %s", a.status, a.body)
	}
	if n := s.Counts().Late; n != 2 {
		t.Errorf("%d queries counted as late", n)
	}
}
