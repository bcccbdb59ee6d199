package store

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The operating system refuses to let the file grow in the middle of a commit. Then
// nothing was written, and as soon as there is space, writes are accepted again.
func TestADiskThatIsFull(t *testing.T) {
	if !alone(t) {
		return
	}
	db := newDB(t)
	rex := text(1, "rex", "", Draft, "Rex")
	put(t, db, dogs, rex)
	size, err := db.Statistics()
	noError(t, err)
	big := text(2, "big", "", Draft, strings.Repeat("x", 2*growth))
	apply := func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: big}) }

	withoutRoom(t, size.Size, func() { err = db.Update(apply) })

	if !errors.Is(err, ErrFull) || errors.As(err, new(*UncertainError)) {
		t.Fatalf("%v, want ErrFull alone", err)
	}
	requireContent(t, db, map[string][]*Entry{dogs: {rex}})
	update(t, db, apply)
	requireContent(t, db, map[string][]*Entry{dogs: {big, rex}})
	noError(t, db.Reopen())
	requireContent(t, db, map[string][]*Entry{dogs: {big, rex}})
}

// alone runs the test in a process of its own, and reports whether this is that
// one: the limit of withoutRoom is for all files of a process, and go test has its
// processes keep a log of the files that they open.
func alone(t *testing.T) bool {
	t.Helper()
	const mark = "QUIRE_TEST_ALONE"
	if os.Getenv(mark) != "" {
		return true
	}
	c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	c.Env = append(os.Environ(), mark+"=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// withoutRoom runs fn while no file may grow beyond so many bytes.
func withoutRoom(t *testing.T, bytes int64, fn func()) {
	t.Helper()
	var whole syscall.Rlimit
	noError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole))
	setLimit := func(l syscall.Rlimit) {
		noError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l))
	}
	setLimit(syscall.Rlimit{Cur: uint64(bytes), Max: whole.Max})
	defer setLimit(whole)
	fn()
}

func TestCompactWithoutRoom(t *testing.T) {
	if !alone(t) {
		return
	}
	path := filepath.Join(t.TempDir(), "quire.db")
	db := loose(t, path)
	was := must(content(db))
	var err error
	withoutRoom(t, 100_000, func() { _, err = db.Compact(t.Context()) })
	if !errors.Is(err, ErrFull) || !errors.As(err, new(*WriteError)) {
		t.Errorf("%v, want a WriteError that is ErrFull", err)
	}
	requireAlone(t, path)
	requireContent(t, db, was)
	put(t, db, dogs, text(9999, "rex", "", Draft, "Rex"))
}

// An annex leaves space on the disk for what is written, and keeps what it has.
func TestAnnexLeavesSpace(t *testing.T) {
	a := newAnnex(t, newDB(t))
	kept, err := a.Add(bytes.Repeat([]byte("x"), leastAnnexPart))
	noError(t, err)
	a.spare = 1 << 60
	if _, err = a.Add([]byte("rex")); !errors.Is(err, ErrFull) || !errors.As(err, new(*WriteError)) {
		t.Errorf("%v, want a WriteError that is ErrFull", err)
	}
	if info, err := a.held.file.Stat(); err != nil || info.Size() != leastAnnexPart {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if err := a.Flush(); err != nil || kept[0] != 'x' || kept[leastAnnexPart-1] != 'x' {
		t.Error("what was there before has become something else", err)
	}
}

// An annex that the disk has no space for keeps what it has.
func TestAnnexWithoutRoom(t *testing.T) {
	if !alone(t) {
		return
	}
	a := newAnnex(t, newDB(t))
	big := bytes.Repeat([]byte("x"), leastAnnexPart)
	kept, err := a.Add(big)
	noError(t, err)
	withoutRoom(t, leastAnnexPart, func() { _, err = a.Add([]byte("rex")) })
	if !errors.Is(err, ErrFull) || !errors.As(err, new(*WriteError)) {
		t.Errorf("%v, want a WriteError that is ErrFull", err)
	}
	later, err := a.Add([]byte("rex"))
	noError(t, errors.Join(err, a.Flush()))
	if !bytes.Equal(kept, big) || string(later) != "rex" {
		t.Error("what was added is not what can be read")
	}
}

// A Sorter that the disk has no space for says so.
func TestASorterWithoutSpace(t *testing.T) {
	if !alone(t) {
		return
	}
	db := newDB(t)
	s := newSorter(db)
	s.run = 1 << 16
	var err error
	withoutRoom(t, 1<<18, func() {
		for i := uint64(0); i < 1000 && err == nil; i++ {
			err = s.Put(i, make([]byte, 1000))
		}
	})
	if !errors.Is(err, ErrFull) {
		t.Errorf("%v, want ErrFull", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
