package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

var (
	errShort    = errors.New("it ends too early")
	errChecksum = errors.New("its checksum does not match its content")
	errKey      = errors.New("its key is not a documentId and a status")
)

// decoder reads stored entries. Names that repeat (fields, components, locales of edges)
// are one string each for the decoder's life, and a published version with the same stored
// fields as the draft decoded before it gets the draft's Fields. Its results do not refer
// to the bytes it read, except through its loan if it has one. Only one goroutine may use
// it at a time.
type decoder struct {
	in    unpacker // over the fields being read
	loan  *loan    // the memory for decoded entries; nil to allocate it
	names names

	draft struct { // the last draft decoded
		id     string
		stored []byte // its fields; valid as long as what the caller passed in, or the loan
		fields []Field
	}
	kept []byte // see keep
}

func newDecoder() *decoder { return &decoder{names: names{known: map[string]*knownName{}}} }

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
	e := d.newEntry()
	*e = Entry{
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

// checkValue checks everything before the fields. The fields of a short version are with
// its draft.
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

// body sets the documentId and the fields, from the draft if they are the same.
func (d *decoder) body(e *Entry, id, stored []byte) error {
	if e.Status == Published && string(id) == d.draft.id {
		e.DocumentID = d.draft.id
		if bytes.Equal(stored, d.draft.stored) { // fast if they are the same bytes
			e.Fields = d.draft.fields
			return nil
		}
	} else {
		e.DocumentID = d.string(d.held(id))
	}
	stored = d.held(stored)
	d.in = unpacker{rest: stored}
	fields := d.fields(0)
	if n := len(d.in.rest); n > 0 {
		d.in.fail(fmt.Errorf("%d bytes follow its fields", n))
	}
	if d.in.err != nil {
		return d.in.err
	}
	e.Fields = fields
	if e.Status == Draft {
		d.draft.id, d.draft.stored, d.draft.fields = e.DocumentID, stored, fields
	}
	return nil
}

func (d *decoder) fields(depth int) []Field {
	if depth > maxDepth {
		d.in.fail(errTooDeep)
	}
	n := d.in.mapLen()
	if n == 0 {
		return nil
	}
	fields := d.roomForFields(n)
	for i := range n {
		name := d.name()
		if i > 0 && d.in.err == nil && name <= fields[i-1].Name {
			d.in.fail(fmt.Errorf("field %q is out of order", name))
		}
		if d.in.err != nil {
			return nil
		}
		fields = append(fields, Field{Name: name})
		d.value(&fields[i].Value, depth)
		if d.in.err != nil {
			d.in.err = inField(name, d.in.err)
			return nil
		}
	}
	return fields
}

func (d *decoder) value(v *Value, depth int) {
	switch code := d.in.peek(); {
	case code == msgpcode.True || code == msgpcode.False:
		v.Kind = Bool
		if d.in.code() == msgpcode.True {
			v.Num = 1
		}
	case msgpcode.IsFixedNum(code) || code >= msgpcode.Uint8 && code <= msgpcode.Int64:
		v.Kind, v.Num = Int, d.in.integer()
		if code == msgpcode.Uint64 && v.Num < 0 {
			d.in.fail(fmt.Errorf("the integer %d is above %d", uint64(v.Num), int64(math.MaxInt64)))
		}
	case code == msgpcode.Double:
		v.Kind, v.Real = Float, d.in.float()
	case msgpcode.IsString(code):
		v.Kind, v.Text = Text, d.text()
	case msgpcode.IsBin(code):
		v.Kind, v.Text = JSON, d.text()
	default:
		d.list(v, depth)
	}
}

// list reads instances or edges: an array whose first item says which.
func (d *decoder) list(v *Value, depth int) {
	n := d.in.arrayLen()
	if n < 1 {
		d.in.fail(errors.New("a list does not say what it holds"))
		return
	}
	kind := d.in.integer()
	switch v.Kind = ValueKind(kind); {
	case kind == int64(Instances):
		v.Instances = d.instances(n-1, depth)
	case kind == int64(Edges):
		v.Edges = d.edges(n - 1)
	default:
		d.in.fail(fmt.Errorf("value kind %d is unknown", kind))
	}
}

func (d *decoder) instances(n, depth int) []Instance {
	if n == 0 {
		return nil
	}
	instances := d.roomForInstances(n)
	for range n {
		var r Instance
		d.parts("an instance", 3, 3)
		r.ID = uint64(d.in.integer())
		r.Component = d.name()
		r.Fields = d.fields(depth + 1)
		if d.in.err != nil {
			return nil
		}
		instances = append(instances, r)
	}
	return instances
}

func (d *decoder) edges(n int) []Edge {
	if n == 0 {
		return nil
	}
	edges := d.roomForEdges(n)
	for range n {
		e := d.edge()
		if d.in.err != nil {
			return nil
		}
		edges = append(edges, e)
	}
	return edges
}

func (d *decoder) edge() (e Edge) {
	n := d.parts("an edge", 2, 5)
	e.Target = d.text()
	e.Place = uint64(d.in.integer())
	if n > 2 {
		e.Type = d.name()
	}
	if n > 3 {
		e.Locale = d.name()
	}
	if n > 4 {
		e.Only = d.only()
	}
	return e
}

// only reads which version of its target an edge links to.
func (d *decoder) only() Status {
	n := d.in.integer()
	if s := Status(n); d.in.err == nil && (n != int64(s) || s != Draft && s != Published) {
		d.in.fail(fmt.Errorf("an edge links to version %d", n))
	}
	return Status(n)
}

// parts reads the length of an array that represents one value.
func (d *decoder) parts(thing string, least, most int) int {
	n := d.in.arrayLen()
	if d.in.err == nil && (n < least || n > most) {
		d.in.fail(fmt.Errorf("%s has %d parts", thing, n))
	}
	return n
}

// text reads a string or a JSON document.
func (d *decoder) text() string { return d.string(d.in.bytes()) }

// name reads a string that other entries have too.
func (d *decoder) name() string { return d.names.of(d.in.bytes()) }

// keep copies what a short version needs of the last draft, because the memory that it was
// read from is reused.
func (d *decoder) keep() {
	d.kept = append(d.kept[:0], d.draft.stored...)
	d.draft.stored = d.kept
}

// forget drops the last draft, so that no later entry shares its fields.
func (d *decoder) forget() {
	d.draft.id, d.draft.stored, d.draft.fields = "", nil, nil
}

// names has one string for each name that entries repeat: of fields, of components, of
// locales. Names come in much the same order from entry to entry, so each remembers the one
// that came after it last; that is tried before the map.
type names struct {
	known map[string]*knownName
	last  *knownName
}

type knownName struct {
	text string
	next *knownName // the name that came after it last; nil for none yet
}

// of returns the one string for these bytes.
func (n *names) of(b []byte) string {
	if n.last != nil && n.last.next != nil && n.last.next.text == string(b) {
		n.last = n.last.next
		return n.last.text
	}
	found := n.known[string(b)]
	if found == nil {
		found = &knownName{text: string(b)}
		n.known[found.text] = found
	}
	if n.last != nil {
		n.last.next = found
	}
	n.last = found
	return found.text
}
