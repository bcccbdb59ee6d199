package edge

import (
	"net/netip"
	"sync"
	"time"
)

// Rate limits the requests of each client address. For each address it stores one moment:
// when its requests would be done at the allowed rate. That may be in the future by the
// duration of the burst.
type Rate struct {
	step  time.Duration // between two evenly spread requests
	burst time.Duration // how far the moment of an address may be in the future

	mu    sync.Mutex
	now   map[netip.Addr]time.Time
	older map[netip.Addr]time.Time
}

// mostAddresses is how many addresses are stored. When there are more, those that were not
// seen while as many others arrived are removed. A limit per address cannot stop a client
// with that many addresses.
const mostAddresses = 50_000

// NewRate returns a rate of requests per interval, of which a burst may arrive at once. It
// is nil, which has no limit, for 0 requests.
func NewRate(requests int, interval time.Duration, burst int) *Rate {
	if requests == 0 {
		return nil
	}
	step := interval / time.Duration(requests)
	return &Rate{step: step, burst: step * time.Duration(burst), now: map[netip.Addr]time.Time{}}
}

// Take counts a request of an address and returns 0. If the address must wait, Take returns
// how long, and does not count the request. With IPv6, a client is a /64 network.
func (r *Rate) Take(address netip.Addr, now time.Time) (wait time.Duration) {
	return r.TakeAll(address, 1, now)
}

// TakeAll is Take for several requests: it counts all of them, or none.
func (r *Rate) TakeAll(address netip.Addr, requests int, now time.Time) (wait time.Duration) {
	if r == nil {
		return 0
	}
	return r.take(address, time.Duration(requests)*r.step, r.burst, now)
}

// TakeAmong is Take on one of several servers that share the rate. A request counts as many
// times as there are servers. However many there are, one request may arrive.
func (r *Rate) TakeAmong(servers int, address netip.Addr, now time.Time) (wait time.Duration) {
	if r == nil {
		return 0
	}
	cost := time.Duration(servers) * r.step
	return r.take(address, cost, max(r.burst, cost), now)
}

// take adds a cost to the moment of an address, unless that would be beyond the burst.
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
