package index

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"quire/schema"
	"quire/store"
)

// Build reads all content of the store for which the site has types. Entries of other
// types, and those stored in a locale that their type does not take, stay in the file
// unchanged.
func Build(site *schema.Site, tx *store.Tx) (*Index, error) { return BuildPart(site, tx, nil) }

// BuildPart is Build for a caller that needs the values of only some attributes: entries
// have null in the others, also after later edits. With nil, they have everything.
func BuildPart(site *schema.Site, tx *store.Tx, included func(*schema.Attribute) bool) (*Index, error) {
	x, err := build(site, tx, included, &bodies{open: tx.NewAnnex, limit: site.Settings.Limits.Memory})
	if lost := (*store.WriteError)(nil); errors.As(err, &lost) { // the bodies in the file are lost
		if x, err = build(site, tx, included, nil); err == nil {
			x.shortage = lost
		}
	}
	return x, err
}

// build is BuildPart with a place for bodies; nil for memory.
func build(site *schema.Site, tx *store.Tx, included func(*schema.Attribute) bool, kept *bodies) (*Index, error) {
	b := newBuilder(site)
	b.encoder.part, b.encoder.bodies = included, kept
	for _, t := range site.Types {
		if err := tx.Lend(t.UID, func(e *store.Entry) error { return b.add(t, e) }); err != nil {
			return nil, fmt.Errorf("reading %s: %w", t.UID, err)
		}
	}
	annex, shortage, err := kept.done()
	if err != nil {
		return nil, fmt.Errorf("keeping bodies in a file: %w", err)
	}
	s := b.snapshot()
	s.annex = annex
	s.memory = NewMemory(site.Settings.Limits.IndexMemory)
	s.revision, s.part = tx.Revision(), included
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			tb.changed = tx.LastChange(c.Type.UID, tb.Status)
			tb.written = tb.changed
		}
	}
	x := &Index{shortage: shortage}
	x.current.Store(s)
	return x, nil
}

// builder collects the entries of every type before they get their rows, because the store
// returns them by document and rows are ordered by id.
type builder struct {
	site    *schema.Site
	locales []string
	types   []typeBuilder
	encoder encoder

	// The last version, the body made for it, the fields that it was made of, and the
	// documents that its edges name: a published version that equals its draft comes
	// directly after it.
	last   version
	fields []store.Field
	body   Body
	named  []namedDocument
}

// version identifies a draft together with its published version.
type version struct {
	t      *schema.Type
	doc    Doc
	locale Locale
}

type typeBuilder struct {
	documents        *documents
	last             Doc          // of the last entry
	draft, published paged[Entry] // in order of arrival
}

func newBuilder(site *schema.Site) *builder {
	b := &builder{site: site, types: make([]typeBuilder, len(site.Types))}
	for _, l := range site.Settings.Locales {
		b.locales = append(b.locales, l.Code)
	}
	for i := range b.types {
		b.types[i].documents = newDocuments(nil)
	}
	b.encoder = encoder{site: site, number: b.target, locale: b.locale}
	return b
}

func (b *builder) of(t *schema.Type) *typeBuilder { return &b.types[b.site.TypeOrdinal(t)] }

// target returns the number of a document that an edge names.
func (b *builder) target(t *schema.Type, documentID string) Doc {
	d := b.of(t).number(documentID)
	b.named = append(b.named, namedDocument{t, d})
	return d
}

// number returns the number of a document. The text is lent.
func (tb *typeBuilder) number(documentID string) Doc {
	if d, ok := tb.documents.find(documentID); ok {
		return d
	}
	return tb.documents.add(strings.Clone(documentID))
}

// locale numbers the locales of the data too, even those that the site no longer has.
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

// add adds an entry that is lent.
func (b *builder) add(t *schema.Type, from *store.Entry) error {
	isDraft := from.Status == store.Draft
	if !t.TakesLocale(from.Locale) || isDraft && !t.DraftAndPublish {
		return nil
	}
	tb := b.of(t)
	if tb.documents.texts.at(tb.last) != from.DocumentID {
		tb.last = tb.number(from.DocumentID)
	}
	d := tb.last
	b.encode(version{t, d, b.locale(from.Locale)}, from.Fields)
	tb.documents.retain(d)
	for _, one := range b.named {
		b.of(one.t).documents.retain(one.d)
	}
	e := Entry{
		ID: from.ID, DocumentID: tb.documents.texts.at(d), Doc: d, Locale: b.last.locale,
		Created: from.CreatedAt, Updated: from.UpdatedAt, Published: from.PublishedAt, Version: from.Stamp.Version,
		Body: b.body,
	}
	if isDraft {
		tb.draft.add(e)
	} else {
		tb.published.add(e)
	}
	return nil
}

// encode makes the body of the fields, unless they are those of the last draft. It also
// compares the versions, because the fields of another version may be in the same lent
// memory.
func (b *builder) encode(of version, fields []store.Field) {
	if of != b.last || len(fields) == 0 || len(fields) != len(b.fields) || &fields[0] != &b.fields[0] {
		b.named = b.named[:0]
		b.body = b.encoder.body(of.t, fields)
	}
	b.last, b.fields = of, fields
}

func (b *builder) snapshot() *Snapshot {
	s := &Snapshot{site: b.site, locales: b.locales}
	for i, t := range b.site.Types {
		tb := &b.types[i]
		c := &Collection{Type: t, documents: tb.documents}
		var both sync.WaitGroup
		both.Go(func() { c.published = tableOf(t, store.Published, &tb.published) })
		if t.DraftAndPublish {
			both.Go(func() { c.draft = tableOf(t, store.Draft, &tb.draft) })
		}
		both.Wait()
		*tb = typeBuilder{} // the collected entries are in the tables now
		s.collections = append(s.collections, c)
	}
	return s
}

// tableOf makes a table of entries, which it sorts in place by their ids.
func tableOf(t *schema.Type, status store.Status, entries *paged[Entry]) *Table {
	tb := newTable(t, status)
	sortByID(entries)
	tb.entries = *entries
	rows := make([]Row, entries.n)
	for i := range rows {
		r := Row(i)
		e := tb.entries.ref(r)
		rows[r] = r
		tb.countLocale(e.Locale, 1)
		head := tb.heads.edit(e.Doc, nil)
		e.next, *head = *head, r+1
	}
	tb.live = postingOf(rows, tb.Size())
	return tb
}

// sortByID sorts entries that nobody else has yet. It compares only ids, and moves each of
// the large entries once.
func sortByID(entries *paged[Entry]) {
	type rowOfID struct {
		id uint64
		at uint32
	}
	from := make([]rowOfID, entries.n)
	for i := range from {
		from[i] = rowOfID{entries.ref(uint32(i)).ID, uint32(i)}
	}
	slices.SortFunc(from, func(a, b rowOfID) int { return cmp.Compare(a.id, b.id) })
	for i := range from {
		first, to := uint32(i), uint32(i)
		if from[to].at == first {
			continue
		}
		moved := entries.at(first)
		for from[to].at != first { // along the cycle of entries that replace each other
			next := from[to].at
			*entries.ref(to), from[to].at = *entries.ref(next), to
			to = next
		}
		*entries.ref(to), from[to].at = moved, to
	}
}
