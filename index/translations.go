package index

import (
	"quire/schema"
	"quire/store"
)

// Translations is the index of the locales of the documents of a table: which rows of one
// locale belong to a document that also has another locale. With it, the rows that stand in
// for a missing translation are found without checking each document.
type Translations struct {
	t      *schema.Type
	status store.Status
	locale []translated // by the locale of the rows
}

// translated is the rows of one locale, by another locale of their document.
type translated struct {
	also []Posting
	own  *edition
}

// Translations returns the index of the locales of documents, and builds it on first use,
// whatever memory it takes. Reads call ReadTranslations. The type of the table must be
// localized.
func (s *Snapshot) Translations(tb *Table) *Translations {
	x, _ := s.ReadTranslations(nil, tb)
	return x
}

// ReadTranslations is ReadValues for the index of the locales of documents.
func (s *Snapshot) ReadTranslations(r Reader, tb *Table) (*Translations, error) {
	tb = tb.base()
	one, err := s.index(r, tb, indexKey{kind: translationsKind}, func(b *indexBuild) pathIndex { return s.buildTranslations(tb, b) })
	if err != nil {
		return &Translations{t: tb.Type, status: tb.Status}, err
	}
	return one.(*Translations), nil
}

func (x *Translations) size() int64 { return 0 }

// Also returns the posting of the rows of a locale whose document also has the other
// locale.
func (x *Translations) Also(l, other Locale) Posting {
	if int(l) >= len(x.locale) || int(other) >= len(x.locale[l].also) {
		return Posting{}
	}
	return x.locale[l].also[other]
}

func (s *Snapshot) buildTranslations(tb *Table, b *indexBuild) *Translations {
	x := &Translations{t: tb.Type, status: tb.Status}
	rows := make([][][]Row, len(s.locales))
	for l := range rows {
		rows[l] = make([][]Row, len(s.locales))
	}
	tb.live.Each(func(r Row) bool {
		own := rows[tb.Entry(r).Locale]
		tb.EachVersion(tb.Entry(r).Doc, func(other Row, e *Entry) {
			if other != r {
				own[e.Locale] = append(own[e.Locale], r)
				b.take(2 * valueRowBytes)
			}
		})
		return !b.failed
	})
	for l := range rows {
		x.locale = append(x.locale, translated{also: make([]Posting, len(rows))})
		for other := range rows[l] {
			x.locale[l].also[other] = postingOf(rows[l][other], tb.Size())
		}
	}
	return x
}

func (x *Translations) clone(*edition) pathIndex {
	c := *x
	c.locale = append([]translated(nil), x.locale...)
	return &c
}

// update reads all versions of the former and the current document of the row. The result
// depends only on the table, so the order in which the rows of a document are updated does
// not matter.
func (x *Translations) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	if before.exists() && after.exists() && before.Doc == after.Doc && before.Locale == after.Locale {
		return
	}
	tb := s.Table(x.t, x.status)
	if before.exists() {
		x.arrange(nil, r, before.Locale, universe, own)
		x.document(tb, before.Doc, universe, own)
	}
	if after.exists() {
		x.document(tb, after.Doc, universe, own)
	}
}

// document arranges the rows of a document.
func (x *Translations) document(tb *Table, d Doc, universe Row, own *edition) {
	var has [8]Locale
	locales := has[:0]
	tb.EachVersion(d, func(_ Row, e *Entry) { locales = append(locales, e.Locale) })
	tb.EachVersion(d, func(r Row, e *Entry) { x.arrange(locales, r, e.Locale, universe, own) })
}

// arrange adds a row of locale l, whose document has the locales, to the right postings.
func (x *Translations) arrange(locales []Locale, r Row, l Locale, universe Row, own *edition) {
	for other, rows := range x.changing(l, own) {
		wanted := false
		for _, has := range locales {
			wanted = wanted || int(has) == other && has != l
		}
		switch {
		case wanted:
			x.locale[l].also[other] = rows.add(r, universe, own)
		case rows.Has(r):
			x.locale[l].also[other] = rows.remove(r, own)
		}
	}
}

// changing returns the postings of a locale for own to change.
func (x *Translations) changing(l Locale, own *edition) []Posting {
	at := &x.locale[l]
	if at.own != own {
		*at = translated{append([]Posting(nil), at.also...), own}
	}
	return at.also
}

func (x *Translations) renumbered(n *renumbering) pathIndex {
	c := &Translations{t: x.t, status: x.status, locale: make([]translated, len(x.locale))}
	for l, from := range x.locale {
		c.locale[l] = translated{make([]Posting, len(from.also)), n.own}
		for other, rows := range from.also {
			c.locale[l].also[other] = n.posting(rows)
		}
	}
	return c
}
