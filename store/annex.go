package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Annex is memory in a file. What is put into it is mapped for reading, and the system
// decides how much of it is in memory at any moment.
//
// It is a file without a name beside the data file, which is gone with the process. It
// is freed once nothing refers to the Annex any more: who reads what is in it must hold
// the Annex, too, since the bytes alone do not keep it.
type Annex struct {
	mu    sync.Mutex
	out   behind
	left  []byte // of the last part
	spare int64  // bytes that it leaves of the disk
	held  *annexFile
}

// annexFile is the file of an Annex and its parts, each mapped by itself.
type annexFile struct {
	file  *os.File
	size  int64
	parts [][]byte
}

// A part is as large as all before it, within these bounds, or as large as what has to
// fit into it. Its size is a multiple of annexUnit, as the places of mappings must be.
const (
	leastAnnexPart = 1 << 20
	mostAnnexPart  = 64 << 20
	annexUnit      = 64 << 10

	annexSpare = 64 << 20 // left of the disk, so that content can still be written
)

// NewAnnex returns an empty annex beside the data file. The error is a *WriteError.
func (tx *Tx) NewAnnex() (*Annex, error) {
	folder, prefix := filepath.Dir(tx.db.path), "."+filepath.Base(tx.db.path)+".annex-"
	removeLeft(folder, prefix)
	f, err := os.CreateTemp(folder, prefix+"*")
	if err != nil {
		return nil, &WriteError{Path: folder, Err: err}
	}
	_ = os.Remove(f.Name()) // some systems can do so only in free, or at the next start
	a := &Annex{out: behind{file: f}, spare: annexSpare, held: &annexFile{file: f}}
	runtime.AddCleanup(a, (*annexFile).free, a.held)
	return a, nil
}

// removeLeft removes what a process could not remove before it ended.
func removeLeft(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// Add returns where b will be, for reading, once Flush has returned. After an error,
// which is a *WriteError, b is not there, and all that came before it is. Several
// goroutines may Add at the same time.
func (a *Annex) Add(b []byte) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(b) > len(a.left) {
		if err := a.extend(int64(len(b))); err != nil {
			return nil, err
		}
	}
	a.out.write(b)
	there := a.left[:len(b):len(b)]
	a.left = a.left[len(b):]
	return there, nil
}

// extend adds a part that has space for n bytes. The disk has that space afterwards.
func (a *Annex) extend(n int64) error {
	h := a.held
	n = max((n+annexUnit-1)/annexUnit*annexUnit, leastAnnexPart, min(h.size, mostAnnexPart))
	err := reserve(h.file, h.size, n, a.spare)
	var part []byte
	if err == nil {
		part, err = mapPart(h.file, h.size, n)
	}
	if err != nil {
		_ = h.file.Truncate(h.size) // some systems have taken the rest of the disk
		return h.failed(err)
	}
	a.out.goOn(h.size)
	h.size += n
	h.parts, a.left = append(h.parts, part), part
	return nil
}

// Flush returns once everything that was added can be read. The error is a *WriteError:
// what was added is lost.
func (a *Annex) Flush() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.out.flush(); err != nil {
		return a.held.failed(err)
	}
	return nil
}

// Forget takes what was read out of the memory of this process. A later read gets it
// from the system's cache. Call it after much was read that is not needed again soon.
// It may do nothing.
func (a *Annex) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, part := range a.held.parts {
		forgetPart(part)
	}
}

func (h *annexFile) failed(err error) error { return &WriteError{Path: h.file.Name(), Err: err} }

// free gives the file and its mappings back.
func (h *annexFile) free() {
	for _, part := range h.parts {
		unmapPart(part)
	}
	_ = h.file.Close()
	_ = os.Remove(h.file.Name())
}

// occupy makes space on the disk for a part of a file by writing it.
func occupy(f *os.File, from, n int64) error {
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= int64(len(zeros)) {
		zeros = zeros[:min(int64(len(zeros)), n)]
		if _, err := f.WriteAt(zeros, from); err != nil {
			return err
		}
		from += int64(len(zeros))
	}
	return nil
}
