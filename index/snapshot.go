package index

import (
	"cmp"
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
	growing     bool // still an Edit's own: nothing of it may be shared yet
}

// Collection is everything in memory of one content type.
type Collection struct {
	Type      *schema.Type
	documents *numbering
	draft     *Table // nil for types without draft and publish
	published *Table
	revision  uint64 // of the last write to the type that this process has seen
}

// Site is the site whose content this is.
func (s *Snapshot) Site() *schema.Site { return s.site }

// Revision is the store's revision that the snapshot shows.
func (s *Snapshot) Revision() uint64 { return s.revision }

// Collection returns the content of one type.
func (s *Snapshot) Collection(t *schema.Type) *Collection {
	return s.collections[s.site.TypeOrdinal(t)]
}

// Revision is the store's revision of the last write to the type; for types not
// written since the index was built, the revision it was built at.
func (c *Collection) Revision() uint64 { return c.revision }

// Table returns the entries that a read of that status sees: types without
// draft and publish have only published ones.
func (s *Snapshot) Table(t *schema.Type, status store.Status) *Table {
	return s.Collection(t).Table(status)
}

// Table returns the entries that a read of that status sees.
func (c *Collection) Table(status store.Status) *Table {
	if status == store.Draft && c.draft != nil {
		return c.draft
	}
	return c.published
}

// DocumentID is the documentId of a document number.
func (c *Collection) DocumentID(d Doc) string { return c.documents.texts.at(d) }

// Document returns the number of a document. Having one does not mean that it
// has entries.
func (c *Collection) Document(id string) (Doc, bool) { return c.documents.find(id) }

// LocaleCode is the code of a locale, empty for NoLocale.
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

// Exists reports whether the entry of that key is stored.
func (s *Snapshot) Exists(t *schema.Type, k store.Key) bool {
	_, _, ok := s.Find(t, k)
	return ok
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

// Key returns the name of a row's entry.
func (s *Snapshot) Key(tb *Table, r Row) store.Key {
	e := tb.Entry(r)
	return store.Key{DocumentID: e.DocumentID, Locale: s.LocaleCode(e.Locale), Status: tb.Status}
}

// ByID returns the draft or published entry of that id.
func (s *Snapshot) ByID(t *schema.Type, id uint64) (store.Key, bool) {
	for _, tb := range s.Collection(t).tables() {
		if r, ok := tb.FindID(id); ok {
			return s.Key(tb, r), true
		}
	}
	return store.Key{}, false
}

func (c *Collection) tables() []*Table {
	if c.draft == nil {
		return []*Table{c.published}
	}
	return []*Table{c.draft, c.published}
}

// Versions returns every stored version of a document, drafts first, oldest first.
func (s *Snapshot) Versions(t *schema.Type, documentID string) []store.Key {
	c := s.Collection(t)
	d, ok := c.Document(documentID)
	if !ok {
		return nil
	}
	var keys []store.Key
	for _, tb := range c.tables() {
		start := len(keys)
		tb.EachVersion(d, func(r Row, _ *Entry) { keys = append(keys, s.Key(tb, r)) })
		slices.Reverse(keys[start:])
	}
	return keys
}

// SingleDocument returns the document of a single type, if it has been created.
func (s *Snapshot) SingleDocument(t *schema.Type) (documentID string, ok bool) {
	c := s.Collection(t)
	for _, tb := range c.tables() {
		tb.live.Each(func(r Row) bool {
			documentID, ok = tb.Entry(r).DocumentID, true
			return false
		})
		if ok {
			return documentID, true
		}
	}
	return "", false
}

// Owner is one entry that links to a document, with the link.
type Owner struct {
	Key  store.Key
	Edge store.Edge
}

// Owners returns the entries of a's type and that status whose edges of
// attribute a name the document, in the order of the target's list.
func (s *Snapshot) Owners(a *schema.Attribute, target *schema.Type, documentID string, status store.Status) []Owner {
	c := s.Collection(target)
	d, ok := c.Document(documentID)
	if !ok {
		return nil
	}
	tb := s.Table(a.Owner, status)
	links := s.Links(tb, NewPath(a))
	rows := links.Rows(d)
	if a.Relation.Morph() {
		rows = links.MorphRows(s.site.TypeOrdinal(target), d)
	}
	var owners []Owner
	rows.Each(func(r Row) bool {
		edges := s.Edges(a, tb.Entry(r).Body.Slot(a.Slot))
		for e, ok := edges.Next(); ok; e, ok = edges.Next() {
			if e.Target == d && (e.Type == nil || e.Type == target) {
				edge := store.Edge{Target: documentID, Locale: s.LocaleCode(e.Locale), Place: e.Place}
				if e.Type != nil {
					edge.Type = e.Type.UID
				}
				owners = append(owners, Owner{s.Key(tb, r), edge})
			}
		}
		return true
	})
	slices.SortStableFunc(owners, func(a, b Owner) int { return cmp.Compare(a.Edge.Place, b.Edge.Place) })
	return owners
}

// Taken reports whether an entry of another document has the value at the path,
// among the entries of that status and locale. The path leads from a content
// type to the attribute that must be unique.
func (s *Snapshot) Taken(path []*schema.Attribute, v store.Value, status store.Status, locale, exceptDocument string) bool {
	last := path[len(path)-1]
	if v.Kind == store.Null || !holds(last, &v) {
		return false
	}
	c := s.Collection(path[0].Owner)
	except, excepted := c.Document(exceptDocument)
	l, _ := s.Locale(locale)
	tb := c.Table(status)
	slot := (&encoder{site: s.site}).appendValue(nil, last, &v)
	rows := s.Values(tb, NewPath(path...)).Rows(SlotKey(last, slot))
	return !rows.Each(func(r Row) bool {
		e := tb.Entry(r)
		return e.Locale != l || excepted && e.Doc == except
	})
}
