package index

import (
	"runtime"
	"slices"
	"strconv"

	"quire/schema"
	"quire/store"
)

// Meets reports whether an entry of a type meets a filter. A nil filter is met by all.
func Meets(f *schema.Filter, t *schema.Type, fields store.Fields) bool {
	if f == nil {
		return true
	}
	for _, way := range f.Ways {
		if MeetsAll(way, t, fields) {
			return true
		}
	}
	return false
}

// MeetsAll reports whether an entry of a type meets all of some conditions.
func MeetsAll(all []schema.Equality, t *schema.Type, fields store.Fields) bool {
	for _, c := range all {
		wanted, ok := ValueOf(t, c)
		if !ok || !fields.Value(c.Attribute).Equal(wanted) {
			return false
		}
	}
	return true
}

// ValueOf returns the value that a condition wants; false if the type has no attribute that can
// have it.
func ValueOf(t *schema.Type, c schema.Equality) (v store.Value, ok bool) {
	a := t.Attribute(c.Attribute)
	if a == nil || !a.TakesCondition() {
		return v, false
	}
	switch a.Kind {
	case schema.Integer, schema.BigInteger:
		n, err := strconv.ParseInt(c.Value, 10, 64)
		return store.Value{Kind: store.Int, Num: n}, err == nil
	case schema.Boolean:
		v.Kind = store.Bool
		if c.Value == "true" {
			v.Num = 1
		}
		return v, c.Value == "true" || c.Value == "false"
	}
	return store.TextValue(c.Value), true
}

// ReadWith returns the rows of a table whose entries meet a condition, as ReadValues does.
func (s *Snapshot) ReadWith(r Reader, tb *Table, c schema.Equality) (Posting, error) {
	v, ok := ValueOf(tb.Type, c)
	if !ok {
		return Posting{}, nil
	}
	a := tb.Type.Attribute(c.Attribute)
	values, err := s.ReadValues(r, tb, NewPath(a))
	return values.Rows(valueKey(a, &v)), err
}

// Within returns the table with only some of its rows: as if the other entries did not exist. Its
// indexes are those of the whole table, so their postings can have rows that it has not.
func (tb *Table) Within(rows Posting) *Table {
	return &Table{Type: tb.Type, Status: tb.Status, entries: tb.entries, live: rows, heads: tb.heads, locales: tb.locales, changed: tb.changed, registry: tb.registry, whole: tb}
}

// base returns the table itself, which alone has indexes.
func (tb *Table) base() *Table {
	if tb.whole != nil {
		return tb.whole
	}
	return tb
}

// IsPart reports whether it is a part of a table, see Within.
func (tb *Table) IsPart() bool { return tb.whole != nil }

// Has reports whether a row that holds an entry is in the table.
func (tb *Table) Has(r Row) bool { return tb.whole == nil || tb.live.Has(r) }

// Posting returns the set as a posting for a table of so many rows.
func (b *Bits) Posting(universe Row) Posting {
	var rows []Row
	b.Each(func(r Row) bool {
		rows = append(rows, r)
		return true
	})
	return postingOf(rows, universe)
}

// Shows reports whether the entry of a row meets a filter, as Meets does.
func (s *Snapshot) Shows(f *schema.Filter, tb *Table, r Row) bool {
	defer runtime.KeepAlive(s)
	return f == nil || slices.ContainsFunc(f.Ways, func(way []schema.Equality) bool {
		return !slices.ContainsFunc(way, func(c schema.Equality) bool {
			v, ok := ValueOf(tb.Type, c)
			if !ok {
				return true
			}
			a := tb.Type.Attribute(c.Attribute)
			slot := tb.Entry(r).Body.Slot(a.Slot)
			return slot == nil || SlotKey(a, slot) != valueKey(a, &v)
		})
	})
}
