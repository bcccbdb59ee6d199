package content

import (
	"math"
	"strconv"
	"time"

	"quire/schema"
	"quire/store"
)

// Dates, times and moments are stored as text in one form each, so that their
// order as text is their order in time. The database of the reference has no
// year 0, and years beyond 9999 would not order.

func decodeDate(raw rawValue, at path, found *issues) store.Value {
	return decodeMoment(raw, at, found, schema.ErrDateFormat, func(s string) (string, error) {
		date, err := schema.ParseDate(s)
		if err == nil && date[:4] == "0000" {
			err = schema.ErrDate
		}
		return date, err
	})
}

func decodeTime(raw rawValue, at path, found *issues) store.Value {
	if shapeOf(raw) != jsonString {
		found.add(at, raw, "Expected a string, got a %s", typeName(raw))
		return store.Value{}
	}
	return decodeMoment(raw, at, found, schema.ErrTimeFormat, schema.ParseTime)
}

// decodeDateTime also takes a number: the milliseconds since 1970.
func decodeDateTime(raw rawValue, at path, found *issues) store.Value {
	if shapeOf(raw) == jsonNumber {
		ms, err := strconv.ParseFloat(string(raw), 64)
		if err == nil && math.Abs(ms) < 1e15 {
			raw = quote(time.UnixMilli(int64(ms)).UTC().Format(schema.DateTimeLayout))
		} else {
			raw = quote("")
		}
	}
	return decodeMoment(raw, at, found, schema.ErrDateTimeFormat, func(s string) (string, error) {
		moment, err := schema.ParseDateTime(s)
		if err == nil && (moment.Year() < 1 || moment.Year() > 9999) {
			err = schema.ErrDateTimeFormat
		}
		return moment.Format(schema.DateTimeLayout), err
	})
}

// decodeMoment reads a string with parse; what is no string has the wrong format.
func decodeMoment(raw rawValue, at path, found *issues, format error, parse func(string) (string, error)) store.Value {
	err := format
	if shapeOf(raw) == jsonString {
		var s string
		if s, err = parse(text(raw)); err == nil {
			return textValue(s)
		}
	}
	found.add(at, raw, "%s", err)
	return store.Value{}
}

// typeName is what JavaScript calls the type of a value.
func typeName(raw rawValue) string {
	switch shapeOf(raw) {
	case jsonNumber:
		return "number"
	case jsonBool:
		return "boolean"
	case jsonString:
		return "string"
	}
	return "object"
}
