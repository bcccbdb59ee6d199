package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// Replace replaces the file at path with the one at work in the same folder, which must be
// on the disk. Whatever happens, path names one of the two.
//
// A DB or a LockFile of this process may have the file open. On Windows, a DB closes it for
// that moment and views wait, and the lock ends.
func Replace(work, path string) error {
	resume, err := inTheWay.close(path)
	if err == nil {
		err = os.Rename(work, path)
	}
	if err = errors.Join(err, resume()); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// closesFirst reports whether the system cannot replace a file that is open.
var closesFirst = runtime.GOOS == "windows"

// inTheWay has what this process has open and may replace.
var inTheWay openFiles

// openFiles are those that have files open, by absolute path.
type openFiles struct {
	mu  sync.Mutex
	all map[string][]*fileHandle
}

// fileHandle has a file open. close closes it until resume is called.
type fileHandle struct {
	close func() (resume, error)
}

// resume opens a file again that is to be used further.
type resume func() error

// add adds an open handle of the file at path until leave is called.
func (h *openFiles) add(path string, close func() (resume, error)) (leave func()) {
	path, one := absolute(path), &fileHandle{close}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string][]*fileHandle{}
	}
	h.all[path] = append(h.all[path], one)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.all[path] = slices.DeleteFunc(h.all[path], func(other *fileHandle) bool { return other == one })
		if len(h.all[path]) == 0 {
			delete(h.all, path)
		}
	}
}

// close makes all handles of a file close it, where that is necessary. The caller calls
// resume, also after an error.
func (h *openFiles) close(path string) (resume, error) {
	var closed []resume
	var errs []error
	for _, one := range h.of(path) {
		again, err := one.close()
		closed, errs = append(closed, again), append(errs, err)
	}
	return func() error {
		var errs []error
		for _, again := range slices.Backward(closed) {
			errs = append(errs, again())
		}
		return errors.Join(errs...)
	}, errors.Join(errs...)
}

// of returns the handles of a file that have to close it.
func (h *openFiles) of(path string) []*fileHandle {
	if !closesFirst {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all[absolute(path)])
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// giveWay closes the file, and resume opens it again. Transactions wait meanwhile.
func (db *DB) giveWay() (resume, error) {
	db.mu.Lock()
	err := db.release()
	return func() error {
		defer db.mu.Unlock()
		if db.closed || db.bolt != nil {
			return nil
		}
		bolt, err := openBolt(db.path, db.options) // either file has been inspected
		if err != nil {
			db.suspended.set(err)
			return err
		}
		db.bolt = bolt
		return nil
	}, err
}

// addShared adds a handle that ends when the file is replaced. The function that it returns
// ends it earlier.
func (h *openFiles) addShared(path string, unlock func()) (release func()) {
	unlock = sync.OnceFunc(unlock)
	leave := h.add(path, func() (resume, error) {
		unlock()
		return func() error { return nil }, nil
	})
	return func() {
		leave()
		unlock()
	}
}
