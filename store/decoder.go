package store

import "encoding/binary"

// Decoder reads the parts of a stored value one after the other. After the first part that
// is missing it has failed, and returns zeros.
type Decoder struct {
	Rest   []byte // what has not been read
	Failed bool
}

// Fail makes the Decoder fail: what it read cannot be.
func (d *Decoder) Fail() { d.Rest, d.Failed = nil, true }

// Number reads a number that is not negative.
func (d *Decoder) Number() uint64 {
	n, width := binary.Uvarint(d.Rest)
	d.skip(width)
	return n
}

// Moment reads a number that may be negative, such as milliseconds since 1970.
func (d *Decoder) Moment() int64 {
	n, width := binary.Varint(d.Rest)
	d.skip(width)
	return n
}

func (d *Decoder) skip(width int) {
	if width <= 0 {
		d.Fail()
		return
	}
	d.Rest = d.Rest[width:]
}

// Bytes reads so many bytes. It returns a part of the value.
func (d *Decoder) Bytes(n uint64) []byte {
	if n > uint64(len(d.Rest)) {
		d.Fail()
		return nil
	}
	b := d.Rest[:n:n]
	d.Rest = d.Rest[n:]
	return b
}

// Text reads bytes that follow their number.
func (d *Decoder) Text() []byte { return d.Bytes(d.Number()) }
