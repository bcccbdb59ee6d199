package live

import (
	"slices"
	"sync"

	"quire/auth"
	"quire/content/event"
)

// group is the streams of callers with equal rights and the same subscription.
type group struct {
	hub          *Hub
	key          groupKey
	subscription *Subscription
	caller       *auth.Caller // one of them

	streams map[*stream]struct{} // hub.mu guards it, and
	busy    int                  // number of streams that are not idle

	mu    sync.Mutex    // held while a part is made
	parts []*commitPart // the latest ones
}

// groupLocked finds the group of a listener, or makes it. The caller holds h.mu.
func (h *Hub) groupLocked(q *Subscription, who Listener) *group {
	key := groupKey{*who.Identity.Caller.Rights(), q.Text}
	g := h.groups[key]
	if g == nil {
		g = &group{hub: h, key: key, subscription: q, caller: who.Identity.Caller, streams: map[*stream]struct{}{}}
		h.groups[key] = g
	}
	return g
}

// startLocked makes the streams of the group send what is pending. The caller holds hub.mu.
func (g *group) startLocked() {
	for s := range g.streams {
		s.startLocked()
	}
}

// leaveLocked removes a stream. The caller holds hub.mu.
func (g *group) leaveLocked(s *stream) {
	if delete(g.streams, s); len(g.streams) == 0 {
		delete(g.hub.groups, g.key)
	}
	if !s.idle && g.idleLocked() {
		go g.forget() // the hub must not wait for a part that is being made
	}
}

// idleLocked records that one of the streams has nothing to send any more. It reports
// whether this holds for all: then parts are no longer needed, and their memory is for
// others. The caller holds hub.mu.
func (g *group) idleLocked() bool {
	g.busy--
	return g.busy == 0
}

// forget releases all parts.
func (g *group) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dropLocked(len(g.parts))
}

// dropLocked releases the oldest parts. The caller holds g.mu.
func (g *group) dropLocked(n int) {
	for _, p := range g.parts[:n] {
		p.release()
	}
	g.parts = slices.Delete(g.parts, 0, n)
}

// mostParts is how many parts a group keeps: streams that advance together need the same
// ones.
const mostParts = 4

// part returns the part of a commit that the group receives, from an event on, up to the
// size that is sent at once. The caller releases it.
func (g *group) part(c *event.Commit, from int) *commitPart {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range g.parts {
		if p.revision == c.Revision && p.from == from && p.isFresh() {
			p.uses.Add(1)
			return p
		}
	}
	p := g.encode(c, from)
	if len(g.parts) == mostParts {
		g.dropLocked(1)
	}
	p.uses.Add(1)
	g.parts = append(g.parts, p)
	return p
}
