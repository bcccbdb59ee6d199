package stream

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"quire/store"
)

// A record is a commit in a queue or a segment:
//
//	length of the rest, CRC-32C of the rest          4 bytes each
//	before, id: lineage and revision                 8 bytes each
//	time                                             8 bytes
//	operations, each: path (0 if as before), key, value
//
// Lengths are varints; that of a value is one more, so that 0 is a deletion.

const (
	recordHead = 8
	mostRecord = 2 * store.MaxRecorded  // bytes; more is damage
	mostOps    = store.MaxRecorded / 16 // operations of one commit; each has a path and a key
	mostPath   = 3
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errRecord = errors.New("a commit in it is damaged")

// appendRecord appends a commit.
func appendRecord(b []byte, c *store.Recorded) []byte {
	begin := len(b)
	b = append(b, make([]byte, recordHead)...)
	for _, n := range [...]uint64{c.Before.Lineage, c.Before.Revision, c.Lineage, c.Revision, uint64(c.Time)} {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	var path []string
	for _, o := range c.Ops {
		if slices.Equal(o.Path, path) {
			b = append(b, 0)
		} else {
			path = o.Path
			b = binary.AppendUvarint(b, uint64(len(path)))
			for _, name := range path {
				b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
			}
		}
		b = append(binary.AppendUvarint(b, uint64(len(o.Key))), o.Key...)
		if o.Value == nil {
			b = append(b, 0)
			continue
		}
		b = append(binary.AppendUvarint(b, uint64(len(o.Value))+1), o.Value...)
	}
	body := b[begin+recordHead:]
	binary.BigEndian.PutUint32(b[begin:], uint32(len(body)))
	binary.BigEndian.PutUint32(b[begin+4:], crc32.Checksum(body, castagnoli))
	return b
}

// nextRecord splits the first record off. whole is false if it is cut off or damaged.
func nextRecord(b []byte) (body, rest []byte, whole bool) {
	if len(b) < recordHead {
		return nil, nil, false
	}
	n := int64(binary.BigEndian.Uint32(b))
	if n > mostRecord || n > int64(len(b)-recordHead) {
		return nil, nil, false
	}
	body = b[recordHead : recordHead+n]
	if crc32.Checksum(body, castagnoli) != binary.BigEndian.Uint32(b[4:]) {
		return nil, nil, false
	}
	return body, b[recordHead+n:], true
}

// parseRecord reads the body of a record. Keys and values are parts of it.
func parseRecord(body []byte) (c store.Recorded, err error) {
	r := &reader{store.Decoder{Rest: body}}
	c.Before = store.CommitID{Lineage: r.number(), Revision: r.number()}
	c.CommitID = store.CommitID{Lineage: r.number(), Revision: r.number()}
	c.Time = int64(r.number())
	var path []string
	for len(r.Rest) > 0 {
		if n := r.length(mostPath); n > 0 {
			path = make([]string, n)
			for i := range path {
				path[i] = string(r.bytes(r.length(len(r.Rest))))
			}
		}
		o := store.Op{Path: path, Key: r.bytes(r.length(len(r.Rest)))}
		if n := r.length(len(r.Rest) + 1); n > 0 {
			o.Value = r.bytes(n - 1)
		}
		if !o.Recordable() || len(c.Ops) == mostOps {
			return c, errRecord
		}
		c.Ops = append(c.Ops, o)
	}
	if r.Failed {
		return c, errRecord
	}
	return c, nil
}

// records calls fn for the commits in b.
func records(b []byte, fn func(store.Recorded) error) error {
	for len(b) > 0 {
		body, rest, whole := nextRecord(b)
		if !whole {
			return errRecord
		}
		c, err := parseRecord(body)
		if err == nil {
			err = fn(c)
		}
		if err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// reader reads the parts of a record.
type reader struct{ store.Decoder }

// number reads a number of 8 bytes.
func (r *reader) number() uint64 {
	b := r.Bytes(8)
	if b == nil {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

func (r *reader) length(most int) int {
	n := r.Number()
	if n > uint64(most) {
		r.Fail()
		return 0
	}
	return int(n)
}

func (r *reader) bytes(n int) []byte { return r.Bytes(uint64(n)) }

// combine returns one commit with the effect of several that follow each other: of each
// value only the last state.
func combine(commits []store.Recorded) store.Recorded {
	whole := commits[len(commits)-1]
	whole.Before, whole.Ops = commits[0].Before, nil
	at := map[string]int{}
	for _, c := range commits {
		for _, o := range c.Ops {
			name := fmt.Sprintf("%q %q", o.Path, o.Key)
			if i, again := at[name]; again {
				whole.Ops[i] = o
				continue
			}
			at[name] = len(whole.Ops)
			whole.Ops = append(whole.Ops, o)
		}
	}
	slices.SortStableFunc(whole.Ops, func(a, b store.Op) int {
		if d := slices.Compare(a.Path, b.Path); d != 0 {
			return d
		}
		return bytes.Compare(a.Key, b.Key)
	})
	return whole
}
