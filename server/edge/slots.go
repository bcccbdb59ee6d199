package edge

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slots are shared by heavy queries, so that however many there are, the others find
// a processor soon. What is not heavy never waits here.
type Slots struct {
	load *Load
	size int64
	free *semaphore.Weighted
	wait time.Duration // at most, for a slot
}

// NewSlots returns so many slots, all of them free.
func (l *Load) NewSlots(size int64) *Slots {
	return &Slots{load: l, size: size, free: semaphore.NewWeighted(size), wait: l.patience.Heavy}
}

// TakeSlots takes so many slots for the request, but no more than there are, and waits
// for them as long as patience allows. All slots of a request are of one Slots. The
// error is ErrSlots, or that of the context.
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

// ReturnSlots gives back the slots that the request holds.
func (q *Request) ReturnSlots() {
	if q.taken > 0 {
		q.slots.free.Release(q.taken)
		q.taken = 0
	}
}
