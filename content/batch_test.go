package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"quire/content/body"
	"quire/index/indextest"
	"quire/store"
)

// queued returns a write that waits in the queue.
func (f *fixture) queued(fn func(*operation) (Result, error)) *write {
	return &write{ctx: context.Background(), plans: []plan{planOne(fn)}, done: make(chan struct{})}
}

// creating returns the queued create of a category.
func (f *fixture) creating(name string) *write {
	f.Helper()
	r, err := f.ask("category", fmt.Sprintf(`{"name": %q}`, name))
	must(f, err)
	r.create = true
	return f.queued(func(op *operation) (Result, error) { return op.save(r) })
}

func TestBatchIsOneCommit(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "before"}`)
	was := f.index.Snapshot().Revision()
	batch := []*write{f.creating("a"), f.creating("b"), f.creating("a"), f.creating("before")}
	f.writer.commit(batch)
	if now := f.index.Snapshot().Revision(); now != was+1 {
		t.Errorf("revision %d became %d", was, now)
	}
	for i, fine := range []bool{true, true, false, false} {
		one := batch[i]
		if (one.err == nil) != fine {
			t.Errorf("write %d: %v", i, one.err)
		}
		if fine && one.results[0][0].Snapshot != f.index.Snapshot() || !fine && one.results != nil {
			t.Errorf("write %d has the results %+v", i, one.results)
		}
	}
}

// Observe gets the batches that were committed, and those that failed.
func TestBatchesAreObserved(t *testing.T) {
	var seen []Batch
	f := newFixtureWith(t, guide(t), WriterOptions{Now: clock(), Observe: func(b Batch) { seen = append(seen, b) }})
	f.writer.Close() // from now on, this goroutine commits
	f.writer.commit([]*write{f.creating("a"), f.creating("b"), f.creating("a")})
	f.writer.commit([]*write{f.creating("a")})
	if len(seen) != 1 || seen[0].Writes != 2 || seen[0].Err != nil || seen[0].Commit <= 0 || seen[0].Took < seen[0].Commit {
		t.Errorf("observed: %+v", seen)
	}
}

func TestNothingAcceptedIsNoCommit(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "a"}`)
	was := f.index.Snapshot()
	f.writer.commit([]*write{f.creating("a")})
	if f.index.Snapshot() != was {
		t.Error("a refused write was committed")
	}
	f.create("category", `{"name": "b"}`)
}

func TestPanicWhilePlanning(t *testing.T) {
	f := newFixture(t, guide(t))
	bad := f.queued(func(*operation) (Result, error) { panic("planned") })
	batch := []*write{f.creating("a"), bad, f.creating("b")}
	f.writer.commit(batch)
	var defect *PanicError
	if !errors.As(bad.err, &defect) || defect.Cause != "planned" || batch[0].err != nil || batch[2].err != nil {
		t.Errorf("got %v, %v and %v", batch[0].err, bad.err, batch[2].err)
	}
}

// A write that fails after some of its changes were applied leaves nothing, and does
// not affect the other writes.
func TestFailureWhileApplying(t *testing.T) {
	for name, sabotage := range map[string]func(op *operation){
		"refused by the store": func(op *operation) {
			op.changes = append(op.changes, store.Change{Type: "", After: &store.Entry{}})
		},
		"unknown to the index": func(op *operation) {
			op.changes = append(op.changes, store.Change{Type: "api::zzz.zzz", After: &store.Entry{ID: 1, DocumentID: "x", Status: store.Published}})
		},
		"panic": func(op *operation) { op.changes = append(op.changes, store.Change{}); op.tx = nil },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, guide(t))
			inner := f.creating("bad")
			bad := f.queued(func(op *operation) (Result, error) {
				results, err := inner.plans[0](op)
				sabotage(op)
				return results[0], err
			})
			batch := []*write{f.creating("a"), bad, f.creating("bad")}
			f.writer.commit(batch)
			if batch[0].err != nil || bad.err == nil || batch[2].err != nil {
				t.Errorf("got %v, %v and %v", batch[0].err, bad.err, batch[2].err)
			}
			if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 2 {
				t.Errorf("there are %d categories, want 2", n)
			}
		})
	}
}

func TestContextEndsBeforeTheWrite(t *testing.T) {
	f := newFixture(t, guide(t))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	gone := f.creating("gone")
	gone.ctx = ctx
	f.writer.commit([]*write{gone, f.creating("here")})
	if !errors.Is(gone.err, context.Canceled) {
		t.Errorf("got %v", gone.err)
	}
	r, err := f.ask("category", `{"name": "late"}`)
	must(t, err)
	if _, err := f.writer.Create(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 1 {
		t.Errorf("there are %d categories, want 1", n)
	}
}

func TestClosedWriter(t *testing.T) {
	f := newFixture(t, guide(t))
	f.writer.Close()
	f.writer.Close()
	if _, err := f.tryCreate("category", `{"name": "late"}`); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// If the file is full, every write of the batch fails, and the content stays unchanged.
func TestFullFile(t *testing.T) {
	site := guide(t)
	db, err := store.Open(t.TempDir()+"/quire.db", store.Options{MaxSize: 256 << 10})
	must(t, err)
	defer db.Close()
	f := &fixture{TB: t, site: site, db: db, index: build(t, site, db)}
	var last Batch
	f.writer = NewWriter(db, f.index, site, WriterOptions{Now: clock(), Observe: func(b Batch) { last = b }})
	defer f.writer.Close()
	big := strings.Repeat("x", 20<<10)
	kept := 0
	for {
		if _, err = f.tryCreate("chef", fmt.Sprintf(`{"name": "n", "bio": %q}`, big)); err != nil {
			break
		}
		kept++
	}
	if kept == 0 || !errors.Is(err, store.ErrFull) {
		t.Errorf("after %d chefs: %v", kept, err)
	}
	if last.Writes != 1 || !errors.Is(last.Err, store.ErrFull) {
		t.Errorf("observed: %+v", last)
	}
	if n := f.index.Snapshot().Table(f.kind("chef"), store.Published).Len(); n != kept {
		t.Errorf("%d chefs in memory, %d accepted", n, kept)
	}
	if d := indextest.Diff(f.index.Snapshot(), build(t, site, db).Snapshot()); d != "" {
		t.Error(d)
	}
}

// While the store refuses writes, no write succeeds.
func TestSuspendedStore(t *testing.T) {
	f := newFixture(t, guide(t))
	made, err := f.tryCreate("category", `{"name": "kept"}`)
	must(t, err)
	f.db.Suspend(errors.New("a bad disk"))
	var suspended *store.SuspendedError
	if _, err := f.tryCreate("category", `{"name": "late"}`); !errors.As(err, &suspended) {
		t.Errorf("create: %v", err)
	}
	if err := f.writer.Delete(t.Context(), Request{Type: f.kind("category"), DocumentID: made.DocumentID}); !errors.As(err, &suspended) {
		t.Errorf("delete: %v", err)
	}
	if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 1 {
		t.Errorf("there are %d categories, want 1", n)
	}
}

// If a listener panics, the commit is done already. The index is behind the file then,
// and nothing is written until the file is reopened.
func TestPanicAfterTheCommit(t *testing.T) {
	f := newFixture(t, guide(t))
	cancel := f.db.Subscribe(func(store.Commit) { panic("a defect") })
	if _, err := f.tryCreate("category", `{"name": "one"}`); !errors.As(err, new(*PanicError)) || !store.Uncertain(err) {
		t.Errorf("create: %v", err)
	}
	cancel()
	if _, err := f.tryCreate("category", `{"name": "two"}`); !errors.As(err, new(*store.SuspendedError)) {
		t.Errorf("the next: %v", err)
	}
	f.index = build(t, f.site, f.db) // as after reopening the file
}

// Of concurrent writes with the same unique value, one succeeds.
func TestConcurrentUnique(t *testing.T) {
	f := newFixture(t, guide(t))
	const writers, values = 32, 5
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := map[string]int{}
	for range writers {
		wg.Go(func() {
			for v := range values {
				name := fmt.Sprint("value ", v)
				in, err := body.Decode(f.site, f.kind("category"), json.RawMessage(fmt.Sprintf(`{"name": %q}`, name)), nil)
				if err != nil {
					t.Error(err)
					return
				}
				result, err := f.writer.Create(context.Background(), Request{Type: f.kind("category"), Input: in})
				if err == nil && !result.Snapshot.Exists(f.kind("category"), liveOf(result.DocumentID, "")) {
					t.Error("the result's snapshot does not show the write")
				}
				mu.Lock()
				if err == nil {
					won[name]++
				} else if !errors.As(err, new(*body.ValidationError)) {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(won) != values {
		t.Errorf("%d values were taken, want %d", len(won), values)
	}
	for name, n := range won {
		if n != 1 {
			t.Errorf("%s was taken %d times", name, n)
		}
	}
}

// A Writer can be closed during writes: each write is done or refused.
func TestCloseWhileWriting(t *testing.T) {
	f := newFixture(t, guide(t))
	var wg sync.WaitGroup
	started := make(chan struct{}, 16)
	var mu sync.Mutex
	done := 0
	for i := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				_, err := f.tryCreate("category", fmt.Sprintf(`{"name": "%d %d"}`, i, n))
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				done++
				mu.Unlock()
				select {
				case started <- struct{}{}:
				default:
				}
			}
		})
	}
	for range cap(started) {
		<-started
	}
	f.writer.Close()
	wg.Wait()
	if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != done {
		t.Errorf("%d categories, %d writes were answered", n, done)
	}
}
