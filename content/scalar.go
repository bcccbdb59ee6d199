package content

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// scalar holds the rules of one kind of plain value.
type scalar struct {
	// shape is what the reference calls the kind when a required value is null.
	shape string

	// kind is what stored values of the kind are.
	kind store.ValueKind

	// decode turns a JSON value that is not null into a stored one. What it
	// refuses it reports, and returns null.
	decode func(raw rawValue, at path, found *issues) store.Value

	// check reports where a value breaks the limits of its attribute. Drafts
	// keep upper limits and choices; with strict set, all limits are checked.
	check func(a *schema.Attribute, v store.Value, at path, strict bool, found *issues)
}

var scalars = [...]scalar{
	schema.String:      {"string", store.Text, decodeShortText, checkText},
	schema.Text:        {"string", store.Text, decodeText, checkText},
	schema.RichText:    {"string", store.Text, decodeText, checkText},
	schema.Email:       {"string", store.Text, decodeShortText, checkEmail},
	schema.Password:    {"string", store.Text, decodePassword, checkText},
	schema.UID:         {"string", store.Text, decodeShortText, checkUID},
	schema.Enumeration: {"string", store.Text, decodeEnumeration, checkEnumeration},
	schema.Integer:     {"number", store.Int, decodeInteger, checkNumber},
	schema.BigInteger:  {"number", store.Int, decodeBigInteger, checkBigInteger},
	schema.Float:       {"number", store.Float, decodeFloat, checkNumber},
	schema.Decimal:     {"number", store.Float, decodeDecimal, checkNumber},
	schema.Boolean:     {"boolean", store.Bool, decodeBoolean, checkNothing},
	schema.Date:        {"mixed", store.Text, decodeDate, checkNothing},
	schema.Time:        {"mixed", store.Text, decodeTime, checkNothing},
	schema.DateTime:    {"mixed", store.Text, decodeDateTime, checkNothing},
	schema.Timestamp:   {"mixed", store.Text, decodeDateTime, checkNothing},
	schema.JSON:        {"mixed", store.JSON, decodeJSON, checkNothing},
	schema.Blocks:      {"array", store.JSON, decodeBlocks, checkNothing},
}

// What the reference's database columns can hold; it fails on more.
const (
	shortTextLength = 255 // characters
	passwordBytes   = 72  // all that bcrypt looks at
	decimalLimit    = 1e8 // numeric(10,2)
)

func textValue(s string) store.Value { return store.Value{Kind: store.Text, Text: s} }

// wrongShape reports a value that is of another kind; raw is nil for one that must
// not be repeated.
func wrongShape(shape string, raw rawValue, at path, found *issues) {
	if raw == nil {
		found.add(at, nil, "%s must be a `%s` type", at, shape)
		return
	}
	found.add(at, raw, "%s must be a `%s` type, but the final value was: `%s`.", at, shape, show(raw))
}

func decodeText(raw rawValue, at path, found *issues) store.Value {
	if shapeOf(raw) != jsonString {
		wrongShape("string", raw, at, found)
		return store.Value{}
	}
	s := text(raw)
	if strings.ContainsRune(s, 0) {
		found.add(at, raw, "%s must not contain the null character", at)
		return store.Value{}
	}
	return textValue(s)
}

func decodeShortText(raw rawValue, at path, found *issues) store.Value {
	v := decodeText(raw, at, found)
	if utf8.RuneCountInString(v.Text) > shortTextLength {
		found.add(at, raw, "%s must be at most %d characters", at, shortTextLength)
		return store.Value{}
	}
	return v
}

func decodePassword(raw rawValue, at path, found *issues) store.Value {
	v := decodeText(raw, at, found)
	if len(v.Text) > passwordBytes {
		found.add(at, nil, "%s must be at most %d bytes", at, passwordBytes)
		return store.Value{}
	}
	return v
}

// decodeEnumeration takes numbers and booleans for their text, as the
// reference does; the choices decide.
func decodeEnumeration(raw rawValue, at path, found *issues) store.Value {
	switch shapeOf(raw) {
	case jsonNumber, jsonBool:
		return textValue(string(raw))
	}
	return decodeText(raw, at, found)
}

// number is the number that a JSON number or a numeric string stands for.
func number(raw rawValue, at path, found *issues) (float64, bool) {
	s := string(raw)
	if shapeOf(raw) == jsonString {
		s = strings.TrimSpace(text(raw))
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(s, "xX_") {
		found.add(at, rawValue("null"), "%s must be a `number` type, but the final value was: `NaN` (cast from the value `%s`).", at, show(raw))
		return 0, false
	}
	return n + 0, true // -0 becomes 0
}

func decodeInteger(raw rawValue, at path, found *issues) store.Value {
	n, ok := number(raw, at, found)
	switch {
	case !ok:
	case n != math.Trunc(n):
		found.add(at, raw, "%s must be an integer", at)
	case n < math.MinInt32:
		found.add(at, raw, "%s must be greater than or equal to %d", at, math.MinInt32)
	case n > math.MaxInt32:
		found.add(at, raw, "%s must be less than or equal to %d", at, math.MaxInt32)
	default:
		return store.Value{Kind: store.Int, Num: int64(n)}
	}
	return store.Value{}
}

func decodeBigInteger(raw rawValue, at path, found *issues) store.Value {
	if n, ok := wholeNumber(raw); ok {
		return store.Value{Kind: store.Int, Num: n}
	}
	found.add(at, raw, "%s must be a valid integer", at)
	return store.Value{}
}

// wholeNumber reads up to 64 bits exactly. A JSON number may be written with a
// point or an exponent as long as it is whole.
func wholeNumber(raw rawValue) (int64, bool) {
	switch shapeOf(raw) {
	case jsonString:
		n, err := strconv.ParseInt(strings.TrimSpace(text(raw)), 10, 64)
		return n, err == nil
	case jsonNumber:
		if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
			return n, true
		}
		f, err := strconv.ParseFloat(string(raw), 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 && strings.ContainsAny(string(raw), ".eE") {
			return int64(f), true
		}
	}
	return 0, false
}

func decodeFloat(raw rawValue, at path, found *issues) store.Value {
	n, ok := number(raw, at, found)
	if !ok {
		return store.Value{}
	}
	return store.Value{Kind: store.Float, Real: n}
}

func decodeDecimal(raw rawValue, at path, found *issues) store.Value {
	v := decodeFloat(raw, at, found)
	v.Real = hundredths(v.Real)
	if math.Abs(v.Real) >= decimalLimit {
		found.add(at, raw, "%s must be between -99999999.99 and 99999999.99", at)
		return store.Value{}
	}
	return v
}

// hundredths rounds to two decimal places, halves away from zero. It rounds the
// number as it is written, not as it is stored: 1.005 gives 1.01.
func hundredths(n float64) float64 {
	if math.Abs(n) >= decimalLimit {
		return n
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(n), 'f', -1, 64), ".")
	if len(fraction) <= 2 {
		return n
	}
	cents, _ := strconv.ParseInt(whole+fraction[:2], 10, 64)
	if fraction[2] >= '5' {
		cents++
	}
	return math.Copysign(float64(cents)/100, n) + 0
}

// decodeBoolean takes what the reference takes besides true and false.
func decodeBoolean(raw rawValue, at path, found *issues) store.Value {
	word, quoted := string(raw), shapeOf(raw) == jsonString
	if quoted {
		word = text(raw)
	}
	switch {
	case word == "true", word == "1", quoted && word == "t":
		return store.Value{Kind: store.Bool, Num: 1}
	case word == "false", word == "0", quoted && word == "f":
		return store.Value{Kind: store.Bool}
	}
	wrongShape("boolean", raw, at, found)
	return store.Value{}
}

// decodeJSON keeps any JSON. A string that is itself JSON is taken apart, as
// the reference does.
func decodeJSON(raw rawValue, at path, found *issues) store.Value {
	if shapeOf(raw) == jsonString {
		if inner := rawValue(strings.TrimSpace(text(raw))); validJSON(inner) {
			raw = inner
		}
	}
	if hasNull(raw) {
		found.add(at, nil, "%s must not contain the null character", at)
		return store.Value{}
	}
	if isNull(raw) {
		return store.Value{}
	}
	return store.Value{Kind: store.JSON, Text: compact(raw)}
}
