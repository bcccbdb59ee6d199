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

// newSlots makes the slots that heavy queries share. Without a setting there are as
// many as processors, and two at least.
func newSlots(limits *settings.Limits, l *edge.Load) *edge.Slots {
	size := limits.HeavyQueries
	if size == 0 {
		size = max(2, runtime.GOMAXPROCS(0))
	}
	return l.NewSlots(int64(size))
}

// heavyCost is the cost beyond which a query is heavy.
func (e *edition) heavyCost() int { return e.site.Settings.Limits.HeavyCost }

// beginQuery lets a query run that is expected to cost so much, for as long as the
// request has for its queries. A heavy one takes a slot for each time that it
// passes the bound; another asks for one when it turns out to be heavy. endQuery
// is to be called when it has run.
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

// startClock begins the time that the request has for its queries, unless it has
// begun.
func (x *exchange) startClock() {
	if x.due.IsZero() {
		x.due = time.Now().Add(x.edition.site.Settings.Limits.QueryTime)
	}
}

// OnTime ends a query when the request has had its time for queries.
func (x *exchange) OnTime() error {
	if time.Now().Before(x.due) {
		return nil
	}
	x.server.load.CountLate()
	return unavailable(fmt.Sprintf("The query took longer than %s and was given up; ask for less: a filter that matches fewer entries, a smaller page, less in populate", x.edition.site.Settings.Limits.QueryTime))
}

// Enter takes a slot in the middle of a query.
func (x *exchange) Enter(ctx context.Context) error {
	return x.share.TakeSlots(ctx, x.edition.slots, 1)
}

// Hold takes memory for a query and its answer up to the end of the exchange: so
// many bytes all in all.
func (x *exchange) Hold(bytes int) error {
	if bytes > edge.Memory {
		return invalid(fmt.Sprintf("The answer would take more than %d MiB of memory; ask for a smaller page, fewer fields, or less in populate", edge.Memory>>20))
	}
	return x.share.HoldAnswer(int64(bytes))
}

// endQuery gives back the slots that the query took, and returns its error.
func (x *exchange) endQuery(err error) error {
	x.share.ReturnSlots()
	return err
}
