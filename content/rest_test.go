package content

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/store"
)

// The pause grows with the work of the last batch, and is limited so that writes do not
// stall.
func TestRestsAreBounded(t *testing.T) {
	for worked, want := range map[time.Duration]time.Duration{
		0:                     0,
		50 * time.Microsecond: pauseFactor * 50 * time.Microsecond,
		time.Minute:           longestPause,
	} {
		if got := pauseBetween(worked); got != want {
			t.Errorf("after %s: %s, want %s", worked, got, want)
		}
	}
}

// Every write is done while reads keep all processors busy, with as many writes in one
// commit as possible.
func TestWritesBesideReads(t *testing.T) {
	var reads, commits atomic.Uint64
	f := newFixtureWith(t, guide(t), WriterOptions{
		Now:     clock(),
		Reads:   func() uint64 { return reads.Add(1) },
		Observe: func(Batch) { commits.Add(1) },
	})
	ctx, stop := context.WithCancel(t.Context())
	var busy, clients sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		busy.Go(func() {
			for ctx.Err() == nil {
				runtime.Gosched()
			}
		})
	}
	const writers, each = 8, 5
	for i := range writers {
		clients.Go(func() {
			for j := range each {
				r, err := f.ask("category", fmt.Sprintf(`{"name": "%d of %d"}`, j, i))
				if err == nil {
					_, err = f.writer.Create(t.Context(), r)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	stop()
	busy.Wait()
	if n := f.index.Snapshot().Table(f.site.Type("api::category.category"), store.Published).Len(); n != writers*each {
		t.Errorf("%d entries, want %d", n, writers*each)
	}
	if n := commits.Load(); n > writers*each || n < each {
		t.Errorf("%d commits for %d writes by %d at a time", n, writers*each, writers)
	}
}
