package store

import (
	"bytes"
	"unsafe"
)

// firstItems is how many items of a list are allocated before any was read, so that a false
// length alone does not take memory.
const firstItems = 64

// loan is the memory of decoded entries that nobody keeps. It is reused after all of them
// have been used.
type loan struct {
	bytes     slab[byte] // keys and fields in stored form; texts refer to them
	entries   slab[Entry]
	fields    slab[Field]
	instances slab[Instance]
	edges     slab[Edge]
}

// reset releases all memory for reuse.
func (l *loan) reset() {
	l.bytes.used = l.bytes.used[:0]
	l.entries.used = l.entries.used[:0]
	l.fields.used = l.fields.used[:0]
	l.instances.used = l.instances.used[:0]
	l.edges.used = l.edges.used[:0]
}

// slab allocates memory in pieces. If it is full, it continues in a larger one; pieces stay
// where they are.
type slab[T any] struct{ used []T }

// leastSlab is the initial number of items of a slab.
const leastSlab = 64

// take returns a piece of length 0 with space for n items.
func (s *slab[T]) take(n int) []T {
	from := len(s.used)
	if n > cap(s.used)-from {
		from = 0
		s.used = make([]T, 0, max(2*cap(s.used), n, leastSlab))
	}
	s.used = s.used[:from+n]
	return s.used[from : from : from+n]
}

func (d *decoder) newEntry() *Entry {
	if d.loan == nil {
		return new(Entry)
	}
	return &d.loan.entries.take(1)[:1][0]
}

func (d *decoder) roomForFields(n int) []Field {
	if d.loan == nil || n > firstItems {
		return make([]Field, 0, min(n, firstItems))
	}
	return d.loan.fields.take(n)
}

func (d *decoder) roomForInstances(n int) []Instance {
	if d.loan == nil || n > firstItems {
		return make([]Instance, 0, min(n, firstItems))
	}
	return d.loan.instances.take(n)
}

func (d *decoder) roomForEdges(n int) []Edge {
	if d.loan == nil || n > firstItems {
		return make([]Edge, 0, min(n, firstItems))
	}
	return d.loan.edges.take(n)
}

// held returns bytes of the file that are valid as long as what is decoded from them:
// unchanged if texts are copied, otherwise in the loan.
func (d *decoder) held(stored []byte) []byte {
	if d.loan == nil {
		return stored
	}
	return append(d.loan.bytes.take(len(stored)), stored...)
}

// string returns held bytes as a text.
func (d *decoder) string(b []byte) string {
	if d.loan == nil {
		return string(b)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// sameDocument reports whether two keys of one bucket name versions of one document.
func sameDocument(a, b []byte) bool {
	return len(a) > 0 && len(a) == len(b) && bytes.Equal(a[:len(a)-1], b[:len(b)-1])
}
