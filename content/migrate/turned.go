package migrate

import (
	"cmp"
	"context"
	"slices"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// A relation is turned if its links are stored with the other side from now on: inversedBy
// and mappedBy have changed places. The links of its former owners move to the entries to
// which they lead.

// turnedLinks are the links that move to entries, by the attributes that own them now.
type turnedLinks map[store.Name]map[*schema.Attribute][]turnedLink

// turnedLink has the place in the list that owns it now. The edge has the place in the list
// that owned it.
type turnedLink struct {
	edge  store.Edge
	place uint64
}

// findIncoming reads the links of all attributes that no longer own them. A link to an
// entry that does not exist, which is not shown, is removed.
func (v *evolver) findIncoming(ctx context.Context) (turnedLinks, error) {
	found := turnedLinks{}
	for _, uid := range v.tx.Types() {
		name := v.newUID(uid)
		s := v.side(name)
		if s.to == nil || s.to.IsComponent() {
			continue
		}
		var turned []string
		for _, stored := range v.storedNames(s, name) {
			if _, a := v.attribute(s, name, stored); isTurned(a) && v.converts(a) && !v.drop[Removed{name, stored}] {
				turned = append(turned, stored)
			}
		}
		if turned == nil {
			continue
		}
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			for _, stored := range turned {
				_, a := v.attribute(s, name, stored)
				v.turn(found, a.to, e, e.Value(stored).Edges)
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	for _, byAttribute := range found {
		for a, links := range byAttribute {
			slices.SortStableFunc(links, func(x, y turnedLink) int { return cmp.Compare(x.place, y.place) })
			byAttribute[a] = pairedUp(links)
		}
	}
	return found, nil
}

// isTurned reports whether links may be stored with an attribute that is now the inverse
// side.
func isTurned(a attribute) bool {
	return a.to != nil && a.to.IsInverse() && (a.from == nil || a.from.Relation != nil && a.from.Relation.Owns)
}

// pairedUp joins the links to drafts and those to published versions in one list, and keeps
// the order of both. Two links to one document become one link if they are adjacent and
// have the same place in their lists.
func pairedUp(links []turnedLink) (list []turnedLink) {
	var drafts, others []turnedLink
	for _, l := range links {
		if l.edge.Only == store.Draft {
			drafts = append(drafts, l)
		} else {
			others = append(others, l)
		}
	}
	for len(drafts) > 0 && len(others) > 0 {
		d, o := drafts[0], others[0]
		comesLater := func(l turnedLink) bool { return l.edge.SameTarget(o.edge) }
		switch {
		case d.edge.SameTarget(o.edge) && d.edge.Place == o.edge.Place:
			d.edge.Only = 0
			list, drafts, others = append(list, d), drafts[1:], others[1:]
		case slices.ContainsFunc(drafts, comesLater):
			list, drafts = append(list, d), drafts[1:]
		default:
			list, others = append(list, o), others[1:]
		}
	}
	return append(append(list, drafts...), others...)
}

// turn moves the links of an entry to the entries to which they lead.
func (v *evolver) turn(found turnedLinks, a *schema.Attribute, e *store.Entry, edges []store.Edge) {
	owner, target := a.Relation.Inverse, a.Relation.Target
	for i, edge := range edges {
		back := store.Edge{Target: e.DocumentID, Place: uint64(i+1) * content.PlaceGap}
		if owner.Relation.Morph() {
			back.Type = a.Owner.UID
		}
		if !target.Localized {
			back.Locale = e.Locale
		}
		locale := v.To.LinkedLocale(target, e.Locale, edge.Locale)
		for _, status := range linkedVersions(a.Owner, target, e.Status, edge.Only) {
			back.Only = 0
			if a.Owner.DraftAndPublish && !target.DraftAndPublish {
				back.Only = e.Status
			}
			name := store.Name{Type: v.storedUID(target.UID), Key: store.Key{DocumentID: edge.Target, Locale: locale, Status: status}}
			if !v.tx.Has(name.Type, name.Key) {
				continue
			}
			if found[name] == nil {
				found[name] = map[*schema.Attribute][]turnedLink{}
			}
			found[name][owner] = append(found[name][owner], turnedLink{back, edge.Place})
		}
	}
}

// linkedVersions returns the versions of a document to which a link leads.
func linkedVersions(from, to *schema.Type, status, only store.Status) []store.Status {
	switch {
	case !to.DraftAndPublish:
		return []store.Status{store.Published}
	case from.DraftAndPublish:
		return []store.Status{status}
	case only != 0:
		return []store.Status{only}
	}
	return []store.Status{store.Draft, store.Published}
}

// storedUID returns the uid under which a type is stored.
func (v *evolver) storedUID(uid string) string {
	for old, name := range v.types {
		if name == uid {
			return old
		}
	}
	return uid
}

// addIncoming adds the links that arrive at an entry to its fields, under their names in the new
// site.
func (v *evolver) addIncoming(name store.Name, fields store.Fields) (after store.Fields, changed bool) {
	for a, links := range v.incoming[name] {
		if !changed {
			fields, changed = slices.Clone(fields), true
		}
		value := fields.Value(a.Name)
		value.Kind = store.Edges
		value.Edges = slices.Clone(value.Edges)
		for _, l := range links {
			value.Edges = append(value.Edges, l.edge)
		}
		fields = fields.Set(a.Name, value)
	}
	return fields, changed
}
