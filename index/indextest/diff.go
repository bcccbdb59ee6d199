package indextest

import (
	"fmt"
	"slices"
	"strings"

	"quire/index"
	"quire/index/language"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Diff describes the first difference between two snapshots of one site, empty if they are
// the same: entries, values, edges, the documents with numbers, and the indexes of every
// attribute. A snapshot after writes must not differ from one that was built from the file.
func Diff(a, b *index.Snapshot) string {
	for _, s := range []*index.Snapshot{a, b} {
		if fault := misnumbered(s); fault != "" {
			return fault
		}
	}
	for _, t := range a.Site().Types {
		for _, status := range []store.Status{store.Draft, store.Published} {
			x, y := describeTable(a, t, status), describeTable(b, t, status)
			for i := range max(len(x), len(y)) {
				if i >= len(x) || i >= len(y) || x[i] != y[i] {
					return fmt.Sprintf("%s %s:\n%s\nand\n%s", t.UID, status, line(x, i), line(y, i))
				}
			}
		}
	}
	return ""
}

func line(of []string, i int) string {
	if i < len(of) {
		return of[i]
	}
	return "nothing more"
}

// table is one table of a snapshot, and its description so far.
type table struct {
	s     *index.Snapshot
	tb    *index.Table
	lines []string
}

// describeTable lists the content of a table, without numbers of rows and documents.
func describeTable(s *index.Snapshot, t *schema.Type, status store.Status) []string {
	d := &table{s: s, tb: s.Table(t, status)}
	d.tb.Live().Each(func(r index.Row) bool {
		e := d.tb.Entry(r)
		d.add("%d %v %d %d %d: %s", e.ID, s.Key(d.tb, r), e.Created, e.Updated, e.Published, describeBody(s, t, e.Body))
		return true
	})
	for _, a := range t.System {
		if a.System != schema.SystemLocalizations {
			d.values(index.NewPath(a))
		}
	}
	d.paths(t, nil)
	if t.Localized {
		d.translations()
	}
	return d.lines
}

func (d *table) add(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// deepest is the maximum number of components in a path: they can contain themselves.
const deepest = 2

// paths describes the index of every attribute of a type or component at the end of the
// path.
func (d *table) paths(t *schema.Type, way []*schema.Attribute) {
	if len(way) > deepest {
		return
	}
	for _, a := range t.Attributes {
		path := append(slices.Clip(way), a)
		switch {
		case a.Kind == schema.Component:
			d.paths(a.ComponentType, path)
		case a.Kind == schema.DynamicZone:
			for _, component := range a.Zone {
				d.paths(component, path)
			}
		case a.Relation != nil && a.Relation.Owns:
			d.links(index.NewPath(path...))
		case a.Relation == nil:
			d.values(index.NewPath(path...))
		}
		if a.IsText() {
			d.words(index.NewPath(path...))
		}
		if index.HasTerms(a) {
			d.terms(index.NewPath(path...))
		}
	}
}

func (d *table) values(path index.Path) {
	v := d.s.Values(d.tb, path)
	rows := 0
	v.Each(index.Range{}, func(key string, posting index.Posting) bool {
		d.add("%s = %q: %s", path, key, d.ids(posting))
		rows += posting.Len()
		return true
	})
	d.add("%s is null: %s", path, d.ids(v.Nulls()))
	if n := v.CountUpTo(index.Range{}, rows+1); n != rows {
		d.add("%s counts %d rows, and has %d", path, n, rows)
	}
}

func (d *table) translations() {
	x := d.s.Translations(d.tb)
	for _, one := range d.s.Site().Settings.Locales {
		for _, other := range d.s.Site().Settings.Locales {
			l, _ := d.s.Locale(one.Code)
			m, _ := d.s.Locale(other.Code)
			d.add("%s also in %s: %s", one.Code, other.Code, d.ids(x.Also(l, m)))
		}
	}
}

func (d *table) links(path index.Path) {
	l, relation := d.s.Links(d.tb, path), path.Last().Relation
	for _, target := range d.s.Site().Types {
		var lines []string
		for n, documentID := range documentsOf(d.s, target) {
			rows := index.Posting{}
			switch {
			case relation.Morph():
				rows = l.MorphRows(d.s.Site().TypeOrdinal(target), n)
			case relation.Target == target:
				rows = l.Rows(n)
			}
			if rows.Len() > 0 {
				lines = append(lines, fmt.Sprintf("%s → %s %s: %s", path, target.UID, documentID, d.ids(rows)))
			}
		}
		slices.Sort(lines)
		d.lines = append(d.lines, lines...)
	}
}

// terms describes the index of terms: each term with its rows, and the terms of each row.
func (d *table) terms(path index.Path) {
	t := d.s.Terms(d.tb, path)
	texts := map[uint32]string{}
	for _, locale := range append(d.s.Site().Settings.Locales, settings.Locale{}) {
		t.EachPrefix(language.Of(locale.Code), "", func(number uint32, _ uint8) bool {
			one := t.Term(number)
			texts[one.Number] = one.Text
			d.add("%s in %s has %q: %s", path, locale.Code, one.Text, d.ids(one.Rows))
			return true
		})
	}
	d.tb.Live().Each(func(r index.Row) bool {
		var words []string
		stream := t.Stream(r)
		for number, _, more := stream.Next(); more; number, _, more = stream.Next() {
			words = append(words, texts[number])
		}
		d.add("%s of %d: %q", path, d.tb.Entry(r).ID, words)
		return true
	})
}

// words describes the index of words by the rows that it finds for each word of the texts,
// and for all of them together.
func (d *table) words(path index.Path) {
	w := d.s.Words(d.tb, path)
	d.add("%s has a text: %s", path, d.ids(w.NonNull()))
	var words []string
	d.tb.Live().Each(func(r index.Row) bool {
		d.s.EachSlot(d.tb.Entry(r).Body, path.Attributes, func(slot []byte) {
			if slot != nil {
				words = append(words, strings.Fields(index.Fold(string(index.SlotText(slot))))...)
			}
		})
		return true
	})
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		found := index.NewBits(d.tb.Size())
		w.Candidates(word, index.Anywhere, found, func(int) bool { return false })
		ids := []uint64{}
		found.Each(func(r index.Row) bool {
			ids = append(ids, d.tb.Entry(r).ID)
			return true
		})
		found.Release()
		d.add("%s has %q: %d", path, word, ids)
	}
}

// ids returns the ids of the entries of a posting, in order.
func (d *table) ids(p index.Posting) string {
	ids := make([]uint64, 0, p.Len())
	p.Each(func(r index.Row) bool {
		ids = append(ids, d.tb.Entry(r).ID)
		return true
	})
	if len(ids) != p.Len() {
		return fmt.Sprintf("%d, counted as %d", ids, p.Len())
	}
	return fmt.Sprint(ids)
}
