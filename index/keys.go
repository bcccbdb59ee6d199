package index

import (
	"encoding/binary"
	"math"
	"strconv"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"quire/schema"
	"quire/store"
)

// Values are indexed under order-preserving keys: comparing two keys byte by byte gives the
// order in which people and Strapi's database sort the values, and equal keys mean equal
// values.
//
//	text          collation key (root, as for English), two zero bytes, the text itself
//	numbers       eight bytes, big-endian, the sign turned so that it orders
//	booleans      "0" or "1"
//	dates, times  their text, whose fields stand most significant first
//	json          the text as stored
//
// The text after the collation key distinguishes strings with the same collation key, so
// that equality is exact.

// collators hands out collators, which must not be shared between goroutines.
var collators = sync.Pool{New: func() any {
	return &collator{collate.New(language.English), new(collate.Buffer)}
}}

type collator struct {
	*collate.Collator
	buffer *collate.Buffer
}

// TextKey returns the key of a string.
func TextKey(s string) string {
	c := collators.Get().(*collator)
	defer collators.Put(c)
	c.buffer.Reset()
	order := c.KeyFromString(c.buffer, s)
	key := make([]byte, 0, len(order)+2+len(s))
	key = append(key, order...)
	key = append(key, 0, 0)
	return string(append(key, s...))
}

// IntKey returns the key of an integer.
func IntKey(n int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n)^(1<<63))
	return string(b[:])
}

// KeyInt returns the integer of a key from IntKey.
func KeyInt(key string) int64 {
	return int64(binary.BigEndian.Uint64([]byte(key)) ^ (1 << 63))
}

// FloatKey returns the key of a float or decimal.
func FloatKey(f float64) string {
	if f == 0 {
		f = 0 // -0 equals 0
	}
	n := math.Float64bits(f)
	if n>>63 != 0 {
		n = ^n
	} else {
		n |= 1 << 63
	}
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	return string(b[:])
}

// KeyFloat returns the number of a key from FloatKey.
func KeyFloat(key string) float64 {
	n := binary.BigEndian.Uint64([]byte(key))
	if n>>63 != 0 {
		return math.Float64frombits(n &^ (1 << 63))
	}
	return math.Float64frombits(^n)
}

// BoolKey returns the key of a boolean.
func BoolKey(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// SlotKey returns the key of the value in a scalar slot of attribute a.
func SlotKey(a *schema.Attribute, slot []byte) string {
	switch a.Kind {
	case schema.Integer:
		n, _ := strconv.ParseInt(string(slot), 10, 64)
		return IntKey(n)
	case schema.BigInteger:
		n, _ := strconv.ParseInt(string(slot[1:len(slot)-1]), 10, 64)
		return IntKey(n)
	case schema.Float, schema.Decimal:
		f, _ := strconv.ParseFloat(string(slot), 64)
		return FloatKey(f)
	case schema.Boolean:
		return BoolKey(slot[0] == 't')
	case schema.Date, schema.Time, schema.DateTime, schema.Timestamp:
		return string(slot[1 : len(slot)-1])
	case schema.JSON, schema.Blocks:
		return string(slot)
	}
	return TextKey(string(unquote(slot)))
}

// valueKey returns the key of a stored value, which must have the kind of attribute a: the
// same as SlotKey returns for its slot.
func valueKey(a *schema.Attribute, v *store.Value) string {
	switch v.Kind {
	case store.Bool:
		return BoolKey(v.Num != 0)
	case store.Int:
		return IntKey(v.Num)
	case store.Float:
		return FloatKey(v.Real)
	}
	if a.IsText() {
		return TextKey(v.Text)
	}
	return v.Text
}

// SlotText returns the value of a scalar slot as text: a string without its quotes,
// anything else as it is written. It must not be changed.
func SlotText(slot []byte) []byte {
	if len(slot) > 0 && slot[0] == '"' {
		return unquote(slot)
	}
	return slot
}
