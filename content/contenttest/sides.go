package contenttest

import (
	"hash/maphash"
	"testing"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// sides compares the links as their owners store them with those that their targets see in
// an index. Lists can be long, so it keeps only their sums.
type sides struct {
	site *schema.Site
	seed maphash.Seed
	sums map[ownerList]uint64
}

// ownerList is the list of owners that a document sees.
type ownerList struct {
	attribute  *schema.Attribute // the owning one
	target     *schema.Type
	documentID string
	status     store.Status
}

// RequireSides fails the test for each list in which an index of the file shows other links
// than are stored.
func RequireSides(t testing.TB, site *schema.Site, db *store.DB) {
	t.Helper()
	s := &sides{site, maphash.MakeSeed(), map[ownerList]uint64{}}
	err := db.View(func(tx *store.Tx) error {
		for _, one := range site.Types {
			if err := tx.Scan(one.UID, func(e *store.Entry) error { s.entry(one, e); return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := Build(t, site, db).Snapshot()
	for one, want := range s.sums {
		got := uint64(0)
		for _, o := range snapshot.Owners(one.attribute, one.target, one.documentID, one.status) {
			got += s.sum(o.Key, o.Edge)
		}
		if got != want {
			t.Errorf("%s %s does not see the links that %s.%s has to it", one.target.UID, one.documentID, one.attribute.Owner.UID, one.attribute.Name)
		}
	}
}

// entry adds the links that an entry owns.
func (s *sides) entry(t *schema.Type, e *store.Entry) {
	if t.IsComponent() || !t.TakesLocale(e.Locale) || e.Status == store.Draft && !t.DraftAndPublish {
		return
	}
	for _, f := range e.Fields {
		a := t.Attribute(f.Name)
		if a == nil || a.Relation == nil || !a.Relation.Owns || !a.IsTwoSided() {
			continue
		}
		for _, edge := range f.Value.Edges {
			target := a.Relation.Target
			if a.Relation.Morph() {
				target = s.site.Type(edge.Type)
			} else {
				edge.Type = "" // which then means nothing
			}
			if target != nil && !target.IsComponent() {
				s.sums[ownerList{a, target, edge.Target, e.Status}] += s.sum(e.Key(), edge)
			}
		}
	}
}

func (s *sides) sum(owner store.Key, edge store.Edge) uint64 {
	return maphash.Comparable(s.seed, index.Owner{Key: owner, Edge: edge})
}
