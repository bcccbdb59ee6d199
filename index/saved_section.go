package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/bits"
)

// A section is a sequence of numbers as uvarints, of texts behind their lengths, and of
// postings:
//
//	uvarint    2 * the number of rows, and 1 more for chunks
//	a list     for each row, a uvarint: the rows between it and the one before it
//	chunks     a uvarint with their number, and for each one byte, 0 if it has no rows;
//	           otherwise 1 and its words, 8 bytes each, the lowest first

const (
	sectionBuffer = 256 << 10
	chunkBytes    = chunkWords * 8
)

// sectionWriter writes sections one after another. After an error it writes nothing.
type sectionWriter struct {
	to          io.Writer
	s           *Snapshot
	renumbering *renumbering // of the rows of the current table; nil if they stay
	buffer      []byte
	written     int64 // without the buffer
	from        int64 // of the current section
	sum         uint32
	err         error
}

func (w *sectionWriter) begin() {
	w.flush()
	w.from, w.sum = w.written, 0
}

func (w *sectionWriter) end() (from, size int64, sum uint32) {
	w.flush()
	return w.from, w.written - w.from, w.sum
}

func (w *sectionWriter) flush() {
	if w.err == nil {
		_, w.err = w.to.Write(w.buffer)
	}
	w.sum = crc32.Update(w.sum, castagnoli, w.buffer)
	w.written += int64(len(w.buffer))
	w.buffer = w.buffer[:0]
}

func (w *sectionWriter) bytes(b []byte) {
	w.buffer = append(w.buffer, b...)
	w.flushFull()
}

func (w *sectionWriter) flushFull() {
	if len(w.buffer) >= sectionBuffer {
		w.flush()
	}
}

func (w *sectionWriter) number(n uint64) {
	w.buffer = binary.AppendUvarint(w.buffer, n)
	w.flushFull()
}

func (w *sectionWriter) text(text string) {
	w.buffer = append(binary.AppendUvarint(w.buffer, uint64(len(text))), text...)
	w.flushFull()
}

func (w *sectionWriter) row(r Row) Row {
	if w.renumbering != nil {
		return w.renumbering.row(r)
	}
	return r
}

func (w *sectionWriter) posting(p Posting) {
	if w.renumbering != nil {
		p = w.renumbering.posting(p)
	}
	if p.rows == nil || p.rows.chunks == nil {
		w.number(2 * uint64(p.Len()))
		next := Row(0)
		p.Each(func(r Row) bool {
			w.buffer = binary.AppendUvarint(w.buffer, uint64(r-next))
			next = r + 1
			return true
		})
		w.flushFull()
		return
	}
	chunks := p.rows.chunks // the last ones may be of rows that another version of the table has
	for len(chunks) > 0 && (chunks[len(chunks)-1] == nil || chunks[len(chunks)-1].words == [chunkWords]uint64{}) {
		chunks = chunks[:len(chunks)-1]
	}
	w.number(2*uint64(p.Len()) + 1)
	w.number(uint64(len(chunks)))
	for _, c := range chunks {
		if c == nil {
			w.buffer = append(w.buffer, 0)
			continue
		}
		w.buffer = append(w.buffer, 1)
		for _, word := range c.words {
			w.buffer = binary.LittleEndian.AppendUint64(w.buffer, word)
		}
		w.flushFull()
	}
}

// sectionReader reads a section. After an error it returns zeros. What it returns may be
// wrong until check has compared the checksum.
type sectionReader struct {
	from    io.ReaderAt
	at, end int64  // of what has not been read
	buffer  []byte // what has been read
	next    int    // in the buffer
	sum     uint32
	build   *indexBuild
	err     error
}

var (
	errSection = errors.New("a part of it is not what it should be")
	errChecked = errors.New("its checksum is wrong")
	errMemory  = errors.New("there is no memory for it")
)

func newSectionReader(d *savedSection, b *indexBuild) *sectionReader {
	return &sectionReader{from: d.in.file, at: d.From, end: d.From + d.Size, buffer: make([]byte, 0, min(sectionBuffer, d.Size)), build: b}
}

func (r *sectionReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// check returns the error of the section: all of it must have been used, and its checksum
// must be right.
func (r *sectionReader) check(sum uint32) error {
	switch {
	case r.err == nil && r.left() > 0:
		r.fail(errSection)
	case r.err == nil && r.sum != sum:
		r.fail(errChecked)
	}
	return r.err
}

// left returns the number of bytes that have not been used. No length can be greater.
func (r *sectionReader) left() int64 { return r.end - r.at + int64(len(r.buffer)-r.next) }

// take reserves memory for what has been read.
func (r *sectionReader) take(bytes int) bool {
	if r.err == nil && !r.build.take(bytes) {
		r.fail(errMemory)
	}
	return r.err == nil
}

// fill reads more into the buffer.
func (r *sectionReader) fill() bool {
	if r.at == r.end {
		r.fail(errSection)
	}
	if r.err != nil {
		return false
	}
	kept := copy(r.buffer[:cap(r.buffer)], r.buffer[r.next:])
	r.next, r.buffer = 0, r.buffer[:kept+int(min(int64(cap(r.buffer)-kept), r.end-r.at))]
	more := r.buffer[kept:]
	if err := readAll(r.from, more, r.at); err != nil {
		r.buffer = r.buffer[:0]
		r.fail(err)
		return false
	}
	r.at += int64(len(more))
	r.sum = crc32.Update(r.sum, castagnoli, more)
	return true
}

// anyNumber returns the next number.
func (r *sectionReader) anyNumber() uint64 {
	if r.err != nil {
		return 0
	}
	if len(r.buffer)-r.next < binary.MaxVarintLen64 && r.at < r.end && !r.fill() {
		return 0
	}
	n, width := binary.Uvarint(r.buffer[r.next:])
	if width <= 0 {
		r.fail(errSection)
		return 0
	}
	r.next += width
	return n
}

// number returns the next number, which must not be greater than most.
func (r *sectionReader) number(most uint64) uint64 {
	n := r.anyNumber()
	if n > most {
		r.fail(errSection)
		return 0
	}
	return n
}

// length returns a number of things of at least one byte each.
func (r *sectionReader) length() int { return int(r.number(uint64(r.left()))) }

// append appends the next n bytes.
func (r *sectionReader) append(dst []byte, n int) []byte {
	for n > 0 {
		if r.next == len(r.buffer) && !r.fill() {
			return dst
		}
		part := r.buffer[r.next:min(r.next+n, len(r.buffer))]
		dst = append(dst, part...)
		r.next, n = r.next+len(part), n-len(part)
	}
	return dst
}

// text returns the next text. buffer is used to read it.
func (r *sectionReader) text(buffer *[]byte) string {
	*buffer = r.append((*buffer)[:0], r.length())
	return string(*buffer)
}

// posting returns the next posting of a table with so many rows.
func (r *sectionReader) posting(universe Row) Posting {
	head := r.number(2*uint64(universe) + 1)
	n := int(head / 2)
	switch {
	case n == 0 && head == 0 || r.err != nil:
		return Posting{}
	case head%2 == 1:
		return r.chunks(n, universe)
	case int64(n) > r.left():
		r.fail(errSection)
		return Posting{}
	case n == 1:
		return Posting{one: Row(r.number(uint64(universe)-1)) + 1}
	}
	few, next := make([]Row, n), uint64(0)
	for i := range few {
		next += r.number(uint64(universe))
		if next >= uint64(universe) {
			r.fail(errSection)
			return Posting{}
		}
		few[i] = Row(next)
		next++
	}
	return Posting{rows: &rowSet{few: few, n: n}}
}

// chunks returns a posting of n rows in chunks.
func (r *sectionReader) chunks(n int, universe Row) Posting {
	s := &rowSet{chunks: make([]*chunk, r.number(uint64(universe+chunkRows-1)/chunkRows)), n: n}
	var buffer [chunkBytes]byte
	counted := 0
	for i := range s.chunks {
		if r.number(1) == 0 {
			continue
		}
		if len(r.append(buffer[:0], chunkBytes)) < chunkBytes {
			return Posting{}
		}
		c := &chunk{}
		rows := 0
		for j := range c.words {
			c.words[j] = binary.LittleEndian.Uint64(buffer[8*j:])
			rows += bits.OnesCount64(c.words[j])
		}
		if rows != countBelow(c.words[:], universe-Row(i*chunkRows)) {
			r.fail(errSection)
			return Posting{}
		}
		s.chunks[i] = c
		counted += rows
	}
	if counted != n || n == 0 {
		r.fail(errSection)
		return Posting{}
	}
	return Posting{rows: s}
}
