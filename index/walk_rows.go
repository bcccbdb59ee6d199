package index

import "math/bits"

// rowWalk visits rows in ascending or descending order: those in among, or all if that is
// nil, without the first skip. It skips whole words of a bitmap if possible, without
// visiting each row.
type rowWalk struct {
	descending bool
	among      *Bits
	skip       int
	fn         func(Row) bool // false ends the walk
}

// The methods report whether the walk continues.

func (w *rowWalk) posting(p Posting) bool {
	switch {
	case p.rows == nil:
		return p.one == 0 || w.row(p.one-1)
	case p.rows.chunks == nil:
		return w.list(p.rows.few)
	}
	return w.chunks(p.rows.chunks)
}

func (w *rowWalk) row(r Row) bool {
	switch {
	case w.among != nil && !w.among.Has(r):
		return true
	case w.skip > 0:
		w.skip--
		return true
	}
	return w.fn(r)
}

func (w *rowWalk) list(rows []Row) bool {
	if w.among == nil {
		n := min(w.skip, len(rows))
		w.skip -= n
		if w.descending {
			rows = rows[:len(rows)-n]
		} else {
			rows = rows[n:]
		}
	}
	for i := range rows {
		if !w.row(rows[w.at(i, len(rows))]) {
			return false
		}
	}
	return true
}

// at returns the i-th of n positions in the order of the walk.
func (w *rowWalk) at(i, n int) int {
	if w.descending {
		return n - 1 - i
	}
	return i
}

func (w *rowWalk) chunks(chunks []*chunk) bool {
	for i := range chunks {
		at := w.at(i, len(chunks))
		c := chunks[at]
		if c == nil {
			continue
		}
		words := c.words
		if w.among != nil {
			w.among.maskChunk(at, &words)
		}
		if !w.words(words[:], Row(at*chunkRows)) {
			return false
		}
	}
	return true
}

// maskChunk removes the rows that are not in b from the words of a chunk.
func (b *Bits) maskChunk(at int, words *[chunkWords]uint64) {
	var in []uint64
	if first := at * chunkWords; first < len(b.words) {
		in = b.words[first:]
	}
	for i := range words {
		if i < len(in) {
			words[i] &= in[i]
		} else {
			words[i] = 0
		}
	}
}

// words walks a bitmap that begins with row first.
func (w *rowWalk) words(words []uint64, first Row) bool {
	for i := range words {
		at := w.at(i, len(words))
		word := words[at]
		if n := bits.OnesCount64(word); w.skip >= n {
			w.skip -= n
			continue
		}
		if !w.word(word, first+Row(at*64)) {
			return false
		}
	}
	return true
}

func (w *rowWalk) word(word uint64, first Row) bool {
	for word != 0 {
		bit := bits.TrailingZeros64(word)
		if w.descending {
			bit = 63 - bits.LeadingZeros64(word)
		}
		word &^= 1 << bit
		if w.skip > 0 {
			w.skip--
		} else if !w.fn(first + Row(bit)) {
			return false
		}
	}
	return true
}

// Walk calls fn for the rows in ascending or descending order, without the first skip,
// until fn returns false. If among is not nil, it visits the rows that are in both. It
// reports whether it reached the end.
func (p Posting) Walk(descending bool, among *Bits, skip int, fn func(Row) bool) bool {
	w := rowWalk{descending, among, skip, fn}
	return w.posting(p)
}

// Walk calls fn for the rows in ascending or descending order, without the first skip,
// until fn returns false.
func (b *Bits) Walk(descending bool, skip int, fn func(Row) bool) {
	w := rowWalk{descending, nil, skip, fn}
	w.words(b.words, 0)
}
