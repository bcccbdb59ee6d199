package content

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// BenchmarkBatch creates documents with a number of concurrent clients, each of which
// waits for its response before the next request. One operation is one create that is
// on the disk.
func BenchmarkBatch(b *testing.B) {
	for _, clients := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) { createAll(b, clients) })
	}
}

func createAll(b *testing.B, clients int) {
	site := guide(b)
	db, err := store.Open(filepath.Join(b.TempDir(), "quire.db"), store.Options{})
	must(b, err)
	defer db.Close()
	var x *index.Index
	must(b, db.View(func(tx *store.Tx) (err error) { x, err = index.Build(site, tx); return }))
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
		must(b, <-failures)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
	b.ReportMetric(float64(b.N)/float64(x.Snapshot().Revision()), "creates/commit")
}

// createSome creates documents until there are n.
func createSome(w *Writer, t *schema.Type, number *atomic.Int64, n int64) error {
	for {
		i := number.Add(1)
		if i > n {
			return nil
		}
		data := fmt.Sprintf(`{"note": 7, "content": "written under load %d"}`, i)
		in, err := body.Decode(w.planner.site, t, json.RawMessage(data), nil)
		if err == nil {
			_, err = w.Create(context.Background(), Request{Type: t, Input: in})
		}
		if err != nil {
			return err
		}
	}
}
