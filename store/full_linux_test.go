package store

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

// The operating system refuses to let the file grow in the middle of a commit.
// Nothing was written then, and as soon as there is room writes are taken again.
func TestADiskThatIsFull(t *testing.T) {
	db := newDB(t)
	rex := text(1, "rex", "", Draft, "Rex")
	put(t, db, dogs, rex)
	size, err := db.Stats()
	if err != nil {
		t.Fatal(err)
	}
	big := text(2, "big", "", Draft, strings.Repeat("x", 2*growth))
	apply := func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: big}) }

	var whole syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole); err != nil {
		t.Fatal(err)
	}
	setLimit := func(l syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
	}
	setLimit(syscall.Rlimit{Cur: uint64(size.Size), Max: whole.Max})
	err = db.Update(apply)
	setLimit(whole)

	if !errors.Is(err, ErrFull) || errors.As(err, new(*UncertainError)) {
		t.Fatalf("%v, want ErrFull alone", err)
	}
	requireContent(t, db, map[string][]*Entry{dogs: {rex}})
	update(t, db, apply)
	requireContent(t, db, map[string][]*Entry{dogs: {big, rex}})
	if err := db.Reopen(); err != nil {
		t.Fatal(err)
	}
	requireContent(t, db, map[string][]*Entry{dogs: {big, rex}})
}
