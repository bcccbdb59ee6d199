package content

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quire/content/body"
	"quire/content/event"
	"quire/index/indextest"
	"quire/store"
	"quire/store/storetest"
)

// nodesOf opens nodes of the sample site that share a journal.
func nodesOf(t *testing.T, many int) (nodes []*fixture) {
	t.Helper()
	return nodesAt(t, many, func(int) func() time.Time { return time.Now })
}

// nodesAt is nodesOf with a separate clock for each node.
func nodesAt(t *testing.T, many int, clock func(node int) func() time.Time) (nodes []*fixture) {
	t.Helper()
	site, journal := guide(t), storetest.NewMemory()
	for i := range many {
		db, err := store.Open(filepath.Join(t.TempDir(), fmt.Sprint(i)), store.Options{Journal: journal})
		must(t, err)
		f := &fixture{TB: t, site: site, db: db, index: build(t, site, db)}
		f.writer = NewWriter(db, f.index, site, WriterOptions{Now: clock(i)})
		t.Cleanup(func() { f.writer.Close(); db.Close() })
		nodes = append(nodes, f)
	}
	return nodes
}

// Writes that several nodes do together at the same time are done by one of them, all or
// none. If another node was first, they are planned again.
func TestNodesDoWritesTogether(t *testing.T) {
	nodes := nodesOf(t, 2)
	const groups, each = 12, 3
	var made atomic.Int64
	var all sync.WaitGroup
	for _, f := range nodes {
		all.Go(func() {
			for i := range groups {
				var writes []Write
				for j := range each {
					writes = append(writes, ToCreate(f.hookedRequest("category", fmt.Sprintf(`{"name": "Name %d of %d"}`, j, i))))
				}
				_, err := f.writer.Together(context.Background(), writes)
				var taken *body.ValidationError
				switch part := new(PartError); {
				case err == nil:
					made.Add(1)
				case !errors.As(err, &taken) || !errors.As(err, &part) || part.Part != 0:
					f.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, f := range nodes {
		must(t, f.db.Fresh(t.Context()))
		if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != groups*each || made.Load() != groups {
			t.Errorf("%d groups of %d were made, and there are %d categories", made.Load(), each, n)
		}
	}
}

// Nodes that share a journal have one content: unique values are unique on all of them,
// and each index has the writes of the others.
func TestNodesHaveOneContent(t *testing.T) {
	nodes := nodesOf(t, 3)
	site := nodes[0].site
	const names = 30
	var made [names]int // number of nodes that have created the category with that name
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, f := range nodes {
		all.Go(func() {
			for i := range names {
				_, err := f.tryCreate("category", fmt.Sprintf(`{"name": "Name %d"}`, i))
				var taken *body.ValidationError
				switch {
				case err == nil:
					mu.Lock()
					made[i]++
					mu.Unlock()
				case !errors.As(err, &taken):
					f.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, n := range made {
		if n != 1 {
			t.Errorf("%d nodes have made the category %d", n, i)
		}
	}
	for _, f := range nodes {
		must(t, f.db.Fresh(t.Context()))
		if d := indextest.Diff(nodes[0].index.Snapshot(), f.index.Snapshot()); d != "" {
			t.Errorf("the indexes of two nodes differ: %s", d)
		}
		if d := indextest.Diff(f.index.Snapshot(), build(t, site, f.db).Snapshot()); d != "" {
			t.Errorf("the live index and one built from the file differ: %s", d)
		}
	}
}

// If the waiting writes are too large together for the journal, each is done separately. A
// write that is too large alone is refused.
func TestWritesThatAJournalDoesNotTakeTogether(t *testing.T) {
	f := nodesOf(t, 1)[0]
	must(t, f.writer.Close())
	w := newWriter(f.db, f.index, f.site, WriterOptions{})
	w.attach()
	defer func() { w.detach() }()
	recording := func(name string, bytes int) *write {
		return &write{ctx: t.Context(), done: make(chan struct{}), plans: []plan{planOne(func(op *operation) (Result, error) {
			op.beside = append(op.beside, func(tx *store.Tx) error { return tx.PutRecord("test", name, make([]byte, bytes)) })
			return Result{}, nil
		})}}
	}
	creating := &write{ctx: t.Context(), done: make(chan struct{}), plans: []plan{ToCreate(f.hookedRequest("category", `{"name": "Small"}`)).plan}}
	batch := []*write{recording("one", 7<<20), creating, recording("two", 13<<20), recording("three", 7<<20), recording("four", 1)}
	w.commit(batch)
	for i, one := range batch {
		<-one.done
		if large := errors.As(one.err, new(*store.TooLargeError)); large != (i == 2) || !large && one.err != nil {
			t.Errorf("write %d: %v", i, one.err)
		}
	}
	err := f.db.View(func(tx *store.Tx) error {
		for name, bytes := range map[string]int{"one": 7 << 20, "two": 0, "three": 7 << 20, "four": 1} {
			if value, err := tx.Record("test", name); err != nil || len(value) != bytes {
				t.Errorf("%s has %d bytes, %v", name, len(value), err)
			}
		}
		return nil
	})
	must(t, err)
	if n := creating.results[0][0]; n.DocumentID == "" || n.Snapshot == nil {
		t.Errorf("the small write returned %+v", n)
	}
	if d := indextest.Diff(f.index.Snapshot(), build(t, f.site, f.db).Snapshot()); d != "" {
		t.Error(d)
	}
}

// Nodes that write to the same documents, and remove surplus versions, have one history.
func TestNodesHaveOneHistory(t *testing.T) {
	nodes := nodesOf(t, 2)
	nodes[0].site.Settings.History.Versions = 4
	var made []string
	for i := range 3 {
		made = append(made, nodes[0].create("category", fmt.Sprintf(`{"name": "Name %d"}`, i)))
	}
	var all sync.WaitGroup
	for n, f := range nodes {
		must(t, f.db.Fresh(t.Context()))
		all.Go(func() {
			for i := range 40 {
				f.update("category", made[i%len(made)], fmt.Sprintf(`{"name": "Name %d of node %d"}`, i, n))
			}
		})
	}
	all.Wait()
	var held []string
	for _, f := range nodes {
		must(t, f.db.Fresh(t.Context()))
		checkHistory(t, f.db)
		var ops []string
		err := f.db.View(func(tx *store.Tx) error {
			return tx.Ops(func(o store.Op) error { ops = append(ops, fmt.Sprintf("%q %q %x", o.Path, o.Key, o.Value)); return nil })
		})
		must(t, err)
		if held == nil {
			held = ops
		}
		if !slices.Equal(ops, held) {
			t.Errorf("two nodes hold %d and %d values, which differ", len(held), len(ops))
		}
	}
	if former := slices.DeleteFunc(held, func(o string) bool { return !strings.HasPrefix(o, `["replaced"]`) }); len(former) == 0 || len(former) > 3*6 {
		t.Errorf("%d versions are kept", len(former))
	}
}

// All nodes have the same log of changes.
func TestNodesHaveOneLog(t *testing.T) {
	nodes := nodesOf(t, 2)
	for i := range 6 {
		nodes[i%2].create("category", fmt.Sprintf(`{"name": "Name %d"}`, i))
	}
	for step, change := range []func(*store.Tx) error{
		func(*store.Tx) error { return nil },
		func(tx *store.Tx) error { _, err := tx.TrimLog(tx.Revision()-4, 100); return err },
		(*store.Tx).ResetLog,
	} {
		must(t, nodes[step%2].db.Update(change))
		var floors [2]uint64
		var logs [2]map[uint64]string
		for i, f := range nodes {
			must(t, f.db.Fresh(t.Context()))
			logs[i] = map[uint64]string{}
			err := f.db.View(func(tx *store.Tx) (err error) {
				if floors[i], err = tx.LogFloor(); err != nil {
					return err
				}
				return tx.Log(floors[i], func(revision uint64, value []byte) bool { logs[i][revision] = string(value); return true })
			})
			must(t, err)
		}
		if floors[0] != floors[1] || !maps.Equal(logs[0], logs[1]) {
			t.Errorf("step %d: from %d on %v, and from %d on %v", step, floors[0], logs[0], floors[1], logs[1])
		}
		if want := [...]int{6, 3, 0}[step]; len(logs[0]) != want {
			t.Errorf("step %d: %d commits, want %d", step, len(logs[0]), want)
		}
	}
}

// If the clock of a node is behind that of the previous writer, or is set back, its writes
// are not earlier than the former ones. A clock that was wrong by days has no effect for
// ever.
func TestNodesWithDifferentClocks(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	clocks := []time.Time{noon, noon.Add(time.Hour)}
	nodes := nodesAt(t, len(clocks), func(i int) func() time.Time { return func() time.Time { return clocks[i] } })
	for _, step := range []struct {
		node        int
		clock, want time.Time
	}{
		{0, noon, noon},
		{1, noon.Add(time.Hour), noon.Add(time.Hour)},
		{0, noon.Add(time.Minute), noon.Add(time.Hour)},
		{1, noon.Add(2 * time.Hour), noon.Add(2 * time.Hour)},
		{1, noon.Add(time.Minute), noon.Add(2 * time.Hour)},
		{0, noon.Add(3 * time.Hour), noon.Add(3 * time.Hour)},
		{1, noon.AddDate(9, 0, 0), noon.AddDate(9, 0, 0)},
		{0, noon.Add(4 * time.Hour), noon.Add(4 * time.Hour)},
	} {
		f := nodes[step.node]
		clocks[step.node] = step.clock
		must(t, f.db.Fresh(t.Context()))
		made, err := f.writer.Create(t.Context(), f.hookedRequest("category", fmt.Sprintf(`{"name": "At %v"}`, step)))
		must(t, err)
		k := store.Key{DocumentID: made.DocumentID, Locale: made.Locale, Status: made.Status}
		err = f.db.View(func(tx *store.Tx) error {
			e, err := tx.Entry(f.kind("category").UID, k)
			if err != nil {
				return err
			}
			for what, got := range map[string]int64{"created": e.CreatedAt, "updated": e.UpdatedAt} {
				if !time.UnixMilli(got).Equal(step.want) {
					t.Errorf("where the clock is at %v, an entry is %s at %v, want %v", step.clock, what, time.UnixMilli(got).UTC(), step.want)
				}
			}
			return event.ReadBack(tx, func(c event.Commit) bool {
				if !c.At.Equal(step.want) {
					t.Errorf("where the clock is at %v, the log says %v, want %v", step.clock, c.At, step.want)
				}
				return false
			})
		})
		must(t, err)
	}
}
