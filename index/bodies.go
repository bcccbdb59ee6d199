package index

import (
	"bytes"
	"sync"

	"quire/store"
)

// bodies stores the bodies of a builder: in memory up to the limit, and further ones in an
// annex. Bodies of later edits are in memory. The bytes of a body do not keep the annex:
// each Snapshot does, and so does the Index that has it.
type bodies struct {
	open  func() (*store.Annex, error)
	limit int64

	mu       sync.Mutex
	size     int64 // of those in memory
	annex    *store.Annex
	shortage error // why further ones are in memory all the same
}

// keep returns a copy of a lent body that takes no more memory than it needs. It can be
// read after done. Several goroutines may call it.
func (b *bodies) keep(lent []byte) Body {
	if b == nil || len(lent) == 0 || b.fits(int64(len(lent))) {
		return bytes.Clone(lent)
	}
	annex, err := b.further()
	if err == nil {
		var body Body
		if body, err = annex.Add(lent); err == nil {
			return body
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shortage = err
	return bytes.Clone(lent)
}

// fits reports whether a body should be in memory.
func (b *bodies) fits(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shortage == nil && b.size+n > b.limit {
		return false
	}
	b.size += n
	return true
}

// further returns the annex, which is created for the first body.
func (b *bodies) further() (*store.Annex, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var err error
	if b.annex == nil {
		b.annex, err = b.open()
	}
	return b.annex, err
}

// done returns the annex, nil where all bodies are in memory, and why some are that should
// not be. The error is a *store.WriteError: the bodies in the annex are lost.
func (b *bodies) done() (annex *store.Annex, shortage, err error) {
	if b == nil {
		return nil, nil, nil
	}
	if b.annex != nil {
		err = b.annex.Flush()
	}
	return b.annex, b.shortage, err
}

// forget releases the memory of bodies in a file, after all of a table have been read.
// Later reads get them from the system's cache.
func (s *Snapshot) forget() {
	if s.annex != nil {
		s.annex.Forget()
	}
}
