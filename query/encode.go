package query

import (
	"fmt"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
)

// spend counts an entry or component, and bytes of the response before it, against the
// limits of a response, and reports whether to continue. If not, the response must not be
// used.
func (x *run) spend(bytes int) bool {
	if x.entriesLeft--; x.err == nil && (x.entriesLeft < 0 || bytes > x.maxBytes) {
		x.err = x.tooMuch(bytes)
	}
	return !x.stopped()
}

func (x *run) tooMuch(bytes int) error {
	most, unit := x.site.Settings.Limits.ResponseEntries, "entries"
	if bytes > x.maxBytes {
		most, unit = x.maxBytes, "bytes"
	}
	return refuseParam(populateParam, populateParam, fmt.Sprintf("The answer would hold more than %d %s; ask for a smaller page, fewer fields, or less in populate", most, unit))
}

// appendEntry appends one entry as a JSON object, in the previous format with its
// attributes wrapped.
func (x *run) appendEntry(dst []byte, rec record, s *selection) []byte {
	if !x.spend(len(dst)) {
		return dst
	}
	if dst = x.grow(dst, len(rec.body)+s.shape.fixed); x.err != nil {
		return dst
	}
	dst = append(dst, `{"id":`...)
	dst = x.appendID(dst, rec)
	dst = append(dst, `,"documentId":`...)
	dst = index.AppendString(dst, rec.entry.DocumentID)
	if x.v4 {
		dst = append(dst, `,"attributes":{`...)
	}
	start := len(dst)
	dst = x.appendValues(dst, rec, s)
	for _, a := range s.system {
		dst = append(dst, ',', '"')
		dst = append(dst, a.Name...)
		dst = append(dst, '"', ':')
		dst = x.appendSystem(dst, a, rec.entry)
	}
	dst = x.appendRelations(dst, rec, s)
	if x.v4 {
		dst = append(dropComma(dst, start), '}')
	}
	return append(dst, '}')
}

// dropComma removes the comma before the first key of an object at start.
func dropComma(dst []byte, start int) []byte {
	if len(dst) > start {
		dst = slices.Delete(dst, start, start+1)
	}
	return dst
}

func (x *run) appendID(dst []byte, rec record) []byte {
	if rec.entry == nil {
		return strconv.AppendUint(dst, rec.id, 10)
	}
	return strconv.AppendUint(dst, rec.entry.ID, 10)
}

func (x *run) appendSystem(dst []byte, a *schema.Attribute, e *index.Entry) []byte {
	switch a.System {
	case schema.SystemCreatedAt:
		return index.AppendTime(dst, e.Created)
	case schema.SystemUpdatedAt:
		return index.AppendTime(dst, e.Updated)
	case schema.SystemPublishedAt:
		return index.AppendTime(dst, e.Published)
	case schema.SystemLocale:
		return index.AppendString(dst, x.s.LocaleCode(e.Locale))
	}
	return dst
}

// appendValues appends the scalars, components and zones of a record that the
// selection shows, each with a comma before it.
func (x *run) appendValues(dst []byte, rec record, s *selection) []byte {
	slots, signed := rec.body.Slots(), x.signs(rec)
	for i := range s.values {
		v := &s.values[i]
		slots.Skip(v.skip)
		slot := slots.Next()
		dst = append(dst, v.key...)
		switch {
		case v.population != nil:
			dst = x.grow(x.appendPopulated(dst, rec, v.population, slot), len(rec.body)+s.shape.fixed)
		case slot == nil:
			dst = append(dst, "null"...)
		case signed:
			dst = x.appendFileValue(dst, rec, v.attribute.Name, slot)
		default:
			dst = append(dst, slot...)
		}
	}
	return dst
}

// appendInstance appends one instance of a component.
func (x *run) appendInstance(dst []byte, rec record, s *selection, named bool) []byte {
	if !x.spend(len(dst)) {
		return dst
	}
	if dst = x.grow(dst, len(rec.body)+s.shape.fixed); x.err != nil {
		return dst
	}
	dst = append(dst, '{')
	if named {
		dst = append(dst, `"__component":"`...)
		dst = append(dst, rec.t.UID...)
		dst = append(dst, '"', ',')
	}
	dst = append(dst, `"id":`...)
	dst = strconv.AppendUint(dst, rec.id, 10)
	dst = x.appendValues(dst, rec, s)
	dst = x.appendRelations(dst, rec, s)
	return append(dst, '}')
}

// appendRelations appends the populated relations and media of a record.
func (x *run) appendRelations(dst []byte, rec record, s *selection) []byte {
	for _, p := range s.relations {
		if x.err != nil {
			break
		}
		dst = append(x.grow(dst, len(p.key)), p.key...)
		if p.count {
			dst = x.appendCount(dst, rec, p, nil)
		} else {
			dst = x.appendRelation(dst, rec, p)
		}
	}
	return dst
}

// appendPopulated appends the content of a populated component or zone of a record.
func (x *run) appendPopulated(dst []byte, rec record, p *population, slot []byte) []byte {
	switch {
	case p.count:
		return x.appendCount(dst, rec, p, slot)
	case p.attribute.Kind == schema.DynamicZone:
		return x.appendZone(dst, rec, p, slot)
	}
	return x.appendComponents(dst, rec, p, slot)
}

func (x *run) appendCount(dst []byte, rec record, p *population, slot []byte) []byte {
	n := 0
	if p.attribute.Relation != nil {
		x.eachRelated(p.attribute, rec, func(at located) bool {
			if x.shows(p, at) {
				n++
			}
			return true
		})
	} else {
		x.s.Instances(p.attribute, slot, func(in index.Instance) bool {
			if x.showsInstance(p, in, rec.owner) {
				n++
			}
			return !x.stopped()
		})
	}
	dst = append(dst, `{"count":`...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, '}')
}

// showsInstance reports whether a populated component or zone shows an instance.
func (x *run) showsInstance(p *population, in index.Instance, owner *index.Entry) bool {
	where := p.where
	if p.byType != nil {
		s := p.byType[in.Type]
		if s == nil {
			return false
		}
		where = s.where
	}
	return where == nil || x.matches(where, instanceRecord(in, owner))
}

// instanceBytes is the memory of an instance that a populated attribute shows.
const instanceBytes = 2 * recordBytes

// shownInstances returns the instances that a populated attribute shows, with reserved
// memory.
func (x *run) shownInstances(rec record, p *population, slot []byte) (found []record) {
	x.s.Instances(p.attribute, slot, func(in index.Instance) bool {
		if x.showsInstance(p, in, rec.owner) {
			found = append(found, instanceRecord(in, rec.owner))
			x.reserve(instanceBytes)
		}
		return !x.stopped()
	})
	return found
}

func (x *run) appendComponents(dst []byte, rec record, p *population, slot []byte) []byte {
	found := x.shownInstances(rec, p, slot)
	defer x.unreserve(len(found) * instanceBytes)
	if !p.attribute.Repeatable {
		if len(found) == 0 {
			return append(dst, "null"...)
		}
		return x.appendInstance(dst, found[0], p.record, false)
	}
	x.sortRecords(found, p.order)
	dst = append(dst, '[')
	for i, one := range found {
		if x.err != nil {
			break
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = x.appendInstance(dst, one, p.record, false)
	}
	return append(dst, ']')
}

func (x *run) appendZone(dst []byte, rec record, p *population, slot []byte) []byte {
	dst = append(dst, '[')
	start := len(dst)
	x.s.Instances(p.attribute, slot, func(in index.Instance) bool {
		if !x.showsInstance(p, in, rec.owner) {
			return !x.stopped()
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = x.appendInstance(dst, instanceRecord(in, rec.owner), p.byType[in.Type], true)
		return x.err == nil
	})
	return append(dst, ']')
}

// pushRelated pushes the rows that a populated relation shows, in order, onto x.found.
func (x *run) pushRelated(rec record, p *population) {
	start := len(x.found)
	x.eachRelated(p.attribute, rec, func(at located) bool {
		if !x.shows(p, at) {
			return true
		}
		if x.found.full() && !growStack(x, &x.found, locatedBytes) {
			return false
		}
		x.found = append(x.found, at)
		return p.limit == 0 || len(x.found)-start < p.limit
	})
	if len(p.order) > 0 {
		x.sortLocated(x.found[start:], p.order)
	}
}

// shows reports whether a populated relation shows a row that it leads to.
func (x *run) shows(p *population, at located) bool {
	where := &p.where
	if p.byType != nil {
		s := p.byType[at.tb.Type]
		if s == nil {
			return false
		}
		where = &s.where
	}
	if *where != nil && !x.satisfies(where, x.memo(where), at.tb, at.row) {
		return false
	}
	return x.publication == "" || x.publishedAs(at.record())
}

func (x *run) appendRelation(dst []byte, rec record, p *population) []byte {
	start := len(x.found)
	defer x.found.pop(start)
	x.pushRelated(rec, p)
	if x.v4 {
		dst = append(dst, `{"data":`...)
	}
	switch end := len(x.found); {
	case p.attribute.Relation.Many():
		dst = append(dst, '[')
		for i := start; i < end && x.err == nil; i++ {
			if i > start {
				dst = append(dst, ',')
			}
			if (i-start)%index.Batch == 0 {
				x.prefetch(x.found[i:min(i+index.Batch, end)])
			}
			dst = x.appendTarget(dst, x.found[i], p)
		}
		dst = append(dst, ']')
	case end == start:
		dst = append(dst, "null"...)
	default:
		dst = x.appendTarget(dst, x.found[start], p)
	}
	if x.v4 {
		dst = append(dst, '}')
	}
	return dst
}

// appendTarget appends a related entry; in a morph relation it names its type.
func (x *run) appendTarget(dst []byte, at located, p *population) []byte {
	rec := at.record()
	if p.byType == nil {
		return x.appendEntry(dst, rec, p.record)
	}
	start := len(dst)
	dst = x.appendEntry(dst, rec, p.byType[rec.t])
	if x.err != nil {
		return dst
	}
	dst = x.grow(dst, len(rec.t.UID))
	return slices.Insert(dst, start+1, []byte(`"__type":"`+rec.t.UID+`",`)...)
}

// sortRecords sorts records by the keys; without keys their order stays.
func (x *run) sortRecords(records []record, keys []sortKey) {
	if len(keys) == 0 || len(records) < 2 {
		return
	}
	before := slices.Clone(records)
	for i, at := range x.sorted(before, keys) {
		records[i] = before[at]
	}
}

// sortLocated is sortRecords for related rows.
func (x *run) sortLocated(rows []located, keys []sortKey) {
	taken := len(rows) * (locatedBytes + recordBytes)
	if !x.reserve(taken) {
		return
	}
	defer x.unreserve(taken)
	before := slices.Clone(rows)
	records := make([]record, len(rows))
	for i, at := range before {
		records[i] = at.record()
	}
	for i, at := range x.sorted(records, keys) {
		rows[i] = before[at]
	}
}

// sorted returns the positions of records in the order of the keys; equal ones keep their
// order. It returns nothing if the run has ended.
func (x *run) sorted(records []record, keys []sortKey) []int {
	taken := len(records) * (2*sortableBytes + len(keys)*keyBytes)
	if !x.reserve(taken) {
		return nil
	}
	sorted := make([]sortable, len(records))
	for i, rec := range records {
		sorted[i].row = index.Row(i)
		if x.stopped() {
			break
		}
		for k := range keys {
			v := x.sortValue(rec, &keys[k], keys[k].hops)
			sorted[i].keys = append(sorted[i].keys, v)
			taken += len(v.key)
			x.reserve(len(v.key))
		}
	}
	slices.SortFunc(sorted, interruptible(x, compareSortables(keys)))
	order := make([]int, len(sorted))
	for i, one := range sorted {
		order[i] = int(one.row)
	}
	x.unreserve(taken)
	return order
}
