package query

import (
	"bytes"
	"slices"

	"quire/index"
	"quire/schema"
)

// record is one entry or one instance of a component.
type record struct {
	t     *schema.Type
	entry *index.Entry // nil for a component
	id    uint64       // of a component
	owner *index.Entry // the entry itself, or the one that the component is part of
	body  index.Body
}

func entryRecord(tb *index.Table, r index.Row) record {
	e := tb.Entry(r)
	return record{t: tb.Type, entry: e, owner: e, body: e.Body}
}

func instanceRecord(in index.Instance, owner *index.Entry) record {
	return record{t: in.Type, id: in.ID, owner: owner, body: in.Body}
}

// matches reports whether a record matches a condition.
func (x *run) matches(c condition, rec record) bool {
	switch c := c.(type) {
	case nil:
		return true
	case allOf:
		x.steps += len(c) / manyParts
		for _, part := range c {
			if !x.matches(part, rec) {
				return false
			}
		}
		return true
	case anyOf:
		x.steps += len(c) / manyParts
		return slices.ContainsFunc(c, func(part condition) bool { return x.matches(part, rec) })
	case *isNull:
		_, null := x.value(rec, c.attribute)
		return null != c.negate
	case *compare:
		return x.compares(c, rec)
	case *inside:
		return x.matchesInside(c, rec)
	case *related:
		return x.matchesRelated(c, rec)
	case *unlinked:
		return x.isUnlinked(c, rec.owner.Doc)
	case *leadsInto:
		return x.linksTo(c.attribute, c.target, rec, c.rows.Has)
	case *leadsTo:
		return x.linksTo(c.attribute, c.target, rec, func(r index.Row) bool { return r == c.row })
	}
	return false
}

func (x *run) compares(c *compare, rec record) bool {
	slot, null := x.value(rec, c.attribute)
	if null {
		return false
	}
	return x.passes(&c.test, c.attribute, rec, slot) != c.negate
}

// value returns the slot of a scalar attribute, and whether it is null. System
// attributes have no slot.
func (x *run) value(rec record, a *schema.Attribute) (slot []byte, null bool) {
	if a.System == schema.NotSystem {
		slot = rec.body.Slot(a.Slot)
		return slot, slot == nil
	}
	if rec.entry == nil {
		return nil, false
	}
	_, null = x.s.SystemKey(a, rec.entry)
	return nil, null
}

func (x *run) passes(t *test, a *schema.Attribute, rec record, slot []byte) bool {
	if t.isText() {
		return x.passesText(t, x.text(rec, a, slot))
	}
	if t.kind == equals && a.IsText() && a.System == schema.NotSystem {
		text := index.SlotText(slot)
		x.steps += len(t.texts) / manyParts
		return slices.ContainsFunc(t.texts, func(one string) bool { return one == string(text) })
	}
	key := x.key(rec, a, slot)
	if t.kind == ranges {
		x.steps += len(slot) / sortedBytes
		return t.inSpan(key, index.SlotText(slot))
	}
	_, found := slices.BinarySearch(t.keys, key)
	return found
}

func (x *run) passesText(t *test, text []byte) bool {
	x.steps += len(text) / searchedBytes
	if t.fold {
		x.folded = index.AppendFold(x.folded[:0], text)
		text = x.folded
	}
	// For a test with fold, the text must be folded.
	switch t.kind {
	case contains:
		return bytes.Contains(text, t.wanted)
	case begins:
		return bytes.HasPrefix(text, t.wanted)
	case ends:
		return bytes.HasSuffix(text, t.wanted)
	}
	return bytes.Equal(text, t.wanted)
}

// key returns the index key of an attribute's value that is not null.
func (x *run) key(rec record, a *schema.Attribute, slot []byte) string {
	switch {
	case a.System == schema.NotSystem:
		return index.SlotKey(a, slot)
	case rec.entry == nil:
		return index.IntKey(int64(rec.id))
	}
	key, _ := x.s.SystemKey(a, rec.entry)
	return key
}

// text returns an attribute's value in the form for text tests.
func (x *run) text(rec record, a *schema.Attribute, slot []byte) []byte {
	switch a.System {
	case schema.NotSystem:
		return index.SlotText(slot)
	case schema.SystemDocumentID, schema.SystemLocale:
		key, _ := x.s.SystemKey(a, rec.entry)
		return []byte(key)
	case schema.SystemCreatedAt, schema.SystemUpdatedAt, schema.SystemPublishedAt:
		return index.SlotText(x.appendSystem(nil, a, rec.entry))
	}
	return x.appendID(nil, rec)
}

// matchesInside looks for an instance of the component that matches the condition.
func (x *run) matchesInside(c *inside, rec record) bool {
	found, some := false, false
	x.s.Instances(c.attribute, rec.body.Slot(c.attribute.Slot), func(in index.Instance) bool {
		some = true
		found = x.matches(c.where, instanceRecord(in, rec.owner))
		return !found && !x.stopped()
	})
	return found || !some && c.where.nulls()
}

// matchesRelated looks for a related row that matches the condition.
func (x *run) matchesRelated(c *related, rec record) bool {
	found, some := false, false
	known := x.memo(&c.where)
	x.eachRelated(c.attribute, rec, func(at located) bool {
		some = true
		found = x.satisfies(&c.where, known, at.tb, at.row)
		return !found
	})
	return found || !some && c.where.nulls()
}
