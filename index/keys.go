package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

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
//
// A key longer than longestKey is cut: its first longestKey bytes and the SHA-256 of the
// text. So equality stays exact, and so does the order, except between two cut keys that
// begin alike: see Tied.

// longestKey is the maximum length of a key that is not cut, in bytes.
const longestKey = 1 << 10

// IsCut reports whether a key is that of a value too long for a whole key.
func IsCut(key string) bool { return len(key) > longestKey }

// Tied reports whether the keys do not decide the order of two different values, because
// both are cut and begin alike. CompareTexts decides it.
func Tied(a, b string) bool {
	return IsCut(a) && IsCut(b) && a != b && a[:longestKey] == b[:longestKey]
}

// cutKey returns the key of a value whose whole key begins with these bytes.
func cutKey[T string | []byte](start []byte, value T) string {
	sum := sha256.New()
	for buffer := make([]byte, 4<<10); len(value) > 0; {
		n := copy(buffer, value)
		sum.Write(buffer[:n])
		value = value[n:]
	}
	return string(sum.Sum(start[:longestKey:longestKey]))
}

// CompareSlots compares two values of attribute a by their whole keys, as the keys of their
// slots do unless they are tied.
func CompareSlots(a *schema.Attribute, one, other []byte) int {
	if !a.IsText() {
		return bytes.Compare(one, other)
	}
	return CompareTexts(unquote(one), unquote(other))
}

// CompareTexts compares two strings by their whole keys.
func CompareTexts(one, other []byte) int {
	c := takeCollator()
	defer c.release()
	c.large = true
	if n := bytes.Compare(c.Key(c.buffer, one), c.Key(c.buffer, other)); n != 0 {
		return n
	}
	return bytes.Compare(one, other)
}

// collators hands out collators, which must not be shared between goroutines.
var collators = sync.Pool{New: func() any {
	return &collator{Collator: collate.New(language.English), buffer: new(collate.Buffer)}
}}

type collator struct {
	*collate.Collator
	buffer *collate.Buffer
	large  bool // the buffer has had a text of more than longestKey bytes
}

func takeCollator() *collator { return collators.Get().(*collator) }

// release returns a collator for others to use, without the memory that long texts took.
func (c *collator) release() {
	c.buffer.Reset()
	if c.large {
		c.buffer, c.large = new(collate.Buffer), false
	}
	collators.Put(c)
}

// TextKey returns the key of a string.
func TextKey(s string) string {
	if len(s) > longestKey {
		return longTextKey(s)
	}
	c := takeCollator()
	defer c.release()
	order := c.KeyFromString(c.buffer, s)
	key := make([]byte, 0, len(order)+2+len(s))
	key = append(key, order...)
	key = append(key, 0, 0)
	if key = append(key, s...); len(key) > longestKey {
		return cutKey(key, s)
	}
	return string(key)
}

// baseLetters compares letters without accents and case. Its keys are the beginnings of
// those of other collators.
var baseLetters = sync.Pool{New: func() any {
	return collate.New(language.English, collate.Loose)
}}

const (
	keyedText = 8 << 10    // bytes of a long text from which its key is made at first
	unsure    = longestKey // last bytes of the key of a part of a text, which what follows may change
)

// longTextKey returns the key of a text whose whole key would be cut. If it can, it makes
// the key of the beginning of the text only: a key has the base letters of the whole text
// first.
func longTextKey(s string) string {
	letters := baseLetters.Get().(*collate.Collator)
	defer baseLetters.Put(letters)
	for n := keyedText; n < len(s); n *= 8 {
		for !utf8.RuneStart(s[n]) {
			n--
		}
		if order := letters.KeyFromString(new(collate.Buffer), s[:n]); len(order) >= longestKey+unsure {
			return cutKey(order, s)
		}
	}
	whole := takeCollator()
	defer whole.release()
	whole.large = true
	order := whole.KeyFromString(whole.buffer, s)
	if len(order) < longestKey { // the text is longer
		order = append(slices.Concat(order, []byte{0, 0}), s...)
	}
	return cutKey(order, s)
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
		return jsonKey(slot)
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
	return jsonKey([]byte(v.Text))
}

func jsonKey(text []byte) string {
	if len(text) > longestKey {
		return cutKey(text, text)
	}
	return string(text)
}

// SlotText returns the value of a scalar slot as text: a string without its quotes,
// anything else as it is written. It must not be changed.
func SlotText(slot []byte) []byte {
	if len(slot) > 0 && slot[0] == '"' {
		return unquote(slot)
	}
	return slot
}
