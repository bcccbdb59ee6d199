package verify

import (
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// edges checks the links of an attribute that owns them, and reports whether they must be
// repaired.
func (a *auditor) edges(attribute *schema.Attribute, e *store.Entry, edges []store.Edge, at Spot) (faulty bool) {
	other := func(e store.Edge) bool { return !e.SameDocument(edges[0]) }
	if !attribute.Relation.Many() && slices.ContainsFunc(edges, other) {
		a.found.add(at, Fault{Message: "it holds several links, and may hold one", Fix: "make it a relation to many again, or write the link again"})
	}
	seen := make(map[store.End]bool, len(edges))
	for _, edge := range edges {
		if overlaps(seen, edge) {
			a.found.add(at, Fault{Message: "it links twice to one document"})
			faulty = true
			continue
		}
		seen[edge.End()] = true
		if needsPlace(attribute, edge) {
			a.found.add(at, Fault{Message: "a link has no place in the list of the other side"})
			faulty = true
		}
		if a.finder != nil {
			a.edge(attribute, e, edge, at)
		}
	}
	return faulty
}

// overlaps reports whether one of the links seen leads to a version of its target that the
// edge also leads to.
func overlaps(seen map[store.End]bool, edge store.Edge) bool {
	whole := edge.End()
	whole.Only = 0
	if edge.Only != 0 {
		return seen[edge.End()] || seen[whole]
	}
	draft, published := whole, whole
	draft.Only, published.Only = store.Draft, store.Published
	return seen[whole] || seen[draft] || seen[published]
}

// needsPlace reports whether a link that the other side lists has no place there.
func needsPlace(attribute *schema.Attribute, edge store.Edge) bool {
	return edge.Place == 0 && attribute.IsTwoSided()
}

// edge checks the target of a link.
func (a *auditor) edge(attribute *schema.Attribute, e *store.Entry, edge store.Edge, at Spot) {
	target := a.target(attribute, edge)
	switch {
	case target == nil:
		return // package inspect reports what the schemas do not have any more
	case edge.Type != "" && !attribute.Relation.Morph():
		a.found.add(at, Fault{Message: fmt.Sprintf("a link is to %q, and all that are allowed are to %s", edge.Type, target.UID), Fix: "write the links again"})
		return
	}
	if edge.Target == "" || !content.ValidDocumentID(edge.Target) {
		a.found.add(at, Fault{Message: "a link names what cannot be a documentId", Fix: "write the links again"})
		return
	}
	if !a.leads(target, e.Locale, edge) {
		a.found.add(at, Fault{Message: "a link leads to nothing, and is not shown", Note: true})
	}
	a.exclusive(attribute, e, edge, at)
}

// target returns the type that an edge leads to, nil if the site does not have it.
func (a *auditor) target(attribute *schema.Attribute, edge store.Edge) *schema.Type {
	if !attribute.Relation.Morph() {
		return attribute.Relation.Target
	}
	if t := a.site.Type(edge.Type); t != nil && !t.IsComponent() {
		return t
	}
	return nil
}

// leads reports whether the document of an edge has a version, draft or published, where a
// read would look for it.
func (a *auditor) leads(target *schema.Type, locale string, edge store.Edge) bool {
	k := store.Key{DocumentID: edge.Target, Locale: a.site.LinkedLocale(target, locale, edge.Locale), Status: store.Draft}
	if edge.Only != 0 {
		return a.exists(target, k.WithStatus(edge.Only))
	}
	return a.exists(target, k) || a.exists(target, k.WithStatus(store.Published))
}

// exists reports whether the site serves an entry with that key.
func (a *auditor) exists(t *schema.Type, k store.Key) bool {
	_, found := a.id(t, k)
	return found
}

// id returns the numeric id of an entry that the site serves.
func (a *auditor) id(t *schema.Type, k store.Key) (id uint64, found bool) {
	if !t.TakesLocale(k.Locale) || k.Status == store.Draft && !t.DraftAndPublish {
		return 0, false
	}
	return a.finder.ID(t.UID, k)
}

// exclusiveTarget is one target of an exclusive relation, among the entries of one
// status and locale.
type exclusiveTarget struct {
	attribute *schema.Attribute
	status    store.Status
	locale    string
	end       store.End
}

// exclusiveTargetOf returns what an entry holds by a link of an exclusive relation, which allows one
// link to a target; ok is false for other links.
func exclusiveTargetOf(attribute *schema.Attribute, e *store.Entry, edge store.Edge) (h exclusiveTarget, ok bool) {
	if attribute.Kind != schema.RelationKind || attribute.Owner.IsComponent() || !attribute.Relation.Exclusive() {
		return h, false
	}
	return exclusiveTarget{attribute, e.Status, e.Locale, edge.End()}, true
}

// exclusive reports a target that two documents hold although only one may.
func (a *auditor) exclusive(attribute *schema.Attribute, e *store.Entry, edge store.Edge, at Spot) {
	h, ok := exclusiveTargetOf(attribute, e, edge)
	if !ok || !contested(a.contests, h) {
		return
	}
	if other, ok := a.taken[h]; ok && other != e.DocumentID {
		a.found.add(at, Fault{
			Message: fmt.Sprintf("it holds %s, and so does %s, but only one may", edge.Target, other),
			Fix:     "write the link again on the one that is to keep it",
		})
		return
	}
	h.end.Target = strings.Clone(h.end.Target)
	a.taken[h] = strings.Clone(e.DocumentID)
}
