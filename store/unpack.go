package store

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// unpacker reads msgpack, the form of stored fields, from a slice. Its results refer to the
// slice. It keeps the first error: after it everything reads as zero, so that a caller need
// not check after each step.
type unpacker struct {
	rest []byte
	err  error
}

func (u *unpacker) fail(err error) {
	if u.err == nil {
		u.err = err
	}
	u.rest = nil
}

// unexpected fails because of a code that cannot begin the expected item.
func (u *unpacker) unexpected(code byte, wanted string) {
	if code == msgpcode.Nil {
		u.fail(fmt.Errorf("nil stands where %s should", wanted))
		return
	}
	u.fail(fmt.Errorf("code %#x stands where %s should", code, wanted))
}

// peek returns the code of the next item.
func (u *unpacker) peek() byte {
	if len(u.rest) == 0 {
		u.fail(errShort)
		return 0
	}
	return u.rest[0]
}

// code reads the code of the next item.
func (u *unpacker) code() byte {
	c := u.peek()
	if u.err == nil {
		u.rest = u.rest[1:]
	}
	return c
}

// take reads n bytes.
func (u *unpacker) take(n uint64) []byte {
	if n > uint64(len(u.rest)) {
		u.fail(errShort)
		return nil
	}
	b := u.rest[:n]
	u.rest = u.rest[n:]
	return b
}

// number reads a number of 1, 2, 4 or 8 bytes, the highest first.
func (u *unpacker) number(size uint64) uint64 {
	b := u.take(size)
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// mapLen reads the head of a map and returns the number of pairs.
func (u *unpacker) mapLen() int {
	switch c := u.code(); {
	case msgpcode.IsFixedMap(c):
		return int(c & msgpcode.FixedMapMask)
	case c == msgpcode.Map16:
		return int(u.number(2))
	case c == msgpcode.Map32:
		return int(u.number(4))
	default:
		u.unexpected(c, "a map length")
		return 0
	}
}

// arrayLen reads the head of an array and returns the number of items.
func (u *unpacker) arrayLen() int {
	switch c := u.code(); {
	case msgpcode.IsFixedArray(c):
		return int(c & msgpcode.FixedArrayMask)
	case c == msgpcode.Array16:
		return int(u.number(2))
	case c == msgpcode.Array32:
		return int(u.number(4))
	default:
		u.unexpected(c, "an array length")
		return 0
	}
}

// bytes reads a text or a sequence of bytes.
func (u *unpacker) bytes() []byte {
	switch c := u.code(); {
	case msgpcode.IsFixedString(c):
		return u.take(uint64(c & msgpcode.FixedStrMask))
	case c == msgpcode.Str8 || c == msgpcode.Bin8:
		return u.take(u.number(1))
	case c == msgpcode.Str16 || c == msgpcode.Bin16:
		return u.take(u.number(2))
	case c == msgpcode.Str32 || c == msgpcode.Bin32:
		return u.take(u.number(4))
	default:
		u.unexpected(c, "a text")
		return nil
	}
}

// float reads a float of 64 bits.
func (u *unpacker) float() float64 {
	if c := u.code(); c != msgpcode.Double {
		u.unexpected(c, "a float")
	}
	return math.Float64frombits(u.number(8))
}

// integer reads an integer. One above the highest int64 becomes negative.
func (u *unpacker) integer() int64 {
	switch c := u.code(); c {
	case msgpcode.Uint8:
		return int64(u.number(1))
	case msgpcode.Uint16:
		return int64(u.number(2))
	case msgpcode.Uint32:
		return int64(u.number(4))
	case msgpcode.Uint64, msgpcode.Int64:
		return int64(u.number(8))
	case msgpcode.Int8:
		return int64(int8(u.number(1)))
	case msgpcode.Int16:
		return int64(int16(u.number(2)))
	case msgpcode.Int32:
		return int64(int32(u.number(4)))
	default:
		if !msgpcode.IsFixedNum(c) {
			u.unexpected(c, "an integer")
			return 0
		}
		return int64(int8(c))
	}
}
