package query

import (
	"context"
	"math"
	"strconv"

	"quire/index"
)

// Aggregate answers with figures about the entries that a query selects, by group, and not
// with the entries. Like a Query it may run any number of times.
type Aggregate struct {
	query    *Query // selects the entries
	groupBy  []groupKey
	count    bool // show the number of entries of a group
	measures []measure
	shown    [functions][]int // for each function its measures, in the requested order
	order    []groupOrder
	paging   paging
}

// Limits of what one aggregate may request, and of its result.
const (
	mostGroupBy  = 4       // attributes to group by
	mostMeasures = 16      // attributes whose values are added up or compared
	mostGroups   = 100_000 // groups, shown or not
)

// function is what is computed from the values of a group.
type function uint8

const (
	sumOf function = iota
	avgOf
	minOf
	maxOf
	functions // number of functions
)

// functionNames are the names of the functions in parameters and responses.
var functionNames = [functions]string{"sum", "avg", "min", "max"}

// groupKey is one attribute to group by. An entry belongs to the group of each different
// value, or month of one, that it has there, including null.
type groupKey struct {
	name string // as in the query
	sortKey
	month bool // entries share the month of the value, not the value
}

// many reports whether an entry may have several values at the key.
func (k *groupKey) many() bool {
	for _, hop := range k.hops {
		if hop.Multiple() || hop.Last().Relation.Many() {
			return true
		}
	}
	return k.path.Multiple()
}

// measure is an attribute whose values functions are computed from. An entry has at most
// one value there.
type measure struct {
	name string
	path index.Path
	of   [functions]bool // requested functions
}

// adds reports whether the values are added up.
func (m *measure) adds() bool { return m.of[sumOf] || m.of[avgOf] }

// compares reports whether the lowest or the highest value is requested.
func (m *measure) compares() bool { return m.of[minOf] || m.of[maxOf] }

// Query returns the query that selects the entries: what the response depends on, and where
// a run is observed and guarded.
func (a *Aggregate) Query() *Query { return a.query }

// Append runs the aggregate and appends the whole response: the groups of the requested
// page and, in meta, the number of groups; without groups one object.
func (a *Aggregate) Append(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	x := newRun(ctx, s, a.query)
	defer x.close()
	m := a.query.selectRows(x)
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	g := a.group(x, m)
	for i := range a.measures {
		g.measure(x, m, &a.measures[i])
	}
	shown := a.page(x, g)
	x.plan.Returned, x.plan.Order = len(shown), x.lap()
	dst = append(dst, `{"data":`...)
	dst = a.appendGroups(x, g, shown, dst)
	dst = append(dst, `,"meta":{`...)
	if len(a.groupBy) > 0 {
		dst = append(dst, `"pagination":`...)
		dst = a.paging.append(dst, g.n, "")
	}
	dst = append(dst, "}}"...)
	x.plan.Encode = x.lap()
	m.release(x)
	return dst, x.err
}

// AppendCount runs the query and appends the response with the number of entries that it
// selects.
func (q *Query) AppendCount(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	n, err := q.Count(ctx, s)
	dst = append(dst, `{"data":{"count":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, `},"meta":{}}`...), err
}

// CostOfCount is Cost for only the number of entries.
func (q *Query) CostOfCount(s *index.Snapshot, enough int) int {
	return q.estimated(s, enough, func(e *estimator) float64 { return e.selected(q).examined })
}

// Cost is Query.Cost for the figures. The work for each entry counts as steps of a walk;
// crossing a relation counts fully.
func (a *Aggregate) Cost(s *index.Snapshot, enough int) int {
	return a.query.estimated(s, enough, func(e *estimator) float64 {
		w := e.selected(a.query)
		if !a.visits() {
			return w.examined
		}
		each := float64(len(a.groupBy)+len(a.measures)) / gatherCost
		for _, k := range a.groupBy {
			if len(k.hops) > 0 {
				each += math.Pow(linksOfMany, float64(len(k.hops)))
			}
		}
		return w.examined + w.left*each
	})
}

// visits reports whether entries are visited one by one. Otherwise the sizes of postings
// are enough.
func (a *Aggregate) visits() bool {
	switch len(a.groupBy) {
	case 0:
		return false
	case 1:
		return len(a.measures) > 0 || len(a.groupBy[0].hops) > 0
	}
	return true
}
