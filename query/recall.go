package query

import "quire/index"

// What a run remembers, so that relations which lead in circles cost no more
// than there are rows. Without it every step of a path would multiply the work
// by the number of related rows.

// choice is what a run knows of one condition on related rows.
type choice struct {
	asked int         // rows that it was asked of one by one
	rows  *index.Bits // all rows that satisfy it; nil until they have been selected
}

// choice is what the run knows of the condition behind a relation so far.
func (x *reader) choice(c *related) *choice {
	known := x.choices[c]
	if known == nil {
		if x.choices == nil {
			x.choices = map[*related]*choice{}
		}
		known = &choice{}
		x.choices[c] = known
	}
	return known
}

// satisfies asks the condition behind a relation of a row. Once it has been
// asked as often as the table has rows, all rows that satisfy it are selected:
// that costs about as much as the asking did, and nothing after that.
func (x *reader) satisfies(c *related, known *choice, tb *index.Table, r index.Row) bool {
	if known.rows == nil {
		if known.asked++; known.asked <= tb.Len() {
			return x.matches(c.where, entryRecord(tb, r))
		}
		x.note("%d rows of %s were asked, from now on selected", tb.Len(), tb.Type.UID)
		known.rows = x.selectRows(tb, nil, c.where)
	}
	return known.rows.Has(r)
}

// sortPoint is a row that a sort key has come to, with so many hops to go.
type sortPoint struct {
	key  *sortKey
	hops int
	row  index.Row
}

// hopValue is the sort value of a row that hops lead on from.
func (x *reader) hopValue(tb *index.Table, r index.Row, k *sortKey, hops []index.Path) sortValue {
	at := sortPoint{k, len(hops), r}
	v, known := x.hopValues[at]
	if !known {
		v = x.sortValue(entryRecord(tb, r), k, hops)
		if x.hopValues == nil {
			x.hopValues = map[sortPoint]sortValue{}
		}
		x.hopValues[at] = v
	}
	return v
}
