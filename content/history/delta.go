package history

import (
	"encoding/binary"
	"errors"
)

// A difference describes how to make one text from another: a list of uvarints, each twice
// a length. An even one is followed by that many bytes of the text; an odd one by an offset
// in the other text, a uvarint, from which that many bytes are copied.

// errDelta reports a difference from which nothing can be made.
var errDelta = errors.New("the difference does not fit what it belongs to")

const (
	minBlock  = 16      // minimum bytes that are found at any place
	maxBlocks = 1 << 16 // of the other text that are indexed
	minMoved  = 64      // minimum bytes for searching moved parts
)

// delta appends the difference that turns from into to.
func delta(dst, from, to []byte) []byte {
	head := commonPrefix(from, to)
	tail := commonSuffix(from[head:], to[head:])
	dst = appendCopy(dst, 0, head)
	dst = appendMiddle(dst, from, to[head:len(to)-tail], head, len(from)-tail)
	return appendCopy(dst, len(from)-tail, tail)
}

// appendMiddle appends what differs: the part of to from begin to end corresponds to from.
func appendMiddle(dst, from, to []byte, begin, end int) []byte {
	if len(to) < minMoved || end-begin < minMoved {
		return appendText(dst, to)
	}
	return newBlocks(from[begin:end]).append(dst, to, begin)
}

func appendText(dst, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))<<1), text...)
}

func appendCopy(dst []byte, at, n int) []byte {
	if n == 0 {
		return dst
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(n)<<1|1), uint64(at))
}

// patch makes a text of size bytes from from and the difference.
func patch(from, difference []byte, size int) ([]byte, error) {
	to := make([]byte, 0, min(size, len(from)+len(difference)))
	for len(difference) > 0 {
		part, rest, err := takePart(from, difference)
		if err != nil || len(part) > size-len(to) {
			return nil, errDelta
		}
		to, difference = append(to, part...), rest
	}
	if len(to) != size {
		return nil, errDelta
	}
	return to, nil
}

// takePart reads one item of a difference: the bytes that it stands for.
func takePart(from, difference []byte) (part, rest []byte, err error) {
	n, rest, err := takeNumber(difference)
	if err != nil {
		return nil, nil, err
	}
	copied := n&1 == 1
	n >>= 1
	if !copied {
		if n > len(rest) {
			return nil, nil, errDelta
		}
		return rest[:n], rest[n:], nil
	}
	at, rest, err := takeNumber(rest)
	if err != nil || at > len(from) || n > len(from)-at {
		return nil, nil, errDelta
	}
	return from[at : at+n], rest, nil
}

// commonPrefix returns the length of the common beginning of two texts.
func commonPrefix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+8 <= most && binary.LittleEndian.Uint64(a[n:]) == binary.LittleEndian.Uint64(b[n:]) {
		n += 8
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// commonSuffix returns the length of the common end of two texts.
func commonSuffix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+8 <= most && binary.LittleEndian.Uint64(a[len(a)-n-8:]) == binary.LittleEndian.Uint64(b[len(b)-n-8:]) {
		n += 8
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// blocks finds parts of a text anywhere in another.
type blocks struct {
	text []byte
	size int      // of a block
	at   []uint32 // 1 + the number of the block with that hash
	bits uint
}

func newBlocks(text []byte) *blocks {
	b := &blocks{text: text, size: minBlock, bits: 6}
	for len(text)/b.size > maxBlocks {
		b.size *= 2
	}
	for 1<<b.bits < 2*(len(text)/b.size) {
		b.bits++
	}
	b.at = make([]uint32, 1<<b.bits)
	for i := len(text)/b.size - 1; i >= 0; i-- { // the first of equal ones stays
		b.at[b.slot(hashOf(text[i*b.size:(i+1)*b.size]))] = uint32(i + 1)
	}
	return b
}

func (b *blocks) slot(hash uint64) uint64 { return hash * 0x9e3779b97f4a7c15 >> (64 - b.bits) }

// base is the base of the polynomial of the hash, which can be updated byte by byte.
const base = 0x100000001b3

func hashOf(text []byte) (hash uint64) {
	for _, c := range text {
		hash = hash*base + uint64(c) + 1
	}
	return hash
}

// append appends the difference that makes to from the text, which begins at offset.
func (b *blocks) append(dst, to []byte, offset int) []byte {
	highest := uint64(1)
	for range b.size - 1 {
		highest *= base
	}
	done, hash := 0, uint64(0)
	for i := 0; i+b.size <= len(to); {
		if i == done {
			hash = hashOf(to[i : i+b.size])
		}
		if at, n, back := b.match(to, done, i, hash); n > 0 {
			dst = appendText(dst, to[done:i-back])
			dst = appendCopy(dst, offset+at, n)
			i += n - back
			done = i
			continue
		}
		if i+b.size < len(to) {
			hash = (hash-(uint64(to[i])+1)*highest)*base + uint64(to[i+b.size]) + 1
		}
		i++
	}
	return appendText(dst, to[done:])
}

// match finds the part at i in the text, with as many equal bytes before and after it as
// possible: n bytes from at, back of them before i.
func (b *blocks) match(to []byte, done, i int, hash uint64) (at, n, back int) {
	block := int(b.at[b.slot(hash)]) - 1
	if block < 0 {
		return 0, 0, 0
	}
	at = block * b.size
	n = commonPrefix(b.text[at:], to[i:])
	if n < b.size {
		return 0, 0, 0
	}
	back = commonSuffix(b.text[:at], to[done:i])
	return at - back, n + back, back
}

// takeNumber reads a uvarint that fits an int.
func takeNumber(b []byte) (n int, rest []byte, err error) {
	number, width := binary.Uvarint(b)
	if width <= 0 || number > 1<<31-1 {
		return 0, nil, errDelta
	}
	return int(number), b[width:], nil
}
