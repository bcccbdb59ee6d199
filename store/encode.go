package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5"
)

const (
	// The first byte of a stored entry says what is between its moments and its fields:
	// nothing, or the stamp of the write that made it.
	plainFormat   = 1
	stampedFormat = 2

	// Offsets in a stored entry; doc.go draws them.
	checksumAt    = 1
	idAt          = 5
	createdAtAt   = 13
	updatedAtAt   = 21
	publishedAtAt = 29
	momentsEnd    = 37

	maxDepth = 64 // components within components
)

var errTooDeep = fmt.Errorf("components are nested more than %d deep", maxDepth)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers everything that is stored of an entry, including its type, locale and
// key, so that no entry can appear under another name.
func checksum(p entryBucket, key, value []byte) uint32 {
	return crc32.Update(crc32.Update(p.sum, castagnoli, key), castagnoli, value[idAt:])
}

// encoder writes entries. The same fields give the same bytes, in any order. Only one
// goroutine may use it at a time.
type encoder struct {
	buf bytes.Buffer
	mp  *msgpack.Encoder
	err error // the first error; nothing is written after it

	// The fields in buf: a published version is often written directly after a draft with
	// the same fields.
	first *Field
	count int

	sorted []Field // space for sorted fields: those of an entry, then of its components
}

func newEncoder() *encoder {
	c := &encoder{}
	c.mp = msgpack.NewEncoder(&c.buf)
	return c
}

// entry returns the value to store under key at p.
func (c *encoder) entry(p entryBucket, key []byte, e *Entry) ([]byte, error) {
	if err := e.Stamp.check(); err != nil {
		return nil, err
	}
	if err := c.encode(e.Fields); err != nil {
		return nil, err
	}
	value := make([]byte, momentsEnd, momentsEnd+e.Stamp.size()+c.buf.Len())
	value[0] = plainFormat
	binary.BigEndian.PutUint64(value[idAt:], e.ID)
	binary.BigEndian.PutUint64(value[createdAtAt:], uint64(e.CreatedAt))
	binary.BigEndian.PutUint64(value[updatedAtAt:], uint64(e.UpdatedAt))
	binary.BigEndian.PutUint64(value[publishedAtAt:], uint64(e.PublishedAt))
	if e.Stamp != (Stamp{}) {
		value[0] = stampedFormat
		value = e.Stamp.append(value)
	}
	value = append(value, c.buf.Bytes()...)
	binary.BigEndian.PutUint32(value[checksumAt:], checksum(p, key, value))
	return value, nil
}

// encode encodes the fields into buf.
func (c *encoder) encode(fields []Field) error {
	if len(fields) > 0 && len(fields) == c.count && &fields[0] == c.first {
		return nil
	}
	c.buf.Reset()
	c.err, c.first, c.count = nil, nil, 0
	c.fields(fields, 0)
	if c.err == nil && len(fields) > 0 {
		c.first, c.count = &fields[0], len(fields)
	}
	return c.err
}

// StoredSize returns how many bytes the fields of the entries take that changes write. The error
// is that of storing them.
func StoredSize(changes []Change) (size int, err error) {
	c := newEncoder()
	for _, change := range changes {
		if change.After == nil {
			continue
		}
		if err := c.encode(change.After.Fields); err != nil {
			return 0, err
		}
		size += c.buf.Len()
	}
	return size, nil
}

// fields writes a map, sorted by name, without nulls: null is an absent field.
func (c *encoder) fields(fields []Field, depth int) {
	if depth > maxDepth {
		c.fail(errTooDeep)
		return
	}
	room := len(c.sorted)
	fields = c.inOrder(fields)
	c.check(c.mp.EncodeMapLen(len(fields)))
	for i := range fields {
		f := &fields[i]
		if i > 0 && f.Name == fields[i-1].Name {
			c.fail(fmt.Errorf("field %q is given twice", f.Name))
		}
		c.text(f.Name)
		c.value(&f.Value, depth)
		if c.err != nil {
			c.err = inField(f.Name, c.err)
			break
		}
	}
	c.sorted = c.sorted[:room]
}

// inOrder returns the fields sorted by name, without nulls. They are valid until their
// space in sorted is released.
func (c *encoder) inOrder(fields []Field) []Field {
	room := len(c.sorted)
	for i := range fields {
		if fields[i].Value.Kind != Null {
			c.sorted = append(c.sorted, fields[i])
		}
	}
	own := c.sorted[room:]
	slices.SortFunc(own, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return own
}

func (c *encoder) value(v *Value, depth int) {
	switch v.Kind {
	case Bool:
		c.check(c.mp.EncodeBool(v.Num != 0))
	case Int:
		c.check(c.mp.EncodeInt(v.Num))
	case Float:
		c.check(c.mp.EncodeFloat64(v.Real))
	case Text:
		c.text(v.Text)
	case JSON:
		c.check(c.mp.EncodeBytesLen(len(v.Text)))
		c.buf.WriteString(v.Text)
	case Instances:
		c.list(Instances, len(v.Instances))
		for i := range v.Instances {
			c.instance(&v.Instances[i], depth)
		}
	case Edges:
		c.list(Edges, len(v.Edges))
		for i := range v.Edges {
			c.edge(&v.Edges[i])
		}
	default:
		c.fail(fmt.Errorf("value kind %d is unknown", v.Kind))
	}
}

// list begins an array of n items after one that says what they are.
func (c *encoder) list(kind ValueKind, n int) {
	c.check(c.mp.EncodeArrayLen(n + 1))
	c.check(c.mp.EncodeUint(uint64(kind)))
}

func (c *encoder) instance(r *Instance, depth int) {
	if c.err != nil {
		return
	}
	c.check(c.mp.EncodeArrayLen(3))
	c.check(c.mp.EncodeUint(r.ID))
	c.text(r.Component)
	c.fields(r.Fields, depth+1)
}

// edge writes [target, place, type, locale, only] without empty ones at the end.
func (c *encoder) edge(e *Edge) {
	n := 2
	switch {
	case e.Only != 0:
		n = 5
	case e.Locale != "":
		n = 4
	case e.Type != "":
		n = 3
	}
	c.check(c.mp.EncodeArrayLen(n))
	c.text(e.Target)
	c.check(c.mp.EncodeUint(e.Place))
	if n > 2 {
		c.text(e.Type)
	}
	if n > 3 {
		c.text(e.Locale)
	}
	if n > 4 {
		c.check(c.mp.EncodeUint(uint64(e.Only)))
	}
}

func (c *encoder) text(s string) { c.check(c.mp.EncodeString(s)) }

func (c *encoder) check(err error) {
	if err != nil {
		c.fail(err)
	}
}

func (c *encoder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// fieldError names the wrong field, from the outermost on: "address.lines".
type fieldError struct {
	path string
	err  error
}

func (e *fieldError) Error() string { return fmt.Sprintf("field %q: %v", e.path, e.err) }
func (e *fieldError) Unwrap() error { return e.err }

func inField(name string, err error) error {
	if inner, ok := errors.AsType[*fieldError](err); ok {
		return &fieldError{name + "." + inner.path, inner.err}
	}
	return &fieldError{name, err}
}
