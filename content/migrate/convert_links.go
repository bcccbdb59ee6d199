package migrate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// edges returns what links become if the new site has links there too.
func (v *evolver) edges(a attribute, value store.Value, at verify.Spot) (after store.Value, changed bool) {
	kept := make([]store.Edge, 0, len(value.Edges))
	for _, edge := range value.Edges {
		if v.drop[Removed{Type: edge.Type}] {
			v.tally.add(Dropped, at, edge.Type, Example{})
			changed = true
			continue
		}
		was := edge
		edge.Type = v.newUID(edge.Type)
		if !v.converts(a) {
			kept, changed = append(kept, edge), changed || was != edge
			continue
		}
		one := store.Value{Kind: store.Edges, Edges: []store.Edge{edge}}
		if why := v.retype(a, &edge); why != "" {
			v.unconvertible(a, one, at, why)
			changed = true
			continue
		}
		if why := v.surplus(a, kept, edge, at); why != "" {
			x := v.example(a, one)
			x.Why = why
			v.tally.add(Cut, at, v.into(a, value), x)
			changed = true
			continue
		}
		v.place(a, &edge)
		kept, changed = append(kept, edge), changed || was != edge
	}
	if a.from != nil && a.from.Relation != nil && kindOf(a.from, value) != kindOf(a.to, value) && len(kept) == len(value.Edges) {
		v.tally.add(Converted, at, v.into(a, value), v.example(a, value))
	}
	value.Edges = kept
	return value, changed
}

// retype adds or removes the type of a link, as the attribute requires. It returns why the
// link is not valid for it.
func (v *evolver) retype(a attribute, edge *store.Edge) (why string) {
	target := edge.Type
	if a.from != nil && a.from.Relation != nil && !a.from.Relation.Morph() {
		target = v.newUID(a.from.Relation.Target.UID)
		if name, ok := v.former[target]; ok {
			target = name
		}
	}
	switch {
	case a.to.Relation.Morph() && target == "":
		return "it names no type, and the links of the attribute do"
	case a.to.Relation.Morph():
		edge.Type = target
	case target != "" && target != a.to.Relation.Target.UID:
		return fmt.Sprintf("it leads to %s, and those of the attribute to %s", target, a.to.Relation.Target.UID)
	default:
		edge.Type = ""
	}
	return ""
}

// surplus returns why a link is not allowed in addition to those that are kept, or to that
// of another document.
func (v *evolver) surplus(a attribute, kept []store.Edge, edge store.Edge, at verify.Spot) (why string) {
	if !a.to.Relation.Many() && len(kept) > 0 && !edge.SameDocument(kept[0]) {
		return "it holds one link, the first"
	}
	if first := v.exclusive.first(a.to, at, edge); first != "" && first != at.Name.Key.DocumentID {
		return fmt.Sprintf("%s has the link, and only one document may", first)
	}
	return ""
}

// place gives a link that is visible from its target a place there. In a plan it does
// nothing.
func (v *evolver) place(a attribute, edge *store.Edge) {
	switch {
	case !a.to.IsTwoSided():
	case edge.Place != 0 && v.places != nil && len(v.incoming) > 0:
		v.places.reach(a.to.Owner.UID, edge.Place)
	case edge.Place != 0:
	case v.places == nil:
		edge.Place = 1
	default:
		edge.Place = v.places.next(a.to.Owner.UID)
	}
}

// exclusiveLinks says which document keeps the link to a target that only one may have from now
// on: the first in the target's list.
type exclusiveLinks struct {
	exclusive map[*schema.Attribute]bool // by the attributes of the new site
	firsts    map[exclusiveTarget]linkOwner
}

// exclusiveTarget is a target, among the entries of one status and locale.
type exclusiveTarget struct {
	attribute *schema.Attribute
	status    store.Status
	locale    string
	end       store.End
}

type linkOwner struct {
	place      uint64
	documentID string
}

// findExclusiveLinks reads the links of attributes that have become exclusive.
func (v *evolver) findExclusiveLinks(ctx context.Context) (*exclusiveLinks, error) {
	h := &exclusiveLinks{map[*schema.Attribute]bool{}, map[exclusiveTarget]linkOwner{}}
	for _, uid := range v.tx.Types() {
		name := v.newUID(uid)
		s := v.side(name)
		if s.to == nil || s.to.IsComponent() {
			continue
		}
		for _, stored := range v.storedNames(s, name) {
			if _, a := v.attribute(s, name, stored); a.to != nil && turnsExclusive(a) {
				h.exclusive[a.to] = true
				if err := v.readExclusiveLinks(ctx, h, a.to, uid, stored); err != nil {
					return nil, err
				}
				v.readIncoming(h, a.to)
			}
		}
	}
	return h, nil
}

// storedNames are the names under which the attributes of the new site may be stored.
func (v *evolver) storedNames(s side, uid string) (names []string) {
	for _, a := range s.to.Attributes {
		if _, ok := v.names[Removed{uid, a.Name}]; !ok {
			names = append(names, a.Name)
		}
	}
	for r := range v.names {
		if r.Type == uid {
			names = append(names, r.Attribute)
		}
	}
	return names
}

// turnsExclusive reports whether targets may have had several owners of links, and may have only
// one now.
func turnsExclusive(a attribute) bool {
	exclusive := func(a *schema.Attribute) bool {
		return a != nil && a.Kind == schema.RelationKind && a.Relation.Owns && a.Relation.Exclusive()
	}
	return exclusive(a.to) && !exclusive(a.from)
}

func (v *evolver) readExclusiveLinks(ctx context.Context, h *exclusiveLinks, a *schema.Attribute, uid, stored string) error {
	return v.tx.Scan(uid, func(e *store.Entry) error {
		h.add(a, e.Key(), e.Value(stored).Edges)
		return ctx.Err()
	})
}

// readIncoming does the same for links that move to the attribute.
func (v *evolver) readIncoming(h *exclusiveLinks, a *schema.Attribute) {
	for name, byAttribute := range v.incoming {
		for i, l := range byAttribute[a] {
			if i == 0 || a.Relation.Many() {
				h.add(a, name.Key, []store.Edge{l.edge})
			}
		}
	}
}

// add records the links of an entry, except those that are cut.
func (h *exclusiveLinks) add(a *schema.Attribute, k store.Key, edges []store.Edge) {
	for i, edge := range edges {
		if i > 0 && !a.Relation.Many() {
			break
		}
		edge.Type = ""
		key := exclusiveTarget{a, k.Status, k.Locale, edge.End()}
		mine := linkOwner{edge.Place, k.DocumentID}
		if known, taken := h.firsts[key]; !taken || mine.before(known) {
			h.firsts[key] = mine
		}
	}
}

func (h linkOwner) before(other linkOwner) bool {
	return cmp.Or(cmp.Compare(h.place, other.place), cmp.Compare(h.documentID, other.documentID)) < 0
}

// first returns the document that keeps the link, empty if any number may.
func (h *exclusiveLinks) first(a *schema.Attribute, at verify.Spot, edge store.Edge) string {
	if !h.exclusive[a] || slices.Contains([]byte(at.Path), '.') {
		return ""
	}
	edge.Type = ""
	return h.firsts[exclusiveTarget{a, at.Name.Key.Status, at.Name.Key.Locale, edge.End()}].documentID
}
