package edge

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// An address may send a burst at once, and then as many requests as the rate allows.
func TestRate(t *testing.T) {
	r := NewRate(10, 10*time.Second, 3)
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
		if wait := r.Take(test.address, begin.Add(test.after)); wait != test.wait {
			t.Errorf("%s after %s: wait %s, want %s", test.address, test.after, wait, test.wait)
		}
	}
}

// Servers that share a rate allow as much together as a single one, and each allows at
// least one request.
func TestRateAmongServers(t *testing.T) {
	now, address := time.Unix(1_000_000, 0), netip.MustParseAddr("192.0.2.1")
	for servers, each := range map[int]int{1: 12, 2: 6, 3: 4, 12: 1, 50: 1} {
		r := NewRate(12, 12*time.Second, 12)
		passed := 0
		for range 20 {
			if r.TakeAmong(servers, address, now) == 0 {
				passed++
			}
		}
		wait := r.TakeAmong(servers, address, now)
		if passed != each || wait != time.Duration(servers)*time.Second {
			t.Errorf("of %d servers one lets %d through, and the next waits %s", servers, passed, wait)
		}
	}
}

// Whenever requests arrive, no more are allowed in a time than the burst plus the rate,
// and a client that waits as long as it was asked to is allowed.
func TestRateOverTime(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	address := netip.MustParseAddr("2001:db8::")
	for range 50 {
		requests, burst := 1+rng.IntN(100), 1+rng.IntN(20)
		r, now := NewRate(requests, time.Second, burst), time.Unix(1_000_000, 0)
		var passed []time.Time
		for range 500 {
			now = now.Add(time.Duration(rng.IntN(int(20 * time.Millisecond))))
			wait := r.Take(address, now)
			if wait > 0 {
				if rng.IntN(10) > 0 {
					continue
				}
				now = now.Add(wait)
				if again := r.Take(address, now); again > 0 {
					t.Fatalf("seed %d, %d a second, %d at once: after a wait of %s another of %s", seed, requests, burst, wait, again)
				}
			}
			passed = append(passed, now)
		}
		for i, from := range passed {
			most := burst + int(passed[len(passed)-1].Sub(from)/r.step)
			if n := len(passed) - i; n > most+1 {
				t.Fatalf("seed %d, %d a second, %d at once: %d passed in %s", seed, requests, burst, n, passed[len(passed)-1].Sub(from))
			}
		}
	}
}

// However many addresses there are, few are stored, and those that continue to send are
// among them.
func TestRateForgets(t *testing.T) {
	r, now := NewRate(1, time.Hour, 1), time.Unix(1_000_000, 0)
	loud := netip.MustParseAddr("192.0.2.1")
	r.Take(loud, now)
	address := netip.MustParseAddr("10.0.0.0")
	for i := range 3 * mostAddresses {
		if address = address.Next(); r.Take(address, now) != 0 {
			t.Fatalf("address %d is throttled at once", i)
		}
		if n := len(r.now) + len(r.older); n > 2*mostAddresses {
			t.Fatalf("%d addresses are remembered", n)
		}
		if i < mostAddresses/2 && i%1000 == 0 && r.Take(loud, now) == 0 {
			t.Fatalf("after %d others the first is forgotten", i)
		}
	}
}
