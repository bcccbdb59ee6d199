package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"

	"quire/store"
)

// record is the stored form of a former version. Its body is the fields if the entry was
// removed, otherwise the difference to the version after it.
type record struct {
	Version
	name      []byte // of its entry, in the form of keys
	ordinal   uint32 // among the stored versions of the entry, from 1
	moved     bool   // the version after it has another revision, and no other difference
	base, sum uint32 // checksums: of the fields that the difference is based on, and of its own
	size      int    // of its fields, in bytes
	body      []byte

	// In a record that was read, body is in its stored form.
	length     int // of the body, in bytes
	compressed bool
}

// The format of a record, and the offsets that pruning reads.
const (
	recordFormat = 1

	sumAt     = 1
	flagsAt   = 5
	ordinalAt = 6
	endedAt   = 10
	baseAt    = 18
	ownAt     = 22
	headEnd   = 26
)

const (
	flagCompressed = 1 << iota
	flagMoved
)

const (
	minCompressed = 1 << 10   // minimum size of a body that is compressed
	maxFields     = 1<<31 - 1 // bytes of the fields of a version
	maxActor      = 4095      // bytes
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(fields []byte) uint32 { return crc32.Checksum(fields, castagnoli) }

// checksum returns the checksum of a stored record.
func checksum(p VersionKey, value []byte) uint32 {
	sum := crc32.Checksum([]byte(p.in), castagnoli)
	return crc32.Update(crc32.Update(sum, castagnoli, p.key), castagnoli, value[flagsAt:])
}

// encode returns what to store at a place.
func (r *record) encode(p VersionKey) []byte {
	body, flags := r.body, byte(0)
	if len(body) >= minCompressed {
		if small := compress(body); len(small) < len(body) {
			body, flags = small, flagCompressed
		}
	}
	if r.moved {
		flags |= flagMoved
	}
	b := make([]byte, headEnd, headEnd+128+len(body))
	b[0], b[flagsAt] = recordFormat, flags
	binary.BigEndian.PutUint32(b[ordinalAt:], r.ordinal)
	binary.BigEndian.PutUint64(b[endedAt:], uint64(r.End.At))
	binary.BigEndian.PutUint32(b[baseAt:], r.base)
	binary.BigEndian.PutUint32(b[ownAt:], r.sum)
	b = r.appendDetails(b)
	b = binary.AppendUvarint(b, uint64(r.size))
	b = binary.AppendUvarint(b, uint64(len(r.body)))
	b = append(b, body...)
	binary.BigEndian.PutUint32(b[sumAt:], checksum(p, b))
	return b
}

func (r *record) appendDetails(b []byte) []byte {
	b = binary.AppendUvarint(b, r.ID)
	for _, moment := range []int64{r.CreatedAt, r.UpdatedAt, r.PublishedAt} {
		b = binary.AppendVarint(b, moment)
	}
	b = append(b, byte(r.Stamp.Action))
	for _, actor := range []store.Actor{r.Stamp.CreatedBy, r.Stamp.UpdatedBy} {
		b = appendActor(b, actor)
	}
	return appendActor(append(b, byte(r.End.Action)), r.End.By)
}

func appendActor(b []byte, a store.Actor) []byte {
	return append(binary.AppendUvarint(b, uint64(len(a))), a...)
}

// errShort reports a truncated record.
var errShort = errors.New("it ends too early")

// decode reads a record. The body keeps its stored form.
func (s storedValue) decode() (*record, error) {
	value := s.value
	uid, v, err := s.version()
	switch {
	case err != nil:
		return nil, err
	case len(value) < headEnd:
		return nil, errShort
	case value[0] != recordFormat:
		return nil, fmt.Errorf("its format is %d, known is %d", value[0], recordFormat)
	case binary.BigEndian.Uint32(value[sumAt:]) != checksum(s.VersionKey, value):
		return nil, errors.New("its checksum does not match its content")
	}
	r := &record{
		Version: v, name: nameOf(uid, v.Key), ordinal: s.ordinal(), moved: s.moved(),
		base: binary.BigEndian.Uint32(value[baseAt:]), sum: binary.BigEndian.Uint32(value[ownAt:]),
	}
	r.End.At = s.endedAt()
	in := reader{store.Decoder{Rest: value[headEnd:]}}
	in.details(&r.Version)
	r.At = max(r.UpdatedAt, r.PublishedAt)
	r.size = in.length()
	r.length, r.compressed, r.body = in.length(), value[flagsAt]&flagCompressed != 0, in.Rest
	if in.Failed {
		return nil, errShort
	}
	return r, nil
}

func (in *reader) details(v *Version) {
	v.ID = in.Number()
	for _, moment := range []*int64{&v.CreatedAt, &v.UpdatedAt, &v.PublishedAt} {
		*moment = in.Moment()
	}
	v.Stamp.Action = in.action()
	v.Stamp.CreatedBy, v.Stamp.UpdatedBy = in.actor(), in.actor()
	v.End.Action = in.action()
	v.End.By = in.actor()
}

// reader reads the parts of a record.
type reader struct{ store.Decoder }

func (in *reader) length() int {
	n := in.Number()
	if n > maxFields {
		in.Fail()
		return 0
	}
	return int(n)
}

func (in *reader) action() (a store.Action) {
	if b := in.Bytes(1); b != nil {
		a = store.Action(b[0])
	}
	return a
}

func (in *reader) actor() store.Actor {
	n := in.Number()
	if n > maxActor {
		in.Fail()
	}
	return store.Actor(in.Bytes(n))
}

// compressors keeps compressors, each of which takes 800 KB.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic("history: " + err.Error()) // the level is valid
	}
	return w
}}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	if _, err := w.Write(body); err != nil || w.Close() != nil {
		return body
	}
	return b.Bytes()
}

// unpacked returns the body of a record that was read. Decompression is limited to the
// length in the record.
func (r *record) unpacked() ([]byte, error) {
	body := r.body
	if r.compressed {
		var err error
		in := flate.NewReader(bytes.NewReader(r.body))
		if body, err = io.ReadAll(io.LimitReader(in, int64(r.length)+1)); err != nil {
			return nil, err
		}
	}
	if len(body) != r.length {
		return nil, errShort
	}
	return body, nil
}
