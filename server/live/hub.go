package live

import (
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/content/review"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Config is what a Hub needs of one version of the site.
type Config struct {
	Site  *schema.Site
	DB    *store.DB
	Index *index.Index
	Log   *slog.Logger

	Decides func(store.Commit) bool // whether a commit may change the rights of a caller
	Expired func(auth.Identity) bool

	// Actor appends the author of a change, as a caller may see it.
	Actor func(dst []byte, c *auth.Caller, a store.Actor) []byte

	// Sent counts the events that were sent.
	Sent func(events int)
}

// Hub sends changes to listeners. It lives as long as a version of the site.
type Hub struct {
	Config
	unsubscribe func()
	heard       atomic.Uint64 // the last revision that the feed has reported
	rights      atomic.Uint64 // grows whenever the rights of a caller may have changed
	woken       chan struct{}
	work        chan struct{} // a place for each stream that reads the file or encodes entries
	held        atomic.Int64  // bytes of parts

	mu      sync.Mutex
	running bool
	closed  bool
	head    uint64 // the last revision that groups have received
	tail    tail
	groups  map[groupKey]*group
	streams map[*stream]struct{}
	named   map[string]*stream // by Present.Stream
	open    map[document]*gathering
}

// New returns a Hub that follows the feed from now on. Close ends it.
func New(c Config) (*Hub, error) {
	h := &Hub{
		Config: c, woken: make(chan struct{}, 1), work: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		groups: map[groupKey]*group{}, streams: map[*stream]struct{}{},
		named: map[string]*stream{}, open: map[document]*gathering{},
	}
	h.unsubscribe = c.DB.Subscribe(h.hear)
	err := c.DB.View(func(tx *store.Tx) error {
		h.advance(tx.Revision())
		return nil
	})
	if err != nil {
		h.unsubscribe()
		return nil, err
	}
	return h, nil
}

// advance raises heard to a revision.
func (h *Hub) advance(revision uint64) {
	for before := h.heard.Load(); before < revision; before = h.heard.Load() {
		if h.heard.CompareAndSwap(before, revision) {
			return
		}
	}
}

// hear runs for each commit before it is acknowledged.
func (h *Hub) hear(c store.Commit) {
	if value, reset := c.Logged(); value != nil || reset {
		h.advance(c.Revision)
		select {
		case h.woken <- struct{}{}:
		default:
		}
	}
	if touched := review.Touched(c); touched != nil {
		h.announce(touched)
	}
	if h.Decides(c) {
		h.rights.Add(1)
		h.cutRevoked()
	}
}

// cutRevoked ends the streams that are sending to a caller who has just lost the right to
// it. Other streams check their rights before they send.
func (h *Hub) cutRevoked() {
	for _, s := range h.list(func(s *stream) bool { return s.sending.Load() }) {
		if !s.allowed() {
			s.end()
			s.out.Settled()
		}
	}
}

// list returns some of the streams.
func (h *Hub) list(which func(*stream) bool) (list []*stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if which(s) {
			list = append(list, s)
		}
	}
	return list
}

// End ends all streams after the data that has been sent. Clients resume, here or
// elsewhere. A nil Hub has no streams.
func (h *Hub) End() {
	if h == nil {
		return
	}
	for _, s := range h.list(func(*stream) bool { return true }) {
		s.end()
	}
}

// Close ends all streams, including those that are added later.
func (h *Hub) Close() {
	if h == nil {
		return
	}
	h.unsubscribe()
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.End()
}

const (
	sweepEvery = 250 * time.Millisecond // a tick
	sweeps     = 4                      // number of ticks between two checks for streams that must end
	beatEvery  = 15 * time.Second       // if nothing else is sent
)

// run wakes the streams until there are none.
func (h *Hub) run() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	seen := h.rights.Load()
	for tick := 1; ; {
		select {
		case <-h.woken:
			h.follow()
		case now := <-ticker.C:
			h.sendPresence()
			rights := h.rights.Load()
			if full := tick%sweeps == 0; full || rights != seen {
				h.sweep()
			}
			if tick%sweeps == 0 {
				h.beat(now)
			}
			seen = rights
			tick++
			if h.stopIfIdle() {
				return
			}
		}
	}
}

// stopIfIdle reports whether there are no listeners any more; the next one starts run again.
func (h *Hub) stopIfIdle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running = len(h.streams) > 0
	return !h.running
}

// sweep ends the streams of callers who may no longer listen, or see the document that they
// have open.
func (h *Hub) sweep() {
	for _, s := range h.list(func(*stream) bool { return true }) {
		if !s.allowed() || !s.reaches() {
			s.end()
		}
	}
}

// beat makes streams send a sign of life if they have sent nothing for long.
func (h *Hub) beat(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams {
		if s.idle && now.Sub(s.last) >= beatEvery {
			s.beats = true
			s.startLocked()
		}
	}
}

// follow reads the log, and passes the changes to the groups.
func (h *Hub) follow() {
	for more := true; more; {
		through := h.heard.Load()
		h.mu.Lock()
		after := h.head
		h.mu.Unlock()
		if after == through {
			return
		}
		var commits []event.Commit
		var err error
		commits, more, err = h.read(after, through)
		switch gone := new(event.GoneError); {
		case errors.As(err, &gone):
			h.beginAnew(through, err)
			return
		case err != nil:
			h.fail(err)
			return
		}
		h.publish(commits)
		if !more {
			h.mu.Lock()
			h.head = through
			h.mu.Unlock()
		}
	}
}

// fail ends all streams because the log cannot be read at the moment. Clients resume, and
// miss nothing.
func (h *Hub) fail(err error) {
	h.mu.Lock()
	closed := h.closed
	h.mu.Unlock()
	if !closed {
		h.Log.Error("the log of changes cannot be read; streams end", "error", err)
	}
	h.End()
}

// publish wakes the streams that commits concern.
func (h *Hub) publish(commits []event.Commit) {
	for _, c := range commits {
		h.mu.Lock()
		for _, g := range h.groups {
			if g.wants(&c) {
				g.startLocked()
			}
		}
		h.tail.push(c)
		h.head = c.Revision // also for all idle streams
		h.mu.Unlock()
	}
}

// beginAnew reports to all streams that the log has started again, so that clients have to
// read the content again.
func (h *Hub) beginAnew(revision uint64, err error) {
	h.Log.Info("the log of changes cannot be read from here; streams begin again", "error", err)
	h.mu.Lock()
	h.head, h.tail = revision, tail{after: revision}
	for s := range h.streams {
		s.resets = true
		s.startLocked()
	}
	h.mu.Unlock()
}
