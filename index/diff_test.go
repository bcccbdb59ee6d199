package index

import (
	"fmt"
	"slices"

	"github.com/google/btree"

	"quire/schema"
	"quire/store"
)

// diff describes the first difference between what two snapshots of one site hold, empty
// when they hold the same: entries, values, edges, the numbers of documents, and every
// index that either has built. A snapshot that grew by writes must not differ from one
// built from the file. Package indextest compares what can be seen from outside.
func diff(a, b *Snapshot) string {
	for _, s := range []*Snapshot{a, b} {
		if d := s.verifyDocuments(); d != "" {
			return d
		}
	}
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
				out = fmt.Appendf(out, "%s/%s/%s@%d", target.UID, s.Collection(target).DocumentID(e.Target), s.LocaleCode(e.Locale), e.Place)
				if e.Only != 0 {
					out = fmt.Appendf(out, " %s", e.Only)
				}
				out = append(out, ',')
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
		if got, want := describeIndex(one.pathIndex), describeIndex(s.rebuilt(tb, one.pathIndex)); !slices.Equal(got, want) {
			return fmt.Sprintf("index %v holds\n%q\nand should hold\n%q", key, got, want)
		}
	}
	return ""
}

// rebuilt makes an index of a table anew.
func (s *Snapshot) rebuilt(tb *Table, one pathIndex) pathIndex {
	switch one := one.(type) {
	case *Values:
		return s.buildValues(tb, one.path, &indexBuild{})
	case *Links:
		return s.buildLinks(tb, one.path, &indexBuild{})
	case *Words:
		return s.buildWords(tb, one.path, &indexBuild{})
	case *Terms:
		return s.buildTerms(tb, one.path, one.whole, &indexBuild{})
	case *Translations:
		return s.buildTranslations(tb, &indexBuild{})
	case *References:
		return s.buildReferences(tb, &indexBuild{})
	}
	panic(fmt.Sprintf("an index of another kind: %T", one))
}

// describeIndex is all that an index holds, in an order of its own.
func describeIndex(one pathIndex) []string { return one.(interface{ describe() []string }).describe() }

// countUses counts what the entries of all tables use.
func (s *Snapshot) countUses() {
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			tb.live.Each(func(r Row) bool {
				e := tb.Entry(r)
				c.documents.retain(e.Doc)
				for _, one := range s.appendNamed(nil, c.Type, e.Body) {
					s.Collection(one.t).documents.retain(one.d)
				}
				return true
			})
		}
	}
}

// verifyDocuments compares what documents are numbered, and how often each number is
// used, with a count made anew.
func (s *Snapshot) verifyDocuments() string {
	again := &Snapshot{site: s.site}
	for _, c := range s.collections {
		again.collections = append(again.collections, &Collection{Type: c.Type, documents: newDocuments(nil), draft: c.draft, published: c.published})
	}
	again.countUses()
	for i, c := range s.collections {
		d, uses := c.documents, &again.collections[i].documents.uses
		numbered := 0
		for n := range Doc(max(d.texts.n, uses.n)) {
			id := d.texts.at(n)
			found, known := d.find(id)
			switch used := d.uses.at(n); {
			case used != uses.at(n):
				return fmt.Sprintf("%s: the number %d, of %q, counts as used %d times, and is %d times", c.Type.UID, n, id, used, uses.at(n))
			case used > 0 && (!known || found != n), used == 0 && (id != "" || !d.free.Has(n)):
				return fmt.Sprintf("%s: the number %d is used %d times, named %q and found as %d, %v", c.Type.UID, n, used, id, found, known)
			case used > 0:
				numbered++
			}
		}
		if numbered != d.len() || numbered+d.free.Len() != d.texts.n {
			return fmt.Sprintf("%s: %d of %d numbers are used, %d documents have one and %d are free", c.Type.UID, numbered, d.texts.n, d.len(), d.free.Len())
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

func (w *Words) describe() []string {
	out := []string{"some " + w.some.describe()}
	for word := range uint32(w.rows.n) {
		if rows := w.rows.at(word); rows.Len() > 0 {
			out = append(out, w.words.texts.at(word)+" "+rows.describe())
		}
	}
	slices.Sort(out)
	return out
}

func (t *Terms) describe() []string {
	out := []string{fmt.Sprintf("%d texts, %d tokens", t.texts, t.tokens)}
	for at, p := range t.list.pages {
		for i, number := range p.numbers {
			term := t.terms.at(number)
			out = append(out, fmt.Sprintf("%q %d %d %s", term.text, p.signs[i], p.sizes[i], term.rows.describe()))
			if place := t.placeOf(term.text); place != (termPlace{at, i}) || p.first > term.text {
				out = append(out, fmt.Sprintf("%q is found at %v, and is at %d, %d after %q", term.text, place, at, i, p.first))
			}
		}
	}
	for name, tree := range map[string]*btree.BTreeG[termKey]{"stem": t.stems, "end": t.ends} {
		tree.Ascend(func(key termKey) bool {
			out = append(out, fmt.Sprintf("%s %q %q", name, key.text, t.terms.at(key.number).text))
			return true
		})
	}
	for r := range Row(t.streams.n) {
		var terms []string
		stream := t.Stream(r)
		for number, gap, more := stream.Next(); more; number, gap, more = stream.Next() {
			if gap {
				terms = append(terms, "")
			} else {
				terms = append(terms, t.terms.at(number).text)
			}
		}
		if len(terms) > 0 {
			out = append(out, fmt.Sprintf("%d: %q", r, terms))
		}
	}
	slices.Sort(out)
	return out
}

func (x *Translations) describe() []string {
	var out []string
	for l := range x.locale {
		for other, rows := range x.locale[l].also {
			if rows.Len() > 0 {
				out = append(out, fmt.Sprintf("%d also %d: %s", l, other, rows.describe()))
			}
		}
	}
	return out
}

func (x *References) describe() []string {
	var out []string
	for ordinal, p := range x.targets {
		for d := range Doc(p.n) {
			if rows := p.at(d); rows.Len() > 0 {
				out = append(out, fmt.Sprintf("%d %d %s", ordinal, d, rows.describe()))
			}
		}
	}
	slices.Sort(out)
	return out
}
