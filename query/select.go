package query

import (
	"slices"

	"quire/index"
	"quire/schema"
)

// Selecting the rows of a table that match a condition.
//
// Every comparison by key is a union of postings. Groups are unions and intersections. A
// relation first selects the rows of its target and then crosses the edges, from whichever
// side is shorter (join.go). In an intersection the part that is expected to leave the
// fewest rows comes first; when few rows are left, the other parts are checked on each of
// them and not selected from the whole table. That also limits how many rows are read by
// tests that no index answers, for example $contains.
//
// Components are reached through paths: opening_hours.day has its own index, whose postings
// have a row once however many instances have the value. So "some instance has it" is exact
// for one comparison and for a union. An intersection inside a repeatable component
// requires the same instance; there the intersection of the postings only finds candidates,
// and each row is checked.

// few is the number of rows up to which checking each row is faster than selecting
// from the whole table.
const few = 128

// selectRows returns the rows of tb that match the condition, which is about the records at
// the end of way: the entries themselves if it is empty, otherwise instances of its last
// component.
func (x *run) selectRows(tb *index.Table, way []*schema.Attribute, c condition) *index.Bits {
	if all, ok := c.(allOf); ok {
		x.noteSelection(tb, way, c)
		x.depth++
		defer func() { x.depth-- }()
		return x.intersect(tb, way, all)
	}
	out := x.newBits(tb)
	x.addRows(tb, way, c, out)
	if tb.IsPart() { // indexes are about the whole table
		tb.Live().KeepIn(out)
	}
	return out
}

// addRows adds the rows that match the condition to out.
func (x *run) addRows(tb *index.Table, way []*schema.Attribute, c condition, out *index.Bits) {
	if _, ok := c.(allOf); ok {
		x.addSet(tb, out, x.selectRows(tb, way, c))
		return
	}
	x.noteSelection(tb, way, c)
	x.depth++
	defer func() { x.depth-- }()
	switch c := c.(type) {
	case anyOf:
		x.unite(tb, way, c, out)
	case *inside:
		x.addRows(tb, append(way[:len(way):len(way)], c.attribute), c.where, out)
	case *isNull:
		x.addNull(tb, way, c, out)
	case *compare:
		x.addCompare(tb, way, c, out)
	case *related:
		x.addRelated(tb, way, c, out)
	case *unlinked:
		x.addUnlinked(tb, c, out)
	default:
		tb.Live().AddTo(out)
	}
}

// addSet adds a separate set to out, and releases it.
func (x *run) addSet(tb *index.Table, out, rows *index.Bits) {
	out.Or(rows)
	x.releaseBits(tb, rows)
}

// unite adds the rows that match some part. Parts that no index answers are checked
// together, in one pass over the rows that are not selected yet.
func (x *run) unite(tb *index.Table, way []*schema.Attribute, c anyOf, out *index.Bits) {
	var requested anyOf
	for _, part := range c {
		if x.worked(len(c) / manyParts) {
			return
		}
		if x.estimate(tb, way, part) > tb.Len() {
			requested = append(requested, part)
			continue
		}
		x.addRows(tb, way, part, out)
	}
	if len(requested) == 0 {
		return
	}
	wanted := wrapInside(way, requested)
	x.note("asking %d rows for %d more", tb.Len(), len(requested))
	tb.Live().Each(func(r index.Row) bool {
		x.plan.Visited++
		if !out.Has(r) && x.matches(wanted, entryRecord(tb, r)) {
			out.Add(r)
		}
		return !x.stopped()
	})
}

// intersect selects the rows that match all parts.
func (x *run) intersect(tb *index.Table, way []*schema.Attribute, c allOf) *index.Bits {
	if len(c) == 0 {
		return x.selectRows(tb, way, nil)
	}
	type part struct {
		condition
		cost int
	}
	parts := make([]part, len(c))
	for i, one := range c {
		parts[i] = part{one, x.estimate(tb, way, one)}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return a.cost - b.cost })
	out := x.selectRows(tb, way, parts[0].condition)
	for _, p := range parts[1:] {
		if x.worked(len(c) / manyParts) {
			return out
		}
		if len(way) == 0 && (p.cost > tb.Len() || !out.More(few)) {
			x.note("asking %d rows for the next", out.Count())
			x.filterRows(tb, out, p.condition)
		} else {
			x.keepRows(tb, way, p.condition, out)
		}
	}
	if len(c) > 1 && index.NewPath(append(way[:len(way):len(way)], tb.Type.Attribute("id"))...).Multiple() {
		x.note("asking %d rows for one instance", out.Count())
		x.filterRows(tb, out, wrapInside(way, c))
	}
	return out
}

// keepRows removes the rows that do not match the condition. If one posting answers it, or
// the values that fail it do, it makes no other set.
func (x *run) keepRows(tb *index.Table, way []*schema.Attribute, c condition, out *index.Bits) {
	if one, ok := c.(*compare); ok && one.test.byKey() {
		path, indexed := indexedPath(way, one.attribute)
		switch {
		case !indexed:
		case one.negate && !path.Multiple():
			x.noteSelection(tb, way, c)
			x.takePassing(tb, x.values(tb, path), &one.test, out)
			return
		case !one.negate && len(one.test.keys) == 1:
			x.noteSelection(tb, way, c)
			x.values(tb, path).Rows(one.test.keys[0]).KeepIn(out)
			return
		}
	}
	rows := x.selectRows(tb, way, c)
	out.And(rows)
	x.releaseBits(tb, rows)
}

// wrapInside turns a condition on instances into one on the entries that contain them.
func wrapInside(way []*schema.Attribute, c condition) condition {
	for _, a := range slices.Backward(way) {
		c = &inside{a, c}
	}
	return c
}

// filterRows removes the rows that do not match the condition from the set, and checks them
// row by row.
func (x *run) filterRows(tb *index.Table, rows *index.Bits, c condition) {
	rows.Filter(func(r index.Row) bool {
		x.plan.Visited++
		return !x.stopped() && x.matches(c, entryRecord(tb, r))
	})
}

// filterTexts is filterRows for a text test of an attribute of the entries themselves,
// negated or not: it removes the rows whose text does not pass.
func (x *run) filterTexts(tb *index.Table, rows *index.Bits, c *compare) {
	rows.EachBatch(func(batch []index.Row) bool {
		var bodies [index.Batch]index.Body
		for i, r := range batch {
			bodies[i] = tb.Entry(r).Body
		}
		for _, body := range bodies {
			if len(body) > 0 {
				x.prefetched += body[0]
			}
		}
		for i, r := range batch {
			x.plan.Visited++
			slot := bodies[i].Slot(c.attribute.Slot)
			if slot == nil || x.stopped() || !x.passesText(&c.test, index.SlotText(slot)) {
				rows.Remove(r)
			}
		}
		return true
	})
}

// estimate estimates how many rows a condition leaves; more than the table has if it must
// be checked on each row.
func (x *run) estimate(tb *index.Table, way []*schema.Attribute, c condition) int {
	switch c := c.(type) {
	case *compare:
		return x.estimateCompare(tb, way, c)
	case *inside:
		return x.estimate(tb, append(way[:len(way):len(way)], c.attribute), c.where)
	case allOf:
		least := tb.Len()
		for _, part := range c {
			least = min(least, x.estimate(tb, way, part))
		}
		return least
	case anyOf:
		sum := 0
		for _, part := range c {
			sum += x.estimate(tb, way, part)
		}
		return sum
	}
	return tb.Len()
}

func (x *run) estimateCompare(tb *index.Table, way []*schema.Attribute, c *compare) int {
	path, indexed := indexedPath(way, c.attribute)
	switch {
	case !indexed && len(way) == 0 && c.test.kind == equals && !c.negate: // found by id
		return len(c.test.keys)
	case !indexed || !c.test.byKey() && !searchesWords(way, c):
		return 2 * tb.Len()
	case c.negate, !c.test.byKey():
		return tb.Len()
	}
	return c.test.count(x.values(tb, path), tb.Len()/2)
}

// indexedPath returns the path of an attribute at the end of way, and whether its values
// are indexed. Ids and documentIds are found without an index.
func indexedPath(way []*schema.Attribute, a *schema.Attribute) (index.Path, bool) {
	if a.System == schema.SystemID || a.System == schema.SystemDocumentID {
		return index.Path{}, false
	}
	return index.NewPath(append(way[:len(way):len(way)], a)...), true
}

// addNull adds the rows where an attribute is null, or is not.
func (x *run) addNull(tb *index.Table, way []*schema.Attribute, c *isNull, out *index.Bits) {
	path, indexed := indexedPath(way, c.attribute)
	switch {
	case !indexed && len(way) > 0: // the id of a component is null if there is no instance
		x.eachMatching(tb, wrapInside(way, c), out)
	case !indexed:
		if c.negate {
			tb.Live().AddTo(out)
		}
	case !c.negate:
		x.values(tb, path).Nulls().AddTo(out)
	case path.Multiple():
		x.values(tb, path).Each(index.Range{}, func(_ string, rows index.Posting) bool { rows.AddTo(out); return !x.stopped() })
	default:
		rest := x.newBits(tb)
		tb.Live().AddTo(rest)
		x.values(tb, path).Nulls().TakeFrom(rest)
		x.addSet(tb, out, rest)
	}
}

// eachMatching adds the rows that match a condition, and checks every row.
func (x *run) eachMatching(tb *index.Table, c condition, out *index.Bits) {
	tb.Live().Each(func(r index.Row) bool {
		x.plan.Visited++
		if x.matches(c, entryRecord(tb, r)) {
			out.Add(r)
		}
		return !x.stopped()
	})
}

// addCompare adds the rows that pass a comparison.
func (x *run) addCompare(tb *index.Table, way []*schema.Attribute, c *compare, out *index.Bits) {
	path, indexed := indexedPath(way, c.attribute)
	switch {
	case !indexed && len(way) == 0 && c.test.kind == equals && !c.negate:
		x.addIdentity(tb, c, out)
	case indexed && searchesWords(way, c):
		x.addWords(tb, path, way, c, out)
	case !indexed || !c.test.byKey():
		x.eachMatching(tb, wrapInside(way, c), out)
	case !c.negate:
		united := out.Unite()
		x.eachPassing(tb, x.values(tb, path), &c.test, united.Add)
		united.Done()
	case path.Multiple():
		x.values(tb, path).Each(index.Range{}, func(key string, rows index.Posting) bool {
			if !c.test.hasKey(key) {
				rows.AddTo(out)
			}
			return !x.stopped()
		})
	default:
		rest := x.newBits(tb)
		tb.Live().AddTo(rest)
		x.takePassing(tb, x.values(tb, path), &c.test, rest)
		x.addSet(tb, out, rest)
	}
}

// searchesWords reports whether an index of words answers a text test. It does not answer a
// negated one if a row has several texts: there the negation is not the complement.
func searchesWords(way []*schema.Attribute, c *compare) bool {
	return c.test.isText() && c.attribute.IsText() && c.attribute.System == schema.NotSystem &&
		(!c.negate || !index.NewPath(append(way[:len(way):len(way)], c.attribute)...).Multiple())
}

// parts says where in a text each kind of text test searches.
var parts = map[testKind]index.TextPart{contains: index.Anywhere, begins: index.AtStart, ends: index.AtEnd, same: index.Whole}

// addWords adds the rows that pass a text test, through the words of the texts.
func (x *run) addWords(tb *index.Table, path index.Path, way []*schema.Attribute, c *compare, out *index.Bits) {
	words, needle, part := x.words(tb, path), index.Fold(c.test.needle), parts[c.test.kind]
	over := func(bytes int) bool { return x.worked(bytes / scannedBytes) }
	exact := c.test.fold && index.Exact(needle, part)
	if exact && !c.negate {
		words.Candidates(needle, part, out, over)
		return
	}
	found := x.newBits(tb)
	words.Candidates(needle, part, found, over)
	switch {
	case exact:
	case len(way) == 0:
		x.filterTexts(tb, found, c)
	default:
		x.filterRows(tb, found, wrapInside(way, &compare{c.attribute, c.test, false}))
	}
	if c.negate {
		rest := x.newBits(tb)
		words.NonNull().AddTo(rest)
		rest.AndNot(found)
		found.Replace(rest)
		x.releaseBits(tb, rest)
	}
	x.addSet(tb, out, found)
}

func (t *test) hasKey(key string) bool {
	if t.kind == ranges {
		return t.span.Contains(key)
	}
	_, found := slices.BinarySearch(t.keys, key)
	return found
}

// eachPassing calls fn for the rows of the values that pass a test by key.
func (x *run) eachPassing(tb *index.Table, v *index.Values, t *test, fn func(index.Posting)) {
	if t.kind == ranges {
		v.EachUnion(t.span, tb.Size(), func(rows index.Posting) bool { fn(rows); return !x.stopped() })
		return
	}
	x.steps += len(t.keys) / manyParts
	for _, key := range t.keys {
		fn(v.Rows(key))
	}
}

// takePassing removes the rows that do not fail a test by key: those that pass it, and
// those without a value to compare.
func (x *run) takePassing(tb *index.Table, v *index.Values, t *test, out *index.Bits) {
	x.eachPassing(tb, v, t, func(rows index.Posting) { rows.TakeFrom(out) })
	v.Nulls().TakeFrom(out)
}

// addIdentity finds entries by id or documentId.
func (x *run) addIdentity(tb *index.Table, c *compare, out *index.Bits) {
	for _, key := range c.test.keys {
		if c.attribute.System == schema.SystemID {
			if r, ok := tb.FindID(uint64(index.KeyInt(key))); ok {
				out.Add(r)
			}
			continue
		}
		if d, ok := x.s.Collection(tb.Type).Document(key); ok {
			tb.EachVersion(d, func(r index.Row, _ *index.Entry) { out.Add(r) })
		}
	}
}
