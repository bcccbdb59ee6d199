package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	defer db.Close()
	put := func(db *DB, documentID string) {
		t.Helper()
		noError(t, db.Update(func(tx *Tx) error {
			return tx.Apply(Change{Type: "api::a.a", After: &Entry{DocumentID: documentID, Status: Published}})
		}))
	}
	has := func(documentID string) (found bool) {
		t.Helper()
		noError(t, db.View(func(tx *Tx) error {
			e, err := tx.Entry("api::a.a", Key{DocumentID: documentID, Status: Published})
			found = e != nil
			return err
		}))
		return found
	}
	put(db, "old")
	failure := errors.New("no")
	if err := db.Exchange(func(string) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	noError(t, db.Exchange(func(at string) error {
		other, err := Open(at+".new", Options{})
		if err != nil {
			return err
		}
		put(other, "new")
		if !has("old") {
			t.Error("reads should go on meanwhile")
		}
		return errors.Join(other.Close(), os.Rename(at+".new", at))
	}))
	if has("old") || !has("new") {
		t.Error("the other file should be in place")
	}
	put(db, "later")
	if !has("later") {
		t.Error("writes should go on")
	}
}

// Where the exchange panics, nothing is written to a file that may have lost its
// name, until what has the name is opened.
func TestExchangeThatPanics(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "quire.db"), Options{})
	noError(t, err)
	defer db.Close()
	func() {
		defer func() { recover() }()
		_ = db.Exchange(func(string) error { panic("no") })
		t.Error("the panic is lost")
	}()
	write := func() error {
		return db.Update(func(tx *Tx) error { return tx.PutRecord("a", "b", nil) })
	}
	if err := write(); !db.Suspended() || !errors.As(err, new(*SuspendedError)) {
		t.Errorf("a write says %v", err)
	}
	if err := errors.Join(db.Reopen(), write()); err != nil {
		t.Errorf("a write after reopening: %v", err)
	}
}

// A copy is changed and takes the place of the data, or nothing is.
func TestRework(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	old, changed := text(1, "rex", "", Published, "Rex"), text(2, "ada", "", Published, "Ada")
	put(t, db, dogs, old)
	writeFile(t, path+".import", []byte("half")) // by a process that died
	for _, failure := range []error{errTest, nil} {
		err := db.Rework(func(work *DB) error {
			put(t, work, dogs, changed)
			requireContent(t, db, map[string][]*Entry{dogs: {old}})
			return failure
		})
		if !errors.Is(err, failure) {
			t.Fatalf("the error is %v, want %v", err, failure)
		}
		want := []*Entry{changed, old}
		if failure != nil {
			want = []*Entry{old}
		}
		requireContent(t, db, map[string][]*Entry{dogs: want})
		requireAlone(t, path)
	}
}

func TestACopyIsADataFile(t *testing.T) {
	db, path := newDB(t), filepath.Join(t.TempDir(), "copy.db")
	rex := text(1, "rex", "", Published, "Rex")
	put(t, db, dogs, rex)
	noError(t, db.CopyTo(path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	requireContent(t, open(t, path, Options{Existing: true}), map[string][]*Entry{dogs: {rex}})
	if err := db.CopyTo(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a copy over a file: %v", err)
	}
}

// Who holds a data file keeps others from it. What nobody can open needs no lock.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	if _, err := Open(path, Options{Existing: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that has to exist: %v", err)
	}
	for _, content := range []string{"", "no data file"} {
		if content != "" {
			writeFile(t, path, []byte(content))
		}
		release, err := LockFile(path)
		if err != nil {
			t.Fatalf("%q cannot be held: %v", content, err)
		}
		release()
	}
	noError(t, os.Remove(path))
	db, err := Open(path, Options{})
	noError(t, err)
	if _, err := LockFile(path); !errors.Is(err, ErrInUse) {
		t.Errorf("a file that is open: %v", err)
	}
	noError(t, db.Close())
	release, err := LockFile(path)
	noError(t, err)
	if _, err := Open(path, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("a file that is held: %v", err)
	}
	release()
	open(t, path, Options{})
}

func TestStorageErrors(t *testing.T) {
	for _, c := range []struct {
		cause            error
		full, unwritable bool
	}{
		{syscall.ENOSPC, true, false},
		{syscall.EDQUOT, true, false},
		{syscall.EFBIG, true, false},
		{syscall.EIO, false, true},
		{syscall.EROFS, false, true},
		{syscall.EACCES, false, false},
	} {
		err := error(&StorageError{&fs.PathError{Op: "write", Path: "a", Err: c.cause}})
		if errors.Is(err, ErrFull) != c.full || errors.Is(err, ErrUnwritable) != c.unwritable || !errors.Is(err, c.cause) {
			t.Errorf("%v: full %t, unwritable %t", err, errors.Is(err, ErrFull), errors.Is(err, ErrUnwritable))
		}
	}
}
