package query

import (
	"cmp"
	"slices"

	"quire/index"
	"quire/schema"
)

// matched is the rows that a query selects: all entries of a table, or those in a set. A
// group of an order is those of them that share a value.
type matched struct {
	tb    *index.Table
	rows  *index.Bits   // nil for all
	group index.Posting // the group, empty for no group
	n     int
}

func (m *matched) isGroup() bool { return m.group.Len() > 0 }

// release frees the memory of the rows.
func (m *matched) release(x *run) {
	if m.rows != nil {
		x.releaseBits(m.tb, m.rows)
	}
}

// each calls fn for the rows in ascending or descending order of their ids, without the
// first skip.
func (m *matched) each(descending bool, skip int, fn func(index.Row) bool) {
	switch {
	case m.isGroup():
		m.group.Walk(descending, m.rows, skip, fn)
	case m.rows != nil:
		m.rows.Walk(descending, skip, fn)
	default:
		m.tb.Live().Walk(descending, nil, skip, fn)
	}
}

// below returns how many of the rows are below r.
func (m *matched) below(r index.Row) int {
	switch {
	case m.isGroup():
		return m.group.CountBelow(r, m.rows)
	case m.rows != nil:
		return m.rows.CountBelow(r)
	}
	return m.tb.Live().CountBelow(r, nil)
}

// set returns the rows of a group as a separate set, to be released.
func (m *matched) set(x *run) *matched {
	set := &matched{tb: m.tb, rows: x.newBits(m.tb), n: m.n}
	m.group.AddTo(set.rows)
	if m.rows != nil {
		set.rows.And(m.rows)
	}
	return set
}

// stretch is the requested part of an order: limit rows, after the first skip or after a
// place.
type stretch struct {
	skip, limit int
	behind      *cursorPosition // nil for the beginning; without skip
}

// page returns the rows of a stretch of an order. Rows with equal keys are in the order of
// their ids, so pages never overlap; compileSort adds a key if that would not be the order
// of writing.
//
// If that visits fewer rows than there are to sort, it reads the order from the index of
// its first key: group by group, with each group of equal values ordered by the following
// keys. If few rows match, or the first key leads through relations, it collects and sorts
// the keys of the matching rows. The work for a group depends on its size, not on that of
// the table: there can be as many groups as there are rows.
func (x *run) page(m *matched, keys []sortKey, part stretch) []index.Row {
	if part.skip >= m.n || part.limit <= 0 {
		return nil
	}
	part.limit = min(part.limit, m.n-part.skip)
	if !x.reserve(part.limit * rowBytes) {
		return nil
	}
	return x.appendPage(make([]index.Row, 0, part.limit), m, keys, part)
}

// appendPage appends the result of page to dst.
func (x *run) appendPage(dst []index.Row, m *matched, keys []sortKey, part stretch) []index.Row {
	part.limit = min(part.limit, m.n-part.skip)
	switch {
	case part.limit <= 0:
		return dst
	case len(keys) == 0:
		x.note("in order of ids")
		return appendByID(dst, m, false, part)
	case keys[0].byID():
		x.note("in order of ids")
		return appendByID(dst, m, keys[0].descending, part)
	case x.prefersIndex(m, &keys[0], part.skip+part.limit):
		return x.pageFromIndex(dst, m, keys, part)
	}
	return x.pageBySorting(dst, m, keys, part)
}

// appendByID appends rows in ascending or descending order of their ids.
func appendByID(dst []index.Row, m *matched, descending bool, part stretch) []index.Row {
	switch {
	case part.behind == nil:
	case descending:
		part.skip = m.n - m.below(part.behind.at)
	default:
		part.skip = m.below(part.behind.next)
	}
	end := len(dst) + part.limit
	m.each(descending, part.skip, func(r index.Row) bool {
		dst = append(dst, r)
		return len(dst) < end
	})
	return dst
}

// gatherCost is the cost of collecting and sorting the key of one row, in rows read along
// an index.
const gatherCost = 8

// givenUp is the maximum number of rows read along an index for each matching row. By then
// reading has taken about as long as sorting takes.
const givenUp = 16 * gatherCost

// prefersIndex reports whether reading along the index of a key finds the first end rows of
// an order faster than sorting.
func (x *run) prefersIndex(m *matched, key *sortKey, end int) bool {
	if !key.direct() || key.path.Last().System == schema.SystemDocumentID || key.path.Last().System == schema.SystemID {
		return false
	}
	if m.isGroup() && m.n < int(m.tb.Size())/64 {
		return false // reading among them needs a set, which would be longer than the group
	}
	visits := float64(end) / float64(m.n) * float64(m.tb.Len())
	if (m.isGroup() || m.rows != nil) && visits >= float64(gatherCost*m.n) {
		return false
	}
	return !x.values(m.tb, key.path).Tied() // otherwise some values are in another order than their keys
}

// pageFromIndex reads a page along the index of the first key. If the rows are further down
// the index than expected, it stops and sorts them.
func (x *run) pageFromIndex(dst []index.Row, m *matched, keys []sortKey, part stretch) []index.Row {
	x.note("in order of the index %s", keys[0].path)
	if m.isGroup() {
		x.plan.sets++
		m = m.set(x)
		defer m.release(x)
	}
	order := index.Order{Descending: keys[0].descending, Among: m.rows, Skip: part.skip, Over: func(groups int) bool { return x.worked(groups / manyParts) }}
	if m.rows != nil {
		order.Most = givenUp * m.n
	}
	if part.behind != nil {
		order.From = &index.Start{Key: part.behind.keys[0].key, Null: part.behind.keys[0].null}
	}
	before, end := len(dst), len(dst)+part.limit
	visited, done := x.values(m.tb, keys[0].path).Walk(order, func(g index.Group) bool {
		dst = x.appendGroup(dst, m, g, keys[1:], part.within(g, end-len(dst)))
		return len(dst) < end && x.err == nil
	})
	x.plan.Visited += visited
	if !done {
		return x.pageBySorting(dst[:before], m, keys, part)
	}
	return dst
}

// within returns the part of the stretch that is in a group; limit rows of it are left.
func (part stretch) within(g index.Group, limit int) stretch {
	in := stretch{skip: g.Skip, limit: limit}
	if g.At {
		in.behind = part.behind.within()
	}
	return in
}

// appendGroup appends the part of a page that is in a group of equal first keys.
func (x *run) appendGroup(dst []index.Row, m *matched, g index.Group, keys []sortKey, part stretch) []index.Row {
	if part.behind == nil && (len(keys) == 0 || g.Rows.Len() == 1) {
		end := len(dst) + part.limit
		g.Rows.Walk(false, m.rows, part.skip, func(r index.Row) bool {
			dst = append(dst, r)
			return len(dst) < end
		})
		return dst
	}
	group := &matched{tb: m.tb, rows: m.rows, group: g.Rows, n: g.Rows.Len()}
	if m.rows != nil {
		group.n = g.Rows.CountIn(m.rows)
	}
	defer func(before bool) { x.silent = before }(x.silent)
	x.silent = true // there can be as many groups as there are rows
	return x.appendPage(dst, group, keys, part)
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
	long *longValue // nil if the key is not cut
}

// longValue is a value whose key is cut. Its slot belongs to the snapshot of the run.
type longValue struct {
	attribute *schema.Attribute
	slot      []byte
}

// valueOf returns the sort value of a slot that is not null.
func valueOf(a *schema.Attribute, slot []byte) sortValue {
	v := sortValue{key: index.SlotKey(a, slot)}
	if index.IsCut(v.key) {
		v.long = &longValue{a, slot}
	}
	return v
}

func (a sortValue) compare(b sortValue) int {
	switch {
	case a.null && b.null:
		return 0
	case a.null:
		return 1
	case b.null:
		return -1
	case a.long != nil && b.long != nil && index.Tied(a.key, b.key):
		return index.CompareSlots(a.long.attribute, a.long.slot, b.long.slot)
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

// pageBySorting sorts the matching rows by their keys and appends a page of them.
func (x *run) pageBySorting(dst []index.Row, m *matched, keys []sortKey, part stretch) []index.Row {
	x.note("sorting %d rows", m.n)
	x.plan.Visited += m.n
	taken := m.n * (sortableBytes + len(keys)*keyBytes)
	if !x.reserve(taken) {
		return dst
	}
	all := make([]sortable, 0, m.n)
	values := make([]sortValue, m.n*len(keys))
	compare := compareSortables(keys)
	m.each(false, 0, func(r index.Row) bool {
		own := values[:len(keys):len(keys)]
		rec := entryRecord(m.tb, r)
		for i := range keys {
			own[i] = x.sortValue(rec, &keys[i], keys[i].hops)
			taken += len(own[i].key)
			x.reserve(len(own[i].key))
		}
		if one := (sortable{r, own}); part.behind == nil || compare(one, part.behind.sortable()) >= 0 {
			all, values = append(all, one), values[len(keys):]
		}
		return !x.stopped()
	})
	slices.SortFunc(all, interruptible(x, compare))
	for _, one := range all[min(part.skip, len(all)):min(part.skip+part.limit, len(all))] {
		dst = append(dst, one.row)
	}
	x.unreserve(taken)
	return dst
}

// sortValue returns the value by which a record is ordered: the lowest of several if
// ascending, the highest if descending.
func (x *run) sortValue(rec record, k *sortKey, hops []index.Path) sortValue {
	if k.rank != nil {
		return sortValue{key: x.rank(rec, k.rank)}
	}
	best := sortValue{null: true}
	better := func(v sortValue) {
		if !v.null && (best.null || k.descending == (v.compare(best) > 0)) {
			best = v
		}
	}
	if len(hops) > 0 {
		x.eachHop(rec, hops[0].Attributes, func(at located) bool {
			better(x.hopValue(at.tb, at.row, k, hops[1:]))
			return true
		})
		return best
	}
	last := k.path.Last()
	if last.System != schema.NotSystem {
		x.eachInstanceOwner(rec, k.path.Attributes, func(one record) { better(x.systemSortValue(one, last)) })
		return best
	}
	x.s.EachSlot(rec.body, k.path.Attributes, func(slot []byte) {
		x.steps += len(slot) / sortedBytes
		if slot != nil && x.err == nil {
			better(valueOf(last, slot))
		}
	})
	return best
}

func (x *run) systemSortValue(rec record, a *schema.Attribute) sortValue {
	if rec.entry == nil {
		return sortValue{key: index.IntKey(int64(rec.id))}
	}
	key, null := x.s.SystemKey(a, rec.entry)
	return sortValue{key: key, null: null}
}

// eachHop calls fn for the rows that the relation at the end of the path leads to, from
// every instance of the components before it.
func (x *run) eachHop(rec record, way []*schema.Attribute, fn func(located) bool) {
	x.eachInstanceOwner(rec, way, func(one record) { x.eachRelated(way[len(way)-1], one, fn) })
}

// eachInstanceOwner calls fn for what has the attribute at the end of the path: the record itself,
// or every instance of the components before it.
func (x *run) eachInstanceOwner(rec record, way []*schema.Attribute, fn func(record)) {
	if len(way) == 1 {
		fn(rec)
		return
	}
	x.s.Instances(way[0], rec.body.Slot(way[0].Slot), func(in index.Instance) bool {
		if in.Type == way[1].Owner {
			x.eachInstanceOwner(instanceRecord(in, rec.owner), way[1:], fn)
		}
		return !x.stopped()
	})
}
