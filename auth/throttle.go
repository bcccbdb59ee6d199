package auth

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"quire/schema/settings"
)

// Throttle limits how often a client may try an endpoint, and how often all clients
// together may try an account. It keeps the times of the attempts within the last interval,
// in the memory of this process.
type Throttle struct {
	now func() time.Time

	mu    sync.Mutex
	limit settings.RateLimit
	tries map[tryKey][]time.Time // at most limit.Max each
	swept time.Time              // when keys without recent attempts were last dropped
}

// tryKey is the hash of what is limited: long names take no more memory than short ones,
// and addresses are not stored.
type tryKey [sha256.Size]byte

// ThrottledError: too many attempts. The next one is allowed after Wait.
type ThrottledError struct{ Wait time.Duration }

func (e *ThrottledError) Error() string { return "Too many requests, please try again later." }

// mostTried limits the stored keys.
const mostTried = 100_000

// NewThrottle returns a limit of its own, independent of auth.rateLimit in site.json.
func NewThrottle(now func() time.Time, most int, interval time.Duration) *Throttle {
	t := newThrottle(now)
	t.SetLimit(settings.RateLimit{Enabled: true, Max: most, Interval: interval})
	return t
}

func newThrottle(now func() time.Time) *Throttle {
	return &Throttle{now: now, tries: map[tryKey][]time.Time{}}
}

// SetLimit replaces the limit. Attempts that were counted stay counted.
func (t *Throttle) SetLimit(limit settings.RateLimit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.limit = limit
}

// TryAddress counts an attempt of a client on an endpoint, and fails with a *ThrottledError
// if there were too many. The endpoint is the route's name in the table of routes. IPv6
// addresses count by their network of 64 bits, which is what one client has.
func (t *Throttle) TryAddress(endpoint string, client netip.Addr) error {
	return t.try(addressKey(endpoint, client))
}

// CheckAddress fails as TryAddress would, and counts nothing.
func (t *Throttle) CheckAddress(endpoint string, client netip.Addr) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.limit.Enabled {
		return nil
	}
	_, err := t.admits(sha256.Sum256([]byte(addressKey(endpoint, client))))
	return err
}

func addressKey(endpoint string, client netip.Addr) string {
	return fmt.Sprintf("address %s %s", endpoint, Network(client))
}

// Network identifies a client: by its address or, for IPv6, by its network of 64 bits.
func Network(client netip.Addr) netip.Addr {
	client = client.Unmap().WithZone("")
	if client.Is6() {
		network, _ := client.Prefix(64)
		client = network.Addr()
	}
	return client
}

// TryAccount counts an attempt on an account by the name given for it. It also counts names
// without an account, so that the result does not reveal which accounts exist.
func (t *Throttle) TryAccount(action, name string) error { return t.try(accountKey(action, name)) }

// TakeBack removes the latest attempt on an account from the count, because it was the
// owner's.
func (t *Throttle) TakeBack(action, name string) {
	key := sha256.Sum256([]byte(accountKey(action, name)))
	t.mu.Lock()
	defer t.mu.Unlock()
	if tries := t.tries[key]; len(tries) > 0 {
		t.tries[key] = tries[:len(tries)-1]
	}
}

func accountKey(action, name string) string {
	return "account " + action + " " + strings.ToLower(strings.TrimSpace(name))
}

func (t *Throttle) try(what string) error {
	key := sha256.Sum256([]byte(what))
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.limit.Enabled {
		return nil
	}
	t.sweep(t.now())
	tries, err := t.admits(key)
	if err == nil {
		tries = append(tries, t.now())
	}
	t.tries[key] = tries
	return err
}

// admits returns the attempts within the last interval, with an error if no more are
// allowed.
func (t *Throttle) admits(key tryKey) ([]time.Time, error) {
	now := t.now()
	tries := triesSince(t.tries[key], now.Add(-t.limit.Interval))
	if len(tries) < t.limit.Max {
		return tries, nil
	}
	return tries, &ThrottledError{tries[len(tries)-t.limit.Max].Add(t.limit.Interval).Sub(now)}
}

// triesSince returns the attempts after a moment.
func triesSince(tries []time.Time, since time.Time) []time.Time {
	for len(tries) > 0 && !tries[0].After(since) {
		tries = tries[1:]
	}
	return tries
}

// sweep drops keys without a recent attempt, once in an interval. If there are still too
// many, it drops all: a limit on each address does not stop a client with that many
// addresses.
func (t *Throttle) sweep(now time.Time) {
	if now.Sub(t.swept) < t.limit.Interval && len(t.tries) < mostTried {
		return
	}
	t.swept = now
	for key, tries := range t.tries {
		if len(triesSince(tries, now.Add(-t.limit.Interval))) == 0 {
			delete(t.tries, key)
		}
	}
	if len(t.tries) >= mostTried {
		clear(t.tries)
	}
}
