package index

import (
	"cmp"
	"fmt"
	"slices"

	"quire/schema"
	"quire/store"
)

// Build reads all content of the store that the site has types for. Entries of
// other types, and those stored in a locale that their type does not take, stay in
// the file untouched.
func Build(site *schema.Site, tx *store.Tx) (*Index, error) {
	b := newBuilder(site)
	for _, t := range site.Types {
		if err := tx.Scan(t.UID, func(e *store.Entry) error { return b.add(t, e) }); err != nil {
			return nil, fmt.Errorf("reading %s: %w", t.UID, err)
		}
	}
	s := b.snapshot()
	s.revision = tx.Revision()
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			tb.changed = tx.LastChange(c.Type.UID, tb.Status)
		}
	}
	x := &Index{}
	x.current.Store(s)
	return x, nil
}

// builder gathers the entries of every type before they get their rows, since
// the store hands them out by document and rows go by id.
type builder struct {
	site    *schema.Site
	locales []string
	types   []typeBuilder
	encoder encoder

	lastFields *store.Field
	lastCount  int
	lastBody   Body
}

type typeBuilder struct {
	numbers          map[string]Doc
	ids              []string
	draft, published []Entry
}

func newBuilder(site *schema.Site) *builder {
	b := &builder{site: site, types: make([]typeBuilder, len(site.Types))}
	for _, l := range site.Settings.Locales {
		b.locales = append(b.locales, l.Code)
	}
	for i := range b.types {
		b.types[i].numbers = map[string]Doc{}
	}
	b.encoder = encoder{site: site, number: b.number, locale: b.locale}
	return b
}

func (b *builder) number(t *schema.Type, documentID string) Doc {
	tb := &b.types[b.site.TypeOrdinal(t)]
	d, ok := tb.numbers[documentID]
	if !ok {
		d = Doc(len(tb.ids))
		tb.numbers[documentID] = d
		tb.ids = append(tb.ids, documentID)
	}
	return d
}

// locale numbers the locales of the data too, even those the site no longer has.
func (b *builder) locale(code string) Locale {
	if code == "" {
		return NoLocale
	}
	i := slices.Index(b.locales, code)
	if i < 0 {
		i = len(b.locales)
		b.locales = append(b.locales, code)
	}
	return Locale(i)
}

func (b *builder) add(t *schema.Type, from *store.Entry) error {
	if !t.TakesLocale(from.Locale) {
		return nil
	}
	if len(from.Fields) == 0 || len(from.Fields) != b.lastCount || &from.Fields[0] != b.lastFields {
		b.lastBody = b.encoder.body(t, from.Fields)
		if len(from.Fields) > 0 {
			b.lastFields, b.lastCount = &from.Fields[0], len(from.Fields)
		}
	}
	tb := &b.types[b.site.TypeOrdinal(t)]
	d := b.number(t, from.DocumentID)
	e := Entry{
		ID: from.ID, DocumentID: tb.ids[d], Doc: d, Locale: b.locale(from.Locale),
		Created: from.CreatedAt, Updated: from.UpdatedAt, Published: from.PublishedAt, Version: from.Stamp.Version,
		Body: slices.Clip(b.lastBody),
	}
	if from.Status == store.Draft && t.DraftAndPublish {
		tb.draft = append(tb.draft, e)
	} else if from.Status == store.Published {
		tb.published = append(tb.published, e)
	}
	return nil
}

func (b *builder) snapshot() *Snapshot {
	s := &Snapshot{site: b.site, locales: b.locales}
	for i, t := range b.site.Types {
		tb := &b.types[i]
		c := &Collection{Type: t, documents: newDocuments(nil)}
		for _, id := range tb.ids {
			c.documents.add(id)
		}
		c.published = tableOf(t, store.Published, tb.published)
		if t.DraftAndPublish {
			c.draft = tableOf(t, store.Draft, tb.draft)
		}
		*tb = typeBuilder{} // what was gathered is in the tables now
		s.collections = append(s.collections, c)
	}
	s.countUses()
	return s
}

// tableOf makes a table of entries, in the order of their ids.
func tableOf(t *schema.Type, status store.Status, entries []Entry) *Table {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	tb := newTable(t, status)
	rows := make([]Row, len(entries))
	for i, e := range entries {
		rows[i] = Row(i)
		tb.countLocale(e.Locale, 1)
		e.next = tb.heads.at(e.Doc)
		tb.heads.set(e.Doc, Row(i)+1, nil)
		tb.entries.set(uint32(i), e, nil)
	}
	tb.live = postingOf(rows, tb.Size())
	return tb
}
