package edge

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// waiters are the requests that wait for their clients: until a body arrives, or until
// a response is received. They do not count as requests in progress, because it costs a
// client nothing to let them wait. If there are too many, a new one evicts the one that
// has waited longest.
type waiters struct {
	mu  sync.Mutex
	all map[*waiter]struct{}
}

// waiter is a request that waits for its client.
type waiter struct {
	since   atomic.Int64        // start of the wait; 0 while the server works on the request
	on      http.ResponseWriter // the response of the request
	taking  bool                // whether the client receives a response; otherwise it sends a body
	evicted bool                // guarded by waiters.mu
}

// deadline moves the deadline of the connection.
func (w *waiter) deadline(t time.Time) error {
	connection := http.NewResponseController(w.on)
	if w.taking {
		return connection.SetWriteDeadline(t)
	}
	return connection.SetReadDeadline(t)
}

var errEvicted = errors.New("the client took too long while others waited")

// enter returns false if there are too many requests and the server works on all of
// them.
func (a *waiters) enter(w *waiter, most int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if int64(len(a.all)) >= most && !a.evict() {
		return false
	}
	if a.all == nil {
		a.all = map[*waiter]struct{}{}
	}
	a.all[w] = struct{}{}
	return true
}

// evict ends the longest wait. a.mu must be held.
func (a *waiters) evict() bool {
	var longest *waiter
	var since int64
	for w := range a.all {
		if at := w.since.Load(); at != 0 && (longest == nil || at < since) {
			longest, since = w, at
		}
	}
	if longest == nil {
		return false
	}
	delete(a.all, longest)
	longest.evicted = true
	_ = longest.deadline(time.Unix(1, 0))
	return true
}

// leave ends a wait, and reports whether it was evicted.
func (a *waiters) leave(w *waiter) (evicted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, w)
	return w.evicted
}

func (a *waiters) count() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return int64(len(a.all))
}
