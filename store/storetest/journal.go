package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"quire/store"
)

// Run tests a journal. open returns a new, empty one each time; several nodes may share one
// within a test.
func Run(t *testing.T, open func(t *testing.T) store.Journal) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Journal)
	}{
		{"batches are followed in order", testOrder},
		{"a batch is stored whole and once", testWhole},
		{"of two at one position one is behind", testBehind},
		{"a revision that does not follow is refused", testGaps},
		{"what was loaded is what was followed", testLoads},
		{"fresh is the position of the last batch", testFresh},
		{"a follower hears of what comes later", testLater},
		{"a position of another lineage is compacted", testReplaced},
		{"an ended context ends every call", testEnded},
		{"a held journal takes nothing", testFrozen},
		{"many proposers have one history", testMany},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// node is a proposer, with the position up to which it has followed.
type node struct {
	store.Journal
	revision, position uint64
	time               int64
	values             map[string]string
}

func newNode(t *testing.T, j store.Journal) *node {
	t.Helper()
	n := &node{Journal: j, values: map[string]string{}}
	last, err := j.Load(t.Context(), func(o store.Op) error { n.apply(o); return nil })
	if err != nil {
		t.Fatal(err)
	}
	n.revision, n.position, n.time = last.Revision, last.Position, last.Time
	return n
}

func (n *node) apply(o store.Op) {
	name := strings.Join(o.Path, "/") + "/" + string(o.Key)
	if o.Value == nil {
		delete(n.values, name)
		return
	}
	n.values[name] = string(o.Value)
}

func newOp(key, value string) store.Op {
	o := store.Op{Path: []string{"records", "test"}, Key: []byte(key)}
	if value != "" {
		o.Value = []byte(value)
	}
	return o
}

// propose proposes the next batch and adopts it if it is decided.
func (n *node) propose(ctx context.Context, ops ...store.Op) error {
	b := store.Batch{Position: n.position, Revision: n.revision + 1, Time: n.time + 1, Ops: ops}
	position, err := n.Propose(ctx, b)
	if err == nil {
		b.Position = position
		n.take(b)
	}
	return err
}

func (n *node) take(b store.Batch) {
	n.revision, n.position, n.time = b.Revision, b.Position, b.Time
	for _, o := range b.Ops {
		n.apply(o)
	}
}

// errEnough ends a Follow.
var errEnough = errors.New("enough")

// catchUp follows to the last batch.
func (n *node) catchUp(ctx context.Context) error {
	last, err := n.Fresh(ctx)
	if err != nil || last == n.position {
		return err
	}
	err = n.Follow(ctx, n.position, func(b store.Batch) error {
		if b.Revision != n.revision+1 || b.Position <= n.position {
			return fmt.Errorf("revision %d at %d follows revision %d at %d", b.Revision, b.Position, n.revision, n.position)
		}
		n.take(b)
		if n.position >= last {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testOrder(t *testing.T, j store.Journal) {
	n, other := newNode(t, j), newNode(t, j)
	for i := range 20 {
		must(t, n.propose(t.Context(), newOp("counter", fmt.Sprint(i))))
	}
	must(t, other.catchUp(t.Context()))
	if other.revision != n.revision || other.position != n.position || other.time != n.time || other.values["records/test/counter"] != "19" {
		t.Errorf("a follower is at revision %d, position %d with %v; the writer at %d, %d", other.revision, other.position, other.values, n.revision, n.position)
	}
}

func testWhole(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	must(t, n.propose(t.Context(), newOp("b", "0")))
	from := n.position
	must(t, n.propose(t.Context(), newOp("a", "1"), newOp("b", "1"), newOp("a", "2"), newOp("b", "")))
	must(t, n.propose(t.Context(), newOp("end", "1")))
	var got []store.Batch
	err := j.Follow(t.Context(), from, func(b store.Batch) error {
		if b.Revision == n.revision {
			return errEnough
		}
		got = append(got, b)
		return nil
	})
	if !errors.Is(err, errEnough) || len(got) != 1 || got[0].Revision != n.revision-1 {
		t.Fatalf("followed %v", got)
	}
	end := &node{values: map[string]string{"records/test/b": "0"}}
	end.take(got[0])
	if want := map[string]string{"records/test/a": "2"}; !maps.Equal(end.values, want) {
		t.Errorf("the batch comes to %v, want %v", end.values, want)
	}
}

func testFrozen(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	release, err := j.Freeze(t.Context())
	must(t, err)
	if err := n.propose(t.Context(), newOp("k", "v")); !errors.Is(err, store.ErrFrozen) {
		t.Errorf("a write meanwhile: %v", err)
	}
	if _, err := j.Freeze(t.Context()); !errors.Is(err, store.ErrFrozen) {
		t.Errorf("a second one who holds: %v", err)
	}
	release()
	must(t, n.propose(t.Context(), newOp("k", "v")))
}

func testBehind(t *testing.T, j store.Journal) {
	one, two := newNode(t, j), newNode(t, j)
	must(t, one.propose(t.Context(), newOp("who", "one")))
	if err := two.propose(t.Context(), newOp("who", "two")); !errors.Is(err, store.ErrBehind) {
		t.Fatalf("the second of two: %v", err)
	}
	must(t, two.catchUp(t.Context()))
	if two.values["records/test/who"] != "one" {
		t.Errorf("a batch that was behind is stored: %v", two.values)
	}
	must(t, two.propose(t.Context(), newOp("who", "two")))
	must(t, one.catchUp(t.Context()))
	if one.values["records/test/who"] != "two" {
		t.Errorf("planned again: %v", one.values)
	}
}

func testGaps(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	for _, revision := range []uint64{n.revision, n.revision + 2} {
		if _, err := j.Propose(t.Context(), store.Batch{Position: n.position, Revision: revision, Ops: []store.Op{newOp("x", "y")}}); err == nil {
			t.Errorf("revision %d was taken after %d", revision, n.revision)
		}
	}
	must(t, n.propose(t.Context(), newOp("x", "z")))
}

func testLoads(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	for i := range 50 {
		value := fmt.Sprint(i)
		if i%7 == 0 {
			value = ""
		}
		must(t, n.propose(t.Context(), newOp(fmt.Sprint(i%10), value)))
	}
	loaded := newNode(t, j)
	if loaded.revision != n.revision || loaded.position != n.position || loaded.time != n.time || fmt.Sprint(loaded.values) != fmt.Sprint(n.values) {
		t.Errorf("loaded %d %d %v, want %d %d %v", loaded.revision, loaded.position, loaded.values, n.revision, n.position, n.values)
	}
}

func testFresh(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	for range 3 {
		must(t, n.propose(t.Context(), newOp("k", "v")))
		if last, err := j.Fresh(t.Context()); err != nil || last != n.position {
			t.Errorf("fresh is %d, %v; the last batch is at %d", last, err, n.position)
		}
	}
}

func testLater(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	from := n.position
	heard := make(chan store.Batch)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- j.Follow(ctx, from, func(b store.Batch) error { heard <- b; return nil })
	}()
	for range 3 {
		must(t, n.propose(t.Context(), newOp("k", "v")))
		if b := <-heard; b.Revision != n.revision || b.Position != n.position {
			t.Errorf("heard %d at %d, want %d at %d", b.Revision, b.Position, n.revision, n.position)
		}
	}
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("following ends with %v", err)
	}
}

func testReplaced(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	must(t, n.propose(t.Context(), newOp("former", "1")))
	was, err := j.Lineage(t.Context())
	must(t, err)
	db, err := store.Open(t.TempDir()+"/quire.db", store.Options{})
	must(t, err)
	defer db.Close()
	must(t, db.Update(func(tx *store.Tx) error { return tx.PutRecord("test", "new", []byte("1")) }))
	last, err := j.Replace(t.Context(), db)
	must(t, err)
	if now, err := j.Lineage(t.Context()); err != nil || now == was || now == 0 {
		t.Errorf("the lineage is %d, %v; it was %d", now, err, was)
	}
	if err := n.propose(t.Context(), newOp("late", "1")); !errors.Is(err, store.ErrBehind) {
		t.Errorf("a write of the former lineage: %v", err)
	}
	err = j.Follow(t.Context(), n.position, func(store.Batch) error { return errEnough })
	if !errors.Is(err, store.ErrCompacted) {
		t.Errorf("following the former lineage: %v", err)
	}
	held := &node{values: map[string]string{}}
	must(t, db.View(func(tx *store.Tx) error {
		return tx.Ops(func(o store.Op) error { held.apply(o); return nil })
	}))
	loaded := newNode(t, j)
	if loaded.position != last.Position || loaded.revision != last.Revision || loaded.time != last.Time || last.Revision <= n.revision || last.Time < n.time || !maps.Equal(loaded.values, held.values) {
		t.Errorf("loaded %d %d %v, want %v", loaded.revision, loaded.position, loaded.values, held.values)
	}
	if loaded.values["records/test/new"] != "1" || loaded.values["records/test/former"] != "" {
		t.Errorf("loaded %v", loaded.values)
	}
	must(t, loaded.propose(t.Context(), newOp("next", "1")))
}

func testEnded(t *testing.T, j store.Journal) {
	n := newNode(t, j)
	must(t, n.propose(t.Context(), newOp("k", "v")))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := j.Follow(ctx, n.position, func(store.Batch) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("Follow: %v", err)
	}
	if _, err := j.Propose(ctx, store.Batch{Position: n.position, Revision: n.revision + 1}); err == nil || errors.Is(err, store.ErrBehind) {
		t.Errorf("Propose: %v", err)
	}
}

// testMany makes nodes add to one list at once: each item must be there once, in the order
// in which its node added it.
func testMany(t *testing.T, j store.Journal) {
	const nodes, each = 4, 25
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() {
			n := newNode(t, j)
			random := rand.New(rand.NewPCG(uint64(i), 7))
			for k := 0; k < each; {
				list := n.values["records/test/list"]
				err := n.propose(t.Context(), newOp("list", fmt.Sprintf("%s %d:%d", list, i, k)))
				switch {
				case err == nil:
					k++
				case errors.Is(err, store.ErrBehind):
					err = n.catchUp(t.Context())
				}
				if err != nil {
					t.Error(err)
					return
				}
				if random.IntN(3) == 0 {
					if err := n.catchUp(t.Context()); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	items := strings.Fields(newNode(t, j).values["records/test/list"])
	if len(items) != nodes*each {
		t.Fatalf("%d items of %d", len(items), nodes*each)
	}
	for i := range nodes {
		own := slices.DeleteFunc(slices.Clone(items), func(s string) bool { return !strings.HasPrefix(s, fmt.Sprint(i, ":")) })
		for k, item := range own {
			if item != fmt.Sprintf("%d:%d", i, k) {
				t.Errorf("item %d of node %d is %s", k, i, item)
			}
		}
	}
}
