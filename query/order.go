package query

import (
	"cmp"
	"slices"

	"quire/index"
	"quire/schema"
)

// matched is the rows that a query selects: all entries of a table, or those in
// a set.
type matched struct {
	tb   *index.Table
	rows *index.Bits // nil for all
	n    int
}

// release gives the memory of the rows back.
func (m *matched) release() {
	if m.rows != nil {
		m.rows.Release()
	}
}

// each calls fn for the rows in the order of their ids, after the first skip.
func (m *matched) each(skip int, fn func(index.Row) bool) {
	if m.rows == nil {
		m.tb.Live().EachFrom(skip, fn)
		return
	}
	m.rows.EachFrom(skip, fn)
}

// set is the rows as a set of their own, which the caller releases.
func (m *matched) set() *index.Bits {
	out := index.NewBits(m.tb.Size())
	if m.rows == nil {
		m.tb.Live().AddTo(out)
	} else {
		out.Or(m.rows)
	}
	return out
}

// page returns limit rows of an order, after the first skip. Rows that the keys
// leave equal stand in the order of their ids, so pages never overlap; compileSort
// adds a key where that would not be the order of writing.
//
// An order is read off the index of its first key where that visits fewer rows
// than there are to sort: the index is walked group by group, each group of
// equal values ordered by the keys that follow. Where few rows match, or the
// first key leads through relations, the keys of the matching rows are gathered
// and sorted.
func (x *reader) page(m *matched, keys []sortKey, skip, limit int) []index.Row {
	if skip >= m.n || limit <= 0 {
		return nil
	}
	limit = min(limit, m.n-skip)
	switch {
	case len(keys) == 0:
		x.noteFirst("in order of ids", "")
		return inOrder(m, skip, limit)
	case keys[0].direct() && keys[0].path.Last().System == schema.SystemID && len(keys[0].path.Attributes) == 1:
		x.noteFirst("in order of ids", "")
		if keys[0].descending {
			return backward(m, skip, limit)
		}
		return inOrder(m, skip, limit)
	case x.worthWalking(m, &keys[0], skip+limit):
		return x.walk(m, keys, skip, limit)
	}
	return x.gather(m, keys, skip, limit)
}

func inOrder(m *matched, skip, limit int) []index.Row {
	rows := make([]index.Row, 0, limit)
	m.each(skip, func(r index.Row) bool {
		rows = append(rows, r)
		return len(rows) < limit
	})
	return rows
}

func backward(m *matched, skip, limit int) []index.Row {
	set := m.set()
	defer set.Release()
	rows := make([]index.Row, 0, limit)
	set.EachBackward(func(r index.Row) bool {
		if skip > 0 {
			skip--
			return true
		}
		rows = append(rows, r)
		return len(rows) < limit
	})
	return rows
}

// gatherCost is about how many steps of a walk the gathering and sorting of one
// row's key costs.
const gatherCost = 8

// worthWalking reports whether the index of a key is the shorter way to the
// first end rows of an order.
func (x *reader) worthWalking(m *matched, key *sortKey, end int) bool {
	if !key.direct() || key.path.Last().System == schema.SystemDocumentID || key.path.Last().System == schema.SystemID {
		return false
	}
	if m.rows == nil {
		return true
	}
	visits := float64(end) / float64(m.n) * float64(m.tb.Len())
	return visits < float64(gatherCost*m.n)
}

// walk reads a page off the index of the first key.
func (x *reader) walk(m *matched, keys []sortKey, skip, limit int) []index.Row {
	x.note("in order of the index %s", keys[0].path)
	v := x.s.Values(m.tb, keys[0].path)
	rows := make([]index.Row, 0, limit)
	x.plan.Visited += v.Walk(keys[0].descending, m.rows, skip, func(g index.Group) bool {
		rows = x.appendGroup(rows, m, g, keys[1:], limit-len(rows))
		return len(rows) < limit && !x.stopped()
	})
	return rows
}

// appendGroup appends the part of a page that lies in a group of equal first keys.
func (x *reader) appendGroup(dst []index.Row, m *matched, g index.Group, keys []sortKey, limit int) []index.Row {
	if len(keys) == 0 || g.Rows.Len() == 1 {
		return appendSome(dst, m, g, limit)
	}
	group := matched{m.tb, index.NewBits(m.tb.Size()), g.Rows.Len()}
	defer group.release()
	g.Rows.AddTo(group.rows)
	if m.rows != nil {
		group.rows.And(m.rows)
		group.n = group.rows.Count()
	}
	defer func(before bool) { x.hushed = before }(x.hushed)
	x.hushed = true // there can be as many groups as there are rows
	return append(dst, x.page(&group, keys, g.Skip, limit)...)
}

// appendSome appends the matched rows of a group, in the order of their ids.
func appendSome(dst []index.Row, m *matched, g index.Group, limit int) []index.Row {
	end := len(dst) + limit
	if m.rows == nil {
		g.Rows.EachFrom(g.Skip, func(r index.Row) bool {
			dst = append(dst, r)
			return len(dst) < end
		})
		return dst
	}
	skip := g.Skip
	g.Rows.Each(func(r index.Row) bool {
		switch {
		case !m.rows.Has(r):
		case skip > 0:
			skip--
		default:
			dst = append(dst, r)
		}
		return len(dst) < end
	})
	return dst
}

// sortable is one row with its keys.
type sortable struct {
	row  index.Row
	keys []sortValue
}

// sortValue is one key of a row. Nulls come last ascending, first descending.
type sortValue struct {
	key  string
	null bool
}

func (a sortValue) compare(b sortValue) int {
	switch {
	case a.null && b.null:
		return 0
	case a.null:
		return 1
	case b.null:
		return -1
	}
	return cmp.Compare(a.key, b.key)
}

func compareSortables(keys []sortKey) func(a, b sortable) int {
	return func(a, b sortable) int {
		for i := range keys {
			n := a.keys[i].compare(b.keys[i])
			if keys[i].descending {
				n = -n
			}
			if n != 0 {
				return n
			}
		}
		return cmp.Compare(a.row, b.row)
	}
}

// gather sorts the matching rows by their keys.
func (x *reader) gather(m *matched, keys []sortKey, skip, limit int) []index.Row {
	x.note("sorting %d rows", m.n)
	x.plan.Visited += m.n
	all := make([]sortable, 0, m.n)
	values := make([]sortValue, m.n*len(keys))
	m.each(0, func(r index.Row) bool {
		own := values[:len(keys):len(keys)]
		values = values[len(keys):]
		rec := entryRecord(m.tb, r)
		for i := range keys {
			own[i] = x.sortValue(rec, &keys[i], keys[i].hops)
		}
		all = append(all, sortable{r, own})
		return !x.stopped()
	})
	slices.SortFunc(all, x.interruptible(compareSortables(keys)))
	rows := make([]index.Row, 0, limit)
	for _, one := range all[min(skip, len(all)):min(skip+limit, len(all))] {
		rows = append(rows, one.row)
	}
	return rows
}

// sortValue is the value by which a record is ordered: of several the lowest
// when ascending, the highest when descending.
func (x *reader) sortValue(rec record, k *sortKey, hops []index.Path) sortValue {
	best := sortValue{null: true}
	better := func(v sortValue) {
		if !v.null && (best.null || k.descending == (v.key > best.key)) {
			best = v
		}
	}
	if len(hops) > 0 {
		x.eachHop(rec, hops[0].Attributes, func(at located) bool {
			better(x.hopValue(at.tb, at.row, k, hops[1:]))
			return !x.stopped()
		})
		return best
	}
	last := k.path.Last()
	if last.System != schema.NotSystem {
		x.eachHolder(rec, k.path.Attributes, func(one record) { better(x.systemSortValue(one, last)) })
		return best
	}
	x.s.EachSlot(rec.body, k.path.Attributes, func(slot []byte) {
		if slot != nil {
			better(sortValue{key: index.SlotKey(last, slot)})
		}
	})
	return best
}

func (x *reader) systemSortValue(rec record, a *schema.Attribute) sortValue {
	if rec.entry == nil {
		return sortValue{key: index.IntKey(int64(rec.id))}
	}
	key, null := x.s.SystemKey(a, rec.entry)
	return sortValue{key, null}
}

// eachHop calls fn for the rows that the relation at the end of the way leads
// to, from every instance of the components before it.
func (x *reader) eachHop(rec record, way []*schema.Attribute, fn func(located) bool) {
	x.eachHolder(rec, way, func(one record) { x.eachRelated(way[len(way)-1], one, fn) })
}

// eachHolder calls fn for what holds the attribute at the end of the way: the
// record itself, or every instance of the components before it.
func (x *reader) eachHolder(rec record, way []*schema.Attribute, fn func(record)) {
	if len(way) == 1 {
		fn(rec)
		return
	}
	x.s.Instances(way[0], rec.body.Slot(way[0].Slot), func(in index.Instance) bool {
		if in.Type == way[1].Owner {
			x.eachHolder(instanceRecord(in, rec.owner), way[1:], fn)
		}
		return true
	})
}
