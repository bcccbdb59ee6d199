package audit

import (
	"hash/maphash"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// sides holds the links as their owners store them against those that their
// targets see. Lists can be long, so only their sums are kept.
type sides struct {
	seed maphash.Seed
	sums map[side]uint64
}

// side is the list of owners that a document sees.
type side struct {
	attribute  *schema.Attribute // the owning one
	target     *schema.Type
	documentID string
	status     store.Status
}

func newSides() *sides { return &sides{maphash.MakeSeed(), map[side]uint64{}} }

// stored adds a link that an entry owns.
func (a *auditor) stored(attribute *schema.Attribute, e *store.Entry, edge store.Edge) {
	target := a.target(attribute, edge)
	if a.snapshot == nil || target == nil || !attribute.IsTwoSided() || e.Status == store.Draft && !attribute.Owner.DraftAndPublish {
		return
	}
	if !attribute.Relation.Morph() {
		edge.Type = "" // which then means nothing
	}
	a.sides.sums[side{attribute, target, edge.Target, e.Status}] += a.sides.sum(e.Key(), edge)
}

func (s *sides) sum(owner store.Key, edge store.Edge) uint64 {
	return maphash.Comparable(s.seed, index.Owner{Key: owner, Edge: edge})
}

// checkSides reports the lists in which the index shows other links than are
// stored.
func (a *auditor) checkSides() {
	for one, want := range a.sides.sums {
		got := uint64(0)
		for _, o := range a.snapshot.Owners(one.attribute, one.target, one.documentID, one.status) {
			got += a.sides.sum(o.Key, o.Edge)
		}
		if got != want {
			at := Spot{Name: store.Name{Type: one.target.UID, Key: store.Key{DocumentID: one.documentID, Status: one.status}}}
			a.found.add(at, Fault{
				Message: "it does not see the links that " + one.attribute.Owner.UID + "." + one.attribute.Name + " has to it",
				Fix:     "please report this as a defect; the stored links are in order",
			})
		}
	}
}
