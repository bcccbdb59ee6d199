package index

import (
	"maps"

	"quire/schema"
)

// References is the index of everything that the entries of a table link to: for each
// document the rows that lead to it through any attribute, also in components at any depth.
// A component may contain itself, so there is no index for each path.
type References struct {
	t       *schema.Type
	targets map[int]*paged[Posting] // by ordinal of the target's type, then by its document number
}

// References returns the index of what the entries link to, and builds it on first use,
// whatever memory it takes. Reads call ReadReferences.
func (s *Snapshot) References(tb *Table) *References {
	x, _ := s.ReadReferences(nil, tb)
	return x
}

// ReadReferences is ReadValues for the index of what the entries link to.
func (s *Snapshot) ReadReferences(r Reader, tb *Table) (*References, error) {
	tb = tb.base()
	one, err := s.index(r, tb, indexKey{kind: referencesKind}, func(b *indexBuild) pathIndex { return s.buildReferences(tb, b) })
	if err != nil {
		return &References{t: tb.Type}, err
	}
	return one.(*References), nil
}

func (x *References) size() int64 { return 0 }

// Rows returns the rows that link to a document of a type.
func (x *References) Rows(typeOrdinal int, target Doc) Posting {
	if p := x.targets[typeOrdinal]; p != nil {
		return p.at(target)
	}
	return Posting{}
}

// Reference is one edge of an entry, with the attributes that lead to it from the entry,
// outermost first; they are valid until the next one.
type Reference struct {
	Way []*schema.Attribute
	Edge
	Target *schema.Type // of the edge
}

// EachReference calls fn for the edges of an entry of type t and of its components, at any
// depth, until fn returns false. enter decides whether to follow the last attribute of a
// path; nil follows all.
func (s *Snapshot) EachReference(t *schema.Type, body Body, enter func(way []*schema.Attribute) bool, fn func(Reference) bool) {
	w := referenceWalk{s: s, enter: enter, fn: fn}
	w.body(t, body)
}

// referenceWalk is one walk over the edges of an entry.
type referenceWalk struct {
	s     *Snapshot
	enter func(way []*schema.Attribute) bool
	fn    func(Reference) bool
	way   []*schema.Attribute
}

// The methods report whether the walk continues.

func (w *referenceWalk) body(t *schema.Type, body Body) bool {
	slots := body.Slots()
	for _, a := range t.Slots {
		slot := slots.Next()
		if slot == nil || a.IsScalar() {
			continue
		}
		w.way = append(w.way, a)
		on := w.enter != nil && !w.enter(w.way) || w.slot(a, slot)
		w.way = w.way[:len(w.way)-1]
		if !on {
			return false
		}
	}
	return true
}

func (w *referenceWalk) slot(a *schema.Attribute, slot []byte) (on bool) {
	on = true
	if a.Relation == nil {
		w.s.Instances(a, slot, func(in Instance) bool {
			on = w.body(in.Type, in.Body)
			return on
		})
		return on
	}
	edges := w.s.Edges(a, slot)
	for e, ok := edges.Next(); ok && on; e, ok = edges.Next() {
		target := a.Relation.Target
		if e.Type != nil {
			target = e.Type
		}
		on = w.fn(Reference{w.way, e, target})
	}
	return on
}

// references returns the documents that an entry links to, each once.
func (s *Snapshot) references(t *schema.Type, e *Entry) (targets distinct[linkTarget]) {
	if e.exists() {
		s.EachReference(t, e.Body, nil, func(r Reference) bool {
			targets.add(linkTarget{s.site.TypeOrdinal(r.Target), r.Edge.Target})
			return true
		})
	}
	return targets
}

func (s *Snapshot) buildReferences(tb *Table, b *indexBuild) *References {
	own := &edition{}
	x := &References{t: tb.Type, targets: map[int]*paged[Posting]{}}
	tb.live.Each(func(r Row) bool {
		references := s.references(tb.Type, tb.Entry(r)).all
		for _, to := range references {
			x.add(to, r, tb.Size(), own)
		}
		return b.take(len(references) * linkBytes)
	})
	return x
}

func (x *References) add(to linkTarget, r, universe Row, own *edition) {
	p := x.targets[to.typeOrdinal]
	if p == nil {
		p = &paged[Posting]{}
		x.targets[to.typeOrdinal] = p
	}
	rows := p.edit(to.target, own)
	*rows = rows.add(r, universe, own)
}

func (x *References) remove(from linkTarget, r Row, own *edition) {
	rows := x.targets[from.typeOrdinal].edit(from.target, own)
	*rows = rows.remove(r, own)
}

func (x *References) clone(own *edition) pathIndex {
	c := &References{t: x.t, targets: maps.Clone(x.targets)}
	for t, p := range c.targets {
		copied := p.clone()
		c.targets[t] = &copied
	}
	return c
}

func (x *References) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	reconcile(s.references(x.t, before), s.references(x.t, after),
		func(from linkTarget) { x.remove(from, r, own) },
		func(to linkTarget) { x.add(to, r, universe, own) })
}

func (x *References) renumbered(n *renumbering) pathIndex {
	c := &References{t: x.t, targets: make(map[int]*paged[Posting], len(x.targets))}
	for t, from := range x.targets {
		to := &paged[Posting]{}
		for d := range Doc(from.n) {
			if rows := from.at(d); rows.Len() > 0 {
				to.set(d, n.posting(rows), n.own)
			}
		}
		c.targets[t] = to
	}
	return c
}
