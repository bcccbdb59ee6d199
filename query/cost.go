package query

import (
	"context"
	"math"

	"quire/index"
)

// What a query costs is counted in rows that are looked at one by one and in
// entries that are encoded. Walking an index and combining sets of rows is so
// much less work that it does not count.

// Cost estimates the cost of listing what the query selects, before it runs. It
// follows from the sizes of tables and the form of the query; only when that is
// more than enough are postings looked at, so that a query that is heavy on
// paper and finds few rows is told apart. What it overlooks, Guard finds.
func (q *Query) Cost(s *index.Snapshot, enough int) int {
	e := estimator{s: s, status: q.status}
	cost := e.list(q)
	if cost > float64(enough) {
		e.exact = true
		cost = min(cost, e.list(q))
	}
	return whole(cost)
}

// CostOfOne is Cost for the answer with one document.
func (q *Query) CostOfOne(s *index.Snapshot) int {
	e := estimator{s: s, status: q.status}
	return whole(e.entry(q.t, q.selection))
}

func whole(cost float64) int { return int(min(cost, math.MaxInt32)) }

// Gate is asked by a run that has cost more than expected whether it may go on.
// It waits, or returns an error, which is that of the run.
type Gate interface {
	Enter(ctx context.Context) error
}

// Guard has every run of the query ask the gate, once, when it has cost as much
// as that. A query that is guarded must not run twice at the same time.
func (q *Query) Guard(g Gate, cost int) { q.gate, q.gateAt = g, cost }

// pause is what a run does from time to time: it ends when it was cancelled, and
// asks the gate when it has become heavy.
func (x *reader) pause() error {
	if x.gate != nil && x.steps > x.gateAt {
		gate := x.gate
		x.gate = nil
		if err := gate.Enter(x.ctx); err != nil {
			return err
		}
	}
	return x.ctx.Err()
}

// interruptible makes a comparison one that finds everything the same once the
// run was cancelled, so that sorting many rows comes to its end.
func (x *reader) interruptible(compare func(a, b sortable) int) func(a, b sortable) int {
	compared := 0
	return func(a, b sortable) int {
		if compared++; compared&1023 == 0 && x.err == nil {
			x.err = x.ctx.Err()
		}
		if x.err != nil {
			return 0
		}
		return compare(a, b)
	}
}
