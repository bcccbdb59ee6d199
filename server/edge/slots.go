package edge

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slots are shared by heavy queries. However many there are, other requests soon get a
// processor. Other requests never wait here.
type Slots struct {
	load *Load
	size int64
	free *semaphore.Weighted
	wait time.Duration // maximum time to wait for a slot
}

// NewSlots returns that many free slots.
func (l *Load) NewSlots(size int64) *Slots {
	return &Slots{load: l, size: size, free: semaphore.NewWeighted(size), wait: l.patience.Heavy}
}

// TakeSlots takes n slots for the request, at most all there are, and waits for them
// for a limited time. All slots of a request belong to the same Slots. The error is
// ErrSlots, or that of the context.
func (q *Request) TakeSlots(ctx context.Context, s *Slots, n int64) error {
	n = min(n, s.size)
	if !s.free.TryAcquire(n) {
		s.load.heavyWaits.Add(1)
		waiting, stop := context.WithTimeout(ctx, s.wait)
		defer stop()
		if s.free.Acquire(waiting, n) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.load.heavyRefused.Add(1)
			return ErrSlots
		}
	}
	q.slots, q.taken = s, q.taken+n
	return nil
}

// ReturnSlots releases the slots and the turn of the request.
func (q *Request) ReturnSlots() {
	if q.turn != nil {
		q.turn()
		q.turn = nil
	}
	if q.taken > 0 {
		q.slots.free.Release(q.taken)
		q.taken = 0
	}
}

// Turns are for queries that are neither quick nor heavy. Each address has the same number of
// them at a time, and its other ones wait. So one that sends thousands at once delays its own, and
// not those of others.
type Turns struct {
	each int64

	mu sync.Mutex
	of map[netip.Addr]*turns
}

// turns are those of one address, while it has some.
type turns struct {
	free *semaphore.Weighted
	used int // by queries that run or wait
}

// NewTurns returns turns: that many for each address.
func NewTurns(each int) *Turns { return &Turns{each: int64(each), of: map[netip.Addr]*turns{}} }

// TakeTurn takes a turn of the client's address; with IPv6, of its /64 network. It waits for the turn until
// that time, or until ctx is done, and returns its error. Only reads take one, and once. A request
// that holds slots needs none: others wait for these. Neither does one within another request that
// has a turn, and waits for this one.
func (q *Request) TakeTurn(ctx context.Context, until time.Time, t *Turns, client func() netip.Addr) error {
	for o := q; o != nil; o = o.outer {
		if o.turn != nil || o.taken > 0 {
			return nil
		}
	}
	if q.group != &q.load.reads {
		return nil
	}
	from := client()
	if !from.IsValid() {
		return nil
	}
	from = network(from)
	t.mu.Lock()
	mine := t.of[from]
	if mine == nil {
		mine = &turns{free: semaphore.NewWeighted(t.each)}
		t.of[from] = mine
	}
	mine.used++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.used--; mine.used == 0 {
			delete(t.of, from)
		}
	}
	if !mine.free.TryAcquire(1) {
		waiting, stop := context.WithDeadline(ctx, until)
		defer stop()
		if err := mine.free.Acquire(waiting, 1); err != nil {
			leave()
			return err
		}
	}
	q.turn = func() {
		mine.free.Release(1)
		leave()
	}
	return nil
}
