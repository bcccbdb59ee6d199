package content

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// A link is between versions of documents. From a draft it leads to a draft, and
// from a published version to a published one, so an entry that is published
// needs no mark on its links. Where the one side has drafts and the other has
// none, an entry of the latter links to both versions of a document, each with a
// place of its own in each of the two lists, since a draft may be edited from its
// side without the published version. Such links are planned apart, one for each
// version, and stored together as one edge where nothing tells them apart.

// Splits reports whether an attribute that type from has links to the versions
// of a document of type to apart.
func Splits(a *schema.Attribute, from, to *schema.Type) bool {
	return a.IsTwoSided() && !from.DraftAndPublish && to.DraftAndPublish
}

// versionsOf is an edge of an attribute, or one for each version that its target
// has where the attribute links to them apart. from and locale are of the entry.
func (op *operation) versionsOf(a *schema.Attribute, from *schema.Type, locale string, e store.Edge) []store.Edge {
	t := op.targetOf(a, e)
	if e.Only != 0 || t == nil || !Splits(a, from, t) {
		return []store.Edge{e}
	}
	k := op.targetKey(t, locale, e)
	var edges []store.Edge
	for _, e.Only = range []store.Status{store.Draft, store.Published} {
		if op.exists(t, k.WithStatus(e.Only)) {
			edges = append(edges, e)
		}
	}
	if edges == nil {
		e.Only = 0 // what is still to come
		edges = []store.Edge{e}
	}
	return edges
}

// targetOf is the type that an edge leads to, nil where the site lacks it.
func (op *operation) targetOf(a *schema.Attribute, e store.Edge) *schema.Type {
	if !a.Relation.Morph() {
		return a.Relation.Target
	}
	return op.site.Type(e.Type)
}

// targetKey names the target of an edge but for its status.
func (op *operation) targetKey(t *schema.Type, locale string, e store.Edge) store.Key {
	return store.Key{DocumentID: e.Target, Locale: op.site.LinkedLocale(t, locale, e.Locale)}
}

// apart is the stored edges of an attribute with one for each version.
func (op *operation) apart(a *schema.Attribute, from *schema.Type, locale string, edges []store.Edge) []store.Edge {
	if !a.IsTwoSided() || from.DraftAndPublish {
		return unmarked(edges)
	}
	list := make([]store.Edge, 0, len(edges))
	for _, e := range edges {
		list = append(list, op.versionsOf(a, from, locale, e)...)
	}
	if !a.Relation.Morph() && !a.Relation.Target.DraftAndPublish {
		return unmarked(list)
	}
	return list
}

// unmarked is the edges without marks that mean nothing since the schema of
// either side has changed.
func unmarked(edges []store.Edge) []store.Edge {
	isMarked := func(e store.Edge) bool { return e.Only != 0 }
	if !slices.ContainsFunc(edges, isMarked) {
		return edges
	}
	list := make([]store.Edge, 0, len(edges))
	seen := make(map[store.End]bool, len(edges))
	for _, e := range edges {
		e.Only = 0
		if !seen[e.End()] {
			list = append(list, e)
		}
		seen[e.End()] = true
	}
	return list
}

// withoutMarks is the fields of an entry, where no link may be marked because its
// type has drafts: it may not have had them always.
func withoutMarks(t *schema.Type, fields store.Fields) store.Fields {
	if !t.DraftAndPublish {
		return fields
	}
	for _, f := range fields {
		edges := unmarked(f.Value.Edges)
		if len(edges) > 0 && &edges[0] != &f.Value.Edges[0] {
			f.Value.Edges = edges
			fields = fields.With(f.Name, f.Value)
		}
	}
	return fields
}

// PairVersions is the edges to store: the edges to the draft and to the published
// version of a target become one, where they follow each other in the owner's list and
// have the same place in the target's.
func PairVersions(edges []store.Edge) []store.Edge {
	list := edges[:0:0]
	for _, e := range edges {
		if n := len(list); n > 0 && isPair(list[n-1], e) {
			list[n-1].Only = 0
			continue
		}
		list = append(list, e)
	}
	return list
}

// isPair reports whether two links are those to the draft and to the published
// version of one target, in the same place.
func isPair(draft, published store.Edge) bool {
	return draft.Only == store.Draft && published.Only == store.Published &&
		draft.SameTarget(published) && draft.Place == published.Place
}
