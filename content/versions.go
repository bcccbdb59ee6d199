package content

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// A link is between versions of documents. It leads from a draft to a draft, and from a
// published version to a published one, so the links of types with drafts need no mark.
// If one side has drafts and the other has none, an entry of the latter links to both
// versions of a document. Each of these links has its own place, in the list of its
// version, because the draft's list may change without the published one. Such links
// are planned separately, one for each version, and are stored as one edge if they do
// not differ otherwise.

// Splits reports whether an attribute of type from has separate links to the versions
// of a document of type to.
func Splits(a *schema.Attribute, from, to *schema.Type) bool {
	return a.IsTwoSided() && !from.DraftAndPublish && to.DraftAndPublish
}

// versionsOf returns an edge of an attribute or, if the attribute links to the versions
// of a target separately, one edge for each version. from and locale are those of the
// entry.
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
		e.Only = 0 // the version does not exist yet
		edges = []store.Edge{e}
	}
	return edges
}

// targetOf returns the type that an edge leads to, or nil if the site lacks it.
func (op *operation) targetOf(a *schema.Attribute, e store.Edge) *schema.Type {
	if !a.Relation.Morph() {
		return a.Relation.Target
	}
	return op.site.Type(e.Type)
}

// targetKey returns the key of the target of an edge, without its status.
func (op *operation) targetKey(t *schema.Type, locale string, e store.Edge) store.Key {
	return store.Key{DocumentID: e.Target, Locale: op.site.LinkedLocale(t, locale, e.Locale)}
}

// apart returns the stored edges of an attribute, with a separate one for each version.
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

// unmarked returns the edges without marks that have lost their meaning, because the
// schema of either side has changed.
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

// withoutMarks returns the fields of an entry without marks on links. Its type has
// drafts, so no link may be marked, but it may have had none before.
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

// PairVersions returns the edges to store: it joins the edges to the draft and to the
// published version of a target if they are adjacent in the owner's list and have the
// same place in the target's.
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

// isPair reports whether two links lead to the draft and the published version of one
// target, with the same place.
func isPair(draft, published store.Edge) bool {
	return draft.Only == store.Draft && published.Only == store.Published &&
		draft.SameTarget(published) && draft.Place == published.Place
}
