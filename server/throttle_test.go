package server

import (
	"io"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"quire/server/edge"
)

// A throttled request gets the common envelope on every route. Clients behind a trusted
// proxy are distinguished.
func TestThrottledRequests(t *testing.T) {
	t.Parallel()
	s := testServer(t, io.Discard, nothing)
	e := s.current.Load()
	e.rate = edge.NewRate(1, time.Hour, 1)
	e.schema.Settings.Accounts.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		method, path, remote, forwarded string
		status                          int
	}{
		{"GET", "/x", "192.0.2.1:1000", "", 204},
		{"GET", "/x", "192.0.2.1:2000", "", 429},
		{"GET", "/nowhere", "192.0.2.1:2000", "", 429},
		{"OPTIONS", "/x", "192.0.2.1:2000", "", 429},
		{"GET", "/x", "192.0.2.1:2000", "198.51.100.9", 429},
		{"GET", "/x", "10.0.0.1:1000", "198.51.100.7", 204},
		{"GET", "/x", "10.0.0.1:1000", "198.51.100.8", 204},
		{"GET", "/x", "10.0.0.2:1000", "198.51.100.8", 429},
		{"GET", "/x", "[2001:db8::1]:1000", "", 204},
		{"GET", "/x", "[2001:db8::ffff:1]:1000", "", 429},
		{"GET", "/x", "[2001:db8:0:1::1]:1000", "", 204},
	} {
		r := httptest.NewRequest(test.method, test.path, nil)
		r.RemoteAddr = test.remote
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if test.method == "OPTIONS" {
			r.Header.Set("Access-Control-Request-Method", "GET")
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		throttled := strings.Contains(w.Body.String(), `{"data":null,"error":{"status":429,"name":"RateLimitError"`) && w.Header().Get("Retry-After") == "3600" && w.Header().Get("Access-Control-Allow-Origin") == "*"
		if w.Code != test.status || throttled != (test.status == 429) {
			t.Errorf("%+v: %d %v %s", test, w.Code, w.Header(), w.Body)
		}
	}
	if c := s.Counts(); c.Rated != 6 || c.Throttled != 0 {
		t.Errorf("%+v", c)
	}
}
