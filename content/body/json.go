package body

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
)

// JSON is one JSON value: valid, and without space around it. It is read in place; nothing
// of its content is kept.
type JSON json.RawMessage

// shape is the kind of a JSON value.
type shape uint8

const (
	jsonNull shape = iota
	jsonBool
	jsonNumber
	jsonString
	jsonList
	jsonObject
)

func (raw JSON) shape() shape {
	switch raw[0] {
	case 'n':
		return jsonNull
	case 't', 'f':
		return jsonBool
	case '"':
		return jsonString
	case '[':
		return jsonList
	case '{':
		return jsonObject
	}
	return jsonNumber
}

// IsNull reports whether the value is null.
func (raw JSON) IsNull() bool { return raw.shape() == jsonNull }

// IsList reports whether the value is a list.
func (raw JSON) IsList() bool { return raw.shape() == jsonList }

// IsObject reports whether the value is an object.
func (raw JSON) IsObject() bool { return raw.shape() == jsonObject }

// Named is one key of an object with its value.
type Named[V any] struct {
	Key   string
	Value V
}

// Member is one member of an object in JSON.
type Member = Named[JSON]

// Members splits an object. The last value of a duplicate key counts, as in JavaScript.
func (raw JSON) Members() []Member {
	all := newMemberList[JSON](raw)
	raw.EachMember(func(key, value JSON) { all.set(key.text(), value) })
	return all.list
}

// EachMember calls fn for every member of an object, in order, with the key as a JSON
// string.
func (raw JSON) EachMember(fn func(key, value JSON)) {
	for i := raw.skipSpace(1); raw[i] != '}'; {
		end := raw.valueEnd(i)
		key := raw[i:end]
		i = raw.skipSpace(raw.skipSpace(end) + 1) // after the colon
		end = raw.valueEnd(i)
		fn(key, raw[i:end:end])
		if i = raw.skipSpace(end); raw[i] == ',' {
			i = raw.skipSpace(i + 1)
		}
	}
}

// memberList is the members of an object, each key once.
type memberList[V any] struct {
	list []Named[V]
	at   map[string]int // of keys, in list; created if there are many
}

func newMemberList[V any](of JSON) memberList[V] {
	return memberList[V]{list: make([]Named[V], 0, min(1+len(of)/32, manyMembers))}
}

// manyMembers is the number of members from which on a map finds duplicate keys.
const manyMembers = 32

// set sets the value of a key, at the place where it first occurred.
func (l *memberList[V]) set(key string, value V) {
	if i := l.index(key); i >= 0 {
		l.list[i].Value = value
		return
	}
	if l.at != nil {
		l.at[key] = len(l.list)
	}
	l.list = append(l.list, Named[V]{key, value})
}

// index returns the index of a key in the list, or -1.
func (l *memberList[V]) index(key string) int {
	if len(l.list) < manyMembers {
		return slices.IndexFunc(l.list, func(m Named[V]) bool { return m.Key == key })
	}
	if l.at == nil {
		l.at = make(map[string]int, 2*len(l.list))
		for i, m := range l.list {
			l.at[m.Key] = i
		}
	}
	if i, twice := l.at[key]; twice {
		return i
	}
	return -1
}

// Elements iterates over a list. It keeps nothing: a list of many small elements would take
// many times its length.
func (raw JSON) Elements() iter.Seq2[int, JSON] {
	return func(yield func(int, JSON) bool) {
		var element JSON
		for n, i := 0, raw.skipSpace(1); raw[i] != ']'; n++ {
			if element, i = raw.element(i); !yield(n, element) {
				return
			}
		}
	}
}

// element returns the element of a list that begins at i, and where the next one begins.
func (raw JSON) element(i int) (element JSON, next int) {
	end := raw.valueEnd(i)
	if next = raw.skipSpace(end); raw[next] == ',' {
		next = raw.skipSpace(next + 1)
	}
	return raw[i:end:end], next
}

// emptyList reports whether a list has no elements.
func (raw JSON) emptyList() bool { return raw[raw.skipSpace(1)] == ']' }

// skipSpace returns the index of the first byte from i on that is not a space.
func (raw JSON) skipSpace(i int) int {
	for raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r' {
		i++
	}
	return i
}

// valueEnd returns the index after the value that begins at i. Readable has checked the
// syntax.
func (raw JSON) valueEnd(i int) int {
	switch raw[i] {
	case '"':
		return raw.stringEnd(i)
	case '{', '[':
		return raw.groupEnd(i)
	}
	for i < len(raw) && bytes.IndexByte([]byte(",]} \n\t\r"), raw[i]) < 0 {
		i++
	}
	return i
}

func (raw JSON) stringEnd(i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func (raw JSON) groupEnd(i int) int {
	for depth := 0; ; {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = raw.stringEnd(i)
			continue
		}
		i++
	}
}

// Text returns the content of a JSON string, false for any other value.
func (raw JSON) Text() (string, bool) {
	if raw.shape() != jsonString {
		return "", false
	}
	return raw.text(), true
}

// text returns the content of a JSON string. Halves of surrogate pairs become U+FFFD.
func (raw JSON) text() string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// quote returns a string as JSON.
func quote(s string) JSON {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.Encode(s)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// compact returns the value without insignificant space.
func (raw JSON) compact() string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// Depth returns the maximum nesting of lists and objects.
func (raw JSON) Depth() int {
	now, most := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			now++
			most = max(most, now)
		case '}', ']':
			now--
		case '"':
			i = raw.stringEnd(i) - 1
		}
	}
	return most
}

// Digits returns the whole number of a JSON number or a JSON string of digits, and false
// for anything else.
func (raw JSON) Digits() (uint64, bool) {
	s := string(raw)
	if raw.shape() == jsonString {
		s = raw.text()
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

func (raw JSON) valid() bool { return len(raw) > 0 && json.Valid(raw) }

// hasNull reports whether a string or key of the value contains U+0000, which
// JSON can only write as an escape.
func (raw JSON) hasNull() bool {
	for rest := raw; ; {
		i := bytes.Index(rest, []byte(`\u0000`))
		if i < 0 {
			return false
		}
		escapes := len(rest[:i]) - len(bytes.TrimRight(rest[:i], `\`))
		if escapes%2 == 0 {
			return true
		}
		rest = rest[i+1:]
	}
}
