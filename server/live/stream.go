package live

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/event"
	"quire/store"
)

// Out is the destination of a stream.
type Out interface {
	Send(part []byte) error // waits until it is sent, for a limited time
	Close()                 // makes a concurrent Send fail
	Settled()               // waits for that Send, after Close
}

// stream is one listener. While it is idle, it has no goroutine, and its position is the
// head.
type stream struct {
	hub   *Hub
	group *group
	out   Out

	// Guarded by hub.mu; at and last belong to the goroutine while the stream is not idle.
	idle        bool
	ended       bool
	beats       bool           // a sign of life is pending
	presenceDue bool           // an event of presence is pending
	reviewDue   bool           // an event about comments is pending
	resets      bool           // the log has started again: it reports that, and ends
	at          event.Position // the position up to which it has sent; the index counts the events that the caller may see
	last        time.Time      // time of the last data

	present *Present // nil without presence
	editing []string // guarded by hub.mu
	sent    uint64   // the version of its gathering that it has sent; guarded by hub.mu

	sending atomic.Bool

	check  sync.Mutex // guards the following fields
	who    Listener
	judged uint64 // hub.rights when the identity was checked
}

// errEnded means that the client has disconnected.
var errEnded = errors.New("the stream has ended")

// CanSince reports whether the log can be read from a position. The error is an
// *event.GoneError, or the store's.
func (h *Hub) CanSince(p event.Position) error {
	return h.DB.View(func(tx *store.Tx) error {
		return event.Read(tx, p, func(event.Commit) bool { return false })
	})
}

// Now returns the position of a stream that begins now: every later commit comes after it.
func (h *Hub) Now() event.Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running {
		return event.Position{Revision: h.head}
	}
	return event.Position{Revision: h.heard.Load()}
}

// Add adds a listener, from a position on. judged is Rights before the listener was
// identified. It returns a function to call when the client disconnects.
func (h *Hub) Add(q *Subscription, who Listener, judged uint64, at event.Position, out Out) (left func()) {
	s := &stream{hub: h, out: out, who: who, present: who.Present, judged: judged, at: at, last: time.Now()}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		out.Close()
		return func() {}
	}
	if !h.running {
		h.running = true
		h.head = h.heard.Load()
		h.tail = tail{after: h.head}
		go h.run()
	}
	s.group = h.groupLocked(q, who)
	s.group.streams[s] = struct{}{}
	s.group.busy++
	h.streams[s] = struct{}{}
	h.enterLocked(s)
	go s.run(append(hello(s.at), s.present.greeting()...))
	return s.end
}

// Rights counts the changes of callers' rights.
func (h *Hub) Rights() uint64 { return h.rights.Load() }

// hello is the beginning of a stream. Clients that lose it reconnect one after the other.
func hello(at event.Position) []byte {
	return fmt.Appendf(nil, ": hello\nretry: %d\nid: %s\n\n", 1000+rand.IntN(4000), at)
}

// end removes the stream from the hub and closes it.
func (s *stream) end() {
	s.hub.mu.Lock()
	if !s.ended {
		s.ended = true
		delete(s.hub.streams, s)
		s.group.leaveLocked(s)
		s.hub.exitLocked(s)
	}
	s.hub.mu.Unlock()
	s.out.Close()
}

// allowed checks whether the caller still has the rights that it had at the beginning. If
// its rights have changed, it has to connect again.
func (s *stream) allowed() bool {
	s.check.Lock()
	defer s.check.Unlock()
	now := s.hub.rights.Load()
	if s.judged == now && !s.hub.Expired(s.who.Identity) {
		return true
	}
	identity, err := s.who.Identify()
	if err != nil || *identity.Caller.Rights() != s.group.key.rights || s.hub.Expired(identity) {
		return false
	}
	s.who.Identity, s.judged = identity, now
	return true
}

// send sends to a caller who has the right to it at this moment.
func (s *stream) send(part []byte) error {
	s.sending.Store(true)
	defer s.sending.Store(false)
	if !s.allowed() || !s.reaches() {
		return errEnded
	}
	s.last = time.Now()
	return s.out.Send(part)
}

// startLocked makes the stream send what is pending, unless it does so already. The caller
// holds hub.mu.
func (s *stream) startLocked() {
	if !s.idle || s.ended {
		return
	}
	s.idle = false
	s.group.busy++
	if head := (event.Position{Revision: s.hub.head}); s.at.Before(head) {
		s.at = head // a stream that began at a later position has what is sent now
	}
	go s.run(nil)
}

// run sends what is pending, after a given beginning.
func (s *stream) run(first []byte) {
	defer s.survive()
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
	err := error(nil)
	if first != nil {
		err = s.send(first)
	}
	for idle := false; err == nil && !idle; {
		idle, err = s.step()
	}
	if err != nil {
		s.end()
	}
}

// survive ends only the stream if it panics.
func (s *stream) survive() {
	if reason := recover(); reason != nil {
		s.hub.Log.Error("panic in a stream of events", "reason", reason, "stack", string(debug.Stack()))
		s.end()
	}
}

// step sends the next pending part. It reports whether nothing is left.
func (s *stream) step() (idle bool, err error) {
	h := s.hub
	h.mu.Lock()
	through, beats, resets, last := h.head, s.beats, s.resets, false
	s.beats = false
	sendsPresence := s.presenceDue && !beats && !resets
	s.presenceDue = s.presenceDue && !sendsPresence
	sendsReview := s.reviewDue && !beats && !resets && !sendsPresence
	s.reviewDue = s.reviewDue && !sendsReview
	after := s.at.Revision
	if s.at.Index > 0 {
		after--
	}
	commits, more, near := h.tail.since(after)
	switch {
	case s.ended:
		err = errEnded
	case !resets && !beats && !sendsPresence && !sendsReview && after >= through:
		s.idle, idle, last = true, true, s.group.idleLocked()
	}
	h.mu.Unlock()
	if last {
		s.group.forget()
	}
	switch {
	case idle || err != nil:
		return idle, err
	case resets:
		return false, s.reset(through)
	case sendsPresence:
		people, err := s.presence()
		return false, errors.Join(err, s.send(people))
	case sendsReview:
		return false, s.send([]byte(reviewed))
	case beats || time.Since(s.last) >= beatEvery:
		return false, s.send(fmt.Appendf(nil, ":\nid: %s\n\n", s.at))
	case near:
		return false, s.sendAll(commits, through, more)
	}
	return false, s.catchUp(after, through)
}

// catchUp sends some of the commits that are no longer in the tail.
func (s *stream) catchUp(after, through uint64) error {
	commits, more, err := s.hub.readSome(after, through)
	if gone := new(event.GoneError); errors.As(err, &gone) {
		return s.reset(through)
	}
	if err != nil {
		return err
	}
	return s.sendAll(commits, through, more)
}

// sendAll sends the parts of commits for the stream. Then the position of the stream is the
// last of them or, if there are no more, through.
func (s *stream) sendAll(commits []event.Commit, through uint64, more bool) error {
	for i := range commits {
		if err := s.sendCommit(&commits[i]); err != nil {
			return err
		}
	}
	if !more {
		s.at = event.Position{Revision: max(through, s.at.Revision)}
	}
	return nil
}

// sendCommit sends the parts of a commit for the stream.
func (s *stream) sendCommit(c *event.Commit) error {
	from := 0
	if s.at.Revision == c.Revision {
		from = s.at.Index
	}
	for {
		p := s.group.part(c, from)
		var err error
		if len(p.text) > 0 {
			if err = s.send(p.text); err == nil {
				s.hub.Sent(p.events)
			}
		}
		from = p.next
		s.at = event.Position{Revision: c.Revision, Index: from}
		p.release()
		if err != nil || from == 0 {
			return err
		}
	}
}

// reset reports that the log has started again at a revision, and ends the stream.
func (s *stream) reset(revision uint64) error {
	last := fmt.Sprintf("event: reset\ndata: {\"revision\":%d}", revision)
	if form := s.group.subscription.Form; form != nil {
		last = form.Reset
	}
	err := s.send(fmt.Appendf(nil, "%s\nid: %d\n\n", last, revision))
	return errors.Join(errEnded, err)
}
