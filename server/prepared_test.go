package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// A query that was compiled for one request is used for others only if theirs would be
// the same: nobody gets the query of a caller with other rights, or in another form.
func TestQueriesAreKeptForWhomTheyWereCompiled(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	dish := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, query := range []string{"", "?status=draft"} {
		c.send("full", "POST", "/api/restaurants"+query, `{"data": {"name": "Rex", "location": {"street": "High", "city": "Lyon"}, "signature_dish": "`+dish+`"}}`).documentID(t)
	}
	askers := []struct {
		as      string
		headers []string
	}{
		{"", nil}, {"readonly", nil}, {"full", nil}, {"full", explained},
		{"", []string{"Strapi-Response-Format", "v4"}}, {"full", []string{"Strapi-Response-Format", "v4"}},
	}
	seen := map[string]bool{}
	for _, params := range []string{
		"sort=name", "populate=*", "status=draft", "fields=name&populate[signature_dish][fields]=name",
		"filters[signature_dish][name]=Soup", "filters[reviews][stars]=1", "filters[zzz]=1", "sort=zzz",
	} {
		for _, path := range []string{"/api/restaurants?", "/api/dishes?"} {
			for i, asker := range askers {
				fresh := c.send(asker.as, "GET", fmt.Sprintf("%s%s&nobody-has-asked-this=%d", path, params, i), "", asker.headers...)
				for range 2 {
					got := c.send(asker.as, "GET", path+params, "", asker.headers...)
					if got.status != fresh.status || got.body != fresh.body {
						t.Errorf("%s%s as %q %v: %d %s\nwant %d %s", path, params, asker.as, asker.headers, got.status, got.body, fresh.status, fresh.body)
					}
					if planned := got.header.Get("X-Quire-Plan") != ""; planned != (asker.headers != nil && asker.headers[0] == explained[0] && got.status == 200) {
						t.Errorf("%s%s as %q %v: a plan %v", path, params, asker.as, asker.headers, planned)
					}
				}
				seen[path+params+fresh.body] = true
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d different answers: the callers see the same", len(seen))
	}
}

// More queries than the cache holds replace each other under concurrent requests.
func TestMoreQueriesThanAreKept(t *testing.T) {
	t.Parallel()
	s, _, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.NewTextHandler(io.Discard, nil)))
	h := s.Handler()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 3000 {
				start := i % 1500
				got := request(h, "", "GET", fmt.Sprintf("/api/restaurants?pagination[start]=%d", start), "")
				if got.Code != 200 || !strings.Contains(got.Body.String(), fmt.Sprintf(`"start":%d,`, start)) {
					t.Errorf("from %d: %d %s", start, got.Code, got.Body)
				}
			}
		})
	}
	all.Wait()
}
