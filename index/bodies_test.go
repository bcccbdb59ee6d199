package index

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"quire/schema"
	"quire/store"
)

// withMemory is the site with another limits.memory.
func withMemory(site *schema.Site, limit int64) *schema.Site {
	other := *site
	other.Settings.Limits.Memory = limit
	return &other
}

// sizeOfBodies is the bytes of all bodies; those that a draft shares with its published
// version count once.
func sizeOfBodies(s *Snapshot) (size int) {
	seen := map[*byte]bool{}
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			tb.live.Each(func(r Row) bool {
				if b := tb.Entry(r).Body; len(b) > 0 && !seen[&b[0]] {
					seen[&b[0]] = true
					size += len(b)
				}
				return true
			})
		}
	}
	return size
}

// Bodies are in memory up to the limit, and those that come after it in a file. What can
// be read is the same.
func TestBodiesBeyondTheLimit(t *testing.T) {
	w := newWriter(t)
	for range 10 {
		w.batch(30)
	}
	site := w.index.Snapshot().Site()
	size := sizeOfBodies(w.build(site).Snapshot())
	for _, limit := range []int{0, 1, size / 3, 2 * size} {
		x := w.build(withMemory(site, int64(limit)))
		s := x.Snapshot()
		if d := diff(w.index.Snapshot(), s); d != "" {
			t.Errorf("with a limit of %d bytes: %s", limit, d)
		}
		if inFile := s.annex != nil; inFile != (limit < size) || x.Shortage() != nil {
			t.Errorf("with a limit of %d of %d bytes, bodies are in a file: %t, %v", limit, size, inFile, x.Shortage())
		}
	}
}

// Content that is in a file changes as other content does.
func TestEditsOfBodiesInAFile(t *testing.T) {
	w := newWriter(t)
	w.batch(50)
	w.index = w.build(withMemory(w.index.Snapshot().Site(), 0))
	for range 30 {
		w.batch(10)
		if d := diff(w.index.Snapshot(), w.build(w.index.Snapshot().Site()).Snapshot()); d != "" {
			t.Fatal(d)
		}
	}
}

// Where the file cannot be made, the content is in memory, and it is said why.
func TestBodiesWithoutAFile(t *testing.T) {
	w := newWriter(t)
	w.batch(50)
	before := w.index.Snapshot()
	check(t, os.RemoveAll(filepath.Dir(w.db.Path())))
	x := w.build(withMemory(before.Site(), 100))
	if !errors.As(x.Shortage(), new(*store.WriteError)) {
		t.Errorf("%v, want a WriteError", x.Shortage())
	}
	if d := diff(before, x.Snapshot()); d != "" {
		t.Error(d)
	}
}
