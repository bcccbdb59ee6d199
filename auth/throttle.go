package auth

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"quire/schema"
)

// Throttle limits how often something may be tried: by one client address, and
// against one account whoever tries it. It remembers when each was tried within
// the last interval.
type Throttle struct {
	now func() time.Time

	mu    sync.Mutex
	limit schema.RateLimit
	tries map[tryKey][]time.Time // at most limit.Max each
	swept time.Time              // when keys without recent tries were last dropped
}

// tryKey is the hash of what is limited, so that long names take no more room and
// nobody's address lies about in memory.
type tryKey [sha256.Size]byte

// ThrottledError asks to come back after Wait.
type ThrottledError struct{ Wait time.Duration }

func (e *ThrottledError) Error() string { return "Too many requests, please try again later." }

// mostTried bounds the keys that are remembered.
const mostTried = 100_000

func newThrottle(now func() time.Time) *Throttle {
	return &Throttle{now: now, tries: map[tryKey][]time.Time{}}
}

func (t *Throttle) use(limit schema.RateLimit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = limit
}

// Address counts a try of an endpoint by a client. The endpoint is its name in
// the table of routes, however the client has written it. IPv6 addresses count
// by their network of 64 bits, which is what one client has. The error is a
// *ThrottledError.
func (t *Throttle) Address(endpoint string, client netip.Addr) error {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		network, _ := client.Prefix(64)
		client = network.Addr()
	}
	return t.try(fmt.Sprintf("address %s %s", endpoint, client))
}

// account counts a try against an account: by the name that was given for it,
// whether there is such an account or not, so that the answer does not tell.
func (t *Throttle) account(action, name string) error {
	return t.try("account " + action + " " + strings.ToLower(strings.TrimSpace(name)))
}

func (t *Throttle) try(what string) error {
	key := sha256.Sum256([]byte(what))
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.limit.Enabled {
		return nil
	}
	now := t.now()
	t.sweep(now)
	tries := recent(t.tries[key], now.Add(-t.limit.Interval))
	if len(tries) >= t.limit.Max {
		t.tries[key] = tries
		return &ThrottledError{tries[len(tries)-t.limit.Max].Add(t.limit.Interval).Sub(now)}
	}
	t.tries[key] = append(tries, now)
	return nil
}

// recent drops the tries up to a moment.
func recent(tries []time.Time, since time.Time) []time.Time {
	for len(tries) > 0 && !tries[0].After(since) {
		tries = tries[1:]
	}
	return tries
}

// sweep drops the keys that nothing was tried with for an interval, once in an
// interval. Should there be too many all the same, all are dropped: whoever has
// that many addresses is not held up by a limit on each.
func (t *Throttle) sweep(now time.Time) {
	if now.Sub(t.swept) < t.limit.Interval && len(t.tries) < mostTried {
		return
	}
	t.swept = now
	for key, tries := range t.tries {
		if len(recent(tries, now.Add(-t.limit.Interval))) == 0 {
			delete(t.tries, key)
		}
	}
	if len(t.tries) >= mostTried {
		clear(t.tries)
	}
}
