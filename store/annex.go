package store

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Annex is memory in a file. Its content is mapped for reading, and the system decides how
// much of it is in memory at any moment.
//
// It is a file without a name next to the data file, which is removed with the process. It
// is freed when nothing refers to the Annex any more: a reader of its bytes must also hold
// the Annex, because the bytes alone do not keep it.
type Annex struct {
	mu    sync.Mutex
	out   behind
	left  []byte // of the last part
	spare int64  // bytes that must stay free on the disk
	held  *annexFile
}

// annexFile is the file of an Annex with its parts. Each part is mapped separately.
type annexFile struct {
	file  *os.File
	size  int64
	parts [][]byte
}

// A part is as large as all earlier ones, within these limits, or as large as what must fit
// into it. Its size is a multiple of annexUnit, as mappings require.
const (
	leastAnnexPart = 1 << 20
	mostAnnexPart  = 64 << 20
	annexUnit      = 64 << 10

	annexSpare = 64 << 20 // left free on the disk, so that content can still be written
)

// NewAnnex returns an empty annex next to the data file. The error is a *WriteError.
func (tx *Tx) NewAnnex() (*Annex, error) {
	folder, prefix := filepath.Dir(tx.db.path), "."+filepath.Base(tx.db.path)+".annex-"
	// Remove files that a process could not remove, because it died first.
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	f, err := nameless(folder, prefix+"*")
	if err != nil {
		return nil, err
	}
	a := &Annex{out: behind{file: f}, spare: annexSpare, held: &annexFile{file: f}}
	runtime.AddCleanup(a, (*annexFile).free, a.held)
	return a, nil
}

// Add returns the bytes as they can be read after Flush. After an error, which is a
// *WriteError, b is not there, but everything before it is. Several goroutines may Add at
// the same time.
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

// extend adds a part with space for n bytes, which is allocated on the disk.
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

// Flush returns when everything that was added can be read. The error is a *WriteError:
// what was added is lost.
func (a *Annex) Flush() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.out.flush(); err != nil {
		return a.held.failed(err)
	}
	return nil
}

// Forget releases the memory of what was read. A later read gets it from the system's
// cache. Call it after reading much that is not needed again soon. It may do nothing.
func (a *Annex) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, part := range a.held.parts {
		forgetPart(part)
	}
}

func (h *annexFile) failed(err error) error { return &WriteError{Path: h.file.Name(), Err: err} }

// free releases the file and its mappings.
func (h *annexFile) free() {
	for _, part := range h.parts {
		unmapPart(part)
	}
	_ = h.file.Close()
}

// occupy allocates space on the disk for a part of a file by writing it.
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
