package body

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// scalar has the rules of one kind of plain value.
type scalar struct {
	// shape is Strapi's name of the kind if a required value is null.
	shape string

	// kind is the kind of stored values.
	kind store.ValueKind

	// decode decodes a JSON value that is not null. It reports what it refuses, and returns
	// null.
	decode func(raw Value, at Path, found *Issues) store.Value

	// check reports where a value breaks the limits of its attribute. Upper limits and
	// choices apply to drafts; with strict, it checks all limits.
	check func(a *schema.Attribute, v store.Value, at Path, strict bool, found *Issues)
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

// Default returns the default value of an attribute in the schema, null if there is none
// that can be stored. Passwords have none: everybody who can read the schema would know it.
func Default(a *schema.Attribute) store.Value {
	if a.Default == nil || !a.IsScalar() || a.Kind == schema.Password {
		return store.Value{}
	}
	var found Issues
	v := scalars[a.Kind].decode(OfJSON(a.Default), Path{}, &found)
	if len(found) > 0 {
		return store.Value{}
	}
	return v
}

// DecodeAccepted decodes a plain value, which must not be null, that was accepted
// elsewhere: it checks only its form. It does not check limits, texts may be of any length,
// and passwords are hashes. It reports what it refuses, and returns null.
func DecodeAccepted(a *schema.Attribute, raw JSON, at Path, found *Issues) store.Value {
	v := Value{json: raw}
	switch a.Kind {
	case schema.JSON, schema.Blocks:
		if raw.hasNull() {
			found.Add(at, nil, "%s must not contain the null character", at)
			return store.Value{}
		}
		return store.Value{Kind: store.JSON, Text: raw.compact()}
	case schema.Decimal:
		return decodeFloat(v, at, found)
	}
	if a.IsText() {
		return decodeText(v, at, found)
	}
	return scalars[a.Kind].decode(v, at, found)
}

// What Strapi's database columns can hold; it fails on more.
const (
	shortTextLength = 255 // characters
	passwordBytes   = 72  // bcrypt ignores the rest
	decimalLimit    = 1e8 // numeric(10,2)
)

func textValue(s string) store.Value { return store.Value{Kind: store.Text, Text: s} }

func decodeText(raw Value, at Path, found *Issues) store.Value {
	if raw.shape() != jsonString {
		found.WrongShape("string", raw.JSON(), at)
		return store.Value{}
	}
	s := raw.text()
	if strings.ContainsRune(s, 0) {
		found.Add(at, raw.JSON(), "%s must not contain the null character", at)
		return store.Value{}
	}
	return textValue(s)
}

func decodeShortText(raw Value, at Path, found *Issues) store.Value {
	v := decodeText(raw, at, found)
	if utf8.RuneCountInString(v.Text) > shortTextLength {
		found.Add(at, raw.JSON(), "%s must be at most %d characters", at, shortTextLength)
		return store.Value{}
	}
	return v
}

func decodePassword(raw Value, at Path, found *Issues) store.Value {
	v := decodeText(raw, at, found)
	if len(v.Text) > passwordBytes {
		found.Add(at, nil, "%s must be at most %d bytes", at, passwordBytes)
		return store.Value{}
	}
	return v
}

// decodeEnumeration converts numbers and booleans to text, as Strapi does; the choices
// decide.
func decodeEnumeration(raw Value, at Path, found *Issues) store.Value {
	switch raw.shape() {
	case jsonNumber, jsonBool:
		return textValue(raw.literal())
	}
	return decodeText(raw, at, found)
}

// decodeNumber returns the number of a JSON number or a numeric string.
func decodeNumber(raw Value, at Path, found *Issues) (float64, bool) {
	s := raw.literal()
	if raw.shape() == jsonString {
		s = strings.TrimSpace(raw.text())
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(s, "xX_") {
		found.Add(at, JSON("null"), "%s must be a `number` type, but the final value was: `NaN` (cast from the value `%s`).", at, raw.JSON().show())
		return 0, false
	}
	return n + 0, true // -0 becomes 0
}

func decodeInteger(raw Value, at Path, found *Issues) store.Value {
	n, ok := decodeNumber(raw, at, found)
	switch {
	case !ok:
	case n != math.Trunc(n):
		found.Add(at, raw.JSON(), "%s must be an integer", at)
	case n < math.MinInt32:
		found.Add(at, raw.JSON(), "%s must be greater than or equal to %d", at, math.MinInt32)
	case n > math.MaxInt32:
		found.Add(at, raw.JSON(), "%s must be less than or equal to %d", at, math.MaxInt32)
	default:
		return store.Value{Kind: store.Int, Num: int64(n)}
	}
	return store.Value{}
}

func decodeBigInteger(raw Value, at Path, found *Issues) store.Value {
	if n, ok := wholeNumber(raw); ok {
		return store.Value{Kind: store.Int, Num: n}
	}
	found.Add(at, raw.JSON(), "%s must be a valid integer", at)
	return store.Value{}
}

// wholeNumber reads up to 64 bits exactly. A JSON number may have a point or an exponent if
// it is whole.
func wholeNumber(raw Value) (int64, bool) {
	switch raw.shape() {
	case jsonString:
		n, err := strconv.ParseInt(strings.TrimSpace(raw.text()), 10, 64)
		return n, err == nil
	case jsonNumber:
		if n, err := strconv.ParseInt(raw.literal(), 10, 64); err == nil {
			return n, true
		}
		f, err := strconv.ParseFloat(raw.literal(), 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 && strings.ContainsAny(raw.literal(), ".eE") {
			return int64(f), true
		}
	}
	return 0, false
}

func decodeFloat(raw Value, at Path, found *Issues) store.Value {
	n, ok := decodeNumber(raw, at, found)
	if !ok {
		return store.Value{}
	}
	return store.Value{Kind: store.Float, Real: n}
}

func decodeDecimal(raw Value, at Path, found *Issues) store.Value {
	v := decodeFloat(raw, at, found)
	v.Real = hundredths(v.Real)
	if math.Abs(v.Real) >= decimalLimit {
		found.Add(at, raw.JSON(), "%s must be between -99999999.99 and 99999999.99", at)
		return store.Value{}
	}
	return v
}

// hundredths rounds to two decimal places, halves away from zero. It rounds the number as
// it is written, not as it is stored: 1.005 becomes 1.01.
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

// decodeBoolean accepts what Strapi accepts in addition to true and false.
func decodeBoolean(raw Value, at Path, found *Issues) store.Value {
	word, quoted := raw.literal(), raw.shape() == jsonString
	if quoted {
		word = raw.text()
	}
	switch {
	case word == "true", word == "1", quoted && word == "t":
		return store.Value{Kind: store.Bool, Num: 1}
	case word == "false", word == "0", quoted && word == "f":
		return store.Value{Kind: store.Bool}
	}
	found.WrongShape("boolean", raw.JSON(), at)
	return store.Value{}
}

// decodeJSON keeps any JSON. A string that is itself JSON is parsed, as in Strapi.
func decodeJSON(v Value, at Path, found *Issues) store.Value {
	raw := v.JSON()
	if v.shape() == jsonString {
		if inner := JSON(strings.TrimSpace(v.text())); inner.valid() {
			raw = inner
		}
	}
	if raw.hasNull() {
		found.Add(at, nil, "%s must not contain the null character", at)
		return store.Value{}
	}
	if raw.IsNull() {
		return store.Value{}
	}
	return store.Value{Kind: store.JSON, Text: raw.compact()}
}
