package index

import (
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/google/btree"
)

// Values is the index of one path of a table: its distinct values in order, in blocks, each
// value with its posting. Blocks have their number of rows, so a page far down the order is
// found without visiting the values before it. If few values share many rows, a block also
// has the union of its rows (unions.go).
type Values struct {
	path   Path
	blocks *btree.BTreeG[*block]
	nulls  Posting
	tied   bool  // see Tied
	bytes  int64 // estimate of the memory
}

// Tied reports whether the order of some values is not that of their keys, see Tied of two
// keys.
func (v *Values) Tied() bool { return v.tied }

func (v *Values) size() int64 { return v.bytes }

// Memory of a value besides its key, and of a row that has it, in bytes.
const (
	valueBytes    = 40
	valueRowBytes = 4
)

// blockSize is the number of values at which a block splits. A block of several values also
// splits when it has twice as many rows as wideRows.
const blockSize = 256

type block struct {
	from    string // every key of the block is >= from; the first block's is empty
	entries []valueEntry
	rows    int // sum of the lengths of the postings
	own     *edition
	all     atomic.Pointer[Posting] // all its rows, nil until they are requested
}

type valueEntry struct {
	key  string
	rows Posting
}

func blockLess(a, b *block) bool { return a.from < b.from }

// keyRowBytes is the memory of a pair while pairs are collected, besides its key.
const keyRowBytes = 2 * 24

// newValues builds the index from pairs of key and row, which it sorts.
func newValues(path Path, pairs []keyRow, nulls []Row, universe Row) *Values {
	slices.SortFunc(pairs, compareKeyRows)
	made := newValuesMaker(path, postingOf(nulls, universe), universe, nil)
	var rows []Row
	for i := 0; i < len(pairs); {
		key := pairs[i].key
		rows = rows[:0]
		for ; i < len(pairs) && pairs[i].key == key; i++ {
			if n := len(rows); n == 0 || rows[n-1] != pairs[i].row {
				rows = append(rows, pairs[i].row)
			}
		}
		made.add(key, postingOf(rows, universe))
	}
	return made.done()
}

// valuesMaker builds an index from sorted values.
type valuesMaker struct {
	v        *Values
	last     *block
	before   string // the last key
	universe Row
	own      *edition
}

func newValuesMaker(path Path, nulls Posting, universe Row, own *edition) *valuesMaker {
	return &valuesMaker{&Values{path: path, blocks: btree.NewG(32, blockLess), nulls: nulls}, &block{own: own}, "", universe, own}
}

func (m *valuesMaker) add(key string, rows Posting) {
	if len(m.last.entries) == blockSize*3/4 || m.last.rows >= wideRows(m.universe) {
		m.v.blocks.ReplaceOrInsert(m.last)
		m.last = &block{from: key, own: m.own}
	}
	m.last.entries = append(m.last.entries, valueEntry{key, rows})
	m.last.rows += rows.Len()
	m.v.bytes += int64(valueBytes + len(key) + valueRowBytes*rows.Len())
	m.v.tied = m.v.tied || Tied(m.before, key)
	m.before = key
}

func (m *valuesMaker) done() *Values {
	m.v.blocks.ReplaceOrInsert(m.last)
	return m.v
}

type keyRow struct {
	key string
	row Row
}

func compareKeyRows(a, b keyRow) int {
	switch {
	case a.key < b.key:
		return -1
	case a.key > b.key:
		return 1
	}
	return int(a.row) - int(b.row)
}

// clone returns a copy for an Edit; blocks are shared until they change.
func (v *Values) clone(*edition) pathIndex {
	c := *v
	c.blocks = v.blocks.Clone()
	return &c
}

// Len returns the number of values.
func (v *Values) Len() int {
	n := 0
	v.blocks.Ascend(func(b *block) bool {
		n += len(b.entries)
		return true
	})
	return n
}

// Nulls returns the posting of the rows with a null at the path.
func (v *Values) Nulls() Posting { return v.nulls }

// Rows returns the posting of one value.
func (v *Values) Rows(key string) Posting {
	var found Posting
	v.blocks.DescendLessOrEqual(&block{from: key}, func(b *block) bool {
		if i, ok := b.find(key); ok {
			found = b.entries[i].rows
		}
		return false
	})
	return found
}

func (b *block) find(key string) (int, bool) {
	i := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].key >= key })
	return i, i < len(b.entries) && b.entries[i].key == key
}

// Range is an interval of keys.
type Range struct {
	From, To       string
	HasFrom, HasTo bool
	AfterFrom      bool // excludes From itself
	BeforeTo       bool // excludes To itself
}

func (r *Range) below(key string) bool {
	return r.HasFrom && (key < r.From || r.AfterFrom && key == r.From)
}

func (r *Range) above(key string) bool {
	return r.HasTo && (key > r.To || r.BeforeTo && key == r.To)
}

// Contains reports whether a key is in the range.
func (r *Range) Contains(key string) bool { return !r.below(key) && !r.above(key) }

// Each calls fn for every value in the range, in ascending order, until it
// returns false.
func (v *Values) Each(r Range, fn func(key string, rows Posting) bool) {
	v.eachBlock(r, func(b *block) bool { return b.each(r, fn) })
}

// each is Each for the values of one block. It returns false if no more values can follow.
func (b *block) each(r Range, fn func(key string, rows Posting) bool) bool {
	start := 0
	if r.HasFrom {
		start = sort.Search(len(b.entries), func(i int) bool { return !r.below(b.entries[i].key) })
	}
	for _, e := range b.entries[start:] {
		if r.above(e.key) || !fn(e.key, e.rows) {
			return false
		}
	}
	return true
}

// eachBlock calls fn for the blocks that may have values in the range, and for some after
// it, until it returns false.
func (v *Values) eachBlock(r Range, fn func(*block) bool) {
	if !r.HasFrom {
		v.blocks.Ascend(fn)
		return
	}
	first := &block{}
	v.blocks.DescendLessOrEqual(&block{from: r.From}, func(b *block) bool { first = b; return false })
	v.blocks.AscendGreaterOrEqual(first, fn)
}

// CountUpTo counts the rows in the range and stops when there are more than limit. The
// count of a block that is completely in the range is known.
func (v *Values) CountUpTo(r Range, limit int) int {
	n := 0
	v.eachBlock(r, func(b *block) bool {
		if b.within(&r) {
			n += b.rows
			return n <= limit
		}
		return b.each(r, func(_ string, rows Posting) bool {
			n += rows.Len()
			return n <= limit
		})
	})
	return n
}

// add records that the row has the value; null if isNull is set.
func (v *Values) add(key string, isNull bool, r, universe Row, own *edition) {
	if isNull {
		v.nulls = v.nulls.add(r, universe, own)
		return
	}
	b := v.block(key, own)
	i, found := b.find(key)
	if !found {
		b.entries = slices.Insert(b.entries, i, valueEntry{key: key})
		v.bytes += int64(valueBytes + len(key))
		v.tied = v.tied || IsCut(key) && v.hasTied(key)
	}
	v.bytes += valueRowBytes
	before := b.entries[i].rows.Len()
	b.entries[i].rows = b.entries[i].rows.add(r, universe, own)
	b.rows += b.entries[i].rows.Len() - before
	b.note(r, universe, own)
	if len(b.entries) > blockSize || len(b.entries) > 1 && b.rows > 2*wideRows(universe) {
		v.split(b, own)
	}
}

// hasTied reports whether there is a value with a key that is tied with this one.
func (v *Values) hasTied(key string) (tied bool) {
	v.Each(Range{From: key[:longestKey], HasFrom: true}, func(other string, _ Posting) bool {
		tied = Tied(key, other)
		return !tied && strings.HasPrefix(other, key[:longestKey])
	})
	return tied
}

// remove removes the row from the value's posting.
func (v *Values) remove(key string, isNull bool, r Row, own *edition) {
	if isNull {
		v.nulls = v.nulls.remove(r, own)
		return
	}
	b := v.block(key, own)
	i, found := b.find(key)
	if !found {
		return
	}
	before := b.entries[i].rows.Len()
	b.entries[i].rows = b.entries[i].rows.remove(r, own)
	after := b.entries[i].rows.Len()
	b.rows += after - before
	b.forget(r, own)
	v.bytes -= valueRowBytes
	if after == 0 {
		v.bytes -= int64(valueBytes + len(key))
		b.entries = slices.Delete(b.entries, i, i+1)
		if len(b.entries) == 0 && b.from != "" {
			v.blocks.Delete(b)
		}
	}
}

// block returns the block of the key, for own to change.
func (v *Values) block(key string, own *edition) *block {
	var b *block
	v.blocks.DescendLessOrEqual(&block{from: key}, func(found *block) bool { b = found; return false })
	if b.own != own {
		b = b.clone(own)
		v.blocks.ReplaceOrInsert(b)
	}
	return b
}

// clone returns a copy for own to change.
func (b *block) clone(own *edition) *block {
	c := &block{from: b.from, entries: slices.Clone(b.entries), rows: b.rows, own: own}
	c.all.Store(b.all.Load())
	return c
}

// split halves a block that has become too long.
func (v *Values) split(b *block, own *edition) {
	half := len(b.entries) / 2
	upper := &block{from: b.entries[half].key, entries: slices.Clone(b.entries[half:]), own: own}
	for _, e := range upper.entries {
		upper.rows += e.rows.Len()
	}
	clear(b.entries[half:])
	b.entries = b.entries[:half]
	b.rows -= upper.rows
	b.all.Store(nil)
	v.blocks.ReplaceOrInsert(upper)
}
