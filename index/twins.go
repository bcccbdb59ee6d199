package index

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// Diverging returns the owners of links to a document whose drafts link to it differently,
// or from another place of its list, than their published versions; for owners without
// drafts, those that do not link to its draft and to its published version alike. It
// examines each owner, but only as far as necessary.
func (s *Snapshot) Diverging(a *schema.Attribute, target *schema.Type, documentID string) []store.Key {
	d, ok := s.Collection(target).Document(documentID)
	if !ok {
		return nil
	}
	w := twins{s: s, a: a, target: target, doc: d, published: s.Table(a.Owner, store.Published)}
	if !a.Owner.DraftAndPublish {
		return w.marked()
	}
	w.drafts = s.Table(a.Owner, store.Draft)
	return w.unlike()
}

// twins compares the drafts of owners with their published versions.
type twins struct {
	s                 *Snapshot
	a                 *schema.Attribute
	target            *schema.Type
	doc               Doc
	drafts, published *Table
}

// rows returns the entries of a table that link to the document.
func (w *twins) rows(tb *Table) Posting { return w.s.linking(tb, w.a, w.target, w.doc) }

// marked returns the owners with an edge to one version of the document.
func (w *twins) marked() (owners []store.Key) {
	w.rows(w.published).Each(func(r Row) bool {
		if slices.ContainsFunc(w.edges(nil, w.published.Entry(r)), func(e Edge) bool { return e.Only != 0 }) {
			owners = append(owners, w.s.Key(w.published, r))
		}
		return true
	})
	return owners
}

// unlike returns the owners whose two versions do not link to the document alike.
func (w *twins) unlike() (owners []store.Key) {
	linked := w.rows(w.drafts)
	linked.Each(func(r Row) bool {
		draft := w.drafts.Entry(r)
		if q, ok := w.published.Find(draft.Doc, draft.Locale); ok && !w.alike(draft, w.published.Entry(q)) {
			owners = append(owners, w.s.Key(w.drafts, r))
		}
		return true
	})
	w.rows(w.published).Each(func(q Row) bool {
		e := w.published.Entry(q)
		if r, ok := w.drafts.Find(e.Doc, e.Locale); ok && !linked.Has(r) {
			owners = append(owners, w.s.Key(w.drafts, r))
		}
		return true
	})
	return owners
}

// alike reports whether two versions of an owner link to the document alike. A published
// version that equals its draft shares the draft's Body.
func (w *twins) alike(draft, published *Entry) bool {
	if len(draft.Body) == len(published.Body) && &draft.Body[0] == &published.Body[0] {
		return true
	}
	var few [2][4]Edge
	return slices.Equal(w.edges(few[0][:0], draft), w.edges(few[1][:0], published))
}

// edges appends the edges of an owner to the document.
func (w *twins) edges(dst []Edge, e *Entry) []Edge {
	edges := w.s.Edges(w.a, e.Body.Slot(w.a.Slot))
	for edge, ok := edges.Next(); ok; edge, ok = edges.Next() {
		if edge.names(w.doc, w.target) {
			dst = append(dst, edge)
		}
	}
	return dst
}
