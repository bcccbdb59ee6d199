package server

import (
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"quire/schema"
)

// An address may send a burst at once and then as many as the rate allows.
func TestRate(t *testing.T) {
	r := newRate(schema.RequestRate{Max: 10, Interval: 10 * time.Second, Burst: 3})
	begin, one, other := time.Unix(1_000_000, 0), netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for _, test := range []struct {
		after   time.Duration
		address netip.Addr
		wait    time.Duration
	}{
		{0, one, 0}, {0, one, 0}, {0, one, 0},
		{0, one, time.Second},
		{0, other, 0},
		{400 * time.Millisecond, one, 600 * time.Millisecond},
		{time.Second, one, 0},
		{time.Second, one, time.Second},
		{time.Hour, one, 0}, {time.Hour, one, 0}, {time.Hour, one, 0},
		{time.Hour, one, time.Second},
	} {
		if wait := r.take(test.address, begin.Add(test.after)); wait != test.wait {
			t.Errorf("%s after %s: wait %s, want %s", test.address, test.after, wait, test.wait)
		}
	}
}

// Whenever requests come, no more get through in a time than the burst and what
// the rate adds in it, and whoever waits as long as was asked gets through.
func TestRateOverTime(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	address := netip.MustParseAddr("2001:db8::")
	for range 50 {
		setting := schema.RequestRate{Max: 1 + rng.IntN(100), Interval: time.Second, Burst: 1 + rng.IntN(20)}
		r, now := newRate(setting), time.Unix(1_000_000, 0)
		var passed []time.Time
		for range 500 {
			now = now.Add(time.Duration(rng.IntN(int(20 * time.Millisecond))))
			wait := r.take(address, now)
			if wait > 0 {
				if rng.IntN(10) > 0 {
					continue
				}
				now = now.Add(wait)
				if again := r.take(address, now); again > 0 {
					t.Fatalf("seed %d, %+v: after a wait of %s another of %s", seed, setting, wait, again)
				}
			}
			passed = append(passed, now)
		}
		for i, from := range passed {
			most := setting.Burst + int(passed[len(passed)-1].Sub(from)/r.step)
			if n := len(passed) - i; n > most+1 {
				t.Fatalf("seed %d, %+v: %d passed in %s", seed, setting, n, passed[len(passed)-1].Sub(from))
			}
		}
	}
}

// However many addresses there are, few are remembered, and those that go on
// sending are among them.
func TestRateForgets(t *testing.T) {
	r, now := newRate(schema.RequestRate{Max: 1, Interval: time.Hour, Burst: 1}), time.Unix(1_000_000, 0)
	loud := netip.MustParseAddr("192.0.2.1")
	r.take(loud, now)
	address := netip.MustParseAddr("10.0.0.0")
	for i := range 3 * mostAddresses {
		if address = address.Next(); r.take(address, now) != 0 {
			t.Fatalf("address %d is throttled at once", i)
		}
		if n := len(r.now) + len(r.older); n > 2*mostAddresses {
			t.Fatalf("%d addresses are remembered", n)
		}
		if i < mostAddresses/2 && i%1000 == 0 && r.take(loud, now) == 0 {
			t.Fatalf("after %d others the first is forgotten", i)
		}
	}
}

// A throttled request is answered in the common envelope, whatever it is for, and
// the clients behind a trusted proxy are told apart.
func TestThrottledRequests(t *testing.T) {
	s := testServer(t, io.Discard, nothing)
	e := s.current.Load()
	e.rate = newRate(schema.RequestRate{Max: 1, Interval: time.Hour, Burst: 1})
	e.site.Settings.Accounts.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
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
