package index

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// longTexts is a snapshot with restaurants whose names and descriptions are long, and the
// table of them.
func longTexts(t *testing.T, limit int64) (*Snapshot, *Table) {
	t.Helper()
	w := newWriter(t)
	w.batch(50)
	s := w.index.Snapshot()
	s.memory = NewMemory(limit)
	return s, s.Table(s.Site().Type("api::restaurant.restaurant"), store.Published)
}

// A read for whose index there is no memory is refused with the attribute, at once when it
// is repeated, and leaves no memory taken; a write gets the index.
func TestIndexesWithoutMemory(t *testing.T) {
	s, tb := longTexts(t, reservedStep-1)
	for _, a := range tb.Type.Slots {
		path := NewPath(a)
		var err error
		switch {
		case a.Relation != nil && a.Relation.Owns:
			_, err = s.ReadLinks(patient{}, tb, path)
		case a.IsText():
			if _, err = s.ReadWords(patient{}, tb, path); err != nil || a.Name == "name" {
				checkRefused(t, err, tb.Type, path.String())
			}
			_, err = s.ReadValues(patient{}, tb, path)
		case a.IsScalar():
			_, err = s.ReadValues(patient{}, tb, path)
		default:
			continue
		}
		if err != nil || a.Relation == nil {
			checkRefused(t, err, tb.Type, path.String())
		}
	}
	if n := s.memory.Taken(); n != 0 {
		t.Errorf("%d bytes are taken", n)
	}
	path := NewPath(tb.Type.Attribute("name"))
	if v := s.Values(tb, path); v.Len() == 0 {
		t.Error("a write got an empty index")
	}
	if v, err := s.ReadValues(patient{}, tb, path); err != nil || v.Len() == 0 {
		t.Errorf("a read of an index that is there got %v", err)
	}
}

func checkRefused(t *testing.T, err error, of *schema.Type, path string) {
	t.Helper()
	refused := (*MemoryError)(nil)
	if !errors.As(err, &refused) || refused.Type != of || refused.Path != path || !strings.Contains(err.Error(), path) {
		t.Errorf("the index of %s: %v", path, err)
	}
}

// What is counted is what the indexes take, over random writes.
func TestMemoryOfIndexesIsCounted(t *testing.T) {
	w := newWriter(t)
	for range 20 {
		w.batch(20)
		s := w.index.Snapshot()
		askAll(s)
		var size int64
		for _, c := range s.collections {
			for _, tb := range c.tables() {
				for _, one := range *tb.indexes.Load() {
					if n := one.size(); n != 0 && n != one.bytes.Load() {
						t.Fatalf("%v takes %d bytes and counts as %d", one.key, n, one.bytes.Load())
					}
					size += one.bytes.Load()
				}
			}
		}
		if n := s.memory.Taken(); n != size || n == 0 {
			t.Fatalf("the indexes take %d bytes and count as %d", size, n)
		}
	}
}

// An index that the site uses stays, whatever a stranger asks for once; one that is not used
// makes way.
func TestUsedIndexesStay(t *testing.T) {
	m := NewMemory(10)
	tb := &Table{registry: newRegistry()}
	add := func(name string, uses uint64) *usage {
		u := &usage{key: indexKey{kind: valuesKind, path: name}}
		u.uses.Store(uses)
		u.bytes.Store(4)
		m.taken += 4
		m.indexes[u] = tb.registry
		return u
	}
	used, once := add("used", 100), add("once", 1)
	if !m.reserve(6) || !once.dropped.Load() || used.dropped.Load() {
		t.Errorf("dropped: the index used once: %v, the used one: %v", once.dropped.Load(), used.dropped.Load())
	}
	if m.reserve(1) || used.dropped.Load() {
		t.Error("an index in use made way for another one")
	}
	for range 10 {
		m.reserve(1) // nobody has used it meanwhile
	}
	if !used.dropped.Load() || m.Taken() > 10 {
		t.Errorf("an index out of use stays, and %d bytes are taken", m.Taken())
	}
}

// A reader that gives up does not wait for the build of another one.
func TestReadersGiveUp(t *testing.T) {
	s, tb := longTexts(t, 1<<30)
	path := NewPath(tb.Type.Attribute("name"))
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		s.index(patient{}, tb, indexKey{kind: valuesKind, path: path.key}, func(b *indexBuild) pathIndex {
			close(begun)
			<-end
			return s.buildValues(tb, path, b)
		})
	}()
	<-begun
	if _, err := s.ReadValues(hasty{}, tb, path); !errors.Is(err, errHasty) {
		t.Errorf("the reader got %v", err)
	}
	close(end)
	<-done
}

var errHasty = fmt.Errorf("no time")

type hasty struct{}

func (hasty) Pause() error { return errHasty }
