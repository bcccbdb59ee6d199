package query

import (
	"quire/index"
	"quire/schema"
)

// condition is a filter resolved against the schema. It applies to one record: an entry, or
// an instance of a component. Negations have been pushed down to compare and isNull, so
// that sets of matching rows need only unions and intersections.
type condition interface {
	// nulls reports whether a record with only nulls matches, which represents a missing
	// relation or component.
	nulls() bool
}

// allOf is true if all of its conditions are; without conditions, always.
type allOf []condition

// anyOf is true if one of its conditions is; without conditions, never.
type anyOf []condition

// compare tests a scalar or system attribute of the record. Nulls fail it, negated or not.
type compare struct {
	attribute *schema.Attribute
	test      test
	negate    bool
}

// isNull is true if the attribute is null; negated, if it is not.
type isNull struct {
	attribute *schema.Attribute
	negate    bool
}

// related is true if some row that the relation leads to matches where, or if it leads to
// none and a row of nulls does.
type related struct {
	attribute *schema.Attribute
	target    *schema.Type
	where     condition
}

// inside is related for the instances of a component attribute.
type inside struct {
	attribute *schema.Attribute
	where     condition
}

func (c allOf) nulls() bool {
	for _, part := range c {
		if !part.nulls() {
			return false
		}
	}
	return true
}

func (c anyOf) nulls() bool {
	for _, part := range c {
		if part.nulls() {
			return true
		}
	}
	return false
}

func (c *compare) nulls() bool { return false }
func (c *isNull) nulls() bool  { return !c.negate }
func (c *related) nulls() bool { return c.where.nulls() }
func (c *inside) nulls() bool  { return c.where.nulls() }

// testKind is how a test compares a value.
type testKind uint8

const (
	equals   testKind = iota // one of keys
	ranges                   // in the range of keys
	contains                 // text contains needle
	begins                   // text begins with needle
	ends                     // text ends with needle
	same                     // text equals needle; only with fold
)

// test is what a comparison requires of a value that is not null.
type test struct {
	kind  testKind
	keys  []string    // equals: index keys, sorted, without duplicates
	texts []string    // equals of a text attribute: the texts themselves
	span  index.Range // ranges

	from, to []byte // ranges of a text attribute: the bounds themselves

	needle string // text tests, already folded if fold is set
	wanted []byte // the needle
	fold   bool   // ignore case
}

// byKey reports whether the order of keys decides which values pass, so that an index of
// values answers the test. A bound so long that its key is cut must be compared with the
// values themselves.
func (t *test) byKey() bool {
	return t.kind == equals || t.kind == ranges && !index.IsCut(t.span.From) && !index.IsCut(t.span.To)
}

// isText reports whether the test searches in texts.
func (t *test) isText() bool { return t.kind > ranges }

// inSpan reports whether a text with that key is in the range of the test.
func (t *test) inSpan(key string, text []byte) bool {
	if index.Tied(key, t.span.From) && index.CompareTexts(text, t.from) < 0 || index.Tied(key, t.span.To) && index.CompareTexts(text, t.to) > 0 {
		return false
	}
	span := t.span
	span.HasFrom = span.HasFrom && !index.Tied(key, span.From)
	span.HasTo = span.HasTo && !index.Tied(key, span.To)
	return span.Contains(key)
}

// count returns how many rows have values that pass a test by key. For a range it may stop
// counting at most.
func (t *test) count(v *index.Values, most int) int {
	if t.kind == ranges {
		return v.CountUpTo(t.span, most)
	}
	sum := 0
	for _, key := range t.keys {
		sum += v.Rows(key).Len()
	}
	return sum
}

// newTextTest returns a test that searches the needle in texts.
func newTextTest(kind testKind, needle string, fold bool) test {
	if fold {
		needle = index.Fold(needle)
	}
	return test{kind: kind, needle: needle, wanted: []byte(needle), fold: fold}
}
