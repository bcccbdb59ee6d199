package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

var (
	errShort    = errors.New("it ends too early")
	errChecksum = errors.New("its checksum does not match its content")
	errKey      = errors.New("its key is not a documentId and a status")
)

// firstItems is how many items of a list are allocated before any was read, so
// that a length alone, which anybody can write, does not take memory.
const firstItems = 64

// decoder reads stored entries. Nothing that it returns refers to the bytes it
// read. Names that repeat (fields, components, locales of edges) are one string
// each for the decoder's life, and a published version whose fields are stored
// as those of the draft decoded just before gets the draft's Fields.
// It is used by one goroutine at a time.
type decoder struct {
	stored []byte       // the fields being read
	in     bytes.Reader // over stored
	mp     *msgpack.Decoder
	names  map[string]string

	draft struct { // the last draft decoded
		id     string
		stored []byte // its fields; valid as long as what the caller passed in
		fields []Field
	}
	kept []byte // see keep
}

func newDecoder() *decoder {
	d := &decoder{names: map[string]string{}}
	d.mp = msgpack.NewDecoder(&d.in)
	return d
}

// entry decodes what is stored under key at p.
func (d *decoder) entry(p entryBucket, key, value []byte) (*Entry, error) {
	id, status, err := splitKey(key)
	if err != nil {
		return nil, err
	}
	var shared []byte // the fields of a short version
	if isShort(value) {
		if shared = d.draft.stored; status != Published || string(id) != d.draft.id || shared == nil {
			return nil, errNoDraft
		}
	}
	if err := checkValue(p, key, value, shared); err != nil {
		return nil, err
	}
	e := &Entry{
		ID:          binary.BigEndian.Uint64(value[idAt:]),
		Locale:      p.locale,
		Status:      status,
		CreatedAt:   int64(binary.BigEndian.Uint64(value[createdAtAt:])),
		UpdatedAt:   int64(binary.BigEndian.Uint64(value[updatedAtAt:])),
		PublishedAt: int64(binary.BigEndian.Uint64(value[publishedAtAt:])),
	}
	fields := value[momentsEnd:]
	if isStamped(value) {
		if e.Stamp, fields, err = d.stamp(fields); err != nil {
			return nil, err
		}
	}
	if shared == nil {
		shared = fields
	} else if len(fields) > 0 {
		return nil, fmt.Errorf("%d bytes stand for fields that the draft has", len(fields))
	}
	return e, d.body(e, id, shared)
}

func isStamped(value []byte) bool {
	return value[0] == stampedFormat || value[0] == stampedFormat+shortBy
}

// checkValue looks at all that comes before the fields. Those of a short version stand
// with its draft.
func checkValue(p entryBucket, key, value, shared []byte) error {
	switch {
	case len(value) < momentsEnd:
		return errShort
	case value[0] < plainFormat || value[0] > stampedFormat+shortBy:
		return fmt.Errorf("its format is %d, known are %d to %d", value[0], plainFormat, stampedFormat+shortBy)
	case binary.BigEndian.Uint32(value[checksumAt:]) != crc32.Update(checksum(p, key, value), castagnoli, shared):
		return errChecksum
	}
	return nil
}

// body fills in the documentId and the fields, from the draft where they are the same.
func (d *decoder) body(e *Entry, id, stored []byte) error {
	if e.Status == Published && string(id) == d.draft.id {
		e.DocumentID = d.draft.id
		if bytes.Equal(stored, d.draft.stored) { // at once where they are the same bytes
			e.Fields = d.draft.fields
			return nil
		}
	} else {
		e.DocumentID = string(id)
	}
	d.stored = stored
	d.in.Reset(stored)
	fields, err := d.fields(0)
	if err == nil && d.in.Len() > 0 {
		err = fmt.Errorf("%d bytes follow its fields", d.in.Len())
	}
	if err != nil {
		return err
	}
	e.Fields = fields
	if e.Status == Draft {
		d.draft.id, d.draft.stored, d.draft.fields = e.DocumentID, stored, fields
	}
	return nil
}

func (d *decoder) fields(depth int) ([]Field, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	n, err := d.mp.DecodeMapLen()
	if err != nil || n == 0 {
		return nil, err
	}
	if n < 0 {
		return nil, errors.New("nil stands where fields should")
	}
	fields := make([]Field, 0, allocated(n))
	for i := range n {
		name, err := d.name()
		if err != nil {
			return nil, err
		}
		if i > 0 && name <= fields[i-1].Name {
			return nil, fmt.Errorf("field %q is out of order", name)
		}
		fields = append(fields, Field{Name: name})
		if err := d.value(&fields[i].Value, depth); err != nil {
			return nil, inField(name, err)
		}
	}
	return fields, nil
}

func (d *decoder) value(v *Value, depth int) error {
	code, err := d.mp.PeekCode()
	switch {
	case err != nil:
	case code == msgpcode.True || code == msgpcode.False:
		v.Kind = Bool
		var set bool
		set, err = d.mp.DecodeBool()
		if set {
			v.Num = 1
		}
	case isInt(code):
		v.Kind = Int
		v.Num, err = d.integer(code)
	case code == msgpcode.Double:
		v.Kind = Float
		v.Real, err = d.mp.DecodeFloat64()
	case msgpcode.IsString(code):
		v.Kind = Text
		v.Text, err = d.text()
	case msgpcode.IsBin(code):
		v.Kind = JSON
		v.Text, err = d.text()
	default:
		err = d.list(v, depth)
	}
	return err
}

func isInt(code byte) bool {
	return msgpcode.IsFixedNum(code) || code >= msgpcode.Uint8 && code <= msgpcode.Int64
}

func (d *decoder) integer(code byte) (int64, error) {
	n, err := d.mp.DecodeInt64()
	if err == nil && code == msgpcode.Uint64 && n < 0 {
		err = fmt.Errorf("the integer %d is above %d", uint64(n), int64(math.MaxInt64))
	}
	return n, err
}

// list reads instances or edges: an array whose first item says which.
func (d *decoder) list(v *Value, depth int) error {
	n, err := d.mp.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n < 1 {
		return errors.New("a list does not say what it holds")
	}
	kind, err := d.mp.DecodeUint8()
	if err != nil {
		return err
	}
	v.Kind = ValueKind(kind)
	switch v.Kind {
	case Instances:
		v.Instances, err = d.instances(n-1, depth)
	case Edges:
		v.Edges, err = d.edges(n - 1)
	default:
		err = fmt.Errorf("value kind %d is unknown", kind)
	}
	return err
}

func (d *decoder) instances(n, depth int) ([]Instance, error) {
	if n == 0 {
		return nil, nil
	}
	instances := make([]Instance, 0, allocated(n))
	for range n {
		r, err := d.instance(depth)
		if err != nil {
			return nil, err
		}
		instances = append(instances, r)
	}
	return instances, nil
}

func (d *decoder) instance(depth int) (r Instance, err error) {
	if _, err = d.parts("an instance", 3, 3); err != nil {
		return r, err
	}
	if r.ID, err = d.mp.DecodeUint64(); err != nil {
		return r, err
	}
	if r.Component, err = d.name(); err != nil {
		return r, err
	}
	r.Fields, err = d.fields(depth + 1)
	return r, err
}

func (d *decoder) edges(n int) ([]Edge, error) {
	if n == 0 {
		return nil, nil
	}
	edges := make([]Edge, 0, allocated(n))
	for range n {
		e, err := d.edge()
		if err != nil {
			return nil, err
		}
		edges = append(edges, e)
	}
	return edges, nil
}

func (d *decoder) edge() (e Edge, err error) {
	n, err := d.parts("an edge", 2, 5)
	if err != nil {
		return e, err
	}
	if e.Target, err = d.text(); err != nil {
		return e, err
	}
	if e.Place, err = d.mp.DecodeUint64(); err != nil {
		return e, err
	}
	if n > 2 {
		if e.Type, err = d.name(); err != nil {
			return e, err
		}
	}
	if n > 3 {
		if e.Locale, err = d.name(); err != nil {
			return e, err
		}
	}
	if n > 4 {
		e.Only, err = d.only()
	}
	return e, err
}

// only reads the version of its target that an edge links to.
func (d *decoder) only() (Status, error) {
	n, err := d.mp.DecodeUint64()
	if s := Status(n); err == nil && (n != uint64(s) || s != Draft && s != Published) {
		err = fmt.Errorf("an edge links to version %d", n)
	}
	return Status(n), err
}

// parts reads the length of an array that stands for one thing.
func (d *decoder) parts(thing string, least, most int) (int, error) {
	n, err := d.mp.DecodeArrayLen()
	if err == nil && (n < least || n > most) {
		err = fmt.Errorf("%s has %d parts", thing, n)
	}
	return n, err
}

// allocated is how many of n items to allocate ahead.
func allocated(n int) int { return min(n, firstItems) }

// text reads a string or a JSON document.
func (d *decoder) text() (string, error) {
	b, err := d.bytes()
	return string(b), err
}

// name reads a string that other entries have too.
func (d *decoder) name() (string, error) {
	b, err := d.bytes()
	if err != nil {
		return "", err
	}
	return d.interned(b), nil
}

// interned returns the one string that the decoder has for these bytes.
func (d *decoder) interned(b []byte) string {
	name, ok := d.names[string(b)]
	if !ok {
		name = string(b)
		d.names[name] = name
	}
	return name
}

// bytes reads a string; what it returns is part of the stored bytes.
func (d *decoder) bytes() ([]byte, error) {
	n, err := d.mp.DecodeBytesLen()
	if err != nil {
		return nil, err
	}
	rest := d.stored[len(d.stored)-d.in.Len():]
	if n < 0 || n > len(rest) {
		return nil, errShort
	}
	_, err = d.in.Seek(int64(n), io.SeekCurrent)
	return rest[:n], err
}

// keep copies what a short version needs of the last draft, because the memory that it
// was read from is used again.
func (d *decoder) keep() {
	d.kept = append(d.kept[:0], d.draft.stored...)
	d.draft.stored = d.kept
}

// forget lets go of the last draft, so that no later entry shares its fields.
func (d *decoder) forget() {
	d.draft.id, d.draft.stored, d.draft.fields = "", nil, nil
}
