package edge

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// waiters are the requests that wait for their clients: until a body arrives, or until
// a response is received. They do not count as requests in progress, because it costs a
// client nothing to let them wait. If there are too many, a new one evicts the one that
// has waited longest.
//
// Each large response waits, so they are in parts: with many processors, one lock for all
// would be the busiest of the server.
type waiters struct {
	n     atomic.Int64
	parts [64]waitersPart
}

type waitersPart struct {
	mu  sync.Mutex
	all map[*waiter]struct{}
	_   [48]byte // no other part is in its cache line
}

// waiter is a request that waits for its client.
type waiter struct {
	since   atomic.Int64        // start of the wait; 0 while the server works on the request
	on      http.ResponseWriter // the response of the request
	taking  bool                // whether the client receives a response; otherwise it sends a body
	part    *waitersPart        // that it is in; only for the request itself
	evicted bool                // guarded by part.mu
}

// deadline moves the deadline of the connection.
func (w *waiter) deadline(t time.Time) error {
	connection := http.NewResponseController(w.on)
	if w.taking {
		return connection.SetWriteDeadline(t)
	}
	return connection.SetReadDeadline(t)
}

// extend moves the deadline of the connection, unless the waiter was evicted.
func (w *waiter) extend(deadline time.Time) error {
	w.part.mu.Lock()
	defer w.part.mu.Unlock()
	if w.evicted {
		return errEvicted
	}
	return w.deadline(deadline)
}

var errEvicted = errors.New("the client took too long while others waited")

// enter returns false if there are too many requests and the server works on all of
// them.
func (a *waiters) enter(w *waiter, most int64) bool {
	w.part = &a.parts[rand.IntN(len(a.parts))]
	if a.n.Add(1) > most && !a.evict() {
		a.n.Add(-1)
		return false
	}
	w.part.mu.Lock()
	defer w.part.mu.Unlock()
	if w.part.all == nil {
		w.part.all = map[*waiter]struct{}{}
	}
	w.part.all[w] = struct{}{}
	return true
}

// evict ends the longest wait. It returns false if nobody waits.
func (a *waiters) evict() bool {
	for {
		var longest *waiter
		var in *waitersPart // the part of longest, which may begin another wait elsewhere meanwhile
		var since int64
		for i := range a.parts {
			p := &a.parts[i]
			p.each(func(w *waiter) {
				if at := w.since.Load(); at != 0 && (longest == nil || at < since) {
					longest, in, since = w, p, at
				}
			})
		}
		if longest == nil {
			return false
		}
		if a.remove(in, longest, since) {
			return true
		}
	}
}

// remove removes a waiter from its part, and reports whether it was there. With since, it removes
// only a wait that has lasted since then, and ends it.
func (a *waiters) remove(p *waitersPart, w *waiter, since int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, in := p.all[w]; !in || since != 0 && w.since.Load() != since {
		return false
	}
	delete(p.all, w)
	a.n.Add(-1)
	if since != 0 {
		w.evicted = true
		_ = w.deadline(time.Unix(1, 0))
	}
	return true
}

func (p *waitersPart) each(fn func(*waiter)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for w := range p.all {
		fn(w)
	}
}

// leave ends a wait, and reports whether it was evicted.
func (a *waiters) leave(w *waiter) (evicted bool) { return !a.remove(w.part, w, 0) && w.evicted }

func (a *waiters) count() int64 { return a.n.Load() }
