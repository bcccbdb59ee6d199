package storetest

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"quire/store"
)

// openTroubled opens a replica of at most max bytes, which says when it has lost track.
func openTroubled(t *testing.T, path string, j store.Journal, max int64) (r *replica, lost chan struct{}) {
	t.Helper()
	r, lost = &replica{path: path}, make(chan struct{}, 1)
	var err error
	r.db, err = store.Open(path, store.Options{Journal: j, MaxSize: max, LostTrack: func() {
		select {
		case lost <- struct{}{}:
		default:
		}
	}})
	must(t, err)
	t.Cleanup(func() { r.db.Close() })
	r.load(t)
	return r, lost
}

// Where a journal is put back to a former state, no replica shows what was taken back, be
// it open or closed, and all go on from there.
func TestReplicasGoBackWithTheirJournal(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, lost := openTroubled(t, filepath.Join(dir, "1"), j, 0)
	two := openReplica(t, filepath.Join(dir, "2"), j)
	for i := range 5 {
		must(t, one.put(fmt.Sprint("dog", i), "Dog"))
	}
	must(t, two.db.Fresh(t.Context()))
	must(t, two.put("cat", "Cat"))
	must(t, one.db.Fresh(t.Context())) // so it follows the journal from before it is put back
	must(t, two.db.Close())
	was, last := one.db.Lineage(), one.revision
	j.GoBack(2)
	if err := one.db.Fresh(t.Context()); err == nil {
		t.Error("a replica shows what was taken back, and calls it fresh")
	}
	<-lost
	one.detach()
	must(t, one.db.Reopen())
	one.load(t)
	two = openReplica(t, filepath.Join(dir, "2"), j)
	requireAlike(t, one, two, openReplica(t, filepath.Join(dir, "3"), j))
	must(t, two.put("rex", "Rex"))
	requireAlike(t, one, two)
	if now := one.db.Lineage(); now == was || now != two.db.Lineage() || one.revision <= last {
		t.Errorf("revision %d of lineage %d may be given out again: the replicas are at %d of %d", last, was, one.revision, now)
	}
}

// If the journal has accepted a write, and the file has no space for it, it is not called
// refused, because other nodes show it.
func TestADecidedWriteWithoutRoomIsNotRefused(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, _ := openTroubled(t, filepath.Join(dir, "1"), j, 256<<10)
	var err error
	n := 0
	for ; err == nil && n < 10_000; n++ {
		_, err = one.set(fmt.Sprint("dog", n), "Dog")
	}
	if !store.Uncertain(err) || !one.db.Suspended() {
		t.Errorf("write %d: %v; suspended: %t", n, err, one.db.Suspended())
	}
	two := openReplica(t, filepath.Join(dir, "2"), j)
	if len(two.names) != n {
		t.Errorf("%d writes were taken, and another node shows %d", n, len(two.names))
	}
}

// A replica that has no space for the writes of others asks to be reopened.
func TestAReplicaWithoutRoomAsksToBeReopened(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one := openReplica(t, filepath.Join(dir, "1"), j)
	two, lost := openTroubled(t, filepath.Join(dir, "2"), j, 256<<10)
	for n := 0; !two.db.Suspended(); n++ {
		must(t, one.put(fmt.Sprint("dog", n), "Dog"))
		_ = two.db.Fresh(t.Context()) // fails if there is no space
	}
	<-lost
	if _, err := two.set("rex", "Rex"); !errors.As(err, new(*store.SuspendedError)) {
		t.Errorf("a write then: %v", err)
	}
}
