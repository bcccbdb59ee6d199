package content

import (
	"cmp"
	"slices"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// A relation with two sides is stored with its owners: the entries of the side
// that has inversedBy. The list on the other side consists of the owners that
// link to it, in the order of Edge.Place. Writing that list changes the edges of
// those versions of the owners that link to the written version: the drafts if
// it is a draft, and both if its type has no drafts. Publishing makes the
// published version's list equal to the draft's. The updatedAt of the owners
// stays unchanged.
//
//	chef Y writes restaurants: [o, r]   (chef is the owning attribute)
//	restaurant o   chef: [{Y place 3}]
//	restaurant r   chef: [{X place 1}]  becomes  chef: [{Y place 4}]
//
// Strapi keeps such a relation in a table of pairs of versions. A pair has a place in the
// list of each of its sides. The order of the lists follows from these rules:
//
//   - A set gives the written list the order of the body. A connect moves only what it
//     names, to its position in the written list.
//   - In the list of the other side, a pair that exists keeps its place, and a new one goes
//     to the end, after all pairs of both statuses. Pairs that go leave no gap.
//   - Publishing replaces the published version. Its lists get the order of the draft's. In
//     the lists of others, pairs that it had before keep their place, and new ones go to
//     the end. Discarding a draft does the same in the other direction.
//   - The first published version has the places of the draft in the lists of others. In
//     Strapi these are positions, so two pairs can have the same one, and the order of these
//     changes when one of them is published again. Here places are unique.
//   - A pair of a version with itself is in two lists of that version, so publishing gives
//     it the order of the draft in both.
//   - A duplicate goes to the end of the lists of others.
//   - Deleting a version deletes its pairs. Unpublishing does too, except that a published
//     owner here keeps the place of its link until the target is published again.
//
// The test of histories in package server compares random writes with these tables.

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

// edge returns the edge with which an owner links to the entry.
func (v inverse) edge(place uint64) store.Edge {
	e := store.Edge{Target: v.entry.DocumentID, Place: place}
	if !v.owning.Owner.Localized {
		e.Locale = v.entry.Locale
	}
	if v.owning.Relation.Morph() {
		e.Type = v.entryType.UID
	}
	if Splits(v.owning, v.owning.Owner, v.entryType) {
		e.Only = v.entry.Status
	}
	return e
}

// splits reports whether the entry has separate links to the versions of an owner.
func (v inverse) splits() bool { return Splits(v.owning, v.entryType, v.owning.Owner) }

// links returns the owners that show the entry in its own locale and status, in the
// order of its list. If the entry has no drafts and the owners have, it returns both
// versions of each.
func (v inverse) links() []index.Owner {
	if !v.splits() {
		return v.owners(v.entry.Status)
	}
	list := append(v.owners(store.Draft), v.owners(store.Published)...)
	slices.SortStableFunc(list, func(x, y index.Owner) int { return cmp.Compare(x.Edge.Place, y.Edge.Place) })
	return list
}

// owners returns the owners of one status.
func (v inverse) owners(status store.Status) []index.Owner {
	return slices.DeleteFunc(v.op.owners(v.owning, v.entryType, v.entry.DocumentID, status), func(o index.Owner) bool {
		if o.Edge.Only != 0 && o.Edge.Only != v.entry.Status {
			return true
		}
		if v.owning.Owner.Localized {
			return v.entry.Locale != "" && o.Key.Locale != v.entry.Locale
		}
		return o.Edge.Locale != v.entry.Locale
	})
}

// working returns the owners as an editor sees them: those that show the entry and, for
// a draft, published owners without a draft.
func (v inverse) working() []index.Owner {
	owners := v.links()
	if v.entry.Status != store.Draft || !v.owning.Owner.DraftAndPublish {
		return owners
	}
	for _, o := range v.owners(store.Published) {
		if !v.op.exists(v.owning.Owner, o.Key.WithStatus(store.Draft)) {
			owners = append(owners, o)
		}
	}
	return owners
}

// write makes the entry's list equal to the input.
func (v inverse) write(in *body.Links, at body.Path) error {
	v.op.touched.through = v.attribute
	l := linker{op: v.op, attribute: v.attribute, from: v.entry, fromType: v.entryType, at: at}
	found, err := l.find(in)
	if err != nil {
		return err
	}
	if v.attribute.Relation.Many() && found.atEnd() {
		return v.append(&l, found)
	}
	owners := v.working()
	current := make([]store.Edge, len(owners))
	for i, o := range owners {
		current[i] = v.listed(o)
	}
	list, err := l.newList(current, found, in.Lenient)
	if err != nil {
		return err
	}
	v.op.spread(v.owning, list)
	return v.change(current, list)
}

// append removes links and adds others at the end. It does not read the rest of the
// list.
func (v inverse) append(l *linker, found linkSet) error {
	connections, err := l.inOrder(newChain(0), found.connect)
	if err != nil {
		return err
	}
	connected := make([]store.Edge, len(connections))
	for i, c := range connections {
		connected[i] = c.edge
	}
	v.op.spread(v.owning, connected)
	return v.change(found.disconnect, connected)
}

// change removes the links that are only in before, and makes those of after that are
// new or in another place.
func (v inverse) change(before, after []store.Edge) error {
	stay, were := byEnd(after), byEnd(before)
	gone := slices.DeleteFunc(slices.Clone(before), func(e store.Edge) bool {
		_, stays := stay[e.End()]
		return stays
	})
	come := slices.DeleteFunc(slices.Clone(after), func(e store.Edge) bool { return were[e.End()] == e })
	if err := v.op.touch(len(gone) + len(come)); err != nil {
		return err
	}
	for _, e := range gone {
		if err := v.op.unlink(v.owning, v.owner(e), v.edge(0)); err != nil {
			return err
		}
	}
	for _, e := range come {
		if err := v.op.link(v.owning, v.owner(e), v.edge(e.Place)); err != nil {
			return err
		}
	}
	return nil
}

// listed returns an owner as a link in the entry's list.
func (v inverse) listed(o index.Owner) store.Edge {
	e := store.Edge{Target: o.Key.DocumentID, Place: o.Edge.Place}
	if v.entry.Locale == "" {
		e.Locale = o.Key.Locale
	}
	if v.splits() {
		e.Only = o.Key.Status
	}
	return e
}

// owner returns the entry that a link in the list stands for.
func (v inverse) owner(e store.Edge) store.Key {
	k := store.Key{DocumentID: e.Target, Locale: e.Locale, Status: e.Only}
	if v.owning.Owner.Localized && v.entry.Locale != "" {
		k.Locale = v.entry.Locale
	}
	if k.Status == 0 {
		k.Status = store.Draft
		if !v.op.exists(v.owning.Owner, k) {
			k.Status = store.Published
		}
	}
	return k
}

// publish makes the published entry's list equal to its draft's. Owners without a draft
// keep their links, and owners that are not published get none. A new link goes to the end
// of its owner's list or, if first is set, to where the owner's draft has it.
func (v inverse) publish(first bool) error {
	v.op.touched.through = v.attribute
	from := v
	from.entry.Status = store.Draft
	if !v.attribute.Relation.Many() {
		return v.publishOne(from)
	}
	diverging := v.diverging()
	if err := v.op.touch(len(diverging)); err != nil {
		return err
	}
	for _, k := range diverging {
		if err := v.publishOwner(from, k, first); err != nil {
			return err
		}
	}
	return nil
}

// diverging returns the owners whose links to the published entry may differ from those
// to the draft, including owners that this operation has changed. Each is named once,
// by the version that links to the draft.
func (v inverse) diverging() []store.Key {
	keys := v.op.content.Diverging(v.owning, v.entryType, v.entry.DocumentID)
	seen := make(map[store.Key]bool, len(keys))
	for _, c := range v.op.changes {
		if c.Type == v.owning.Owner.UID && c.After != nil {
			keys = append(keys, v.source(c.After.Key()))
		}
	}
	return slices.DeleteFunc(keys, func(k store.Key) bool {
		elsewhere := v.owning.Owner.Localized && v.entry.Locale != "" && k.Locale != v.entry.Locale
		gone := seen[k] || elsewhere
		seen[k] = true
		return gone
	})
}

// publishOwner makes the link of one owner equal to its link to the draft.
func (v inverse) publishOwner(from inverse, k store.Key, first bool) error {
	draft, ok, err := v.op.edgeOf(v.owning, k, from.edge(0))
	if err != nil || !v.op.exists(v.owning.Owner, k) {
		return err
	}
	if !ok {
		return v.op.unlink(v.owning, v.published(k), v.edge(0))
	}
	if !first || !v.owning.Relation.Many() {
		return v.op.link(v.owning, v.published(k), v.edge(draft.Place))
	}
	order, err := v.op.edgesOf(v.owning, k)
	if err != nil {
		return err
	}
	before := order[:indexOf(order, draft)+1]
	return v.op.relink(v.owning, v.published(k), func(edges []store.Edge) []store.Edge {
		return linkAfter(edges, before, v.edge(draft.Place))
	})
}

// linkAfter adds an edge to a list, after the last one there of those that come before it
// elsewhere. An edge that is there keeps its position.
func linkAfter(edges, before []store.Edge, edge store.Edge) []store.Edge {
	if i := indexOf(edges, edge); i >= 0 {
		edges[i].Place = edge.Place
		return edges
	}
	for _, e := range slices.Backward(before) {
		if i := indexOf(edges, e); i >= 0 {
			return slices.Insert(edges, i+1, edge)
		}
	}
	return slices.Insert(edges, 0, edge)
}

// publishOne is publish for a list of one owner: if the owner has several locales, the
// one that is shown.
func (v inverse) publishOne(from inverse) error {
	drafts := from.links()
	if len(drafts) > 1 {
		drafts = drafts[:1]
	}
	for _, o := range v.links() {
		if len(drafts) > 0 && o.Key == v.published(drafts[0].Key) || !v.op.exists(v.owning.Owner, v.source(o.Key)) {
			continue
		}
		if err := v.op.unlink(v.owning, o.Key, v.edge(0)); err != nil {
			return err
		}
	}
	for _, o := range drafts {
		if err := v.op.link(v.owning, v.published(o.Key), v.edge(o.Edge.Place)); err != nil {
			return err
		}
	}
	return nil
}

// published returns the version of an owner that links to the published entry.
func (v inverse) published(owner store.Key) store.Key { return owner.WithStatus(store.Published) }

// source returns the version of an owner that links to the draft of the entry.
func (v inverse) source(owner store.Key) store.Key {
	if v.owning.Owner.DraftAndPublish {
		owner.Status = store.Draft
	}
	return owner
}

// edgeOf returns the link of an owner to the end of the edge; false if there is none.
func (op *operation) edgeOf(a *schema.Attribute, owner store.Key, edge store.Edge) (store.Edge, bool, error) {
	edges, err := op.edgesOf(a, owner)
	if i := indexOf(edges, edge); i >= 0 {
		return edges[i], true, nil
	}
	return store.Edge{}, false, err
}

// edgesOf returns the links of an owner, with a separate one for each version; none if there
// is no such entry.
func (op *operation) edgesOf(a *schema.Attribute, owner store.Key) ([]store.Edge, error) {
	e, err := op.entry(a.Owner, owner)
	if err != nil || e == nil {
		return nil, err
	}
	return op.apart(a, a.Owner, owner.Locale, e.Value(a.Name).Edges), nil
}

// link makes the owner with a key, if there is one, link to the end of the edge at the
// edge's place.
func (op *operation) link(a *schema.Attribute, owner store.Key, edge store.Edge) error {
	return op.relink(a, owner, func(edges []store.Edge) []store.Edge {
		if !a.Relation.Many() {
			edges = slices.DeleteFunc(edges, func(e store.Edge) bool { return !e.SameDocument(edge) })
		}
		if i := indexOf(edges, edge); i >= 0 {
			edges[i].Place = edge.Place
			return edges
		}
		return append(edges, edge)
	})
}

// unlink removes an owner's link to the end of the edge.
func (op *operation) unlink(a *schema.Attribute, owner store.Key, edge store.Edge) error {
	return op.relink(a, owner, func(edges []store.Edge) []store.Edge {
		return slices.DeleteFunc(edges, func(e store.Edge) bool { return e.End() == edge.End() })
	})
}

// relink plans new edges for an owner, unless nothing changes.
func (op *operation) relink(a *schema.Attribute, owner store.Key, change func([]store.Edge) []store.Edge) error {
	e, err := op.entry(a.Owner, owner)
	if err != nil || e == nil {
		return err
	}
	old := e.Value(a.Name).Edges
	if err := op.touchBeside(old); err != nil {
		return err
	}
	edges := PairVersions(change(op.apart(a, a.Owner, owner.Locale, slices.Clone(old))))
	if slices.Equal(old, edges) {
		return nil
	}
	if err := op.mayRelink(a, owner); err != nil {
		return err
	}
	changed := *e
	changed.Fields = e.Fields.With(a.Name, store.Value{Kind: store.Edges, Edges: edges})
	return op.put(a.Owner, &changed)
}

// release removes the targets of an entry's exclusive relation from the other documents
// that link to them.
func (op *operation) release(a *schema.Attribute, t *schema.Type, e *store.Entry) error {
	for _, edge := range op.apart(a, t, e.Locale, e.Value(a.Name).Edges) {
		target := op.targetOf(a, edge)
		if target == nil {
			continue
		}
		k := op.targetKey(target, e.Locale, edge)
		switch {
		case !target.DraftAndPublish:
			k.Status = store.Published
		case edge.Only != 0:
			k.Status = edge.Only
		default:
			k.Status = e.Status
		}
		v := inverse{op: op, owning: a, entryType: target, entry: k}
		for _, o := range v.links() {
			if o.Key.DocumentID == e.DocumentID {
				continue
			}
			if err := op.unlink(a, o.Key, v.edge(0)); err != nil {
				return err
			}
		}
	}
	return nil
}
