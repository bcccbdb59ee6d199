package edge

import (
	"net/netip"
	"sync"
	"time"
)

// Rate limits the requests of each client address. Of an address it remembers
// one moment: when it would be through with what it has sent, had it sent no
// faster than it may. That may lie ahead by as much as the burst takes.
type Rate struct {
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

// NewRate returns a rate of so many requests in an interval, of which a burst may
// come at once. It is nil, which limits nothing, for a rate of 0 requests.
func NewRate(requests int, interval time.Duration, burst int) *Rate {
	if requests == 0 {
		return nil
	}
	step := interval / time.Duration(requests)
	return &Rate{step: step, burst: step * time.Duration(burst), now: map[netip.Addr]time.Time{}}
}

// Take counts a request of an address and returns 0, or returns how long the client
// has to wait, in which case the request does not count. With IPv6 a client has a
// network of 64 bits.
func (r *Rate) Take(address netip.Addr, now time.Time) (wait time.Duration) {
	return r.TakeAll(address, 1, now)
}

// TakeAll is Take for so many requests: all of them count, or none.
func (r *Rate) TakeAll(address netip.Addr, requests int, now time.Time) (wait time.Duration) {
	if r == nil {
		return 0
	}
	return r.take(address, time.Duration(requests)*r.step, r.burst, now)
}

// TakeAmong is Take on one of so many servers that share the rate. Each has its part of it:
// a request counts as many times there. However many there are, one request may come.
func (r *Rate) TakeAmong(servers int, address netip.Addr, now time.Time) (wait time.Duration) {
	if r == nil {
		return 0
	}
	cost := time.Duration(servers) * r.step
	return r.take(address, cost, max(r.burst, cost), now)
}

// take has an address take so much of its time, unless that would be ahead of now by more
// than the burst.
func (r *Rate) take(address netip.Addr, cost, burst time.Duration, now time.Time) (wait time.Duration) {
	address = network(address)
	r.mu.Lock()
	defer r.mu.Unlock()
	through, known := r.now[address]
	if !known {
		through = r.older[address]
	}
	if through.Before(now) {
		through = now
	}
	through = through.Add(cost)
	if ahead := through.Sub(now); ahead > burst {
		return ahead - burst
	}
	if !known && len(r.now) >= mostAddresses {
		r.now, r.older = map[netip.Addr]time.Time{}, r.now
	}
	r.now[address] = through
	return 0
}
