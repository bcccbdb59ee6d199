package archive

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// appendScalar appends the JSON of a plain value; false for a value that no longer fits its
// attribute.
func appendScalar(dst []byte, a *schema.Attribute, v store.Value) ([]byte, bool) {
	switch v.Kind {
	case store.Null:
		return append(dst, "null"...), true
	case store.Bool:
		return strconv.AppendBool(dst, v.Num != 0), a.Kind == schema.Boolean
	case store.Int:
		if a.Kind == schema.BigInteger { // beyond the range of JavaScript's numbers
			return append(strconv.AppendInt(append(dst, '"'), v.Num, 10), '"'), true
		}
		return strconv.AppendInt(dst, v.Num, 10), a.Kind == schema.Integer
	case store.Float:
		return appendNumber(dst, v.Real), a.Kind == schema.Float || a.Kind == schema.Decimal
	case store.JSON:
		return append(dst, v.Text...), a.Kind == schema.JSON || a.Kind == schema.Blocks
	case store.Text:
		return appendText(dst, v.Text), isTextual(a)
	}
	return dst, false
}

func isTextual(a *schema.Attribute) bool {
	switch a.Kind {
	case schema.Date, schema.Time, schema.DateTime, schema.Timestamp:
		return true
	}
	return a.IsText()
}

func appendNumber(dst []byte, n float64) []byte {
	format := byte('f')
	if abs := math.Abs(n); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'g'
	}
	return strconv.AppendFloat(dst, n, format, -1, 64)
}

// appendMoment appends a time given in milliseconds since 1970, null for 0.
func appendMoment(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = time.UnixMilli(ms).UTC().AppendFormat(dst, schema.DateTimeLayout)
	return append(dst, '"')
}

// object appends the members of a JSON object one by one.
type object struct {
	dst   []byte
	count int
}

func beginObject(dst []byte) *object { return &object{dst: append(dst, '{')} }

// key begins the next member.
func (o *object) key(name string) {
	if o.count > 0 {
		o.dst = append(o.dst, ',')
	}
	o.count++
	o.dst = append(appendText(o.dst, name), ':')
}

func (o *object) text(name, value string) {
	o.key(name)
	o.dst = appendText(o.dst, value)
}

func (o *object) number(name string, n uint64) {
	o.key(name)
	o.dst = strconv.AppendUint(o.dst, n, 10)
}

func (o *object) raw(name string, json []byte) {
	o.key(name)
	o.dst = append(o.dst, json...)
}

func (o *object) end() []byte { return append(o.dst, '}') }

// appendText appends a JSON string. What is not valid UTF-8 becomes U+FFFD.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		if size > 1 {
			i += size - 1
			continue
		}
		dst = append(dst, s[plain:i]...)
		quoted, _ := json.Marshal(s[i : i+size]) // it does not fail for a string
		dst = append(dst, quoted[1:len(quoted)-1]...)
		i += size - 1
		plain = i + 1
	}
	return append(append(dst, s[plain:]...), '"')
}
