package query

import "quire/index"

// A run remembers what it found about related rows, so that relations that lead in
// circles cost no more than there are rows. Without that, every step of a path would
// multiply the work by the number of related rows.

// memo is what a run knows about one condition on the rows of one related table.
type memo struct {
	asked int         // rows that it was asked of one by one
	rows  *index.Bits // all rows that satisfy it; nil until they have been selected
}

// memo returns the memo of the condition on related rows that where points to.
func (x *run) memo(where *condition) *memo {
	known := x.memos[where]
	if known == nil {
		if x.memos == nil {
			x.memos = map[*condition]*memo{}
		}
		known = &memo{}
		x.memos[where] = known
	}
	return known
}

// satisfies reports whether a related row satisfies a condition. Once it has checked
// as many rows as the table has, it selects all rows that satisfy the condition: that
// costs about as much as the checks did, and later checks are free.
func (x *run) satisfies(where *condition, known *memo, tb *index.Table, r index.Row) bool {
	if known.rows == nil {
		if known.asked++; known.asked <= tb.Len() {
			return x.matches(*where, entryRecord(tb, r))
		}
		x.note("%d rows of %s were asked, from now on selected", tb.Len(), tb.Type.UID)
		known.rows = x.selectRows(tb, nil, *where)
	}
	return known.rows.Has(r)
}

// sortPoint is a row on the path of a sort key, and how many hops follow.
type sortPoint struct {
	key  *sortKey
	hops int
	row  index.Row
}

// hopValue is the sort value of a row on the path of a key, from which hops lead on.
func (x *run) hopValue(tb *index.Table, r index.Row, k *sortKey, hops []index.Path) sortValue {
	at := sortPoint{k, len(hops), r}
	v, known := x.hopValues[at]
	if !known {
		v = x.sortValue(entryRecord(tb, r), k, hops)
		if x.hopValues == nil {
			x.hopValues = map[sortPoint]sortValue{}
		}
		if x.reserve(pointBytes + len(v.key)) {
			x.hopValues[at] = v
		}
	}
	return v
}
