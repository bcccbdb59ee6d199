package content

import (
	"slices"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// A relation with two sides is stored with its owners: the entries of the side
// that has inversedBy. What the other side shows as its list are the owners
// that link to it, ordered by Edge.Place. Writing that list edits the owners'
// edges: their drafts first, and their published versions when the writing
// entry is published. The owners' updatedAt stays as it is.
//
//	chef Y writes restaurants: [o, r]   (chef is the owning attribute)
//	restaurant o   chef: [{Y place 3}]
//	restaurant r   chef: [{X place 1}]  becomes  chef: [{Y place 4}]

// inverse is one inverse attribute of an entry.
type inverse struct {
	op        *operation
	attribute *schema.Attribute // on the entry's type
	owning    *schema.Attribute // the other side, which stores the edges
	entryType *schema.Type
	entry     store.Key
}

func (op *operation) inverse(a *schema.Attribute, t *schema.Type, k store.Key) inverse {
	return inverse{op, a, a.Relation.Inverse, t, k}
}

// edge is the edge with which an owner links to the entry.
func (v inverse) edge(place uint64) store.Edge {
	e := store.Edge{Target: v.entry.DocumentID, Place: place}
	if !v.owning.Owner.Localized {
		e.Locale = v.entry.Locale
	}
	if v.owning.Relation.Morph() {
		e.Type = v.entryType.UID
	}
	return e
}

// owners returns the owners that show the entry in its own locale.
func (v inverse) owners(status store.Status) []index.Owner {
	return slices.DeleteFunc(v.op.owners(v.owning, v.entryType, v.entry.DocumentID, status), func(o index.Owner) bool {
		if v.owning.Owner.Localized {
			return v.entry.Locale != "" && o.Key.Locale != v.entry.Locale
		}
		return o.Edge.Locale != v.entry.Locale
	})
}

// working returns the owners as an editor sees them: drafts, and published
// entries that have no draft.
func (v inverse) working() []index.Owner {
	if !v.owning.Owner.DraftAndPublish {
		return v.owners(store.Published)
	}
	owners := v.owners(store.Draft)
	for _, o := range v.owners(store.Published) {
		if !v.op.exists(v.owning.Owner, as(o.Key, store.Draft)) {
			owners = append(owners, o)
		}
	}
	return owners
}

// as is the key of the same document and locale in another status.
func as(k store.Key, status store.Status) store.Key {
	k.Status = status
	return k
}

// write makes the entry's list what the input says.
func (v inverse) write(in *linksInput, at path) error {
	owners := v.working()
	current := make([]store.Edge, len(owners))
	for i, o := range owners {
		current[i] = v.listed(o)
	}
	l := linker{op: v.op, attribute: v.attribute, from: v.entry, fromType: v.entryType, at: at}
	list, err := l.newList(current, in)
	if err != nil {
		return err
	}
	v.op.spread(v.owning, list)
	after := byEnd(list)
	for i, o := range owners {
		if _, stays := after[endOf(current[i])]; !stays {
			if err := v.op.unlink(v.owning, o.Key, v.edge(0)); err != nil {
				return err
			}
		}
	}
	return v.linkAll(list, byEnd(current))
}

// listed is an owner as a link of the entry's list.
func (v inverse) listed(o index.Owner) store.Edge {
	e := store.Edge{Target: o.Key.DocumentID, Place: o.Edge.Place}
	if v.entry.Locale == "" {
		e.Locale = o.Key.Locale
	}
	return e
}

// linkAll links the owners of the list that are new to it or have moved.
func (v inverse) linkAll(list []store.Edge, before map[end]store.Edge) error {
	for _, e := range list {
		if before[endOf(e)] == e {
			continue
		}
		owner := store.Key{DocumentID: e.Target, Locale: e.Locale, Status: store.Draft}
		if v.owning.Owner.Localized && v.entry.Locale != "" {
			owner.Locale = v.entry.Locale
		}
		if !v.op.exists(v.owning.Owner, owner) {
			owner.Status = store.Published
		}
		if err := v.op.link(v.owning, owner, v.edge(e.Place)); err != nil {
			return err
		}
	}
	return nil
}

// publish makes the published owners agree with the drafts about the entry.
// Owners that have only one of the two versions stay as they are.
func (v inverse) publish() error {
	if !v.owning.Owner.DraftAndPublish {
		return nil
	}
	drafts, published := v.owners(store.Draft), v.owners(store.Published)
	inDraft, inPublished := places(drafts), places(published)
	for _, o := range published {
		draft := as(o.Key, store.Draft)
		if _, ok := inDraft[draft]; ok || !v.op.exists(v.owning.Owner, draft) {
			continue
		}
		if err := v.op.unlink(v.owning, o.Key, v.edge(0)); err != nil {
			return err
		}
	}
	for _, o := range drafts {
		k := as(o.Key, store.Published)
		if inPublished[k] == o.Edge.Place {
			continue
		}
		if err := v.op.link(v.owning, k, v.edge(o.Edge.Place)); err != nil {
			return err
		}
	}
	return nil
}

// places is where in the entry's list each owner stands.
func places(owners []index.Owner) map[store.Key]uint64 {
	m := make(map[store.Key]uint64, len(owners))
	for _, o := range owners {
		m[o.Key] = o.Edge.Place
	}
	return m
}

// link makes an owner, if there is one of that key, link to the end of the edge
// at the edge's place.
func (op *operation) link(a *schema.Attribute, owner store.Key, edge store.Edge) error {
	return op.relink(a, owner, func(edges []store.Edge) []store.Edge {
		switch i := indexOf(edges, edge); {
		case i >= 0:
			edges[i].Place = edge.Place
		case a.Relation.Many():
			edges = append(edges, edge)
		default:
			edges = []store.Edge{edge}
		}
		return edges
	})
}

// unlink takes the link to the end of the edge from an owner.
func (op *operation) unlink(a *schema.Attribute, owner store.Key, edge store.Edge) error {
	return op.relink(a, owner, func(edges []store.Edge) []store.Edge {
		return slices.DeleteFunc(edges, func(e store.Edge) bool { return endOf(e) == endOf(edge) })
	})
}

// relink plans new edges for an owner unless they are the old ones.
func (op *operation) relink(a *schema.Attribute, owner store.Key, change func([]store.Edge) []store.Edge) error {
	e, err := op.entry(a.Owner, owner)
	if err != nil || e == nil {
		return err
	}
	old := e.Value(a.Name).Edges
	edges := change(slices.Clone(old))
	if slices.Equal(old, edges) {
		return nil
	}
	changed := *e
	changed.Fields = with(e.Fields, a.Name, store.Value{Kind: store.Edges, Edges: edges})
	return op.put(a.Owner, &changed)
}

// release takes the targets of an entry's exclusive relation from the other
// entries of the same status that hold them.
func (op *operation) release(a *schema.Attribute, e *store.Entry) error {
	for _, edge := range e.Value(a.Name).Edges {
		for _, o := range op.owners(a, a.Relation.Target, edge.Target, e.Status) {
			if o.Key.DocumentID == e.DocumentID || o.Key.Locale != e.Locale || o.Edge.Locale != edge.Locale {
				continue
			}
			if err := op.unlink(a, o.Key, edge); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread gives every edge of an inverse list a place, so that places ascend.
// Edges that ascend already keep theirs, an edge between two goes halfway, and
// when there is no room the whole list gets new places.
func (op *operation) spread(a *schema.Attribute, list []store.Edge) {
	last := uint64(0)
	for i, highest := range highestFrom(list) {
		if list[i].Place <= last {
			following := highest
			if highest > last {
				following = list[i:][slices.IndexFunc(list[i:], func(e store.Edge) bool { return e.Place > last })].Place
			}
			switch {
			case following <= last:
				list[i].Place = op.nextPlace(a)
			case following-last > 1:
				list[i].Place = last + (following-last)/2
			default:
				op.renumber(a, list)
				return
			}
		}
		last = list[i].Place
	}
}

// highestFrom is the highest place of each edge and those after it.
func highestFrom(list []store.Edge) []uint64 {
	highest := make([]uint64, len(list))
	last := uint64(0)
	for i, e := range slices.Backward(list) {
		last = max(last, e.Place)
		highest[i] = last
	}
	return highest
}

func (op *operation) renumber(a *schema.Attribute, list []store.Edge) {
	for i := range list {
		list[i].Place = op.nextPlace(a)
	}
}
