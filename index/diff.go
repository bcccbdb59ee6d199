package index

import (
	"fmt"
	"slices"

	"quire/schema"
	"quire/store"
)

// Diff describes the first difference between what two snapshots of one site
// hold, empty when they hold the same: entries, values, edges, and every index
// that either has built. A snapshot that grew by writes must not differ from
// one built from the file.
func Diff(a, b *Snapshot) string {
	for _, t := range a.site.Types {
		for _, status := range []store.Status{store.Draft, store.Published} {
			x, y := a.Table(t, status), b.Table(t, status)
			if d := diffTables(a, b, x, y); d != "" {
				return fmt.Sprintf("%s %c: %s", t.UID, status, d)
			}
			for _, one := range []struct {
				s  *Snapshot
				tb *Table
			}{{a, x}, {b, y}} {
				if d := one.s.verify(one.tb); d != "" {
					return fmt.Sprintf("%s %c: %s", t.UID, status, d)
				}
			}
		}
	}
	return ""
}

func diffTables(a, b *Snapshot, x, y *Table) string {
	if x.Len() != y.Len() {
		return fmt.Sprintf("%d entries, and %d", x.Len(), y.Len())
	}
	difference := ""
	x.live.Each(func(r Row) bool {
		key := a.Key(x, r)
		_, q, ok := b.Find(y.Type, key)
		if !ok {
			difference = fmt.Sprintf("%v is only in the first", key)
			return false
		}
		one, other := a.describe(x, r), b.describe(y, q)
		if one != other {
			difference = fmt.Sprintf("%v is\n%s\nand\n%s", key, one, other)
		}
		return difference == ""
	})
	return difference
}

// describe is all that a row holds, as text without numbers of documents.
func (s *Snapshot) describe(tb *Table, r Row) string {
	e := tb.Entry(r)
	return fmt.Sprintf("id %d, %d, %d, %d: %s", e.ID, e.Created, e.Updated, e.Published, s.describeBody(tb.Type, e.Body))
}

func (s *Snapshot) describeBody(t *schema.Type, body Body) string {
	var out []byte
	slots := body.Slots()
	for _, a := range t.Slots {
		slot := slots.Next()
		if slot == nil {
			continue
		}
		out = fmt.Appendf(out, "%s=", a.Name)
		switch {
		case a.Relation != nil:
			edges := s.Edges(a, slot)
			for e, ok := edges.Next(); ok; e, ok = edges.Next() {
				target := a.Relation.Target
				if e.Type != nil {
					target = e.Type
				}
				out = fmt.Appendf(out, "%s/%s/%s@%d,", target.UID, s.Collection(target).DocumentID(e.Target), s.LocaleCode(e.Locale), e.Place)
			}
		case !a.IsScalar():
			s.Instances(a, slot, func(in Instance) bool {
				out = fmt.Appendf(out, "%s#%d{%s}", in.Type.UID, in.ID, s.describeBody(in.Type, in.Body))
				return true
			})
		default:
			out = append(out, slot...)
		}
		out = append(out, ' ')
	}
	return string(out)
}

// verify compares the indexes that the table has with ones made anew.
func (s *Snapshot) verify(tb *Table) string {
	for key, one := range *tb.indexes.Load() {
		if got, want := one.describe(), one.rebuild(s, tb).describe(); !slices.Equal(got, want) {
			return fmt.Sprintf("index %v holds\n%q\nand should hold\n%q", key, got, want)
		}
	}
	return ""
}

func (v *Values) describe() []string {
	out := []string{"null " + v.nulls.describe()}
	v.blocks.Ascend(func(b *block) bool {
		rows := 0
		for _, e := range b.entries {
			out = append(out, fmt.Sprintf("%q %s", e.key, e.rows.describe()))
			rows += e.rows.Len()
		}
		if rows != b.rows {
			out = append(out, fmt.Sprintf("a block that counts %d of %d rows", b.rows, rows))
		}
		return true
	})
	return out
}

func (p Posting) describe() string {
	var out []byte
	n := 0
	p.Each(func(r Row) bool {
		out = fmt.Appendf(out, "%d ", r)
		n++
		return true
	})
	if n != p.Len() {
		out = fmt.Appendf(out, "counted as %d", p.Len())
	}
	return string(out)
}

func (l *Links) describe() []string {
	var out []string
	add := func(ordinal int, p *paged[linked]) {
		for d := range p.n {
			if posting := p.at(uint32(d)).rows; posting.Len() > 0 {
				out = append(out, fmt.Sprintf("%d %d %s", ordinal, d, posting.describe()))
			}
		}
	}
	add(-1, &l.targets)
	for ordinal, p := range l.byType {
		add(ordinal, p)
	}
	slices.Sort(out)
	return out
}
