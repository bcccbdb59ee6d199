package query

import (
	"cmp"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
)

// The values of selected rows at a path, each with its rows: in the order of the values,
// null at the end.

// share is the rows of a selection that have one value at a path.
type share struct {
	key  string // of the value; empty for null
	null bool
	n    int // number of rows

	posting index.Posting // the rows, if they come from an index,
	among   *index.Bits   // reduced to this set; nil for all
	rows    []index.Row   // the rows, if they were collected
}

// each calls fn for the rows, in ascending order, until it returns false.
func (s *share) each(fn func(index.Row) bool) {
	if s.rows == nil {
		s.posting.Walk(false, s.among, 0, fn)
		return
	}
	for _, r := range s.rows {
		if !fn(r) {
			return
		}
	}
}

// first returns the lowest of the rows.
func (s *share) first() (first index.Row) {
	s.each(func(r index.Row) bool { first = r; return false })
	return first
}

// eachShare calls fn for the shares that have rows, until it returns false. It reads them
// from the index of the path; if there are far more values than rows, it collects and sorts
// the values of the rows instead. Both give the same result.
func (x *run) eachShare(m *matched, path index.Path, fn func(*share) bool) {
	if x.prefersIndexOf(m, path) {
		x.note("values of %s: index", path)
		x.walkShares(m, x.values(m.tb, path), fn)
		return
	}
	x.note("values of %s: gathering %d rows", path, m.n)
	x.gatherShares(m, path, fn)
}

// prefersIndexOf reports whether reading the values of the rows from the index of a path is
// faster. Ids have no index.
func (x *run) prefersIndexOf(m *matched, path index.Path) bool {
	last := path.Last().System
	if last == schema.SystemID || last == schema.SystemDocumentID {
		return false
	}
	values := x.values(m.tb, path)
	return !values.Tied() && (m.rows == nil || values.Len() <= gatherCost*m.n)
}

func (x *run) walkShares(m *matched, v *index.Values, fn func(*share) bool) {
	visited, over := 0, false
	var s share
	visit := func(key string, null bool, rows index.Posting) bool {
		if visited++; visited%manyParts == 0 && x.stopped() {
			over = true
			return false
		}
		s = share{key: key, null: null, n: rows.Len(), posting: rows, among: m.rows}
		x.steps += s.n / sharedRows
		if m.rows != nil {
			s.n = rows.CountIn(m.rows)
		}
		over = s.n > 0 && !fn(&s)
		return !over
	}
	v.Each(index.Range{}, func(key string, rows index.Posting) bool { return visit(key, false, rows) })
	if nulls := v.Nulls(); !over && nulls.Len() > 0 {
		visit("", true, nulls)
	}
	x.plan.Visited += visited
}

// sharedRows is the number of rows of a posting that are counted in one step.
const sharedRows = 1 << 10

// keyRow is a row with one of its values.
type keyRow struct {
	sortValue
	row index.Row
}

func compareKeyRows(a, b keyRow) int {
	return cmp.Or(a.compare(b.sortValue), cmp.Compare(a.row, b.row))
}

func (x *run) gatherShares(m *matched, path index.Path, fn func(*share) bool) {
	x.plan.Visited += m.n
	var pairs []keyRow
	var nulls []index.Row
	taken := 0
	m.each(false, 0, func(r index.Row) bool {
		x.eachKey(entryRecord(m.tb, r), path, func(v sortValue) {
			size := keyRowBytes + len(v.key)
			if taken += size; !x.reserve(size) {
				return
			}
			if !v.null {
				pairs = append(pairs, keyRow{v, r})
			} else if n := len(nulls); n == 0 || nulls[n-1] != r {
				nulls = append(nulls, r)
			}
		})
		return !x.stopped()
	})
	defer func() { x.unreserve(taken) }()
	slices.SortFunc(pairs, interruptible(x, compareKeyRows))
	pairs = slices.CompactFunc(pairs, func(a, b keyRow) bool { return a.key == b.key && a.row == b.row })
	rows := make([]index.Row, len(pairs))
	for i := range pairs {
		rows[i] = pairs[i].row
	}
	for start, end := 0, 0; start < len(pairs) && x.err == nil; start = end {
		for end = start; end < len(pairs) && pairs[end].key == pairs[start].key; {
			end++
		}
		if !fn(&share{key: pairs[start].key, n: end - start, rows: rows[start:end]}) {
			return
		}
	}
	if len(nulls) > 0 && x.err == nil {
		fn(&share{null: true, n: len(nulls), rows: nulls})
	}
}

// keyRowBytes is the memory for a value of a row while values are collected, without its
// text, in a list that has just been enlarged.
const keyRowBytes = 2*56 + rowBytes

// eachKey calls fn for each value of an entry at a path of its own: the entry's values in
// the index of the path.
func (x *run) eachKey(rec record, path index.Path, fn func(sortValue)) {
	last := path.Last()
	if last.System != schema.NotSystem {
		found := false
		x.eachInstanceOwner(rec, path.Attributes, func(one record) {
			found = true
			fn(x.systemSortValue(one, last))
		})
		if !found {
			fn(sortValue{null: true})
		}
		return
	}
	x.s.EachSlot(rec.body, path.Attributes, func(slot []byte) {
		if slot == nil {
			fn(sortValue{null: true})
			return
		}
		x.steps += len(slot) / sortedBytes
		fn(valueOf(last, slot))
	})
}

// appendValue appends the value with that key, which the row has at the path, in the form
// of responses.
func (x *run) appendValue(dst []byte, tb *index.Table, r index.Row, path index.Path, key string) []byte {
	last, e := path.Last(), tb.Entry(r)
	switch last.System {
	case schema.NotSystem:
	case schema.SystemID:
		return strconv.AppendInt(dst, index.KeyInt(key), 10)
	case schema.SystemDocumentID:
		return index.AppendString(dst, e.DocumentID)
	default:
		return x.appendSystem(dst, last, e)
	}
	var value []byte
	x.s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		if value == nil && slot != nil && (!path.Multiple() || index.SlotKey(last, slot) == key) {
			value = slot
		}
	})
	return append(x.grow(dst, len(value)), value...)
}
