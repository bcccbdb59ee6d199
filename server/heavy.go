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
func (e *siteVersion) heavyCost() int { return e.schema.Settings.Limits.HeavyCost }

// A request is the budget of its call, see documents.Budget.

// Begin starts queries with the expected cost, within the time that the request has for its
// queries. The costs of all queries of a request add up. A heavy query takes one slot for
// each multiple of heavyCost. A query that turns out to be heavy while it runs takes a slot
// then. The caller calls End when the queries have run.
func (x *request) Begin(ctx context.Context, cost int, queries ...*query.Query) error {
	heavy := x.site.heavyCost()
	x.watch.compile = x.watch.lap() // all since the query string was parsed
	x.watch.cost += cost
	cost = x.watch.cost
	x.Start()
	at := heavy
	if cost > heavy {
		at = query.Unlimited
	}
	for _, q := range queries {
		q.Guard(x, at)
	}
	switch {
	case cost > heavy:
		return x.share.TakeSlots(ctx, x.site.slots, int64(cost/heavy))
	case cost > quickCost:
		return x.OnTime()
	}
	return nil
}

// Parsed ends the stage of the request in which its parameters are parsed.
func (x *request) Parsed() { x.watch.parse = x.watch.lap() }

// End returns the slots.
func (x *request) End() { x.share.ReturnSlots() }

// Wait gives up the place among writes while hooks are asked, and Resume takes it again.
func (x *request) Wait() error { return x.share.Wait() }

// Resume goes on after Wait.
func (x *request) Resume() { x.share.Resume() }

// Restart starts the time for queries anew, after a write.
func (x *request) Restart() {
	x.due = time.Time{}
	x.Start()
}

// Start starts the time that the request has for its queries, unless it has started
// already.
func (x *request) Start() {
	if x.due.IsZero() {
		x.due = time.Now().Add(x.site.schema.Settings.Limits.QueryTime)
	}
}

// quickCost is the cost up to which a query runs at once. Others wait for a turn of their address.
const quickCost = 1000

// turns is how many of these run at a time for one address. They keep the processors busy, and
// leave them soon to the queries of others.
func turns() int { return max(8, 4*runtime.GOMAXPROCS(0)) }

// OnTime ends a query when the request has used its time for queries. A query that has become more
// than a quick one, and so asks, waits for a turn of its address.
func (x *request) OnTime() error {
	ctx := x.http.Context()
	if x.share.TakeTurn(ctx, x.due, x.server.turns, x.client) != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if time.Now().Before(x.due) {
		return nil
	}
	x.server.load.CountLate()
	return unavailable(fmt.Sprintf("The query took longer than %s and was given up; ask for less: a filter that matches fewer entries, a smaller page, less in populate", x.site.schema.Settings.Limits.QueryTime))
}

// Enter takes a slot of heavy queries, also while a query runs.
func (x *request) Enter(ctx context.Context) error {
	return x.share.TakeSlots(ctx, x.site.slots, 1)
}

// Reserve reserves memory for a query and its response until the end of the request; n is the
// total number of bytes.
func (x *request) Reserve(bytes int) error {
	if bytes > edge.Memory {
		return invalid(fmt.Sprintf("The answer would take more than %d MiB of memory; ask for a smaller page, fewer fields, or less in populate", edge.Memory>>20))
	}
	return x.share.ReserveAnswer(int64(bytes))
}
