package query

import (
	"slices"

	"quire/index"
)

// A run reserves memory before it allocates it: for the growing response, for sets of rows,
// for the keys of rows that are sorted, and for the rows that relations lead to. If a run
// gets no more memory, it ends.

// freeBytes is what a run may reserve without its host.
const freeBytes = 64 << 10

// Memory for some items, in bytes, rounded up.
const (
	rowBytes      = 4
	locatedBytes  = 24
	ownerBytes    = 32
	recordBytes   = 104
	sortableBytes = 32
	keyBytes      = 32  // without the text of the key
	pointBytes    = 128 // a sort value that is remembered, without its text
)

// reserve counts memory that the run is about to allocate, and reports whether it may.
func (x *run) reserve(bytes int) bool {
	if x.reservedBytes += bytes; x.reservedBytes <= x.grantedBytes || x.host == nil {
		return x.err == nil
	}
	if x.err != nil {
		return false
	}
	most := (x.reservedBytes + freeBytes) / freeBytes * freeBytes
	if x.err = x.host.Reserve(most); x.err == nil {
		x.grantedBytes = most
	}
	return x.err == nil
}

// unreserve counts memory that the run has freed.
func (x *run) unreserve(bytes int) { x.reservedBytes -= bytes }

const (
	leastAnswer = 4 << 10 // initial bytes of a response
	margin      = 512     // part of these that may be appended between two calls of grow
)

// grow returns dst with capacity for at least more bytes.
func (x *run) grow(dst []byte, more int) []byte {
	if cap(dst)-len(dst) >= more+margin {
		return dst
	}
	return x.enlarge(dst, more+margin)
}

// enlarge is grow for too little capacity. It reserves the new memory while the run still
// has the former.
func (x *run) enlarge(dst []byte, more int) []byte {
	if x.host == nil {
		return dst
	}
	x.reserve(cap(dst) - x.answerBytes)
	x.answerBytes = cap(dst)
	size := max(len(dst)+more, min(2*cap(dst), x.maxBytes), leastAnswer)
	if !x.reserve(size) {
		return dst
	}
	x.unreserve(x.answerBytes)
	x.answerBytes = size
	return append(make([]byte, 0, size), dst...)
}

// newBits returns an empty set of rows of a table. Its caller passes it to releaseBits.
func (x *run) newBits(tb *index.Table) *index.Bits {
	x.reserve(bitsBytes(tb))
	return index.NewBits(tb.Size())
}

// releaseBits frees a set of rows of a table.
func (x *run) releaseBits(tb *index.Table, rows *index.Bits) {
	x.unreserve(bitsBytes(tb))
	rows.Release()
}

func bitsBytes(tb *index.Table) int { return int(tb.Size())/8 + 256 }

// full reports whether pushing another item needs memory that must be reserved.
func (s stack[T]) full() bool { return len(s) == cap(s) && len(s) >= maxScratch }

// growStack doubles a full stack; bytes is the size of an item. It reports whether
// the memory could be reserved.
func growStack[T any](x *run, s *stack[T], bytes int) bool {
	n := len(*s)
	if !x.reserve(2 * n * bytes) {
		return false
	}
	*s = slices.Grow(*s, n)
	x.unreserve(n * bytes)
	return true
}
