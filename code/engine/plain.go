package engine

import (
	"math"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// JSON.stringify of QuickJS takes most of the time of a long result. Plain data, which is what
// most results are, is written here in a fourth of it. Whatever is not plain is left to
// JSON.stringify: a toJSON, a date, a proxy, half a character, or what is too large or deep.

const (
	mostPlain    = 1 << 20 // values
	deepestPlain = 100
)

// A plainWriter writes values of JavaScript as JSON.
type plainWriter struct {
	tls            *libc.TLS
	context        uintptr
	scratch        uintptr // two words, for results of the library
	toJSON, length lib.TJSAtom
	dst            []byte
	left           int // values that may follow
}

func newPlainWriter(tls *libc.TLS, context uintptr) *plainWriter {
	w := &plainWriter{tls: tls, context: context, scratch: libc.Xcalloc(tls, 2, 8)}
	w.toJSON, w.length = w.atom("toJSON"), w.atom("length")
	return w
}

func (w *plainWriter) atom(name string) lib.TJSAtom {
	text, err := libc.CString(name)
	if err != nil {
		panic(err)
	}
	defer libc.Xfree(w.tls, text)
	return lib.XJS_NewAtomLen(w.tls, w.context, text, libc.Tsize_t(len(name)))
}

func (w *plainWriter) close() {
	lib.XJS_FreeAtom(w.tls, w.context, w.toJSON)
	lib.XJS_FreeAtom(w.tls, w.context, w.length)
	libc.Xfree(w.tls, w.scratch)
}

// write returns a value as JSON, null for undefined, or ok false if it is not plain.
func (w *plainWriter) write(v quickjs.Value) (text []byte, ok bool) {
	if unsafe.Sizeof(lib.TJSValue{}) != unsafe.Sizeof(words{}) {
		return nil, false // on a machine of 32 bits
	}
	one := *w // a getter may write something in between
	one.dst, one.left = make([]byte, 0, 512), mostPlain
	ok = one.value((*value)(unsafe.Pointer(&v)).v, 0)
	if !ok {
		lib.XFreeValue(w.tls, w.context, lib.XJS_GetException(w.tls, w.context)) // of a getter, which JSON.stringify will meet again
	}
	return one.dst, ok
}

// words are a value on a machine of 64 bits.
type words struct {
	payload uint64
	tag     int64
}

// memory is a place in what the library has allocated, which Go does not move.
func memory(at uintptr) unsafe.Pointer { return unsafe.Add(nil, at) }

func wordsOf(v lib.TJSValue) words { return *(*words)(unsafe.Pointer(&v)) }

func (w *plainWriter) value(v lib.TJSValue, depth int) bool {
	if w.left--; w.left < 0 || len(w.dst) > maxArguments {
		return false
	}
	switch is := wordsOf(v); is.tag {
	case lib.EJS_TAG_NULL, lib.EJS_TAG_UNDEFINED: // the latter in a list, or alone
		w.dst = append(w.dst, "null"...)
	case lib.EJS_TAG_BOOL:
		w.dst = strconv.AppendBool(w.dst, uint32(is.payload) != 0)
	case lib.EJS_TAG_INT:
		w.dst = strconv.AppendInt(w.dst, int64(int32(is.payload)), 10)
	case lib.EJS_TAG_FLOAT64:
		w.number(math.Float64frombits(is.payload))
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return w.text(v)
	case lib.EJS_TAG_OBJECT:
		return depth < deepestPlain && w.object(v, depth+1)
	default:
		return false
	}
	return true
}

// number writes a number as JavaScript does.
func (w *plainWriter) number(f float64) {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		w.dst = append(w.dst, "null"...)
	case f == 0:
		w.dst = append(w.dst, '0') // also for -0
	case size >= 1e-6 && size < 1e21:
		w.dst = strconv.AppendFloat(w.dst, f, 'f', -1, 64)
	default:
		w.dst = strconv.AppendFloat(w.dst, f, 'e', -1, 64)
		if n := len(w.dst); w.dst[n-2] == '0' && w.dst[n-3] == '-' { // 1e-07
			w.dst = append(w.dst[:n-2], w.dst[n-1])
		}
	}
}

func (w *plainWriter) text(v lib.TJSValue) bool {
	p := lib.XJS_ToCStringLen2(w.tls, w.context, w.scratch, v, 0)
	if p == 0 {
		return false
	}
	defer lib.XJS_FreeCString(w.tls, w.context, p)
	return w.quote(p)
}

// quote writes the text at p, whose length is in the scratch.
func (w *plainWriter) quote(p uintptr) bool {
	size := *(*uintptr)(memory(w.scratch))
	text := unsafe.Slice((*byte)(memory(p)), size)
	w.dst = append(w.dst, '"')
	from, ascii := 0, true
	for i, c := range text {
		switch {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ' || c == '"' || c == '\\':
			w.dst = append(w.dst, text[from:i]...)
			w.escape(c)
			from = i + 1
		}
	}
	w.dst = append(append(w.dst, text[from:]...), '"')
	return ascii || utf8.Valid(text)
}

func (w *plainWriter) escape(c byte) {
	const short, names = "\"\\\b\f\n\r\t", `"\bfnrt`
	for i := range len(short) {
		if short[i] == c {
			w.dst = append(w.dst, '\\', names[i])
			return
		}
	}
	const digits = "0123456789abcdef"
	w.dst = append(w.dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// object writes a list or an object that has no toJSON. The members of other classes are not
// what JSON.stringify writes of them.
func (w *plainWriter) object(v lib.TJSValue, depth int) bool {
	class := lib.XJS_GetClassID(w.tls, v)
	if class != lib.EJS_CLASS_OBJECT && class != lib.EJS_CLASS_ARRAY {
		return false
	}
	own := lib.XJS_GetPropertyInternal(w.tls, w.context, v, w.toJSON, v, 0)
	if tag := wordsOf(own).tag; tag != lib.EJS_TAG_UNDEFINED {
		lib.XFreeValue(w.tls, w.context, own)
		return false
	}
	if class == lib.EJS_CLASS_ARRAY {
		return w.list(v, depth)
	}
	return w.members(v, depth)
}

func (w *plainWriter) list(v lib.TJSValue, depth int) bool {
	length := wordsOf(lib.XJS_GetPropertyInternal(w.tls, w.context, v, w.length, v, 0))
	if length.tag != lib.EJS_TAG_INT {
		return false
	}
	w.dst = append(w.dst, '[')
	for i := range uint32(length.payload) {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		item := lib.XJS_GetPropertyUint32(w.tls, w.context, v, i)
		ok := w.value(item, depth)
		lib.XFreeValue(w.tls, w.context, item)
		if !ok {
			return false
		}
	}
	w.dst = append(w.dst, ']')
	return true
}

func (w *plainWriter) members(v lib.TJSValue, depth int) bool {
	if lib.XJS_GetOwnPropertyNames(w.tls, w.context, w.scratch, w.scratch+8, v, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		return false
	}
	table, size := *(*uintptr)(memory(w.scratch)), *(*uint32)(memory(w.scratch + 8))
	defer lib.XJS_FreePropertyEnum(w.tls, w.context, table, size)
	w.dst = append(w.dst, '{')
	from := len(w.dst)
	for _, property := range unsafe.Slice((*lib.TJSPropertyEnum)(memory(table)), size) {
		item := lib.XJS_GetPropertyInternal(w.tls, w.context, v, property.Fatom, v, 0)
		ok := wordsOf(item).tag == lib.EJS_TAG_UNDEFINED || w.member(property.Fatom, item, from, depth)
		lib.XFreeValue(w.tls, w.context, item)
		if !ok {
			return false
		}
	}
	w.dst = append(w.dst, '}')
	return true
}

func (w *plainWriter) member(name lib.TJSAtom, v lib.TJSValue, from, depth int) bool {
	if len(w.dst) > from {
		w.dst = append(w.dst, ',')
	}
	key := lib.XJS_AtomToCStringLen(w.tls, w.context, w.scratch, name)
	if key == 0 {
		return false
	}
	ok := w.quote(key)
	lib.XJS_FreeCString(w.tls, w.context, key)
	w.dst = append(w.dst, ':')
	return ok && w.value(v, depth)
}
