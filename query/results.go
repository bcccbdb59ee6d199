package query

import (
	"math/big"

	"quire/index"
)

// result is the result of a measure.
type result struct {
	*measure
	totals  []total   // by group, if values are added up
	lowest  []extreme // by group, if they are compared
	highest []extreme
}

// extreme is a value of a group: its number in ascending order, 0 if there is none.
type extreme struct {
	number uint32
	label
}

// measure computes what the functions of a measure request for each group.
func (g *grouping) measure(x *run, m *matched, of *measure) {
	g.results = append(g.results, result{measure: of})
	r := &g.results[len(g.results)-1]
	if x.err != nil || !r.prepare(x, g.n) {
		return
	}
	if g.marks.heads == nil && !of.adds() && x.prefersIndexOf(m, of.path) {
		if of.of[minOf] {
			r.lowest[0] = x.end(m, of.path, "lowest")
		}
		if of.of[maxOf] {
			r.highest[0] = x.end(m, of.path, "highest")
		}
		return
	}
	number := uint32(0)
	x.eachShare(m, of.path, func(s *share) bool {
		if s.null {
			return true
		}
		number++
		r.add(x, g, s, number)
		return x.err == nil
	})
}

// end returns the lowest or highest value of the rows at a path, if the index of the path
// shows it without the others.
func (x *run) end(m *matched, path index.Path, which string) (end extreme) {
	x.note("%s value of %s: index", which, path)
	v := x.values(m.tb, path)
	nulls := v.Nulls()
	order := index.Order{Descending: which == "highest", Among: m.rows, Over: func(groups int) bool { return x.worked(groups / manyParts) }}
	visited, _ := v.Walk(order, func(g index.Group) bool {
		one := share{posting: g.Rows, among: m.rows}
		if row := one.first(); !nulls.Has(row) {
			end = extreme{1, label{row: row}}
		}
		return end.number == 0
	})
	x.plan.Visited += visited
	return end
}

func (r *result) prepare(x *run, n int) bool {
	size := 0
	if r.adds() {
		size += n * totalBytes
	}
	if r.compares() {
		size += 2 * n * extremeBytes
	}
	if !x.reserve(size) {
		return false
	}
	if r.adds() {
		r.totals = make([]total, n)
	}
	if r.compares() {
		r.lowest, r.highest = make([]extreme, n), make([]extreme, n)
	}
	return true
}

const extremeBytes = 32

// add adds a value to the groups of its rows; values come in ascending order.
func (r *result) add(x *run, g *grouping, s *share, number uint32) {
	var value amount
	if r.adds() {
		value = amountOf(r.path.Last(), s.key)
	}
	one := extreme{number, labelled(r.path, s)}
	give := func(group uint32, n int) {
		if r.adds() && r.totals[group].add(value, n) {
			x.reserve(restBytes)
		}
		if r.compares() {
			if r.lowest[group].number == 0 {
				r.lowest[group] = one
			}
			r.highest[group] = one
		}
	}
	if g.marks.heads == nil {
		give(0, s.n)
		return
	}
	s.each(func(row index.Row) bool {
		given := 0
		g.marks.each(row, func(group uint32) { give(group, 1); given++ })
		return !x.worked(given / gatherCost)
	})
	x.worked(s.n / gatherCost)
}

// figure returns a sum or an average of a group, nil if it has no values.
func (r *result) figure(group uint32, f function) *big.Rat {
	t := &r.totals[group]
	if t.n == 0 {
		return nil
	}
	return t.figure(r.path.Last(), f)
}
