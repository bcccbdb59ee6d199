package body

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Value is one value of a body: JSON from a client, or a value that Go code has made, with
// [Text], [Bool], [Number], [List] or [Object]. The same rules decode both. The zero Value
// is null.
type Value struct {
	json JSON // nil for a value made by Go code
	made *madeValue
}

// madeValue is a value that is not JSON text.
type madeValue struct {
	kind     shape
	text     string // of a string; of a number or boolean in the form of JSON
	elements []Value
	members  []Field
}

// Field is one member of an object.
type Field = Named[Value]

// OfJSON returns the value of valid JSON, which must not change. It ignores space around
// it.
func OfJSON(raw json.RawMessage) Value { return Value{json: JSON(bytes.TrimSpace(raw))} }

// Text returns the value of a string.
func Text(s string) Value { return Value{made: &madeValue{kind: jsonString, text: s}} }

// Bool returns the value of a boolean.
func Bool(is bool) Value {
	return Value{made: &madeValue{kind: jsonBool, text: strconv.FormatBool(is)}}
}

// Number returns the value of a number, which must be finite.
func Number(f float64) Value {
	return Value{made: &madeValue{kind: jsonNumber, text: strconv.FormatFloat(f, 'f', -1, 64)}}
}

// List returns the value of a list.
func List(elements ...Value) Value {
	return Value{made: &madeValue{kind: jsonList, elements: elements}}
}

// Object returns the value of an object, which must have each key once.
func Object(members ...Field) Value {
	return Value{made: &madeValue{kind: jsonObject, members: members}}
}

func (v Value) shape() shape {
	switch {
	case v.json != nil:
		return v.json.shape()
	case v.made == nil:
		return jsonNull
	}
	return v.made.kind
}

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.shape() == jsonNull }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.shape() == jsonObject }

// Text returns the content of a string, false for any other value.
func (v Value) Text() (string, bool) {
	if v.shape() != jsonString {
		return "", false
	}
	return v.text(), true
}

// text returns the content of a string.
func (v Value) text() string {
	if v.json != nil {
		return v.json.text()
	}
	return v.made.text
}

// literal returns the value in the form of JSON.
func (v Value) literal() string {
	if v.json != nil {
		return string(v.json)
	}
	return string(v.appendJSON(nil))
}

// Members returns the members of an object, each key once.
func (v Value) Members() []Field {
	if v.json == nil {
		return slices.Clone(v.made.members)
	}
	all := newMemberList[Value](v.json)
	v.json.EachMember(func(key, value JSON) { all.set(key.text(), Value{json: value}) })
	return all.list
}

// Member returns a member of an object; null if it is missing, or if v is no object.
func (v Value) Member(key string) Value {
	if v.IsObject() {
		for _, m := range v.Members() {
			if m.Key == key {
				return m.Value
			}
		}
	}
	return Value{}
}

// elements iterates over the elements of a list.
func (v Value) elements() iter.Seq2[int, Value] {
	if v.json == nil {
		return slices.All(v.made.elements)
	}
	raw := v.json
	return func(yield func(int, Value) bool) {
		var element JSON
		for n, i := 0, raw.skipSpace(1); raw[i] != ']'; n++ {
			if element, i = raw.element(i); !yield(n, Value{json: element}) {
				return
			}
		}
	}
}

// digits returns the whole number of a number or a string of digits, and false for anything
// else.
func (v Value) digits() (uint64, bool) {
	var s string
	switch v.shape() {
	case jsonString:
		s = v.text()
	case jsonNumber:
		s = v.literal()
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// JSON returns the value as JSON.
func (v Value) JSON() JSON {
	if v.json != nil {
		return v.json
	}
	return v.appendJSON(nil)
}

func (v Value) appendJSON(dst JSON) JSON {
	if v.json != nil {
		return append(dst, v.json...)
	}
	switch v.shape() {
	case jsonNull:
		return append(dst, "null"...)
	case jsonString:
		return append(dst, quote(v.made.text)...)
	case jsonList:
		dst = append(dst, '[')
		for i, element := range v.made.elements {
			dst = element.appendJSON(separated(dst, i))
		}
		return append(dst, ']')
	case jsonObject:
		dst = append(dst, '{')
		for i, m := range v.made.members {
			dst = append(separated(dst, i), quote(m.Key)...)
			dst = m.Value.appendJSON(append(dst, ':'))
		}
		return append(dst, '}')
	}
	return append(dst, v.made.text...)
}

// separated appends a comma before the elements after the first.
func separated(dst JSON, i int) JSON {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// depth returns the maximum nesting of lists and objects.
func (v Value) depth() int {
	if v.json != nil {
		return v.json.Depth()
	}
	if s := v.shape(); s != jsonList && s != jsonObject {
		return 0
	}
	most := 0
	for _, element := range v.made.elements {
		most = max(most, element.depth())
	}
	for _, m := range v.made.members {
		most = max(most, m.Value.depth())
	}
	return most + 1
}

// ValidUTF8 reports whether all texts and keys of the value are valid UTF-8.
func (v Value) ValidUTF8() bool {
	switch {
	case v.json != nil:
		return utf8.Valid(v.json)
	case v.made == nil:
		return true
	}
	return utf8.ValidString(v.made.text) &&
		!slices.ContainsFunc(v.made.elements, func(one Value) bool { return !one.ValidUTF8() }) &&
		!slices.ContainsFunc(v.made.members, func(m Field) bool { return !utf8.ValidString(m.Key) || !m.Value.ValidUTF8() })
}
