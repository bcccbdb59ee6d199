package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
)

// stored returns the key and value of an entry.
func stored(t testing.TB, uid string, e *Entry) (entryBucket, []byte, []byte) {
	t.Helper()
	p, key := entryBucketOf(uid, e.Locale), storedKey(e.Key())
	value, err := newEncoder().entry(p, key, e)
	noError(t, err)
	return p, key, value
}

func TestEveryKindOfValueComesBack(t *testing.T) {
	values := map[string]Value{
		"false":                  {Kind: Bool},
		"true":                   {Kind: Bool, Num: 1},
		"zero":                   {Kind: Int},
		"a small negative":       {Kind: Int, Num: -1},
		"a byte":                 {Kind: Int, Num: 200},
		"a negative byte":        {Kind: Int, Num: -128},
		"two bytes":              {Kind: Int, Num: -30000},
		"four bytes":             {Kind: Int, Num: math.MaxUint32},
		"the least integer":      {Kind: Int, Num: math.MinInt64},
		"the greatest integer":   {Kind: Int, Num: math.MaxInt64},
		"a whole float":          {Kind: Float, Real: 3},
		"a float":                {Kind: Float, Real: 0.1},
		"the greatest float":     {Kind: Float, Real: math.MaxFloat64},
		"infinity":               {Kind: Float, Real: math.Inf(-1)},
		"empty text":             {Kind: Text},
		"text":                   {Kind: Text, Text: "Pühvel 🐃 \x00"},
		"long text":              {Kind: Text, Text: strings.Repeat("x", 70_000)},
		"a datetime":             {Kind: Text, Text: "2006-01-02T15:04:05.000Z"},
		"JSON null":              {Kind: JSON, Text: "null"},
		"a JSON document":        {Kind: JSON, Text: `{"b":[1,2.50],"a":null}`},
		"long JSON":              {Kind: JSON, Text: `"` + strings.Repeat("x", 300) + `"`},
		"no records":             {Kind: Instances},
		"a record without field": {Kind: Instances, Instances: []Instance{{ID: math.MaxUint64, Component: "a.b"}}},
		"records in records": {Kind: Instances, Instances: []Instance{
			{ID: 1, Component: "a.b", Fields: []Field{{"c", Value{Kind: Instances, Instances: []Instance{{ID: 2, Component: "a.c"}, {ID: 3, Component: "a.c"}}}}}},
			{ID: 4, Component: "a.d", Fields: []Field{{"e", Value{Kind: Edges, Edges: []Edge{{Target: "x"}}}}}},
		}},
		"no edges": {Kind: Edges},
		"edges": {Kind: Edges, Edges: []Edge{
			{Target: "rex"},
			{Target: "rex", Place: math.MaxUint64},
			{Target: "ada", Type: "api::dog.dog"},
			{Target: "zoe", Locale: "en"},
			{Target: "zoe", Type: "api::dog.dog", Locale: "en", Place: 1 << 20},
			{Target: "ada", Only: Draft},
			{Target: "ada", Place: 3, Locale: "en", Only: Published},
		}},
		"many edges": {Kind: Edges, Edges: slicesOf(200, Edge{Target: "rex"})},
	}
	for name, v := range values {
		e := &Entry{ID: 7, DocumentID: "rex", Locale: "en", Status: Draft, CreatedAt: -1, UpdatedAt: 2, PublishedAt: math.MaxInt64, Fields: []Field{{"v", v}}}
		p, key, value := stored(t, dogs, e)
		got, err := newDecoder().entry(p, key, value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !reflect.DeepEqual(got, e) {
			t.Errorf("%s: got %+v, want %+v", name, got, e)
		}
	}
}

func slicesOf[T any](n int, v T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// Random entries come back as they were, in whatever order their fields are
// given, and the same fields are always the same bytes.
func TestRandomEntriesComeBack(t *testing.T) {
	r := newRand(t)
	dec := newDecoder()
	for range 2000 {
		e := randomEntry(r)
		p, key, value := stored(t, dogs, e)
		dec.forget()
		got, err := dec.entry(p, key, value)
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, e)
		}

		published := *e
		published.ID, published.Status, published.PublishedAt = e.ID+1, Published, 1
		published.Fields = append([]Field{{"unset", Value{}}}, e.Fields...)
		r.Shuffle(len(published.Fields), func(i, j int) {
			published.Fields[i], published.Fields[j] = published.Fields[j], published.Fields[i]
		})
		_, _, other := stored(t, dogs, &published)
		if !bytes.Equal(value[momentsEnd:], other[momentsEnd:]) {
			t.Fatalf("other bytes for the same stamp and fields:\n%x\n%x", value[momentsEnd:], other[momentsEnd:])
		}
	}
}

func randomEntry(r *rand.Rand) *Entry {
	e := &Entry{
		ID:          r.Uint64(),
		DocumentID:  documentID(r),
		Status:      Draft,
		CreatedAt:   r.Int64(),
		UpdatedAt:   -r.Int64(),
		PublishedAt: r.Int64N(2),
		Fields:      randomFields(r, 3),
	}
	if r.IntN(2) == 0 {
		e.Locale = "de"
	}
	if r.IntN(2) == 0 {
		e.Stamp = Stamp{Version: r.Uint64(), Action: Action(r.IntN(int(actionEnd))), CreatedBy: ActorOf(ByUser, documentID(r)), UpdatedBy: ByPublic}
	}
	return e
}

// randomFields returns up to 20 fields, sorted by name.
func randomFields(r *rand.Rand, depth int) []Field {
	var fields []Field
	for c := byte('a'); c < 'u'; c++ {
		if r.IntN(3) == 0 {
			fields = append(fields, Field{string(c), randomValue(r, depth)})
		}
	}
	return fields
}

func randomValue(r *rand.Rand, depth int) Value {
	switch kind := ValueKind(1 + r.IntN(int(Edges))); kind {
	case Bool:
		return Value{Kind: kind, Num: r.Int64N(2)}
	case Int:
		return Value{Kind: kind, Num: int64(r.Uint64() >> r.IntN(64))}
	case Float:
		return Value{Kind: kind, Real: r.NormFloat64() * math.Pow(10, float64(r.IntN(40)))}
	case Instances:
		return Value{Kind: kind, Instances: randomRecords(r, depth)}
	case Edges:
		return Value{Kind: kind, Edges: randomEdges(r)}
	default:
		b := make([]byte, r.IntN(1<<r.IntN(11)))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return Value{Kind: kind, Text: string(b)}
	}
}

func randomRecords(r *rand.Rand, depth int) []Instance {
	var records []Instance
	for range r.IntN(1 + depth) {
		records = append(records, Instance{ID: r.Uint64(), Component: "a." + documentID(r)[:2], Fields: randomFields(r, depth-1)})
	}
	return records
}

func randomEdges(r *rand.Rand) []Edge {
	var edges []Edge
	for range r.IntN(20) {
		edges = append(edges, Edge{
			Target: documentID(r),
			Type:   []string{"", "api::dog.dog"}[r.IntN(2)],
			Locale: []string{"", "en"}[r.IntN(2)],
			Place:  r.Uint64() >> r.IntN(64),
			Only:   []Status{0, 0, Draft, Published}[r.IntN(4)],
		})
	}
	return edges
}

// packed returns msgpack as fn writes it.
func packed(fn func(*msgpack.Encoder)) []byte {
	var b bytes.Buffer
	fn(msgpack.NewEncoder(&b))
	return b.Bytes()
}

// sealed is an entry with these bytes for its fields and a checksum that fits.
func sealed(p entryBucket, key, fields []byte) []byte { return sealedAs(plainFormat, p, key, fields) }

// stamped is an entry with these bytes for its stamp and fields.
func stamped(p entryBucket, key, rest []byte) []byte { return sealedAs(stampedFormat, p, key, rest) }

func sealedAs(format byte, p entryBucket, key, rest []byte) []byte {
	value := append(make([]byte, momentsEnd), rest...)
	value[0] = format
	binary.BigEndian.PutUint32(value[checksumAt:], checksum(p, key, value))
	return value
}

func TestBytesThatAreNoEntryAreRefused(t *testing.T) {
	p, key, whole := stored(t, dogs, text(1, "rex", "en", Draft, "Rex"))
	changed := func(at int, b byte) []byte {
		value := bytes.Clone(whole)
		value[at] = b
		return value
	}
	oneField := func(fn func(*msgpack.Encoder)) []byte {
		return sealed(p, key, packed(func(e *msgpack.Encoder) {
			_ = e.EncodeMapLen(1)
			_ = e.EncodeString("f")
			fn(e)
		}))
	}
	list := func(kind ValueKind, n int, fn func(*msgpack.Encoder)) []byte {
		return oneField(func(e *msgpack.Encoder) {
			_ = e.EncodeArrayLen(n + 1)
			_ = e.EncodeUint(uint64(kind))
			fn(e)
		})
	}
	nothing := func(*msgpack.Encoder) {}
	cases := []struct {
		name       string
		bucket     entryBucket
		key, value []byte
		want       string
	}{
		{"nothing", p, key, nil, "too early"},
		{"half a head", p, key, whole[:20], "too early"},
		{"a later format", p, key, changed(0, 5), "format is 5"},
		{"without fields, and no draft", p, key, changed(0, plainFormat+shortBy), "draft"},
		{"half a stamp", p, key, stamped(p, key, make([]byte, stampHead-1)), "too early"},
		{"a stamp without actors", p, key, stamped(p, key, make([]byte, stampHead)), "too early"},
		{"an actor longer than the rest", p, key, stamped(p, key, append(make([]byte, stampHead), 0, 9, 'x')), "too early"},
		{"an unknown action", p, key, stamped(p, key, append([]byte{0, 0, 0, 0, 0, 0, 0, 1, byte(actionEnd)}, 0, 0, 0, 0, 0x80)), "action 12 is unknown"},
		{"another byte", p, key, changed(momentsEnd+3, 'x'), "checksum"},
		{"cut off", p, key, whole[:len(whole)-1], "checksum"},
		{"another documentId", p, storedKey(Key{"rez", "en", Draft}), whole, "checksum"},
		{"another locale", entryBucketOf(dogs, "fr"), key, whole, "checksum"},
		{"another type", entryBucketOf("api::cat.cat", "en"), key, whole, "checksum"},
		{"a key without status", p, []byte("rex"), whole, "documentId and a status"},
		{"a key without documentId", p, []byte{draftKey}, whole, "documentId and a status"},
		{"no fields", p, key, sealed(p, key, nil), "too early"},
		{"nil for fields", p, key, sealed(p, key, []byte{0xc0}), "nil"},
		{"a list for fields", p, key, sealed(p, key, []byte{0x90}), "map length"},
		{"bytes after the fields", p, key, sealed(p, key, []byte{0x80, 1}), "1 bytes follow"},
		{"null in a field", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeNil() }), `field "f"`},
		{"a map in a field", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeMapLen(0) }), `field "f"`},
		{"a short float in a field", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeFloat32(1) }), `field "f"`},
		{"an integer too great", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeUint(math.MaxUint64) }), "above"},
		{"a string longer than the rest", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeString("abc") })[:momentsEnd+5], "checksum"},
		{"an empty list", p, key, oneField(func(e *msgpack.Encoder) { _ = e.EncodeArrayLen(0) }), "does not say"},
		{"a list of texts", p, key, list(Text, 0, nothing), "kind 4"},
		{"a record of two parts", p, key, list(Instances, 1, func(e *msgpack.Encoder) { _ = e.EncodeArrayLen(2) }), "2 parts"},
		{"an edge of one part", p, key, list(Edges, 1, func(e *msgpack.Encoder) { _ = e.EncodeArrayLen(1) }), "1 parts"},
		{"an edge of six parts", p, key, list(Edges, 1, func(e *msgpack.Encoder) { _ = e.EncodeArrayLen(6) }), "6 parts"},
		{"an edge to a strange version", p, key, list(Edges, 1, func(e *msgpack.Encoder) {
			_ = e.EncodeArrayLen(5)
			_ = e.EncodeString("rex")
			_ = e.EncodeUint(1)
			_ = e.EncodeString("")
			_ = e.EncodeString("")
			_ = e.EncodeUint('x')
		}), "version"},
		{"fields out of order", p, key, sealed(p, key, packed(func(e *msgpack.Encoder) {
			_ = e.EncodeMapLen(2)
			_ = e.EncodeString("b")
			_ = e.EncodeBool(true)
			_ = e.EncodeString("a")
			_ = e.EncodeBool(true)
		})), `"a" is out of order`},
	}
	for _, c := range cases {
		if _, err := newDecoder().entry(c.bucket, c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A few bytes that announce millions of items, at every depth, must not take
// the memory of millions of items.
func TestAnnouncedLengthsTakeNoMemory(t *testing.T) {
	p, key, _ := stored(t, dogs, text(1, "rex", "en", Draft, ""))
	const n = 500_000_000
	hostile := map[string]func(*msgpack.Encoder){
		"fields": func(e *msgpack.Encoder) { _ = e.EncodeMapLen(n) },
		"text": func(e *msgpack.Encoder) {
			_ = e.EncodeMapLen(1)
			_ = e.EncodeBytesLen(n)
		},
		"records": func(e *msgpack.Encoder) {
			for range maxDepth {
				_ = e.EncodeMapLen(n)
				_ = e.EncodeString("a")
				_ = e.EncodeArrayLen(n)
				_ = e.EncodeUint(uint64(Instances))
				_ = e.EncodeArrayLen(3)
				_ = e.EncodeUint(1)
				_ = e.EncodeString("a.b")
			}
		},
		"edges": func(e *msgpack.Encoder) {
			_ = e.EncodeMapLen(1)
			_ = e.EncodeString("a")
			_ = e.EncodeArrayLen(n)
			_ = e.EncodeUint(uint64(Edges))
		},
	}
	for name, fn := range hostile {
		value := sealed(p, key, packed(fn))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := newDecoder().entry(p, key, value); err == nil {
			t.Errorf("%s: taken", name)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 2<<20 {
			t.Errorf("%s: %d stored bytes took %d bytes of memory", name, len(value), used)
		}
	}
}

// FuzzDecodeEntry feeds bytes to the decoder, as they are, as the fields of an entry
// with a sound head, and as its stamp and fields. What it takes must come back the same once it is
// encoded.
func FuzzDecodeEntry(f *testing.F) {
	p := entryBucketOf(dogs, "en")
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		e := benchEntry(r, r.Uint64N(100), Draft)
		key := storedKey(e.Key())
		value, err := newEncoder().entry(p, key, e)
		noError(f, err)
		f.Add(key, value)
		f.Add(key, value[momentsEnd:])
		e.Stamp = Stamp{Version: 1, Action: ActionUpdate, CreatedBy: ActorOf(ByToken, "3"), UpdatedBy: ByPublic}
		if value, err = newEncoder().entry(p, key, e); err != nil {
			f.Fatal(err)
		}
		f.Add(key, value[momentsEnd:])
	}
	f.Fuzz(func(t *testing.T, key, data []byte) {
		for _, value := range [][]byte{data, sealed(p, key, data), stamped(p, key, data)} {
			e, err := newDecoder().entry(p, key, value)
			if err != nil {
				continue
			}
			again, err := newEncoder().entry(p, key, e)
			if err != nil {
				t.Fatalf("%+v was read but cannot be stored: %v", e, err)
			}
			back, err := newDecoder().entry(p, key, again)
			if err != nil {
				t.Fatalf("%+v was stored but cannot be read: %v", e, err)
			}
			requireFieldsOfDraft(t, p, e, data)
			third, err := newEncoder().entry(p, key, back)
			if err != nil || !bytes.Equal(again, third) {
				t.Fatalf("%+v became %+v", e, back)
			}
		}
	})
}
