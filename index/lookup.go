package index

import (
	"cmp"
	"iter"
	"runtime"
	"slices"

	"quire/schema"
	"quire/store"
)

// Lookup finds entries of one type and status for packages that have no query to
// compile. It is valid as long as its snapshot.
type Lookup struct {
	s  *Snapshot
	tb *Table
}

// Lookup returns the look-up over the entries that a read with that status sees: types
// without draft and publish have only published ones.
func (s *Snapshot) Lookup(t *schema.Type, status store.Status) Lookup {
	return Lookup{s, s.Table(t, status)}
}

// Len returns the number of entries.
func (l Lookup) Len() int { return l.tb.Len() }

// All yields every entry, oldest first.
func (l Lookup) All() iter.Seq[Found] {
	return func(yield func(Found) bool) {
		l.tb.live.Each(func(r Row) bool { return yield(l.found(r)) })
	}
}

// ByID returns the entry with that numeric id, false if there is none.
func (l Lookup) ByID(id uint64) (Found, bool) {
	r, ok := l.tb.FindID(id)
	if !ok {
		return Found{}, false
	}
	return l.found(r), true
}

// ByDocument returns the entry of a document in a locale, false if there is none. The
// locale is empty for types that are not localized.
func (l Lookup) ByDocument(documentID, locale string) (Found, bool) {
	_, r, ok := l.s.Find(l.tb.Type, store.Key{DocumentID: documentID, Locale: locale, Status: l.tb.Status})
	if !ok {
		return Found{}, false
	}
	return l.found(r), true
}

// ByValue returns the oldest entry with the value in a scalar attribute of its own, false
// if there is none. Texts are compared exactly. No entry has null, or a value of another
// kind than the attribute's.
func (l Lookup) ByValue(attribute string, v store.Value) (Found, bool) {
	a := l.tb.Type.Attribute(attribute)
	r, ok := l.s.rowsWith(l.tb, NewPath(a), &v).first()
	if !ok {
		return Found{}, false
	}
	return l.found(r), true
}

// CountLinked returns the number of entries whose relation links to the document. The
// relation must not be a morph one, and the attribute must own it.
func (l Lookup) CountLinked(attribute, documentID string) int {
	a := l.tb.Type.Attribute(attribute)
	d, ok := l.s.Collection(a.Relation.Target).Document(documentID)
	if !ok {
		return 0
	}
	return l.s.Links(l.tb, NewPath(a)).Rows(d).Len()
}

func (l Lookup) found(r Row) Found { return Found{l.s, l.tb.Type, l.tb.Entry(r)} }

// Found is an entry that a Lookup has found. It is valid as long as the snapshot.
// Attributes have the names that the type declares.
type Found struct {
	s     *Snapshot
	t     *schema.Type
	entry *Entry
}

// ID returns the numeric id of the entry.
func (f Found) ID() uint64 { return f.entry.ID }

// DocumentID returns the documentId of the entry.
func (f Found) DocumentID() string { return f.entry.DocumentID }

// Text returns the text of an attribute, empty for null. If the attribute is not a text, it
// returns the JSON of the value.
func (f Found) Text(attribute string) string {
	defer runtime.KeepAlive(f.s)
	return string(SlotText(f.slot(attribute)))
}

// Bool returns the value of a boolean attribute, false for null.
func (f Found) Bool(attribute string) bool {
	defer runtime.KeepAlive(f.s)
	slot := f.slot(attribute)
	return len(slot) > 0 && slot[0] == 't'
}

// Link returns the documentId of the first link of a relation, empty if it has no links.
// The relation must not be a morph one, and the attribute must own it.
func (f Found) Link(attribute string) string {
	a := f.t.Attribute(attribute)
	edges := f.s.Edges(a, f.entry.Body.Slot(a.Slot))
	edge, ok := edges.Next()
	if !ok {
		return ""
	}
	return f.s.Collection(a.Relation.Target).DocumentID(edge.Target)
}

func (f Found) slot(attribute string) []byte { return f.entry.Body.Slot(f.t.Attribute(attribute).Slot) }

// Exists reports whether the entry with that key is stored.
func (s *Snapshot) Exists(t *schema.Type, k store.Key) bool {
	_, _, ok := s.Find(t, k)
	return ok
}

// ByID returns the draft or published entry with that id.
func (s *Snapshot) ByID(t *schema.Type, id uint64) (store.Key, bool) {
	for _, tb := range s.Collection(t).tables() {
		if r, ok := tb.FindID(id); ok {
			return s.Key(tb, r), true
		}
	}
	return store.Key{}, false
}

// HighestID returns the highest id among the drafts and published entries of a type,
// perhaps including entries that were deleted in this process. It is 0 if there are none.
func (s *Snapshot) HighestID(t *schema.Type) uint64 {
	highest := uint64(0)
	for _, tb := range s.Collection(t).tables() {
		if tb.Size() > 0 {
			highest = max(highest, tb.Entry(tb.Size()-1).ID)
		}
	}
	return highest
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

// Version returns the version of a document: the number of the last write that changed one
// of its entries or, without drafts, one of the published ones. It is 0 if there is none,
// and for documents that were written before versions were stored.
func (s *Snapshot) Version(t *schema.Type, documentID string, drafts bool) (version uint64) {
	c := s.Collection(t)
	d, ok := c.Document(documentID)
	if !ok {
		return 0
	}
	for _, tb := range c.tables() {
		if drafts || tb == c.published {
			tb.EachVersion(d, func(_ Row, e *Entry) { version = max(version, e.Version) })
		}
	}
	return version
}

// SingleDocument returns the document of a single type, if it has been created.
func (s *Snapshot) SingleDocument(t *schema.Type) (documentID string, ok bool) {
	for _, tb := range s.Collection(t).tables() {
		if r, ok := tb.live.first(); ok {
			return tb.Entry(r).DocumentID, true
		}
	}
	return "", false
}

// Owner is one entry that links to a document, with the link.
type Owner struct {
	Key  store.Key
	Edge store.Edge
}

// Owners returns the entries of a's type with that status whose edges of attribute a name
// the document, in the order of the target's list.
func (s *Snapshot) Owners(a *schema.Attribute, target *schema.Type, documentID string, status store.Status) []Owner {
	d, ok := s.Collection(target).Document(documentID)
	if !ok {
		return nil
	}
	tb := s.Table(a.Owner, status)
	defer runtime.KeepAlive(s)
	var owners []Owner
	s.linking(tb, a, target, d).Each(func(r Row) bool {
		edges := s.Edges(a, tb.Entry(r).Body.Slot(a.Slot))
		for e, ok := edges.Next(); ok; e, ok = edges.Next() {
			if e.names(d, target) {
				owners = append(owners, Owner{s.Key(tb, r), s.storedEdge(&e, documentID)})
			}
		}
		return true
	})
	slices.SortStableFunc(owners, func(a, b Owner) int { return cmp.Compare(a.Edge.Place, b.Edge.Place) })
	return owners
}

// linking returns the rows of a table that link to a document through attribute a.
func (s *Snapshot) linking(tb *Table, a *schema.Attribute, target *schema.Type, d Doc) Posting {
	links := s.Links(tb, NewPath(a))
	if a.Relation.Morph() {
		return links.MorphRows(s.site.TypeOrdinal(target), d)
	}
	return links.Rows(d)
}

// names reports whether the edge leads to a document of that type.
func (e *Edge) names(d Doc, t *schema.Type) bool {
	return e.Target == d && (e.Type == nil || e.Type == t)
}

// storedEdge returns an edge to a document in the form of the store.
func (s *Snapshot) storedEdge(e *Edge, documentID string) store.Edge {
	stored := store.Edge{Target: documentID, Locale: s.LocaleCode(e.Locale), Place: e.Place, Only: e.Only}
	if e.Type != nil {
		stored.Type = e.Type.UID
	}
	return stored
}

// Taken reports whether an entry of another document has the value at the path, among the
// entries with that status and locale. The path leads from a content type to the attribute
// that must be unique.
func (s *Snapshot) Taken(path []*schema.Attribute, v store.Value, status store.Status, locale, exceptDocument string) bool {
	c := s.Collection(path[0].Owner)
	except, excepted := c.Document(exceptDocument)
	l, _ := s.Locale(locale)
	tb := c.Table(status)
	return !s.rowsWith(tb, NewPath(path...), &v).Each(func(r Row) bool {
		e := tb.Entry(r)
		return e.Locale != l || excepted && e.Doc == except
	})
}

// rowsWith returns the rows of a table with the value at a scalar path: none for null and
// for a value that the attribute cannot have.
func (s *Snapshot) rowsWith(tb *Table, path Path, v *store.Value) Posting {
	if v.Kind == store.Null || !HasKind(path.Last(), v) {
		return Posting{}
	}
	return s.Values(tb, path).Rows(valueKey(path.Last(), v))
}
