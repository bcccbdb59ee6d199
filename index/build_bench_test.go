package index

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/schema"
	"quire/store"
)

// BenchmarkBuild is the content of a file brought into memory, as at every start:
// so many restaurants, each a draft and an equal published version.
func BenchmarkBuild(b *testing.B) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(b, err)
	for _, restaurants := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("restaurants=%d", restaurants), func(b *testing.B) {
			db := benchFile(b, restaurants)
			b.ReportAllocs()
			for b.Loop() {
				check(b, db.View(func(tx *store.Tx) error { _, err := Build(site, tx); return err }))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*restaurants*b.N), "ns/entry")
		})
	}
}

// BenchmarkBuildBesideReading builds the index, and reads and decodes the same file alone,
// in turn: of-reading is how many times as long the first takes. The file is that of -site,
// if there is one.
func BenchmarkBuildBesideReading(b *testing.B) {
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(b, err)
	db := benchSite(b)
	read := func(tx *store.Tx) error {
		for _, t := range site.Types {
			if err := tx.Lend(t.UID, func(*store.Entry) error { return nil }); err != nil {
				return err
			}
		}
		return nil
	}
	build := func(tx *store.Tx) error { _, err := Build(site, tx); return err }
	var took [2]time.Duration
	for b.Loop() {
		for i, fn := range []func(*store.Tx) error{read, build} {
			begun := time.Now()
			check(b, db.View(fn))
			took[i] += time.Since(begun)
		}
	}
	b.ReportMetric(took[0].Seconds()/float64(b.N), "s-reading")
	b.ReportMetric(took[1].Seconds()/float64(b.N), "s-building")
	b.ReportMetric(float64(took[1])/float64(took[0]), "of-reading")
}

// benchSite is the data file of -site, or one with 20,000 restaurants.
func benchSite(b *testing.B) *store.DB {
	if *guideSite == "" {
		return benchFile(b, 20_000)
	}
	db, err := store.Open(filepath.Join(*guideSite, "data", "quire.db"), store.Options{ReadOnly: true})
	check(b, err)
	b.Cleanup(func() { db.Close() })
	return db
}

// benchFile is a data file with restaurants.
func benchFile(b *testing.B, restaurants int) *store.DB {
	db, err := store.Open(filepath.Join(b.TempDir(), "quire.db"), store.Options{})
	check(b, err)
	b.Cleanup(func() { db.Close() })
	err = db.Update(func(tx *store.Tx) error {
		for i := range restaurants {
			for _, status := range []store.Status{store.Draft, store.Published} {
				if err := tx.Apply(store.Change{Type: "api::restaurant.restaurant", After: benchRestaurant(uint64(i), status)}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	check(b, err)
	return db
}

func benchRestaurant(i uint64, status store.Status) *store.Entry {
	text := func(s string) store.Value { return store.Value{Kind: store.Text, Text: s} }
	e := &store.Entry{ID: 2*i + 1, DocumentID: fmt.Sprintf("restaurant%014d", i), Locale: "en", Status: status, CreatedAt: 1.7e12, UpdatedAt: 1.7e12}
	if status == store.Published {
		e.ID, e.PublishedAt = e.ID+1, 1.7e12
	}
	e.Fields = []store.Field{
		{Name: "name", Value: text(fmt.Sprintf("Restaurant %d", i))},
		{Name: "price_tier", Value: text([]string{"p1", "p2", "p3", "p4"}[i%4])},
		{Name: "rating", Value: store.Value{Kind: store.Float, Real: float64(i%400) / 100}},
		{Name: "seats", Value: store.Value{Kind: store.Int, Num: int64(i % 400)}},
		{Name: "slug", Value: text(fmt.Sprintf("r-%d", i))},
		{Name: "story", Value: text("A place by the harbour that serves what the boats bring in, with a terrace for summer and a stove for winter.")},
		{Name: "vegan", Value: store.Value{Kind: store.Bool, Num: int64(i % 2)}},
	}
	return e
}
