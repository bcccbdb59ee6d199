package store

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
)

const benchType = "api::restaurant.restaurant"

// benchEntry is an entry of ten fields and some 350 stored bytes.
func benchEntry(r *rand.Rand, id uint64, s Status) *Entry {
	return &Entry{
		ID:         id,
		DocumentID: documentID(r),
		Locale:     "en",
		Status:     s,
		CreatedAt:  1750000000000,
		UpdatedAt:  1750000000000 + int64(id),
		Fields: []Field{
			{"address", Value{Kind: Instances, Instances: []Instance{{ID: id, Component: "place.address", Fields: []Field{
				{"city", Value{Kind: Text, Text: "Tallinn"}},
				{"street", Value{Kind: Text, Text: "Pikk tänav 7"}},
			}}}}},
			{"capacity", Value{Kind: Int, Num: int64(id % 200)}},
			{"categories", Value{Kind: Edges, Edges: []Edge{{Target: documentID(r), Place: id}, {Target: documentID(r), Place: id}}}},
			{"description", Value{Kind: Text, Text: "A place by the harbour that serves what the boats bring in, with a terrace for summer."}},
			{"name", Value{Kind: Text, Text: fmt.Sprintf("Restaurant number %d", id)}},
			{"opened", Value{Kind: Text, Text: "2019-05-04"}},
			{"rating", Value{Kind: Float, Real: 4.5}},
			{"slug", Value{Kind: Text, Text: fmt.Sprintf("restaurant-number-%d", id)}},
			{"tags", Value{Kind: JSON, Text: `["fish","terrace"]`}},
			{"vegan", Value{Kind: Bool, Num: 1}},
		},
	}
}

// documentID returns 24 characters like those of the API.
func documentID(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, 24)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// fill stores n drafts, each with an identical published version if published is set.
func fill(tb testing.TB, db *DB, n int, published bool) {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < n; {
		err := db.Update(func(tx *Tx) error {
			for range min(20_000, n-done) {
				done++
				draft := benchEntry(r, uint64(done), Draft)
				if err := tx.Apply(Change{Type: benchType, After: draft}); err != nil {
					return err
				}
				if !published {
					continue
				}
				p := *draft
				p.Status, p.ID, p.PublishedAt = Published, uint64(n+done), draft.UpdatedAt
				if err := tx.Apply(Change{Type: benchType, After: &p}); err != nil {
					return err
				}
			}
			return nil
		})
		noError(tb, err)
	}
}

// BenchmarkScan reads all entries: once into memory of their own, once into memory that is
// used again.
func BenchmarkScan(b *testing.B) {
	const documents = 50_000
	for _, published := range []bool{false, true} {
		db := benchDB(b)
		fill(b, db, documents, published)
		b.Run(fmt.Sprintf("published=%t", published), func(b *testing.B) { benchScan(b, db, (*Tx).Scan) })
		b.Run(fmt.Sprintf("published=%t/lent", published), func(b *testing.B) { benchScan(b, db, (*Tx).Lend) })
	}
}

func benchScan(b *testing.B, db *DB, scan func(*Tx, string, func(*Entry) error) error) {
	b.ReportAllocs()
	entries := 0
	for b.Loop() {
		err := db.View(func(tx *Tx) error {
			return scan(tx, benchType, func(*Entry) error {
				entries++
				return nil
			})
		})
		noError(b, err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(entries), "ns/entry")
}

func BenchmarkDecodeEntry(b *testing.B) {
	e := benchEntry(rand.New(rand.NewPCG(1, 2)), 1, Draft)
	key := storedKey(e.Key())
	p := entryBucketOf(benchType, "en")
	value, err := newEncoder().entry(p, key, e)
	noError(b, err)
	d := newDecoder()
	b.ReportAllocs()
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		if _, err := d.entry(p, key, value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeEntry(b *testing.B) {
	e := benchEntry(rand.New(rand.NewPCG(1, 2)), 1, Draft)
	key := storedKey(e.Key())
	c := newEncoder()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.entry(entryBucketOf(benchType, "en"), key, e); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkApplyBatch commits batches of new entries to a file that has some.
func BenchmarkApplyBatch(b *testing.B) {
	for _, size := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("entries=%d", size), func(b *testing.B) {
			db := benchDB(b)
			fill(b, db, 20_000, false)
			r := rand.New(rand.NewPCG(3, 4))
			id := uint64(1_000_000)
			for b.Loop() {
				err := db.Update(func(tx *Tx) error {
					for range size {
						id++
						if err := tx.Apply(Change{Type: benchType, After: benchEntry(r, id, Draft)}); err != nil {
							return err
						}
					}
					return nil
				})
				noError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/entry")
		})
	}
}

// BenchmarkOpen includes the inspection of all pages.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(b, err)
	fill(b, db, 50_000, true)
	noError(b, db.Close())
	for b.Loop() {
		db, err := Open(path, Options{})
		noError(b, err)
		noError(b, db.Close())
	}
}

func benchDB(b *testing.B) *DB {
	db, err := Open(filepath.Join(b.TempDir(), "quire.db"), Options{})
	noError(b, err)
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}
