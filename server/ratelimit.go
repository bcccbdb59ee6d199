package server

import (
	"net/netip"
	"sync"
	"time"

	"quire/auth"
	"quire/schema"
)

// rate limits the requests of each client address. Of an address it remembers
// one moment: when it would be through with what it has sent, had it sent no
// faster than it may. That may lie ahead by as much as the burst takes.
type rate struct {
	step  time.Duration // between two requests that are spread evenly
	burst time.Duration // how far ahead an address may be

	mu    sync.Mutex
	now   map[netip.Addr]time.Time
	older map[netip.Addr]time.Time
}

// mostAddresses bounds what is remembered. When so many have come, those that
// have not been seen since as many came before are forgotten: whoever has that
// many addresses is not held up by a limit on each.
const mostAddresses = 50_000

func newRate(r schema.RequestRate) *rate {
	if r.Max == 0 {
		return nil
	}
	step := r.Interval / time.Duration(r.Max)
	return &rate{step: step, burst: step * time.Duration(r.Burst), now: map[netip.Addr]time.Time{}}
}

// ratedError is for an address that sends more than it may, whatever it asks for.
type ratedError struct{ auth.ThrottledError }

func (e *ratedError) Unwrap() error { return &e.ThrottledError }

// admit counts a request.
func (r *rate) admit(x *exchange) error {
	wait := r.take(network(clientAddress(x.request, x.edition.site.Settings.Accounts.Proxies)), x.watch.begun)
	if wait == 0 {
		return nil
	}
	return &ratedError{auth.ThrottledError{Wait: wait}}
}

// take counts a request of an address, or tells how long it has to wait.
func (r *rate) take(address netip.Addr, now time.Time) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	through, known := r.now[address]
	if !known {
		through = r.older[address]
	}
	if through.Before(now) {
		through = now
	}
	through = through.Add(r.step)
	if ahead := through.Sub(now); ahead > r.burst {
		return ahead - r.burst
	}
	if !known && len(r.now) >= mostAddresses {
		r.now, r.older = map[netip.Addr]time.Time{}, r.now
	}
	r.now[address] = through
	return 0
}
