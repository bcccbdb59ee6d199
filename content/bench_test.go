package content

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"quire/index"
	"quire/schema"
	"quire/store"
)

const benchBody = `{
	"name": "Biscotte", "tagline": "What the boats bring in", "story": "A place by the harbour, with a terrace for summer.",
	"price_tier": "p2", "stars": 4, "rating": 4.25, "seats": "40", "vegan": true, "founded": "1987-05-04", "opens_at": "11:30:00",
	"location": {"street": "1 Quay", "city": "Lyon"},
	"opening_hours": [{"day": "mon", "opens": "10:00:00", "closes": "22:00:00"}, {"day": "tue", "opens": "10:00:00", "closes": "22:00:00"}]
}`

func BenchmarkDecode(b *testing.B) {
	site := guide(b)
	t := site.Type("api::restaurant.restaurant")
	b.ReportAllocs()
	b.SetBytes(int64(len(benchBody)))
	for b.Loop() {
		if _, err := Decode(site, t, json.RawMessage(benchBody), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBatch is creates by so many clients at once: each waits for its answer
// and begins anew. One operation is one create that is on the disk.
func BenchmarkBatch(b *testing.B) {
	for _, clients := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { createAll(b, clients) })
	}
}

func createAll(b *testing.B, clients int) {
	site := guide(b)
	db, err := store.Open(filepath.Join(b.TempDir(), "quire.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var x *index.Index
	if err := db.View(func(tx *store.Tx) (err error) { x, err = index.Build(site, tx); return }); err != nil {
		b.Fatal(err)
	}
	w := NewWriter(db, x, site, WriterOptions{})
	defer w.Close()
	b.ReportAllocs()
	b.ResetTimer()
	var number atomic.Int64
	failures := make(chan error, clients)
	for range clients {
		go func() { failures <- createSome(w, site.Type("api::review.review"), &number, int64(b.N)) }()
	}
	for range clients {
		if err := <-failures; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
	b.ReportMetric(float64(b.N)/float64(x.Snapshot().Revision()), "creates/commit")
}

// createSome creates until n have been created.
func createSome(w *Writer, t *schema.Type, number *atomic.Int64, n int64) error {
	for {
		i := number.Add(1)
		if i > n {
			return nil
		}
		body := fmt.Sprintf(`{"note": 7, "content": "written under load %d"}`, i)
		in, err := Decode(w.site, t, json.RawMessage(body), nil)
		if err == nil {
			_, err = w.Create(context.Background(), Request{Type: t, Input: in})
		}
		if err != nil {
			return err
		}
	}
}
