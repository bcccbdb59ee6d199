package query

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Encoding a response with a Shape. A function that appends a value also returns whether it
// has one: false is null, which is what has been appended. Null at a place that must have a
// value makes the object around it null.

// AppendShaped runs the query and appends the list, in its connection if it has one.
func (q *Query) AppendShaped(ctx context.Context, s *index.Snapshot, f *Faults, dst []byte) ([]byte, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	x.faults = f
	m := q.selectRows(x)
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	rows := x.page(m, q.order, q.paging.stretch())
	x.plan.Returned, x.plan.Order = len(rows), x.lap()
	list := func(dst []byte, members []shapedMember, must bool) ([]byte, bool) {
		return x.appendItems(dst, len(rows), must, func(dst []byte, i int) ([]byte, bool) {
			return x.appendShape(dst, entryRecord(m.tb, rows[i]), q.selection, members)
		})
	}
	if q.connection == nil {
		dst, _ = list(dst, q.selection.members, false)
	} else {
		dst, _ = x.appendConnection(dst, q.connection, list, func(dst []byte, of []shapedMember) []byte { return q.paging.appendShaped(dst, of, m.n) })
	}
	x.plan.Encode = x.lap()
	m.release(x)
	return dst, x.err
}

// AppendShapedOne runs the query and appends one document; false if it is not found.
func (q *Query) AppendShapedOne(ctx context.Context, s *index.Snapshot, documentID string, f *Faults, dst []byte) ([]byte, bool, error) {
	return q.appendDocument(ctx, s, documentID, dst, q.shaped(f))
}

// AppendShapedEntry is AppendEntry for a response with a Shape.
func (q *Query) AppendShapedEntry(ctx context.Context, s *index.Snapshot, k store.Key, known func(*schema.Attribute) bool, f *Faults, dst []byte) ([]byte, bool, error) {
	q = q.forWriter(k, known)
	return q.appendWritten(ctx, s, k, dst, q.shaped(f))
}

func (q *Query) shaped(f *Faults) appendRecord {
	return func(x *run, rec record, dst []byte) []byte {
		x.faults = f
		dst, _ = x.appendShape(dst, rec, q.selection, q.selection.members)
		x.plan.Encode = x.lap()
		return dst
	}
}

// appendShape appends a record with members of its selection.
func (x *run) appendShape(dst []byte, rec record, s *selection, members []shapedMember) ([]byte, bool) {
	start := len(dst)
	if !x.spend(len(dst)) {
		return dst, true
	}
	if dst = x.grow(dst, len(rec.body)+s.shape.fixed); x.err != nil {
		return dst, true
	}
	var few [fewReads][]byte
	read, slots, signed := few[:0], rec.body.Slots(), x.signs(rec)
	for _, r := range s.reads {
		slots.Skip(r.skip)
		read = append(read, slots.Next())
	}
	dst = append(dst, '{')
	for i := range members {
		m := &members[i]
		var slot []byte
		if m.read != nil {
			slot = read[m.read.at]
		}
		dst = append(x.grow(dst, len(m.key)+len(slot)+2*memberBytes), m.key...)
		shown := true
		switch {
		case signed && m.Show == ShowValue && slot != nil:
			dst = x.appendFileValue(dst, rec, m.Attribute.Name, slot)
		case m.plain && slot != nil:
			dst = append(dst, slot...)
		case m.names:
			dst = index.AppendString(dst, rec.entry.DocumentID)
		default:
			dst, shown = x.appendMember(dst, rec, s, m, slot)
		}
		if !shown && m.Must {
			x.missing(m)
			return append(dst[:start], "null"...), false
		}
		if x.err != nil || len(dst) > x.maxBytes && !x.spend(len(dst)) {
			return dst, true
		}
	}
	return append(dst, '}'), true
}

const (
	memberBytes = 64 // more than a number, a time or a document id takes
	fewReads    = 16 // slots of a record that need no memory of their own
)

// missing notes that something is null that must not be, unless a fault inside says why.
func (x *run) missing(m *shapedMember) {
	if x.err != nil {
		return
	}
	x.place = append(x.place, m.step)
	defer x.leave()
	if n := len(x.faults.All); n > 0 && len(x.faults.All[n-1].Path) >= len(x.place) && slices.Equal(x.faults.All[n-1].Path[:len(x.place)], x.place) {
		return
	}
	name := m.Key
	if m.Attribute != nil {
		name = m.Attribute.Name
	}
	x.addFault(Fault{Member: name, Forbidden: m.Show == ShowNothing && m.Attribute != nil}) // see kept
}

// leave ends the innermost place.
func (x *run) leave() { x.place = x.place[:len(x.place)-1] }

// addFault adds a fault at the place that is being appended.
func (x *run) addFault(f Fault) {
	if len(x.faults.All) < mostFaults {
		f.Path = slices.Clone(x.place)
		x.faults.All = append(x.faults.All, f)
	}
}

// appendMember appends what one member shows.
func (x *run) appendMember(dst []byte, rec record, s *selection, m *shapedMember, slot []byte) (_ []byte, shown bool) {
	switch m.Show {
	case ShowText:
		return index.AppendString(dst, m.Text), true
	case ShowValue:
		return x.appendShapedValue(dst, rec, m, slot)
	case ShowNothing:
		return append(dst, "null"...), false
	}
	x.place = append(x.place, m.step)
	switch p := m.population; {
	case m.Show == ShowRecord:
		dst, shown = x.appendShape(dst, rec, s, m.inside)
	case p == nil:
		x.addFault(Fault{Forbidden: m.refused == nil, Err: m.refused, Member: m.Attribute.Name})
		dst = append(dst, "null"...)
	case p.attribute.Relation == nil:
		dst, shown = x.appendShapedInstances(dst, rec, p, slot)
	default:
		dst, shown = x.appendShapedRelation(dst, rec, m, p)
	}
	x.leave()
	return dst, shown
}

// appendShapedValue appends a scalar.
func (x *run) appendShapedValue(dst []byte, rec record, m *shapedMember, slot []byte) ([]byte, bool) {
	start := len(dst)
	switch a := m.Attribute; {
	case a.System == schema.SystemID:
		return append(x.appendID(append(dst, '"'), rec), '"'), true
	case a.System != schema.NotSystem:
		dst = x.appendSystem(dst, a, rec.entry)
	case slot == nil:
		dst = append(dst, "null"...)
	case a.Kind == schema.BigInteger:
		dst = appendLong(dst, bytes.Trim(slot, `"`))
	case a.Kind == schema.Time:
		dst = appendClock(dst, slot)
	case m.Enum != nil:
		name, ok := m.Enum(string(bytes.Trim(slot, `"`)))
		if !ok {
			return append(dst, "null"...), false
		}
		dst = index.AppendString(dst, name)
	default:
		dst = append(dst, slot...)
	}
	return dst, string(dst[start:]) != "null"
}

// appendLong appends a big integer: as a text if it is not exact in JavaScript.
func appendLong(dst, digits []byte) []byte {
	const exact = 1<<53 - 1
	if n, err := strconv.ParseInt(string(digits), 10, 64); err != nil || n > exact || n < -exact {
		return append(append(append(dst, '"'), digits...), '"')
	}
	return append(dst, digits...)
}

// appendClock appends a time of day with its milliseconds: "08:00:00.000".
func appendClock(dst, slot []byte) []byte {
	const whole = `"08:00:00.000"`
	dst = append(dst, slot[:len(slot)-1]...)
	if n := len(slot) - 1; n < len(whole)-1 {
		dst = append(dst, whole[n:len(whole)-1]...)
	}
	return append(dst, '"')
}

// appendShapedRelation appends what a relation leads to.
func (x *run) appendShapedRelation(dst []byte, rec record, m *shapedMember, p *population) ([]byte, bool) {
	start := len(x.found)
	defer x.found.pop(start)
	x.pushRelated(rec, p)
	from, end := start, len(x.found)
	if p.part.size > 0 {
		from = min(start+p.part.start, end)
		end = min(from+p.part.size, end)
	}
	switch {
	case m.inside != nil:
		return x.appendConnection(dst, m.inside, func(dst []byte, members []shapedMember, must bool) ([]byte, bool) {
			return x.appendFound(dst, p, from, end, members, must)
		}, nil)
	case p.attribute.Relation.Many():
		return x.appendFound(dst, p, from, end, nil, false)
	case from == end:
		return append(dst, "null"...), false
	}
	return x.appendTargetShape(dst, p, from, nil)
}

// appendFound appends a list of the related rows that have been pushed.
func (x *run) appendFound(dst []byte, p *population, from, end int, members []shapedMember, must bool) ([]byte, bool) {
	return x.appendItems(dst, end-from, must, func(dst []byte, i int) ([]byte, bool) {
		if i%index.Batch == 0 {
			x.prefetch(x.found[from+i : min(from+i+index.Batch, end)])
		}
		return x.appendTargetShape(dst, p, from+i, members)
	})
}

// appendTargetShape appends a related row that has been pushed; nil members are all.
func (x *run) appendTargetShape(dst []byte, p *population, at int, members []shapedMember) ([]byte, bool) {
	target, s := x.found[at].record(), p.record
	if p.byType != nil {
		s = p.byType[target.t]
	}
	if members == nil {
		members = s.members
	}
	return x.appendShape(dst, target, s, members)
}

// appendShapedInstances appends the components of an attribute.
func (x *run) appendShapedInstances(dst []byte, rec record, p *population, slot []byte) ([]byte, bool) {
	found := x.shownInstances(rec, p, slot)
	defer x.unreserve(len(found) * instanceBytes)
	one := func(dst []byte, rec record) ([]byte, bool) {
		s := p.record
		if p.byType != nil {
			s = p.byType[rec.t]
		}
		return x.appendShape(dst, rec, s, s.members)
	}
	switch {
	case p.attribute.Kind != schema.DynamicZone && !p.attribute.Repeatable && len(found) == 0:
		return append(dst, "null"...), false
	case p.attribute.Kind != schema.DynamicZone && !p.attribute.Repeatable:
		return one(dst, found[0])
	}
	x.sortRecords(found, p.order)
	if p.part.size > 0 {
		found = found[min(p.part.start, len(found)):]
		found = found[:min(p.part.size, len(found))]
	}
	return x.appendItems(dst, len(found), false, func(dst []byte, i int) ([]byte, bool) { return one(dst, found[i]) })
}

// appendItems appends a list of n items. must means that none can be null.
func (x *run) appendItems(dst []byte, n int, must bool, item func(dst []byte, i int) ([]byte, bool)) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, '[')
	at := len(x.place)
	x.place = append(x.place, nil)
	defer x.leave()
	for i := 0; i < n && x.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		x.place[at] = i
		shown := false
		if dst, shown = item(dst, i); !shown && must {
			return append(dst[:start], "null"...), false
		}
	}
	return append(dst, ']'), true
}

// appendConnection appends the object around a list.
func (x *run) appendConnection(dst []byte, members []shapedMember, list func([]byte, []shapedMember, bool) ([]byte, bool), page func([]byte, []shapedMember) []byte) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, '{')
	for i := range members {
		m := &members[i]
		dst = append(x.grow(dst, len(m.key)+4*memberBytes), m.key...)
		switch m.Show {
		case ShowText:
			dst = index.AppendString(dst, m.Text)
		case ShowPage:
			dst = page(x.grow(dst, memberBytes*(1+len(m.inside))), m.inside)
		case ShowNodes:
			x.place = append(x.place, m.step)
			shown := false
			dst, shown = list(dst, m.inside, true)
			x.leave()
			if !shown {
				return append(dst[:start], "null"...), false
			}
		}
	}
	return append(dst, '}'), true
}

// appendShaped appends the chosen facts about a page.
func (p *paging) appendShaped(dst []byte, members []shapedMember, total int) []byte {
	dst = append(dst, '{')
	for i := range members {
		m := &members[i]
		dst = append(dst, m.key...)
		n, page := total, Page{*p}
		switch m.Show {
		case ShowText:
			dst = index.AppendString(dst, m.Text)
			continue
		case ShowNumber:
			n = page.Number()
		case ShowSize:
			n = page.Size(total)
		case ShowPages:
			n = page.Count(total)
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return append(dst, '}')
}

// maxWhole is the size of a page that has no limit.
const maxWhole = math.MaxInt32

// Number is the number of the page, from 1.
func (p Page) Number() int { return p.start/p.size + 1 }

// Size is the size of the page; that of the rest of the list if there is no limit.
func (p Page) Size(total int) int {
	if p.size >= maxWhole {
		return max(total-p.start, 0)
	}
	return p.size
}

// Count is the number of pages of a list of total items; 1 if there is no limit.
func (p Page) Count(total int) int {
	if p.size >= maxWhole {
		return 1
	}
	return (total + p.size - 1) / p.size
}
