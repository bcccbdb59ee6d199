package query

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"quire/index"
)

// page returns the groups of the requested page, in order.
func (a *Aggregate) page(x *run, g *grouping) []uint32 {
	if len(a.groupBy) == 0 {
		return []uint32{0}
	}
	start := min(a.paging.start, g.n)
	end := start + min(a.paging.size, g.n-start)
	if x.err != nil || !x.reserve(g.n*rowBytes) {
		return nil
	}
	all := make([]uint32, g.n)
	for i := range all {
		all[i] = uint32(i)
	}
	if compare := a.compare(x, g); compare != nil {
		x.note("sorting %d groups", g.n)
		slices.SortFunc(all, interruptible(x, compare))
	}
	return all[start:end]
}

// compare returns the order of groups: by what the query requests, then by their values in
// the order of groupBy; nil if they already are in that order.
func (a *Aggregate) compare(x *run, g *grouping) func(one, other uint32) int {
	if len(a.order) == 0 && len(a.groupBy) == 1 {
		return nil
	}
	var all []func(one, other uint32) int
	for _, o := range a.order {
		all = append(all, a.criterion(x, g, o))
	}
	for at := range a.groupBy {
		all = append(all, a.criterion(x, g, groupOrder{by: byKey, at: at}))
	}
	return func(one, other uint32) int {
		for _, compare := range all {
			if n := compare(one, other); n != 0 {
				return n
			}
		}
		return 0
	}
}

// criterion compares groups by one criterion. Nulls come last ascending, first
// descending.
func (a *Aggregate) criterion(x *run, g *grouping, o groupOrder) func(one, other uint32) int {
	var compare func(one, other uint32) int
	switch {
	case o.by == bySize:
		compare = func(one, other uint32) int { return cmp.Compare(g.counts[one], g.counts[other]) }
	case o.by == byKey:
		compare = func(one, other uint32) int {
			n := uint32(len(a.groupBy))
			return compareNumbers(g.of[one*n+uint32(o.at)], g.of[other*n+uint32(o.at)])
		}
	case o.of == minOf:
		lowest := g.results[o.at].lowest
		compare = func(one, other uint32) int { return compareNumbers(lowest[one].number, lowest[other].number) }
	case o.of == maxOf:
		highest := g.results[o.at].highest
		compare = func(one, other uint32) int { return compareNumbers(highest[one].number, highest[other].number) }
	default:
		compare = compareFigures(x, g, &g.results[o.at], o.of)
	}
	if !o.descending {
		return compare
	}
	return func(one, other uint32) int { return compare(other, one) }
}

// compareNumbers compares numbers of values. 0 is null.
func compareNumbers(one, other uint32) int { return cmp.Compare(one-1, other-1) }

// compareFigures compares groups by their sums or averages, which it computes.
func compareFigures(x *run, g *grouping, r *result, f function) func(one, other uint32) int {
	type rounded struct {
		number float64
		exact  *big.Rat
	}
	if !x.reserve(g.n * figureBytes) {
		return func(uint32, uint32) int { return 0 }
	}
	all := make([]rounded, g.n)
	for i := range all {
		all[i].number = math.NaN()
		if x.worked(1) {
			break
		}
		if exact := r.figure(uint32(i), f); exact != nil {
			all[i].number, _ = exact.Float64()
			all[i].exact = exact
		}
	}
	return func(one, other uint32) int {
		a, b := &all[one], &all[other]
		switch {
		case a.exact == nil || b.exact == nil:
			return cmp.Compare(boolNumber(a.exact == nil), boolNumber(b.exact == nil))
		case a.number != b.number:
			return cmp.Compare(a.number, b.number)
		}
		return a.exact.Cmp(b.exact)
	}
}

// figureBytes is the memory for a sum or an average while groups are sorted by it.
const figureBytes = 512

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendGroups appends the groups, or the one object if the query has none.
func (a *Aggregate) appendGroups(x *run, g *grouping, shown []uint32, dst []byte) []byte {
	if len(a.groupBy) > 0 {
		dst = append(dst, '[')
	}
	for i, group := range shown {
		if x.err != nil || !x.spend(len(dst)) {
			return dst
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = a.appendGroup(x, g, group, dst)
	}
	if len(a.groupBy) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

func (a *Aggregate) appendGroup(x *run, g *grouping, group uint32, dst []byte) []byte {
	dst = append(x.grow(dst, 0), '{')
	start := len(dst)
	if len(a.groupBy) > 0 {
		dst = append(dst, `,"group":{`...)
		first := len(dst)
		for at := range a.groupBy {
			dst = appendKey(x, dst, a.groupBy[at].name)
			dst = g.appendLabel(x, group, at, dst)
		}
		dst = append(dropComma(dst, first), '}')
	}
	if a.count {
		dst = appendNumber(append(dst, ','), "count", g.counts[group])
	}
	for f, shown := range a.shown {
		if len(shown) == 0 {
			continue
		}
		dst = append(appendKey(x, dst, functionNames[f]), '{')
		first := len(dst)
		for _, at := range shown {
			dst = appendKey(x, dst, a.measures[at].name)
			dst = g.results[at].append(x, function(f), group, dst)
		}
		dst = append(dropComma(dst, first), '}')
	}
	return append(dropComma(dst, start), '}')
}

// appendKey appends the key of a member, with a comma before it.
func appendKey(x *run, dst []byte, name string) []byte {
	dst = append(x.grow(dst, len(name)), ',')
	return append(index.AppendString(dst, name), ':')
}

// appendLabel appends the value that the entries of a group share at a key.
func (g *grouping) appendLabel(x *run, group uint32, at int, dst []byte) []byte {
	number := g.of[int(group)*len(g.labels)+at]
	if number == 0 {
		return append(dst, "null"...)
	}
	l := &g.labels[at]
	one := &l.known[number-1]
	if l.month {
		return x.appendMonth(dst, l, one.row)
	}
	return x.appendValue(dst, l.tb, one.row, l.path, one.key)
}

// append appends the figure of a function for a group.
func (r *result) append(x *run, f function, group uint32, dst []byte) []byte {
	if x.err != nil {
		return dst
	}
	tb := x.table(r.path.Attributes[0].Owner)
	switch f {
	case minOf:
		return r.appendExtreme(x, tb, &r.lowest[group], dst)
	case maxOf:
		return r.appendExtreme(x, tb, &r.highest[group], dst)
	}
	figure := r.figure(group, f)
	if figure == nil {
		return append(dst, "null"...)
	}
	dst, ok := appendFigure(x.grow(dst, mostFigure), r.path.Last(), f, figure)
	if !ok {
		x.err = refuseParam(functionNames[f], r.name, "The "+functionNames[f]+" of "+r.name+" is larger than a number can be")
	}
	return dst
}

// mostFigure is the maximum size of a sum or an average in a response, in bytes.
const mostFigure = 64

func (r *result) appendExtreme(x *run, tb *index.Table, e *extreme, dst []byte) []byte {
	if e.number == 0 {
		return append(dst, "null"...)
	}
	return x.appendValue(dst, tb, e.row, r.path, e.key)
}
