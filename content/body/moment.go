package body

import (
	"math"
	"strconv"
	"time"

	"quire/schema"
	"quire/store"
)

// Dates, times and moments are stored as text in one form each, so that the texts sort by
// time. Strapi's database has no year 0, and years beyond 9999 would not sort.

func decodeDate(raw Value, at Path, found *Issues) store.Value {
	return decodeMoment(raw, at, found, schema.ErrDateFormat, func(s string) (string, error) {
		date, err := schema.ParseDate(s)
		if err == nil && date[:4] == "0000" {
			err = schema.ErrDate
		}
		return date, err
	})
}

func decodeTime(raw Value, at Path, found *Issues) store.Value {
	if raw.shape() != jsonString {
		found.Add(at, raw.JSON(), "Expected a string, got a %s", typeName(raw))
		return store.Value{}
	}
	return decodeMoment(raw, at, found, schema.ErrTimeFormat, schema.ParseTime)
}

// decodeDateTime also accepts a number: the milliseconds since 1970.
func decodeDateTime(raw Value, at Path, found *Issues) store.Value {
	if raw.shape() == jsonNumber {
		ms, err := strconv.ParseFloat(raw.literal(), 64)
		if err == nil && math.Abs(ms) < 1e15 {
			raw = Text(time.UnixMilli(int64(ms)).UTC().Format(schema.DateTimeLayout))
		} else {
			raw = Text("")
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

// DecodeMoment decodes a moment as milliseconds since 1970. It reports an invalid one, and
// returns 0.
func DecodeMoment(raw JSON, at Path, found *Issues) int64 {
	v := decodeDateTime(Value{json: raw}, at, found)
	moment, err := time.Parse(schema.DateTimeLayout, v.Text)
	if err != nil {
		return 0 // already reported
	}
	return moment.UnixMilli()
}

// decodeMoment reads a string with parse; anything but a string has the wrong format.
func decodeMoment(raw Value, at Path, found *Issues, format error, parse func(string) (string, error)) store.Value {
	err := format
	if raw.shape() == jsonString {
		var s string
		if s, err = parse(raw.text()); err == nil {
			return textValue(s)
		}
	}
	found.Add(at, raw.JSON(), "%s", err)
	return store.Value{}
}

// typeName returns JavaScript's name of the type of a value.
func typeName(raw Value) string {
	switch raw.shape() {
	case jsonNumber:
		return "number"
	case jsonBool:
		return "boolean"
	case jsonString:
		return "string"
	}
	return "object"
}
