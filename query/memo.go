package query

import "quire/index"

// A run remembers its results for related rows, so that circular relations cost no more
// than there are rows. Otherwise every step of a path would multiply the work by the number
// of related rows.

// memo has the results of a run for one condition on the rows of one related table.
type memo struct {
	checked int         // rows that were checked one by one
	rows    *index.Bits // all rows that match it; nil until they have been selected
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

// satisfies reports whether a related row matches a condition. After it has checked as many
// rows as the table has, it selects all rows that match: that costs about as much as the
// checks did, and later checks are free.
func (x *run) satisfies(where *condition, known *memo, tb *index.Table, r index.Row) bool {
	if known.rows == nil {
		if known.checked++; known.checked <= tb.Len() {
			return x.matches(*where, entryRecord(tb, r))
		}
		x.note("%d rows of %s were asked, from now on selected", tb.Len(), tb.Type.UID)
		known.rows = x.selectRows(tb, nil, *where)
	}
	return known.rows.Has(r)
}

// sortPoint is a row on the path of a sort key, and the number of remaining hops.
type sortPoint struct {
	key  *sortKey
	hops int
	row  index.Row
}

// hopValue returns the sort value of a row on the path of a key, from which hops remain.
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
