package body

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"quire/schema"
	"quire/store"
)

// Convert converts a stored plain value to an attribute of another kind. An empty text
// becomes null if it can be nothing else. If a part of the value has no equivalent, lost
// names it: the time of day of a date. The error says why there is no equivalent value;
// numbers are never rounded.
//
// Passwords convert to nothing, and nothing converts to them.
func Convert(a *schema.Attribute, v store.Value) (converted store.Value, lost string, err error) {
	switch {
	case v.IsEmpty():
		return store.Value{}, "", nil
	case !a.IsScalar() || v.Kind == store.Instances || v.Kind == store.Edges:
		return store.Value{}, "", errors.New("plain values, components and links do not become each other")
	case a.Kind == schema.Password:
		return store.Value{}, "", errors.New("nothing becomes a password")
	}
	word, isWord := wordOf(v)
	switch {
	case v.Kind == store.Text && a.Kind == schema.Blocks:
		converted, err = blocksOf(v.Text)
		return converted, "", err
	case !isWord && JSON(v.Text).shape() == jsonList && slices.Contains(proseKinds, a.Kind):
		text, lost, err := textOf(JSON(v.Text))
		if err != nil {
			return store.Value{}, "", err
		}
		return textValue(text), lost, nil
	case a.Kind == schema.JSON || a.Kind == schema.Blocks:
		return convertJSON(a, v)
	case !isWord:
		return store.Value{}, "", fmt.Errorf("lists and objects are no %s", a.Kind)
	case a.IsText():
		converted, err = convertText(a, word)
	case strings.TrimSpace(word) == "":
	default:
		converted, lost, err = convertWord(a, v, word)
	}
	return converted, lost, err
}

// proseKinds are the kinds of texts that may have several lines.
var proseKinds = []schema.Kind{schema.String, schema.Text, schema.RichText}

// wordOf returns a plain value as it is written, false for JSON that is a list or an
// object.
func wordOf(v store.Value) (word string, ok bool) {
	switch v.Kind {
	case store.Text:
		return v.Text, true
	case store.Int:
		return strconv.FormatInt(v.Num, 10), true
	case store.Float:
		return strconv.FormatFloat(v.Real, 'f', -1, 64), true
	case store.Bool:
		return strconv.FormatBool(v.Num != 0), true
	}
	raw := JSON(v.Text)
	switch raw.shape() {
	case jsonString:
		return raw.text(), true
	case jsonNumber, jsonBool:
		return v.Text, true
	}
	return "", false
}

// convertText converts a word to a text. For an enumeration it must be a choice.
func convertText(a *schema.Attribute, word string) (store.Value, error) {
	v := textValue(word)
	if a.Kind != schema.Enumeration {
		return v, nil
	}
	if word = strings.TrimSpace(word); word == "" {
		return store.Value{}, nil
	}
	v.Text = word
	var found Issues
	checkEnumeration(a, v, At(a.Name), true, &found)
	if len(found) > 0 {
		return store.Value{}, fmt.Errorf("it is none of %s", strings.Join(a.Enum, ", "))
	}
	return v, nil
}

// convertWord converts a word to a number, a boolean, or a point in time.
func convertWord(a *schema.Attribute, v store.Value, word string) (converted store.Value, lost string, err error) {
	word = strings.TrimSpace(word)
	switch a.Kind {
	case schema.Boolean:
		converted, err = convertBoolean(word)
	case schema.Date, schema.Time, schema.DateTime, schema.Timestamp:
		if v.Kind != store.Text {
			return converted, "", fmt.Errorf("a number is no %s", a.Kind)
		}
		return convertMoment(a, word)
	default:
		converted, err = convertNumber(a, v, word)
	}
	return converted, "", err
}

func convertBoolean(word string) (store.Value, error) {
	switch strings.ToLower(word) {
	case "true", "1":
		return store.Value{Kind: store.Bool, Num: 1}, nil
	case "false", "0":
		return store.Value{Kind: store.Bool}, nil
	}
	return store.Value{}, errors.New("it is neither true nor false, 1 nor 0")
}

// longestNumber is the maximum length of a text that is read as a number.
const longestNumber = 64

// convertNumber converts a word to a number, if the attribute can represent it exactly.
func convertNumber(a *schema.Attribute, v store.Value, word string) (store.Value, error) {
	if v.Kind == store.Bool {
		word = strconv.FormatInt(v.Num, 10)
	}
	var found Issues
	n, ok := decodeNumber(Text(word), Path{}, &found)
	if !ok || len(word) > longestNumber {
		return store.Value{}, errors.New("it is not a number")
	}
	converted := store.Value{Kind: store.Float, Real: n}
	if kind := scalars[a.Kind].kind; kind == store.Int {
		if n != math.Trunc(n) {
			return store.Value{}, errors.New("it is not a whole number")
		}
		whole, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			if math.Abs(n) >= 1<<63 {
				return store.Value{}, errors.New("it is too large")
			}
			whole = int64(n)
		}
		if a.Kind == schema.Integer && (whole < math.MinInt32 || whole > math.MaxInt32) {
			return store.Value{}, fmt.Errorf("it is not between %d and %d", math.MinInt32, math.MaxInt32)
		}
		converted = store.Value{Kind: kind, Num: whole}
	}
	if a.Kind == schema.Decimal && (hundredths(n) != n || math.Abs(n) >= decimalLimit) {
		return store.Value{}, errors.New("a decimal has two digits after the point, and at most eight before it")
	}
	again, _ := wordOf(converted)
	if !sameNumber(word, again) {
		return store.Value{}, fmt.Errorf("it would be rounded to %s", again)
	}
	return converted, nil
}

// sameNumber reports whether two words of moderate length write the same number. Exponents
// are within those of a float64, except for what rounds to zero.
func sameNumber(a, b string) bool {
	if b == "0" {
		digits, _, _ := strings.Cut(strings.ToLower(a), "e")
		return !strings.ContainsAny(digits, "123456789")
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// convertMoment converts a text to a date, a time or a moment. A text of only digits is
// ambiguous, and is refused.
func convertMoment(a *schema.Attribute, word string) (converted store.Value, lost string, err error) {
	isDay := len(word) >= len(time.DateOnly) && word[4] == '-' && word[7] == '-'
	if a.Kind != schema.Time && !isDay {
		return store.Value{}, "", fmt.Errorf("it is no %s", a.Kind)
	}
	var found Issues
	if a.Kind == schema.Date && len(word) > len(time.DateOnly) {
		moment, err := schema.ParseDateTime(word)
		if err != nil {
			return store.Value{}, "", errors.New("it is not a date")
		}
		if clock := moment.Sub(moment.Truncate(24 * time.Hour)); clock != 0 {
			lost = moment.Format("15:04:05.999") + " UTC"
		}
		word = moment.Format(time.DateOnly)
	}
	converted = scalars[a.Kind].decode(Text(word), Path{}, &found)
	if len(found) > 0 {
		return store.Value{}, "", fmt.Errorf("it is no %s", a.Kind)
	}
	return converted, lost, nil
}

// convertJSON writes a plain value as JSON: a text as a string.
func convertJSON(a *schema.Attribute, v store.Value) (converted store.Value, lost string, err error) {
	converted = store.Value{Kind: store.JSON, Text: v.Text}
	word, _ := wordOf(v)
	switch {
	case v.Kind == store.JSON && a.Kind == schema.JSON:
		return converted, "", nil
	case a.Kind == schema.Blocks:
		var found Issues
		if v.Kind == store.JSON {
			converted = decodeBlocks(Value{json: JSON(v.Text)}, Path{}, &found)
		}
		if v.Kind != store.JSON || len(found) > 0 {
			return store.Value{}, "", errors.New("it is not a list of blocks")
		}
	case v.Kind == store.Text:
		converted.Text = string(quote(word))
	default:
		converted.Text = word
	}
	return converted, "", nil
}
