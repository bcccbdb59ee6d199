package index

import "slices"

// The rows of a range of values are a union of postings. If each value has many rows, too
// few for bitmaps and too many to be added one by one, their block has the union of its
// values, as a bitmap that is added at once. It is built when a range with the block is
// first requested, and updated with the block: a write that changes the block changes one
// chunk of the union.
//
// Blocks of such values are about as wide as the least dense bitmap. So all unions of an
// index with one value per row take at most two bytes for each row in its lists.

// leastWide is the minimum number of rows for a union, so that tables of few rows have
// none.
const leastWide = 512

// wideRows returns how many rows fill a block of several values.
func wideRows(universe Row) int { return max(int(universe)/denseRows, leastWide) }

// hasUnion reports whether adding the union of a block is faster than adding its values:
// one by one, a row costs as much as three words of a bitmap.
func (b *block) hasUnion(universe Row) bool {
	if b.rows < wideRows(universe)/2 {
		return false
	}
	return len(b.entries) > 1 || b.entries[0].rows.rows.chunks == nil
}

// EachUnion calls fn for postings that together have the rows of the values in a range,
// until it returns false. universe is the size of the table.
func (v *Values) EachUnion(r Range, universe Row, fn func(rows Posting) bool) {
	v.eachBlock(r, func(b *block) bool {
		if b.hasUnion(universe) && b.within(&r) {
			return fn(b.union(universe))
		}
		return b.each(r, func(_ string, rows Posting) bool { return fn(rows) })
	})
}

// within reports whether all values of a non-empty block are in the range.
func (b *block) within(r *Range) bool {
	return len(b.entries) > 0 && r.Contains(b.entries[0].key) && r.Contains(b.entries[len(b.entries)-1].key)
}

// union returns the rows of a block.
func (b *block) union(universe Row) Posting {
	if all := b.all.Load(); all != nil {
		return *all
	}
	rows := NewBits(universe)
	for _, e := range b.entries {
		e.rows.AddTo(rows)
	}
	all := rows.posting()
	rows.Release()
	b.all.Store(&all)
	return all
}

// note updates the union of a block for a row that has been added to one of its values.
func (b *block) note(r, universe Row, own *edition) {
	if all := b.all.Load(); all != nil {
		more := all.add(r, universe, own)
		b.all.Store(&more)
	}
}

// forget updates the union for a row that one of the values has lost. If a row has several
// values, another one may still have it.
func (b *block) forget(r Row, own *edition) {
	all := b.all.Load()
	if all == nil || slices.ContainsFunc(b.entries, func(e valueEntry) bool { return e.rows.Has(r) }) {
		return
	}
	fewer := all.remove(r, own)
	b.all.Store(&fewer)
}

// posting returns the set as a posting in consecutive chunks.
func (b *Bits) posting() Posting {
	s := &rowSet{chunks: make([]*chunk, len(b.words)/chunkWords), n: b.Count()}
	if s.n == 0 {
		return Posting{}
	}
	all := make([]chunk, len(s.chunks))
	for i := range s.chunks {
		if words := b.chunk(i); *words != [chunkWords]uint64{} {
			all[i].words = *words
			s.chunks[i] = &all[i]
		}
	}
	return Posting{rows: s}
}
