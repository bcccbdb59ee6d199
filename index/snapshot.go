package index

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// Snapshot is one moment of all content. It is immutable and safe to share.
type Snapshot struct {
	site        *schema.Site
	revision    uint64
	locales     []string // by Locale
	collections []*Collection
	part        func(*schema.Attribute) bool // see BuildPart
	annex       *store.Annex                 // where some bodies are; nil for none
	memory      *Memory                      // for indexes; nil without a limit
	growing     bool                         // still private to an Edit: nothing of it may be shared yet
}

// Collection is everything in memory of one content type.
type Collection struct {
	Type      *schema.Type
	documents *documents
	draft     *Table // nil for types without draft and publish
	published *Table
}

// Site returns the site of the content.
func (s *Snapshot) Site() *schema.Site { return s.site }

// Revision returns the store's revision that the snapshot shows.
func (s *Snapshot) Revision() uint64 { return s.revision }

// Collection returns the content of one type.
func (s *Snapshot) Collection(t *schema.Type) *Collection {
	return s.collections[s.site.TypeOrdinal(t)]
}

// Table returns the entries that a read with that status sees: types without draft and
// publish have only published ones.
func (s *Snapshot) Table(t *schema.Type, status store.Status) *Table {
	return s.Collection(t).Table(status)
}

// Table returns the entries that a read with that status sees.
func (c *Collection) Table(status store.Status) *Table {
	if status == store.Draft && c.draft != nil {
		return c.draft
	}
	return c.published
}

// DocumentID returns the documentId of a document number.
func (c *Collection) DocumentID(d Doc) string { return c.documents.texts.at(d) }

// Document returns the number of a document. Having one does not mean that it
// has entries.
func (c *Collection) Document(id string) (Doc, bool) { return c.documents.find(id) }

// Size returns one more than the highest document number.
func (c *Collection) Size() Doc { return Doc(c.documents.texts.n) }

// LocaleCode returns the code of a locale, empty for NoLocale.
func (s *Snapshot) LocaleCode(l Locale) string {
	if l == NoLocale {
		return ""
	}
	return s.locales[l]
}

// Locale returns the ordinal of a locale code; NoLocale for the empty code, and
// false for one that no entry can have.
func (s *Snapshot) Locale(code string) (Locale, bool) {
	if code == "" {
		return NoLocale, true
	}
	i := slices.Index(s.locales, code)
	return Locale(i), i >= 0
}

// Find returns the table and row of an entry.
func (s *Snapshot) Find(t *schema.Type, k store.Key) (*Table, Row, bool) {
	c := s.Collection(t)
	d, known := c.Document(k.DocumentID)
	l, valid := s.Locale(k.Locale)
	if !known || !valid || (k.Status == store.Draft && c.draft == nil) {
		return nil, 0, false
	}
	tb := c.Table(k.Status)
	r, ok := tb.Find(d, l)
	return tb, r, ok
}

// Key returns the key of a row's entry.
func (s *Snapshot) Key(tb *Table, r Row) store.Key {
	e := tb.Entry(r)
	return store.Key{DocumentID: e.DocumentID, Locale: s.LocaleCode(e.Locale), Status: tb.Status}
}

func (c *Collection) tables() []*Table {
	if c.draft == nil {
		return []*Table{c.published}
	}
	return []*Table{c.draft, c.published}
}
