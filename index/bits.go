package index

import (
	"math/bits"
	"sync"
)

// Row is the number of an entry within its table.
type Row = uint32

// Bits is a set of rows as a flat bitmap, the form in which queries combine
// sets. It belongs to one query and goes back to the pool with Release.
type Bits struct{ words []uint64 }

var bitsPool = sync.Pool{New: func() any { return new(Bits) }}

// NewBits returns an empty set with space for rows below n, in whole chunks.
func NewBits(n Row) *Bits {
	b := bitsPool.Get().(*Bits)
	size := (int(n) + chunkRows - 1) / chunkRows * chunkWords
	if cap(b.words) < size {
		b.words = make([]uint64, size, size+size/8)
		return b
	}
	b.words = b.words[:size]
	clear(b.words)
	return b
}

// Release returns the memory of b to the pool; b must not be used afterwards.
func (b *Bits) Release() { bitsPool.Put(b) }

// Add adds one row to the set.
func (b *Bits) Add(r Row) { b.words[r/64] |= 1 << (r % 64) }

// Remove removes one row from the set.
func (b *Bits) Remove(r Row) { b.words[r/64] &^= 1 << (r % 64) }

// Has reports whether a row is in the set.
func (b *Bits) Has(r Row) bool {
	i := int(r / 64)
	return i < len(b.words) && b.words[i]&(1<<(r%64)) != 0
}

// Count returns the number of rows in the set.
func (b *Bits) Count() int {
	n := 0
	for _, w := range b.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// CountBelow returns the number of rows below r.
func (b *Bits) CountBelow(r Row) int { return countBelow(b.words, r) }

// More reports whether there are more than n rows in the set. It stops counting there.
func (b *Bits) More(n int) bool {
	for _, w := range b.words {
		if n -= bits.OnesCount64(w); n < 0 {
			return true
		}
	}
	return false
}

// And keeps the rows that are in c too.
func (b *Bits) And(c *Bits) {
	own := b.words
	for i, w := range c.words[:len(own)] {
		own[i] &= w
	}
}

// Or adds the rows of c.
func (b *Bits) Or(c *Bits) {
	own := b.words[:len(c.words)]
	for i, w := range c.words {
		own[i] |= w
	}
}

// AndNot removes the rows of c.
func (b *Bits) AndNot(c *Bits) {
	own := b.words[:len(c.words)]
	for i, w := range c.words {
		own[i] &^= w
	}
}

// Replace sets b to the rows of c, which must have the same size.
func (b *Bits) Replace(c *Bits) { copy(b.words, c.words) }

// Filter removes the rows for which keep returns false.
func (b *Bits) Filter(keep func(Row) bool) {
	for i, w := range b.words {
		for ; w != 0; w &= w - 1 {
			if r := Row(i*64 + bits.TrailingZeros64(w)); !keep(r) {
				b.words[i] &^= 1 << (r % 64)
			}
		}
	}
}

// Each calls fn for every row in ascending order until it returns false.
func (b *Bits) Each(fn func(Row) bool) { eachRow(b.words, 0, fn) }

// Batch is how many rows EachBatch passes at a time: more than the memory loads in parallel,
// and few enough for the innermost cache.
const Batch = 16

// EachBatch is Each with up to Batch rows at a time. fn may remove these from b. If each row
// leads to memory that is not in a cache, reading the same step of all rows before the next
// step of any lets the processor load them in parallel.
func (b *Bits) EachBatch(fn func([]Row) bool) {
	var batch [Batch]Row
	n, on := 0, true
	b.Each(func(r Row) bool {
		batch[n] = r
		if n++; n == Batch {
			n, on = 0, fn(batch[:])
		}
		return on
	})
	if on && n > 0 {
		fn(batch[:n])
	}
}

// eachRow calls fn for the rows of a bitmap that begins with row first until it
// returns false, and reports whether it reached the end.
func eachRow(words []uint64, first Row, fn func(Row) bool) bool {
	for _, w := range words {
		for ; w != 0; w &= w - 1 {
			if !fn(first + Row(bits.TrailingZeros64(w))) {
				return false
			}
		}
		first += 64
	}
	return true
}
