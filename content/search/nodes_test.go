package search

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"quire/store"
	"quire/store/storetest"
)

// openNode counts on a node whose commits go through a journal.
func openNode(t *testing.T, j store.Journal) *Missed {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: j})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	now := time.Date(2026, time.May, 4, 9, 0, 0, 0, time.UTC)
	return NewMissed(db, func() time.Time { return now })
}

// Each node of a site counts what it answers, and each shows what all of them have counted,
// whichever of them was last to write.
func TestNodesAddUpWhatTheyCount(t *testing.T) {
	j := storetest.NewMemory()
	one, other := openNode(t, j), openNode(t, j)
	for range 3 {
		one.Add("borscht")
		other.Add("borscht")
		other.Add("ramen")
		check(t, one.Store())
		check(t, other.Store()) // the other one was first, so this is done again
	}
	for _, m := range []*Missed{one, other} {
		check(t, m.Store()) // nothing, so no commit
	}
	one.Add("ramen")
	check(t, one.Store())
	want(t, one.shown(t, 90), "[{borscht 6 2026-05-04} {ramen 4 2026-05-04}] 2 0")
	other.Add("borscht")
	want(t, other.shown(t, 90), "[{borscht 7 2026-05-04} {ramen 4 2026-05-04}] 2 0")
}

// copied is the journal of a server that follows another one.
type copied struct{ *storetest.Memory }

func (copied) Propose(context.Context, store.Batch) (uint64, error) {
	return 0, &store.RefusedError{Err: store.ErrCopy}
}

// A follower counts nothing, and does not keep what was searched.
func TestAFollowerForgetsWhatWasSearched(t *testing.T) {
	m := openNode(t, copied{storetest.NewMemory()})
	m.Add("borscht")
	check(t, m.Store())
	want(t, m.shown(t, 90), "[] 0 0")
	if len(m.counts) != 0 {
		t.Errorf("%d texts stay in memory", len(m.counts))
	}
}

// While the journal cannot be reached, the counts stay in memory.
func TestCountsWaitForTheJournal(t *testing.T) {
	j := storetest.NewMemory()
	m := openNode(t, j)
	m.Add("borscht")
	j.Fault = func(store.Batch) storetest.Fault { return storetest.LoseBefore }
	if err := m.Store(); err == nil {
		t.Fatal("the journal could not be reached, and there is no error")
	}
	j.Fault = nil
	m.Add("borscht")
	want(t, m.shown(t, 90), "[{borscht 2 2026-05-04}] 1 0")
}
