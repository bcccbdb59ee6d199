package index

import (
	"math/bits"
	"slices"
)

// edition marks what one Edit has created or copied, so that it copies each shared part
// once and from then on changes it in place. The size gives every edition an address of its
// own.
type edition struct{ _ byte }

// Posting is the set of rows that share a value: a single row, a sorted list of a few, or a
// bitmap in chunks of many. The zero Posting is empty. Postings are immutable except for
// the Edit that owns them.
type Posting struct {
	one  Row // row + 1, if set is nil; 0 if empty
	rows *rowSet
}

const (
	chunkWords = 32
	chunkRows  = chunkWords * 64
)

// A set becomes chunks when it has one row in denseRows, and a list again when it has only
// one in sparseRows.
const (
	denseRows  = 32
	sparseRows = 128
)

type chunk struct {
	words [chunkWords]uint64
	own   *edition
}

// rowSet has few if the rows are sparse in the table, otherwise chunks; never both.
type rowSet struct {
	few    []Row
	chunks []*chunk // nil if no row of the chunk is in the set
	n      int
	own    *edition
}

// Len returns the number of rows.
func (p Posting) Len() int {
	if p.rows != nil {
		return p.rows.n
	}
	return int(min(p.one, 1))
}

// Has reports whether the row is in the posting.
func (p Posting) Has(r Row) bool {
	if p.rows == nil {
		return p.one == r+1
	}
	if p.rows.chunks != nil {
		i := int(r / chunkRows)
		return i < len(p.rows.chunks) && p.rows.chunks[i] != nil && p.rows.chunks[i].words[r%chunkRows/64]&(1<<(r%64)) != 0
	}
	_, found := slices.BinarySearch(p.rows.few, r)
	return found
}

// Fetch reads a little of a list of rows, so that the processor loads it before it is added
// to a set.
func (p Posting) Fetch() Row {
	if p.rows == nil || p.rows.chunks != nil {
		return p.one
	}
	return p.rows.few[0] + p.rows.few[len(p.rows.few)-1]
}

// first returns the lowest row, false if there is none.
func (p Posting) first() (first Row, ok bool) {
	p.Each(func(r Row) bool {
		first, ok = r, true
		return false
	})
	return first, ok
}

// CountBelow returns the number of rows below r; if among is not nil, of those that are
// also in it.
func (p Posting) CountBelow(r Row, among *Bits) int {
	n := 0
	if p.rows == nil || p.rows.chunks == nil {
		p.Each(func(one Row) bool {
			if one < r && (among == nil || among.Has(one)) {
				n++
			}
			return one < r
		})
		return n
	}
	for i, c := range p.rows.chunks {
		switch {
		case i*chunkRows >= int(r):
			return n
		case c != nil:
			words := c.words
			if among != nil {
				among.maskChunk(i, &words)
			}
			n += countBelow(words[:], r-Row(i*chunkRows))
		}
	}
	return n
}

// countBelow returns the number of rows below r in a bitmap.
func countBelow(words []uint64, r Row) int {
	n, whole := 0, min(int(r/64), len(words))
	for _, w := range words[:whole] {
		n += bits.OnesCount64(w)
	}
	if whole < len(words) {
		n += bits.OnesCount64(words[whole] & (1<<(r%64) - 1))
	}
	return n
}

// Each calls fn for every row in ascending order until it returns false, and
// reports whether it reached the end.
func (p Posting) Each(fn func(Row) bool) bool {
	switch {
	case p.rows == nil:
		return p.one == 0 || fn(p.one-1)
	case p.rows.chunks == nil:
		return eachOf(p.rows.few, fn)
	}
	for i, c := range p.rows.chunks {
		if c != nil && !eachRow(c.words[:], Row(i*chunkRows), fn) {
			return false
		}
	}
	return true
}

func eachOf(rows []Row, fn func(Row) bool) bool {
	for _, r := range rows {
		if !fn(r) {
			return false
		}
	}
	return true
}

// add returns the posting with r in it; universe is the number of rows in the table.
func (p Posting) add(r Row, universe Row, own *edition) Posting {
	if p.rows == nil {
		if p.one == 0 || p.one == r+1 {
			return Posting{one: r + 1}
		}
		few := []Row{min(p.one-1, r), max(p.one-1, r)}
		return Posting{rows: &rowSet{few: few, n: 2, own: own}}
	}
	if p.Has(r) {
		return p
	}
	s := p.rows.owned(own)
	if s.chunks == nil && (len(s.few) < 16 || len(s.few) < int(universe)/denseRows) {
		at, _ := slices.BinarySearch(s.few, r)
		s.few = slices.Insert(s.few, at, r)
		s.n++
		return Posting{rows: s}
	}
	s.spread(own)
	s.chunk(r, own).words[r%chunkRows/64] |= 1 << (r % 64)
	s.n++
	return Posting{rows: s}
}

// push adds a row after all others to a posting that own has made.
func (p *Posting) push(r, universe Row, own *edition) {
	s := p.rows
	switch {
	case s == nil:
		*p = p.add(r, universe, own)
		return
	case s.chunks != nil:
		s.chunk(r, own).words[r%chunkRows/64] |= 1 << (r % 64)
	case len(s.few) < 16 || len(s.few) < int(universe)/denseRows:
		s.few = append(s.few, r)
	default:
		s.spread(own)
		s.chunk(r, own).words[r%chunkRows/64] |= 1 << (r % 64)
	}
	s.n++
}

// remove returns the posting without r.
func (p Posting) remove(r Row, own *edition) Posting {
	if !p.Has(r) {
		return p
	}
	if p.rows == nil {
		return Posting{}
	}
	s := p.rows.owned(own)
	s.n--
	if s.chunks != nil {
		c := s.chunk(r, own)
		if c.words[r%chunkRows/64] &^= 1 << (r % 64); c.words == [chunkWords]uint64{} {
			s.chunks[r/chunkRows] = nil
		}
		if s.n >= len(s.chunks)*chunkRows/sparseRows {
			return Posting{rows: s}
		}
		s.gather()
	} else {
		at, _ := slices.BinarySearch(s.few, r)
		s.few = slices.Delete(s.few, at, at+1)
	}
	switch s.n {
	case 0:
		return Posting{}
	case 1:
		return Posting{one: s.few[0] + 1}
	}
	return Posting{rows: s}
}

// owned returns s if own created it, otherwise a copy that own may change.
func (s *rowSet) owned(own *edition) *rowSet {
	if s.own == own {
		return s
	}
	return &rowSet{few: slices.Clone(s.few), chunks: slices.Clone(s.chunks), n: s.n, own: own}
}

// spread converts the list to chunks.
func (s *rowSet) spread(own *edition) {
	if s.chunks != nil {
		return
	}
	s.chunks = []*chunk{}
	for _, r := range s.few {
		s.chunk(r, own).words[r%chunkRows/64] |= 1 << (r % 64)
	}
	s.few = nil
}

// gather converts chunks to the list.
func (s *rowSet) gather() {
	s.few = make([]Row, 0, s.n)
	Posting{rows: s}.Each(func(r Row) bool {
		s.few = append(s.few, r)
		return true
	})
	s.chunks = nil
}

// chunk returns the chunk of row r, created or copied if own does not have it yet.
func (s *rowSet) chunk(r Row, own *edition) *chunk {
	i := int(r / chunkRows)
	for len(s.chunks) <= i {
		s.chunks = append(s.chunks, nil)
	}
	switch c := s.chunks[i]; {
	case c == nil:
		s.chunks[i] = &chunk{own: own}
	case c.own != own:
		s.chunks[i] = &chunk{c.words, own}
	}
	return s.chunks[i]
}

// postingOf returns a posting of rows in ascending order, which it keeps.
func postingOf(rows []Row, universe Row) Posting {
	switch {
	case len(rows) == 0:
		return Posting{}
	case len(rows) == 1:
		return Posting{one: rows[0] + 1}
	}
	s := &rowSet{few: rows, n: len(rows)}
	if len(rows) > 16 && len(rows) > int(universe)/denseRows {
		s.spread(nil)
	} else {
		s.few = slices.Clone(rows)
	}
	return Posting{rows: s}
}
