package index

import "math/bits"

// A query combines postings with its current set of rows. Each of these operations goes
// through the set at most once and allocates no other one.

// chunk returns the part of b that corresponds to a chunk of a posting, nil after its end.
func (b *Bits) chunk(i int) *[chunkWords]uint64 {
	if i*chunkWords >= len(b.words) {
		return nil
	}
	return (*[chunkWords]uint64)(b.words[i*chunkWords:])
}

// AddTo adds the rows to b.
func (p Posting) AddTo(b *Bits) {
	switch {
	case p.rows == nil:
		if p.one != 0 {
			b.Add(p.one - 1)
		}
	case p.rows.chunks == nil:
		words := b.words
		for _, r := range p.rows.few {
			words[r/64] |= 1 << (r % 64)
		}
	default:
		for i, c := range p.rows.chunks {
			if to := b.chunk(i); c != nil && to != nil {
				for j := range to {
					to[j] |= c.words[j]
				}
			}
		}
	}
}

// United adds postings to a set: lists at once, bitmaps several at a time, so that a word
// of the set is read and written once for all of them. Done adds the last ones.
type United struct {
	to    *Bits
	dense [unitedMost]*rowSet
	n     int
}

// unitedMost is the number of bitmaps that are added at a time.
const unitedMost = 8

// Unite begins to add postings to b.
func (b *Bits) Unite() United { return United{to: b} }

// Add adds a posting, now or later.
func (u *United) Add(p Posting) {
	if p.rows == nil || p.rows.chunks == nil {
		p.AddTo(u.to)
		return
	}
	if u.n == unitedMost {
		u.Done()
	}
	u.dense[u.n] = p.rows
	u.n++
}

// Done adds what has not been added yet.
func (u *United) Done() {
	if u.n == 1 {
		Posting{rows: u.dense[0]}.AddTo(u.to)
		u.n = 0
	}
	if u.n == 0 {
		return
	}
	var chunks [unitedMost]*chunk
	for i := 0; i*chunkWords < len(u.to.words); i++ {
		n := 0
		for _, s := range u.dense[:u.n] {
			if i < len(s.chunks) && s.chunks[i] != nil {
				chunks[n] = s.chunks[i]
				n++
			}
		}
		uniteChunks(u.to.chunk(i), chunks[:n])
	}
	u.n = 0
}

// uniteChunks adds chunks to a part of a set, four words at a time.
func uniteChunks(to *[chunkWords]uint64, chunks []*chunk) {
	for j := 0; j+4 <= chunkWords; j += 4 {
		w := (*[4]uint64)(to[j : j+4])
		w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
		for _, c := range chunks {
			v := (*[4]uint64)(c.words[j : j+4])
			w0, w1, w2, w3 = w0|v[0], w1|v[1], w2|v[2], w3|v[3]
		}
		w[0], w[1], w[2], w[3] = w0, w1, w2, w3
	}
}

// TakeFrom removes the rows from b.
func (p Posting) TakeFrom(b *Bits) {
	if p.rows == nil || p.rows.chunks == nil {
		p.Each(func(r Row) bool {
			b.words[r/64] &^= 1 << (r % 64)
			return true
		})
		return
	}
	for i, c := range p.rows.chunks {
		if from := b.chunk(i); c != nil && from != nil {
			for j := range from {
				from[j] &^= c.words[j]
			}
		}
	}
}

// KeepIn removes all other rows from b.
func (p Posting) KeepIn(b *Bits) {
	if p.rows == nil || p.rows.chunks == nil {
		p.keepFew(b)
		return
	}
	for i := 0; i*chunkWords < len(b.words); i++ {
		in := b.chunk(i)
		if i >= len(p.rows.chunks) || p.rows.chunks[i] == nil {
			clear(in[:])
			continue
		}
		for j, w := range p.rows.chunks[i].words {
			in[j] &= w
		}
	}
}

// keepFew is KeepIn for a list, or a single row.
func (p Posting) keepFew(b *Bits) {
	at, kept := 0, uint64(0) // the current word, and its remaining bits
	p.Each(func(r Row) bool {
		if to := int(r / 64); to != at {
			b.words[at] &= kept
			clear(b.words[at+1 : to])
			at, kept = to, 0
		}
		kept |= 1 << (r % 64)
		return true
	})
	if len(b.words) > 0 {
		b.words[at] &= kept
		clear(b.words[at+1:])
	}
}

// CountIn returns the number of rows that are also in b.
func (p Posting) CountIn(b *Bits) int {
	if p.rows == nil {
		if p.one != 0 && b.Has(p.one-1) {
			return 1
		}
		return 0
	}
	n := 0
	for _, r := range p.rows.few {
		if b.Has(r) {
			n++
		}
	}
	for i, c := range p.rows.chunks {
		if in := b.chunk(i); c != nil && in != nil {
			for j := range in {
				n += bits.OnesCount64(in[j] & c.words[j])
			}
		}
	}
	return n
}

// Intersects reports whether any row is also in b.
func (p Posting) Intersects(b *Bits) bool {
	if p.rows == nil || p.rows.chunks == nil {
		return !p.Each(func(r Row) bool { return !b.Has(r) })
	}
	for i, c := range p.rows.chunks {
		if in := b.chunk(i); c != nil && in != nil {
			for j := range in {
				if in[j]&c.words[j] != 0 {
					return true
				}
			}
		}
	}
	return false
}
