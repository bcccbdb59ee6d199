package query

import (
	"context"

	"quire/index"
)

// A walk shows every entry of the types of a copy, type by type and by ascending ids.
// Entries that are written meanwhile may be in it or not; the changes since the revision
// with which it began include all of them.

// SyncWalk is the place that a walk has reached. The zero SyncWalk is the beginning.
type SyncWalk struct {
	Revision uint64 // the revision that the first page showed
	uid      string // of the type of the last shown entry; empty before the first
	id       uint64 // of that entry
}

// AppendWalk appends the entries after a place, at most most, with commas between them.
// next is where to continue, nil at the end. The page may end early, see AppendChanges.
func (y *Sync) AppendWalk(ctx context.Context, s *index.Snapshot, from SyncWalk, most int, dst []byte) (_ []byte, next *SyncWalk, err error) {
	x := newRun(ctx, s, y.queries[0])
	defer x.close()
	p := syncPage{run: x, most: most}
	at := from
	for _, q := range y.queries {
		if q.t.UID < from.uid {
			continue
		}
		tb, row := x.table(q.t), index.Row(0)
		if q.t.UID == from.uid {
			row = tb.RowOf(from.id + 1)
		}
		for ; row < tb.Size() && !x.stopped(); row++ {
			e := tb.Entry(row)
			if !tb.Live().Has(row) || !q.shownIn(x, tb, e) {
				continue
			}
			if p.full {
				return dst, &at, x.err
			}
			n := p.n
			if dst = p.append(dst, q, entryRecord(tb, row), from.Revision); p.n > n {
				at.uid, at.id = q.t.UID, e.ID
			}
			if p.full && p.n == n {
				return dst, &at, x.err
			}
		}
	}
	x.plan.Returned, x.plan.Encode = p.n, x.lap()
	return dst, nil, x.err
}

// CostOfWalk estimates the cost of a page, see Cost.
func (y *Sync) CostOfWalk(s *index.Snapshot, from SyncWalk, most int) int {
	e := estimator{s: s, versions: &y.queries[0].versions}
	cost, left := 0.0, most
	for _, q := range y.queries {
		if q.t.UID >= from.uid {
			n := min(left, e.table(q.t).Len())
			cost, left = cost+float64(n)*e.entry(q.t, q.selection), left-n
		}
	}
	return toInt(cost)
}

// CostOfChanges estimates the cost of showing entries, see Cost.
func (y *Sync) CostOfChanges(s *index.Snapshot, list []Changed) int {
	e := estimator{s: s, versions: &y.queries[0].versions}
	each := map[string]float64{}
	cost := 0.0
	for _, c := range list {
		one, known := each[c.Type]
		if !known {
			q := y.query(c.Type)
			one = e.entry(q.t, q.selection)
			each[c.Type] = one
		}
		cost += one
	}
	return toInt(cost)
}
