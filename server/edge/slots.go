package edge

import (
	"context"
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

// ReturnSlots releases the slots of the request.
func (q *Request) ReturnSlots() {
	if q.taken > 0 {
		q.slots.free.Release(q.taken)
		q.taken = 0
	}
}
