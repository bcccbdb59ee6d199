package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// likeWindows makes Replace close files first, as Windows requires.
func likeWindows(t *testing.T) {
	was := closesFirst
	closesFirst = true
	t.Cleanup(func() { closesFirst = was })
}

// hasOpen reports whether this process has the file open.
func hasOpen(t *testing.T, path string) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists the open files of a process")
	}
	all, err := os.ReadDir("/proc/self/fd")
	noError(t, err)
	for _, one := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + one.Name()); to == path {
			return true
		}
	}
	return false
}

func TestWhatIsInTheWayIsClosed(t *testing.T) {
	likeWindows(t)
	db := newDB(t)
	path := db.Path()
	again, err := inTheWay.close(path)
	if err != nil || hasOpen(t, path) {
		t.Errorf("the file is open: %v", err)
	}
	if err := again(); err != nil || !hasOpen(t, path) {
		t.Errorf("the file is not open again: %v", err)
	}
	noError(t, db.Close())
	release, err := LockFile(path)
	noError(t, err)
	again, err = inTheWay.close(path)
	if err = errors.Join(err, again()); err != nil || hasOpen(t, path) {
		t.Errorf("the file is still held: %v", err)
	}
	release()
	if len(inTheWay.all[path]) != 0 {
		t.Error("those that closed the file for good are still known")
	}
}

// Whoever reads while the file is replaced waits, and sees the one content or the other.
func TestReadsWhileOpenFilesAreReplaced(t *testing.T) {
	likeWindows(t)
	db := loose(t, filepath.Join(t.TempDir(), "quire.db"))
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				n := 0
				err := db.View(func(tx *Tx) error { return tx.Scan(dogs, func(*Entry) error { n++; return nil }) })
				if err != nil || n != 250 && n != 251 {
					t.Errorf("%d entries, %v", n, err)
					return
				}
			}
		})
	}
	if _, err := db.Compact(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Rework(func(work *DB) error {
		return work.Update(func(tx *Tx) error {
			return tx.Apply(Change{Type: dogs, After: text(9999, "zz", "", Draft, "new")})
		})
	}); err != nil {
		t.Error(err)
	}
	stop()
	readers.Wait()
	update(t, db, func(tx *Tx) error { return tx.PutRecord("tokens", "later", nil) })
}

// A replacement that fails leaves the file open as it was.
func TestAnOpenFileThatIsNotReplaced(t *testing.T) {
	likeWindows(t)
	db := newDB(t)
	err := db.Exchange(func(path string) error { return Replace(path+".none", path) })
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	update(t, db, func(tx *Tx) error { return tx.PutRecord("tokens", "later", nil) })
}
