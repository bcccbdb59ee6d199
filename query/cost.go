package query

import (
	"context"
	"math"

	"quire/index"
	"quire/schema"
)

// The cost of a query is the number of rows that are examined one by one, plus the number
// of entries that are encoded. Reading along an index and combining sets of rows is so much
// less work that it does not count.

// Cost estimates the cost of listing what the query selects, before it runs, from the sizes
// of the tables and the form of the query. Only if that is more than enough does it count
// postings, to recognise a query that looks heavy and finds few rows. Guard detects what
// the estimate misses while the query runs.
func (q *Query) Cost(s *index.Snapshot, enough int) int {
	return q.estimated(s, enough, func(e *estimator) float64 { return e.list(q) })
}

// estimated returns a cost by the sizes of the tables, or, if that is more than enough, by
// postings.
func (q *Query) estimated(s *index.Snapshot, enough int, cost func(*estimator) float64) int {
	e := estimator{s: s, versions: &q.versions}
	least := cost(&e)
	if least > float64(enough) {
		e.exact = true
		least = min(least, cost(&e))
	}
	return toInt(least)
}

// CostOfOne is Cost for the response with one document.
func (q *Query) CostOfOne(s *index.Snapshot) int {
	e := estimator{s: s, versions: &q.versions}
	return toInt(e.entry(q.t, q.selection) + q.costOfState())
}

// costOfState is the cost of the state of a document.
func (q *Query) costOfState() float64 {
	if !q.state {
		return 0
	}
	return 1 + float64(len(q.site.Settings.Locales))/manyParts
}

func toInt(cost float64) int { return int(min(cost, math.MaxInt32)) }

// estimator estimates how many rows conditions leave and how many records a response shows.
// It allocates nothing unless it is exact.
type estimator struct {
	s        *index.Snapshot
	versions *versions
	exact    bool // count postings

	depth int                 // of components in the condition
	way   []*schema.Attribute // to them, if exact

	known map[*selection]float64 // the cost of selections that are shared
}

// Estimates without counting.
const (
	partOfEqual = 1.0 / 16 // of the rows with one of some values
	partOfRange = 1.0 / 4  // of the rows in a range
	partOfText  = 1.0 / 32 // of the rows that contain a text
	linksOfMany = 4.0      // of a record through a relation to many
	instances   = 4.0      // of a repeatable component or a zone
)

// work is the estimate for a condition: how many rows it leaves, and how many are examined
// one by one.
type work struct{ left, examined float64 }

func (e *estimator) table(t *schema.Type) *index.Table { return e.versions.whole(e.s, t) }

// list returns the cost of selecting, ordering and encoding what the query shows.
func (e *estimator) list(q *Query) float64 {
	w, tb := e.selected(q), e.table(q.t)
	start := float64(q.paging.start)
	shown := min(float64(q.paging.size), max(w.left-start, 0))
	if shown == 0 {
		return w.examined
	}
	return w.examined + e.order(q.order, w.left, float64(tb.Len()), start, shown) + shown*(e.entry(q.t, q.selection)+q.costOfState())
}

// selected returns the work of selecting the rows of a query.
func (e *estimator) selected(q *Query) work {
	tb := e.table(q.t)
	w := e.condition(tb, q.where)
	if q.search != nil {
		w = workOfBoth(w, e.condition(tb, q.search), 2)
	}
	if q.publication != "" {
		w.examined += w.left
	}
	return w
}

// order returns the cost of finding the rows of a page: along the index of the first key,
// past what does not match, or by sorting all that match.
func (e *estimator) order(keys []sortKey, matched, all, start, shown float64) float64 {
	switch {
	case len(keys) == 0 || keys[0].direct() && keys[0].path.Last().System == schema.SystemID:
		return 0
	case keys[0].direct() && matched == all:
		return shown
	}
	each := 0.0
	for i := range keys {
		each += math.Pow(linksOfMany, float64(len(keys[i].hops)))
	}
	if keys[0].direct() {
		return min(matched*each, (start+shown)/matched*all)
	}
	return matched * each
}

// condition returns the work of selecting rows of a table.
func (e *estimator) condition(tb *index.Table, c condition) work {
	switch c := c.(type) {
	case allOf:
		return e.all(tb, c)
	case anyOf:
		return e.any(tb, c)
	case *compare:
		return e.compare(tb, c)
	case *inside:
		return e.inside(tb, c)
	case *related:
		return e.related(tb, c)
	case *unlinked:
		return work{float64(tb.Len()), float64(tb.Len())}
	}
	return work{left: float64(tb.Len())}
}

func (e *estimator) all(tb *index.Table, parts allOf) work {
	w := work{left: float64(tb.Len())}
	for i, part := range parts {
		w = workOfBoth(w, e.condition(tb, part), i+1)
	}
	return w
}

// workOfBoth returns the work of two conditions that must both be true, the last of n. The
// one that leaves fewer rows is selected first; the other is checked at most on those rows.
func workOfBoth(a, b work, n int) work {
	if b.left < a.left {
		a, b = b, a
	}
	if n == 1 {
		return work{a.left, a.examined + b.examined}
	}
	return work{a.left, a.examined + min(a.left, b.examined)}
}

func (e *estimator) any(tb *index.Table, parts anyOf) work {
	var w work
	for _, part := range parts {
		one := e.condition(tb, part)
		w = work{min(w.left+one.left, float64(tb.Len())), w.examined + one.examined}
	}
	return w
}

func (e *estimator) compare(tb *index.Table, c *compare) work {
	n, t, a := float64(tb.Len()), &c.test, c.attribute
	named := a.System == schema.SystemID || a.System == schema.SystemDocumentID
	switch {
	case named && e.depth == 0 && t.kind == equals && !c.negate:
		return work{left: float64(len(t.keys))}
	case named, !t.byKey() && (!a.IsText() || a.System != schema.NotSystem):
		return work{n, n} // no index answers it
	case c.negate:
		return work{left: n}
	case !t.byKey() && t.kind == ranges:
		return work{n, n}
	case !t.byKey():
		return work{n * partOfText, n * partOfText} // the index of words finds the candidates
	case e.exact:
		return work{left: float64(e.count(tb, c))}
	case t.kind == ranges:
		return work{left: n * partOfRange}
	}
	return work{left: n * partOfEqual}
}

// count returns how many rows postings have, in ranges up to half of all.
func (e *estimator) count(tb *index.Table, c *compare) int {
	path := index.NewPath(append(e.way[:len(e.way):len(e.way)], c.attribute)...)
	values, err := e.s.ReadValues(impatient{}, tb, path)
	if err != nil {
		return tb.Len() / 2
	}
	return c.test.count(values, tb.Len()/2)
}

// impatient is an index.Reader that does not wait for the work of others.
type impatient struct{}

func (impatient) Pause() error { return context.DeadlineExceeded }

// inside examines the rows one by one if several conditions must match one instance.
func (e *estimator) inside(tb *index.Table, c *inside) work {
	e.depth++
	if e.exact {
		e.way = append(e.way, c.attribute)
	}
	w := e.condition(tb, c.where)
	e.depth--
	if e.exact {
		e.way = e.way[:len(e.way)-1]
	}
	if parts, several := c.where.(allOf); several && len(parts) > 1 {
		w.examined += w.left
	}
	return w
}

// related selects in the target and crosses the edges of the result.
func (e *estimator) related(tb *index.Table, c *related) work {
	target := e.table(c.target)
	depth, way := e.depth, e.way
	e.depth, e.way = 0, nil
	w := e.condition(target, c.where)
	e.depth, e.way = depth, way
	n, others := float64(tb.Len()), float64(target.Len())
	examined := w.examined + min(w.left, n)
	if c.where.nulls() {
		return work{n, examined + min(others, n)}
	}
	return work{min(n, w.left*max(1, n/max(others, 1)*linksOfMany)), examined}
}

// entry returns the cost of showing one record, with its populated records.
func (e *estimator) entry(t *schema.Type, s *selection) float64 {
	if !s.shared {
		return e.shown(t, s)
	}
	cost, known := e.known[s]
	if !known {
		if e.known == nil {
			e.known = map[*selection]float64{}
		}
		e.known[s] = 1 // in case it leads back to itself
		cost = e.shown(t, s)
		e.known[s] = cost
	}
	return cost
}

func (e *estimator) shown(t *schema.Type, s *selection) float64 {
	cost := 1.0
	for _, p := range s.populated {
		cost += e.population(t, p)
	}
	for _, p := range s.relations {
		cost += e.population(t, p)
	}
	return cost
}

func (e *estimator) population(t *schema.Type, p *population) float64 {
	n := e.fanOut(t, p.attribute)
	if p.count {
		return n
	}
	if p.byType == nil {
		return n * e.entry(p.record.shape.t, p.record)
	}
	most := 0.0
	for t, s := range p.byType {
		most = max(most, e.entry(t, s))
	}
	return n * most
}

// fanOut returns how many records an attribute of one leads to, on average.
func (e *estimator) fanOut(t *schema.Type, a *schema.Attribute) float64 {
	r := a.Relation
	switch {
	case a.Kind == schema.DynamicZone || a.Repeatable:
		return instances
	case r == nil || !r.Many() || a.System == schema.SystemLocalizations:
		return 1
	case r.Owns || r.Target == nil || t.IsComponent():
		return linksOfMany
	}
	each := 1.0
	if r.Inverse.Relation.Many() {
		each = linksOfMany
	}
	own, others := e.table(t).Len(), e.table(r.Target).Len()
	return each * float64(others) / float64(max(own, 1))
}
