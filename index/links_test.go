package index

import (
	"slices"
	"testing"

	"quire/store"
)

// Where an index of links says that rows stand in the order of a list, they do,
// whatever was written before.
func TestLinksKnowTheirOrder(t *testing.T) {
	w := newWriter(t)
	long := 0 // lists of more than one row whose order was known
	for range 60 {
		w.batch(1 + w.rng.IntN(20))
		w.look(w.index.Snapshot())
		long += checkOrder(t, w.index.Snapshot())
	}
	if long == 0 {
		t.Error("the order of no list was known")
	}
}

func checkOrder(t *testing.T, s *Snapshot) (long int) {
	t.Helper()
	chef := s.Site().Type("api::restaurant.restaurant").Attribute("chef")
	for _, status := range []store.Status{store.Draft, store.Published} {
		tb := s.Table(chef.Owner, status)
		links := s.Links(tb, NewPath(chef))
		for target := range Doc(links.targets.n) {
			var places []uint64
			links.Rows(target).Each(func(r Row) bool {
				edges := s.Edges(chef, tb.Entry(r).Body.Slot(chef.Slot))
				e, _ := edges.Next()
				places = append(places, e.Place)
				return true
			})
			if !links.InOrder(target) {
				continue
			}
			if !slices.IsSorted(places) {
				t.Fatalf("document %d: said to be in order, and the places are %v", target, places)
			}
			if len(places) > 1 {
				long++
			}
		}
	}
	return long
}
