package index

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"quire/schema"
	"quire/store"
)

// emptySite returns the sample site and an empty data file.
func emptySite(t testing.TB) (*schema.Site, *store.DB) {
	t.Helper()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	return site, db
}

// churned makes restaurants and deletes them again, a hundred at a time and each
// batch a version of its own, in an index whose own indexes are built. Each links
// to a chef of its own, who is there for as long.
type churned struct {
	index *Index
}

func newChurned(t testing.TB) *churned {
	t.Helper()
	site, db := emptySite(t)
	c := &churned{}
	check(t, db.View(func(tx *store.Tx) (err error) { c.index, err = Build(site, tx); return }))
	s := c.index.Snapshot()
	restaurant := site.Type("api::restaurant.restaurant")
	tb := s.Table(restaurant, store.Draft)
	for _, name := range []string{"name", "createdAt", "stars"} {
		s.Values(tb, NewPath(restaurant.Attribute(name)))
	}
	s.Words(tb, NewPath(restaurant.Attribute("name")))
	s.Links(tb, NewPath(restaurant.Attribute("chef")))
	return c
}

const churnBatch = 100

// entries are the chef and the restaurant of one document.
func (c *churned) entries(i int) (chef, restaurant *store.Entry) {
	chef = &store.Entry{ID: uint64(i + 1), DocumentID: fmt.Sprintf("chef%020d", i), Status: store.Draft}
	restaurant = &store.Entry{ID: uint64(i + 1), DocumentID: fmt.Sprintf("restaurant%014d", i), Locale: "en", Status: store.Draft, CreatedAt: 1.7e12 + int64(i/churnBatch)}
	restaurant.Fields = []store.Field{
		{Name: "name", Value: store.Value{Kind: store.Text, Text: fmt.Sprintf("Restaurant r%d", i)}},
		{Name: "stars", Value: store.Value{Kind: store.Int, Num: int64(i % 6)}},
		{Name: "chef", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: chef.DocumentID, Place: uint64(i) << 16}}}},
	}
	return chef, restaurant
}

// rename gives each restaurant of a batch another name, which depends on the round.
func (c *churned) rename(t *testing.T, round int) *Snapshot {
	t.Helper()
	edit := c.index.Edit()
	for i := range churnBatch {
		_, before := c.entries(i)
		after := *before
		after.Fields = []store.Field{{Name: "name", Value: store.Value{Kind: store.Text, Text: fmt.Sprintf("round%d word%d", round, i)}}}
		check(t, edit.Apply(store.Change{Type: "api::restaurant.restaurant", Before: before, After: &after}))
	}
	return edit.Publish(store.CommitID{Revision: 1})
}

// create makes the documents from first on, a batch of them.
func (c *churned) create(t testing.TB, first int) {
	c.edit(t, first, func(e *store.Entry) store.Change { return store.Change{After: e} })
}

func (c *churned) delete(t testing.TB, first int) {
	c.edit(t, first, func(e *store.Entry) store.Change { return store.Change{Before: e} })
}

func (c *churned) edit(t testing.TB, first int, change func(*store.Entry) store.Change) {
	t.Helper()
	edit := c.index.Edit()
	for i := first; i < first+churnBatch; i++ {
		chef, restaurant := c.entries(i)
		for uid, e := range map[string]*store.Entry{"api::chef.chef": chef, "api::restaurant.restaurant": restaurant} {
			one := change(e)
			one.Type = uid
			check(t, edit.Apply(one))
		}
	}
	edit.Publish(store.CommitID{Revision: 1})
}

// BenchmarkChurn makes and deletes 500,000 restaurants and as many chefs: all and
// then all, or each batch once so many of them are there. It reports what stays in
// memory and the size of the table.
func BenchmarkChurn(b *testing.B) {
	const n = 500_000
	for _, kept := range []int{churnBatch, 50_000, n} {
		b.Run(fmt.Sprintf("kept=%d", kept), func(b *testing.B) {
			for b.Loop() {
				c := newChurned(b)
				before := heap()
				for first := 0; first < n+kept; first += churnBatch {
					if first < n {
						c.create(b, first)
					}
					if first >= kept {
						c.delete(b, first-kept)
					}
				}
				b.ReportMetric(float64(int64(heap()-before))/1e6, "MB-left")
				s := c.index.Snapshot()
				b.ReportMetric(float64(s.Table(s.Site().Type("api::restaurant.restaurant"), store.Draft).Size()), "rows")
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	for range 2 { // what pools hold goes with the second
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkRenumber is a table of so many entries renumbered with its five indexes.
// Writes wait for as long.
func BenchmarkRenumber(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			c := newChurned(b)
			for first := 0; first < n; first += churnBatch {
				c.create(b, first)
			}
			s := c.index.Snapshot()
			tb := s.Table(s.Site().Type("api::restaurant.restaurant"), store.Draft)
			for b.Loop() {
				tb.renumbered(&edition{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n*b.N), "ns/entry")
		})
	}
}

// BenchmarkManyEdges is an entry that links to so many others written again.
func BenchmarkManyEdges(b *testing.B) {
	for _, n := range []int{1000, 16_000} {
		b.Run(fmt.Sprintf("edges=%d", n), func(b *testing.B) {
			c := newChurned(b)
			var restaurants []store.Edge
			for i := range n {
				restaurants = append(restaurants, store.Edge{Target: fmt.Sprintf("restaurant%014d", i), Place: uint64(i) << 16})
			}
			s := c.index.Snapshot()
			nearby := s.Site().Type("api::restaurant.restaurant").Attribute("nearby")
			s.Links(s.Table(nearby.Owner, store.Draft), NewPath(nearby))
			_, before := c.entries(0)
			change := store.Change{Type: nearby.Owner.UID, After: before}
			for b.Loop() {
				after := *before
				after.Fields = []store.Field{{Name: nearby.Name, Value: store.Value{Kind: store.Edges, Edges: restaurants}}}
				restaurants[0], restaurants[n-1] = restaurants[n-1], restaurants[0]
				edit := c.index.Edit()
				check(b, edit.Apply(change))
				edit.Publish(store.CommitID{Revision: 1})
				change = store.Change{Type: nearby.Owner.UID, Before: &after, After: &after}
			}
		})
	}
}
