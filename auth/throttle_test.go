package auth

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
)

type tick struct{ now time.Time }

func (c *tick) Now() time.Time { return c.now }

func newTestThrottle() (*Throttle, *tick) {
	c := &tick{time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)}
	t := newThrottle(c.Now)
	t.SetLimit(settings.RateLimit{Enabled: true, Max: 3, Interval: time.Minute})
	return t, c
}

// waits returns how long somebody has to wait, 0 when there is no need to.
func waits(err error) time.Duration {
	var throttled *ThrottledError
	if errors.As(err, &throttled) {
		return throttled.Wait
	}
	return 0
}

func TestThrottleCountsWithinTheInterval(t *testing.T) {
	th, c := newTestThrottle()
	client := netip.MustParseAddr("192.0.2.1")
	for i, want := range []time.Duration{0, 0, 0, 30 * time.Second, 20 * time.Second, 10 * time.Second, 0, 0, 0, 30 * time.Second} {
		if got := waits(th.TryAddress("sign-in", client)); got != want {
			t.Errorf("try %d: wait %v, want %v", i, got, want)
		}
		c.now = c.now.Add(10 * time.Second)
	}
}

func TestThrottleTellsClientsApart(t *testing.T) {
	th, _ := newTestThrottle()
	use := func(endpoint, client string) {
		for range 3 {
			if err := th.TryAddress(endpoint, netip.MustParseAddr(client)); err != nil {
				t.Errorf("%s of %s: %v", endpoint, client, err)
			}
		}
	}
	use("sign-in", "192.0.2.1")
	use("sign-in", "192.0.2.2")
	use("register", "192.0.2.1")
	use("sign-in", "2001:db8:1:2::1")
	use("sign-in", "2001:db8:1:3::1")
	for _, same := range []string{"192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1:2:ffff::7"} {
		if th.TryAddress("sign-in", netip.MustParseAddr(same)) == nil {
			t.Errorf("%s is taken for another client", same)
		}
	}
}

func TestThrottleOfAccounts(t *testing.T) {
	th, _ := newTestThrottle()
	for _, name := range []string{"ana@example.org", " ANA@Example.org", "ana@EXAMPLE.org "} {
		if err := th.TryAccount("sign-in", name); err != nil {
			t.Error(err)
		}
	}
	if th.TryAccount("sign-in", "ana@example.org") == nil {
		t.Error("an account can be tried under each way to write its address")
	}
	if th.TryAccount("sign-in", "bo@example.org") != nil || th.TryAccount("forgot-password", "ana@example.org") != nil {
		t.Error("one account is held up by another")
	}
}

func TestThrottleCanBeOff(t *testing.T) {
	th, _ := newTestThrottle()
	th.SetLimit(settings.RateLimit{Enabled: false, Max: 1, Interval: time.Minute})
	for range 5 {
		check(t, th.TryAddress("sign-in", netip.MustParseAddr("192.0.2.1")))
	}
	if len(th.tries) != 0 {
		t.Error("it remembers all the same")
	}
}

func TestThrottleForgets(t *testing.T) {
	th, c := newTestThrottle()
	for i := range 1000 {
		th.TryAccount("sign-in", strings.Repeat("x", i))
	}
	c.now = c.now.Add(2 * time.Minute)
	th.TryAccount("sign-in", "one more")
	if got := len(th.tries); got != 1 {
		t.Errorf("it remembers %d accounts after the interval", got)
	}
}

// A try that was the owner's does not count.
func TestThrottleExcuses(t *testing.T) {
	th, _ := newTestThrottle()
	for range 10 {
		check(t, th.TryAccount("sign-in", "ana"))
		th.TakeBack("sign-in", "Ana ")
	}
	th.TakeBack("sign-in", "nobody")
}
