//go:build cluster

package cluster

import (
	"errors"
	"path/filepath"
	"testing"

	"quire/store"
	"quire/store/cluster/member"
)

// newContent is a data file by itself with one record.
func newContent(t *testing.T, name string) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), name+".db"), store.Options{})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	must(t, putRecord(db, name, []byte("1")))
	return db
}

// A node that is paused while it replaces the content, until its hold is over and another one
// has replaced it, writes nothing to what is served by then.
func TestAReplacementThatLostItsHold(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	slow, quick := openJournal(t, endpoint, "site"), openJournal(t, endpoint, "site")
	beginEmpty(t, slow)
	lease, release, err := slow.frozen(t.Context())
	must(t, err)
	now, err := slow.now(t.Context())
	must(t, err)
	generation, err := slow.nextGeneration(t.Context(), now.head, lease)
	must(t, err)
	slow.revoke(t.Context(), lease) // as etcd does once it was not renewed
	replaceBy(t, quick, "quick")
	if _, err := slow.push(t.Context(), generation, newContent(t, "slow"), lease); !errors.Is(err, store.ErrBehind) {
		t.Errorf("the slow one writes: %v", err)
	}
	if err := slow.clear(t.Context(), generation, slow.whileFrozenBy(lease)); !errors.Is(err, store.ErrBehind) {
		t.Errorf("the slow one removes: %v", err)
	}
	release()
	if is := has(t, quick, "slow", "quick"); is[0] || !is[1] {
		t.Errorf("slow and quick are there: %v", is)
	}
}

// Of two who begin a site at the same time one does so, and only what that one has is there.
func TestTwoWhoBegin(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	names := []string{"one", "two"}
	done := make(chan error)
	contents := []*store.DB{newContent(t, names[0]), newContent(t, names[1])}
	for i := range names {
		j := openJournal(t, endpoint, "site")
		go func() { done <- j.Begin(t.Context(), contents[i]) }()
	}
	var refused error
	begun := 0
	for range names {
		if err := <-done; err == nil {
			begun++
		} else {
			refused = err
		}
	}
	if begun != 1 || !errors.Is(refused, store.ErrFrozen) && !errors.As(refused, new(*BegunError)) {
		t.Errorf("%d of them begin the site, the other one: %v", begun, refused)
	}
	if is := has(t, openJournal(t, endpoint, "site"), names...); is[0] == is[1] {
		t.Errorf("one and two are there: %v", is)
	}
}

// While somebody begins a site, or replaces its content, no one else touches what is written.
func TestWhatIsBeingWritten(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	one, two := openJournal(t, endpoint, "site"), openJournal(t, endpoint, "site")
	_, release, err := one.frozen(t.Context())
	must(t, err)
	if err := two.Begin(t.Context(), newContent(t, "two")); !errors.Is(err, store.ErrFrozen) {
		t.Errorf("another one begins: %v", err)
	}
	release()
	beginEmpty(t, one)
	lease, release, err := one.frozen(t.Context())
	must(t, err)
	defer release()
	if _, err := one.push(t.Context(), 2, newContent(t, "new"), lease); err != nil {
		t.Fatal(err)
	}
	for _, generation := range []uint64{1, 2} {
		if err := two.Drop(t.Context(), generation); !errors.Is(err, store.ErrFrozen) {
			t.Errorf("generation %d is dropped meanwhile: %v", generation, err)
		}
	}
	two.schema = "other"
	if err := two.Activate(t.Context()); !errors.Is(err, store.ErrFrozen) {
		t.Errorf("schemas are activated meanwhile: %v", err)
	}
	all, err := one.Generations(t.Context())
	if err != nil || len(all) != 1 || all[0].Number != 2 || all[0].Values == 0 {
		t.Errorf("there are %+v, %v", all, err)
	}
}

// The number of a generation that was dropped is not given to another one: whoever drops it
// may not be through.
func TestNumbersOfGenerations(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	replaceBy(t, j, "second")
	if _, err := j.GoBack(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	must(t, j.Drop(t.Context(), 2))
	replaceBy(t, j, "third")
	if err := j.Drop(t.Context(), 3); err == nil || errors.Is(err, store.ErrFrozen) {
		t.Errorf("what is served is dropped: %v", err)
	}
	h, err := j.Head(t.Context())
	if err != nil || h.Generation != 3 {
		t.Errorf("generation %d is served after 2 was dropped, %v", h.Generation, err)
	}
}
