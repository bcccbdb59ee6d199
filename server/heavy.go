package server

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"quire/query"
	"quire/schema/settings"
	"quire/server/edge"
)

// newSlots makes the slots that heavy queries share. By default there are as many as
// processors, and at least two.
func newSlots(limits *settings.Limits, l *edge.Load) *edge.Slots {
	size := limits.HeavyQueries
	if size == 0 {
		size = max(2, runtime.GOMAXPROCS(0))
	}
	return l.NewSlots(int64(size))
}

// heavyCost is the cost from which a query is heavy.
func (e *edition) heavyCost() int { return e.site.Settings.Limits.HeavyCost }

// beginQuery starts a query with the expected cost, within the time that the request has
// for its queries. A heavy query takes one slot for each multiple of heavyCost. A query
// that turns out to be heavy while it runs takes a slot then. The caller calls endQuery
// when the query has run.
func (x *exchange) beginQuery(q *query.Query, cost int) error {
	heavy := x.edition.heavyCost()
	x.watch.cost = cost
	x.startClock()
	if cost <= heavy {
		q.Guard(x, heavy)
		return nil
	}
	q.Guard(x, query.Unlimited)
	return x.share.TakeSlots(x.request.Context(), x.edition.slots, int64(cost/heavy))
}

// startClock starts the time that the request has for its queries, unless it has started
// already.
func (x *exchange) startClock() {
	if x.due.IsZero() {
		x.due = time.Now().Add(x.edition.site.Settings.Limits.QueryTime)
	}
}

// OnTime ends a query when the request has used its time for queries.
func (x *exchange) OnTime() error {
	if time.Now().Before(x.due) {
		return nil
	}
	x.server.load.CountLate()
	return unavailable(fmt.Sprintf("The query took longer than %s and was given up; ask for less: a filter that matches fewer entries, a smaller page, less in populate", x.edition.site.Settings.Limits.QueryTime))
}

// Enter takes a slot while a query runs.
func (x *exchange) Enter(ctx context.Context) error {
	return x.share.TakeSlots(ctx, x.edition.slots, 1)
}

// Hold reserves memory for a query and its response until the end of the exchange; n is the
// total number of bytes.
func (x *exchange) Hold(bytes int) error {
	if bytes > edge.Memory {
		return invalid(fmt.Sprintf("The answer would take more than %d MiB of memory; ask for a smaller page, fewer fields, or less in populate", edge.Memory>>20))
	}
	return x.share.HoldAnswer(int64(bytes))
}

// endQuery releases the slots that the query took, and returns its error.
func (x *exchange) endQuery(err error) error {
	x.share.ReturnSlots()
	return err
}
