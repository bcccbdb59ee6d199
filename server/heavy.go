package server

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"quire/query"
	"quire/schema"
)

// Heavy queries share a few places, so that however many there are, the others
// find a processor soon. What is not heavy never waits here.

// gate has the places for heavy queries.
type gate struct {
	cost   int // from which a query is heavy
	size   int64
	places *semaphore.Weighted
	wait   time.Duration // at most, for a place
}

func newGate(l *schema.Limits, wait time.Duration) *gate {
	size := int64(l.HeavyQueries)
	if size == 0 {
		size = int64(max(2, runtime.GOMAXPROCS(0)))
	}
	return &gate{l.HeavyCost, size, semaphore.NewWeighted(size), wait}
}

// weigh lets a query run that is expected to cost so much. A heavy one takes a
// place for each time that it passes the bound; another asks for one when it
// turns out to be heavy. weighed is to be called when it has run.
func (x *exchange) weigh(q *query.Query, cost int) error {
	g := x.edition.gate
	x.watch.cost = cost
	if cost <= g.cost {
		q.Guard(x, g.cost)
		return nil
	}
	return x.take(x.request.Context(), min(int64(cost/g.cost), g.size))
}

// Enter takes a place in the middle of a query.
func (x *exchange) Enter(ctx context.Context) error { return x.take(ctx, 1) }

func (x *exchange) take(ctx context.Context, places int64) error {
	g, load := x.edition.gate, &x.server.load
	if !g.places.TryAcquire(places) {
		load.heavyWaits.Add(1)
		waiting, stop := context.WithTimeout(ctx, g.wait)
		defer stop()
		if g.places.Acquire(waiting, places) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			load.heavyRefused.Add(1)
			return unavailable("This query takes much work, and too many of that kind are under way; try again later, or ask for less: a filter that matches fewer entries, a smaller page, less in populate")
		}
	}
	x.places += places
	return nil
}

// weighed ends what weigh began. The answer is still to be sent: where it is
// large, that takes memory.
func (x *exchange) weighed(err error) error {
	x.lighten()
	if err != nil {
		return err
	}
	return x.hold(int64(cap(x.buffer)))
}

// lighten gives the places back.
func (x *exchange) lighten() {
	if x.places > 0 {
		x.edition.gate.places.Release(x.places)
		x.places = 0
	}
}
