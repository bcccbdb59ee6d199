package query

import (
	"fmt"

	"quire/index"
	"quire/schema"
)

// marks assigns numbers to the rows of a table: of values, or of groups. For each row the
// last number comes first.
type marks struct {
	heads []uint32 // by row: one more than the index of the row's last mark; 0 for none
	all   []mark
}

type mark struct{ number, before uint32 }

const markBytes = 2 * 8 // in a list that has just been enlarged

func (x *run) newMarks(tb *index.Table) marks {
	if !x.reserve(int(tb.Size()) * rowBytes) {
		return marks{}
	}
	return marks{heads: make([]uint32, tb.Size())}
}

// mark adds a number to a row.
func (x *run) mark(k *marks, r index.Row, number uint32) {
	if x.reserve(markBytes) {
		k.all = append(k.all, mark{number, k.heads[r]})
		k.heads[r] = uint32(len(k.all))
	}
}

// each calls fn for the numbers of a row.
func (k *marks) each(r index.Row, fn func(number uint32)) {
	for at := k.heads[r]; at != 0; at = k.all[at-1].before {
		fn(k.all[at-1].number)
	}
}

// dropMarks releases the memory of marks.
func (x *run) dropMarks(k *marks) {
	x.unreserve(len(k.heads)*rowBytes + len(k.all)*markBytes)
	*k = marks{}
}

// labels are the different values at a groupBy key. They are numbered from 1 in ascending
// order; 0 is null.
type labels struct {
	tb    *index.Table // from which values are read
	path  index.Path   // path of the values in it
	month bool         // values of one month have one label
	last  []byte       // the month of the last label
	known []label      // by number minus one
}

// label is a row that has a value, and the key of the value if the row may have others or
// the key alone is enough.
type label struct {
	row index.Row
	key string
}

const labelBytes = 2 * 24

// labelled returns the label of a share at a path.
func labelled(path index.Path, s *share) label {
	if path.Multiple() || path.Last().System == schema.SystemID {
		return label{s.first(), s.key}
	}
	return label{row: s.first()}
}

// appendMonth appends the month of the value of a row, "2026-11". Dates have four digits of the
// year.
func (x *run) appendMonth(dst []byte, l *labels, r index.Row) []byte {
	at := len(dst) + len(`"2026-11`)
	dst = x.appendValue(dst, l.tb, r, l.path, "")
	return append(dst[:min(at, len(dst))], '"')
}

// grouping is the groups that a run has found. Groups by one key are in the order of its
// labels, null last.
type grouping struct {
	n       int
	labels  []labels // of each key
	of      []uint32 // the labels of each group, one for each key
	counts  []int    // entries of each group
	marks   marks    // the groups of each row, if there are measures
	results []result // of each measure
}

const groupBytes = 2 * (8 + 4*mostGroupBy)

// group finds the groups of the rows.
func (a *Aggregate) group(x *run, m *matched) *grouping {
	g := &grouping{}
	switch {
	case len(a.groupBy) == 0:
		g.n, g.counts = 1, []int{m.n}
	case !a.visits():
		g.countShares(x, m, &a.groupBy[0])
	case len(a.groupBy) == 1:
		l, marked := x.label(m, &a.groupBy[0])
		g.labels, g.marks = []labels{l}, marked
		g.countMarks(x)
	default:
		g.combine(x, m, a)
	}
	return g
}

// add adds a group, unless there are too many.
func (g *grouping) add(x *run, count int, of ...uint32) bool {
	if g.n == mostGroups {
		x.tooManyGroups()
	}
	if x.err != nil || !x.reserve(groupBytes) {
		return false
	}
	g.n++
	g.counts = append(g.counts, count)
	g.of = append(g.of, of...)
	return true
}

func (x *run) tooManyGroups() {
	if x.err == nil {
		x.err = refuseParam("groupBy", "groupBy", fmt.Sprintf("There are more than %d groups; ask for fewer entries by a filter, or group by something coarser", mostGroups))
	}
}

// countShares makes a group of each value, with the size of its share as its count.
func (g *grouping) countShares(x *run, m *matched, k *groupKey) {
	l := labels{tb: m.tb, path: k.path, month: k.month}
	x.eachShare(m, k.path, func(s *share) bool {
		before := len(l.known)
		number := x.labelOf(&l, s)
		if number > 0 && len(l.known) == before { // of the same month
			g.counts[g.n-1] += s.n
			return x.err == nil
		}
		return g.add(x, s.n, number)
	})
	g.labels = []labels{l}
}

// labelOf returns the label of a share, which is the next one, that of the last share if both are
// of one month, or null.
func (x *run) labelOf(l *labels, s *share) uint32 {
	if s.null {
		return 0
	}
	if l.month {
		if month := x.appendMonth(nil, l, s.first()); string(month) != string(l.last) {
			l.last = month
		} else if len(l.known) > 0 {
			return uint32(len(l.known))
		}
	}
	if len(l.known) == mostGroups {
		x.tooManyGroups()
	}
	if one := labelled(l.path, s); x.err == nil && x.reserve(labelBytes+len(one.key)) {
		l.known = append(l.known, one)
	}
	return uint32(len(l.known))
}

// countMarks makes a group of each label, null last, and replaces the labels of rows with
// groups.
func (g *grouping) countMarks(x *run) {
	if x.err != nil {
		return
	}
	counts := make([]int, len(g.labels[0].known)+1)
	for _, one := range g.marks.all {
		counts[one.number]++
	}
	for number := 1; number < len(counts); number++ {
		g.add(x, counts[number], uint32(number))
	}
	if counts[0] > 0 {
		g.add(x, counts[0], 0)
	}
	for i := range g.marks.all {
		if one := &g.marks.all[i]; one.number == 0 {
			one.number = uint32(len(counts) - 1)
		} else {
			one.number--
		}
	}
}

// combine makes a group of each combination of labels that an entry has.
func (g *grouping) combine(x *run, m *matched, a *Aggregate) {
	marked := make([]marks, len(a.groupBy))
	for i := range marked {
		var l labels
		l, marked[i] = x.label(m, &a.groupBy[i])
		g.labels = append(g.labels, l)
	}
	if len(a.measures) > 0 {
		g.marks = x.newMarks(m.tb)
	}
	known := map[[mostGroupBy]uint32]uint32{}
	m.each(false, 0, func(r index.Row) bool {
		var of [mostGroupBy]uint32
		g.combineRow(x, marked, known, r, of, 0)
		return x.err == nil
	})
	for i := range marked {
		x.dropMarks(&marked[i])
	}
}

// combineRow adds a row to the groups of all combinations of its labels. The labels of the
// keys before at are already chosen.
func (g *grouping) combineRow(x *run, marked []marks, known map[[mostGroupBy]uint32]uint32, r index.Row, of [mostGroupBy]uint32, at int) {
	if x.err != nil {
		return
	}
	if at < len(marked) {
		marked[at].each(r, func(number uint32) {
			of[at] = number
			g.combineRow(x, marked, known, r, of, at+1)
		})
		return
	}
	if x.stopped() {
		return
	}
	group, ok := known[of]
	if !ok {
		group = uint32(g.n)
		if !x.reserve(combinationBytes) || !g.add(x, 0, of[:at]...) {
			return
		}
		known[of] = group
	}
	g.counts[group]++
	if g.marks.heads != nil {
		x.mark(&g.marks, r, group)
	}
}

const combinationBytes = 2 * (4*mostGroupBy + 8)

// label finds the values at a key among the rows, and marks the rows with them.
func (x *run) label(m *matched, k *groupKey) (labels, marks) {
	if len(k.hops) > 0 {
		return x.labelBehind(m, k)
	}
	l, marked := labels{tb: m.tb, path: k.path, month: k.month}, x.newMarks(m.tb)
	x.eachShare(m, k.path, func(s *share) bool {
		number := x.labelOf(&l, s)
		s.each(func(r index.Row) bool {
			x.mark(&marked, r, number)
			return x.err == nil
		})
		return !x.worked(s.n / gatherCost)
	})
	return l, marked
}

// labelBehind is label for values behind relations. It first labels the rows that the first
// relation leads to, once each, and then those that lead to them.
func (x *run) labelBehind(m *matched, k *groupKey) (labels, marks) {
	way := k.hops[0].Attributes
	target := &matched{tb: x.table(way[len(way)-1].Relation.Target)}
	target.rows = x.newBits(target.tb)
	defer target.release(x)
	m.each(false, 0, func(r index.Row) bool {
		x.eachHop(entryRecord(m.tb, r), way, func(at located) bool { target.rows.Add(at.row); return true })
		return !x.stopped()
	})
	target.n = target.rows.Count()
	x.note("%d rows of %s behind %s", target.n, target.tb.Type.UID, k.hops[0])
	l, behind := x.label(target, &groupKey{sortKey: sortKey{hops: k.hops[1:], path: k.path}, month: k.month})
	marked := x.newMarks(m.tb)
	if x.err != nil {
		return l, marked
	}
	seen := make([]uint32, len(l.known)+1) // by label: one more than the row that got it last
	var row index.Row
	given := 0 // labels of the row, including duplicates
	give := func(number uint32) {
		given++
		if seen[number] != row+1 {
			seen[number] = row + 1
			x.mark(&marked, row, number)
		}
	}
	led := func(at located, some bool) {
		if some {
			behind.each(at.row, give)
		} else {
			give(0)
		}
	}
	m.each(false, 0, func(r index.Row) bool {
		row, given = r, 0
		x.eachHopOrNone(entryRecord(m.tb, r), way, led)
		return !x.worked(1 + given/manyParts)
	})
	x.dropMarks(&behind)
	return l, marked
}

// eachHopOrNone is eachHop, and calls fn with false if a record on the path leads nowhere:
// that is a row of nulls.
func (x *run) eachHopOrNone(rec record, way []*schema.Attribute, fn func(at located, some bool)) {
	held := false
	x.eachInstanceOwner(rec, way, func(one record) {
		held = true
		some := false
		x.eachRelated(way[len(way)-1], one, func(at located) bool {
			some = true
			fn(at, true)
			return x.err == nil
		})
		if !some {
			fn(located{}, false)
		}
	})
	if !held {
		fn(located{}, false)
	}
}
