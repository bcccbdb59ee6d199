package content

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// rawValue is one JSON value of a body: valid, and without space around it.
type rawValue = json.RawMessage

// shape is what kind of JSON value something is.
type shape uint8

const (
	jsonNull shape = iota
	jsonBool
	jsonNumber
	jsonString
	jsonList
	jsonObject
)

func shapeOf(raw rawValue) shape {
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

func isNull(raw rawValue) bool { return shapeOf(raw) == jsonNull }

// member is one key of a JSON object with its value.
type member struct {
	key   string
	value rawValue
}

// members splits an object. Of a key given twice, the last value counts, as it
// does in JavaScript.
func members(raw rawValue) []member {
	list := make([]member, 0, min(1+len(raw)/32, manyMembers))
	var at map[string]int // made when there are many
	eachMember(raw, func(key, value rawValue) {
		m := member{text(key), value}
		var twice int
		if list, at, twice = add(list, at, m); twice >= 0 {
			list[twice].value = value
		}
	})
	return list
}

// eachMember calls fn for every member of an object, in order, with the key as
// the JSON string that it is written as.
func eachMember(raw rawValue, fn func(key, value rawValue)) {
	for i := next(raw, 1); raw[i] != '}'; {
		end := valueEnd(raw, i)
		key := raw[i:end]
		i = next(raw, next(raw, end)+1) // past the colon
		end = valueEnd(raw, i)
		fn(key, raw[i:end:end])
		if i = next(raw, end); raw[i] == ',' {
			i = next(raw, i+1)
		}
	}
}

// manyMembers is from how many members on a map finds a key given twice.
const manyMembers = 32

// add appends m, or says where the list has its key already.
func add(list []member, at map[string]int, m member) ([]member, map[string]int, int) {
	if len(list) < manyMembers {
		for i := range list {
			if list[i].key == m.key {
				return list, at, i
			}
		}
		return append(list, m), at, -1
	}
	if at == nil {
		at = make(map[string]int, 2*len(list))
		for i, other := range list {
			at[other.key] = i
		}
	}
	if i, twice := at[m.key]; twice {
		return list, at, i
	}
	at[m.key] = len(list)
	return append(list, m), at, -1
}

// elements splits a list.
func elements(raw rawValue) []rawValue {
	var list []rawValue
	for i := next(raw, 1); raw[i] != ']'; {
		end := valueEnd(raw, i)
		list = append(list, raw[i:end:end])
		if i = next(raw, end); raw[i] == ',' {
			i = next(raw, i+1)
		}
	}
	return list
}

// next is the index of the first byte from i on that is no space.
func next(raw rawValue, i int) int {
	for raw[i] == ' ' || raw[i] == '\n' || raw[i] == '\t' || raw[i] == '\r' {
		i++
	}
	return i
}

// valueEnd is the index behind the value that begins at i. Decode has checked
// the syntax.
func valueEnd(raw rawValue, i int) int {
	switch raw[i] {
	case '"':
		return stringEnd(raw, i)
	case '{', '[':
		return groupEnd(raw, i)
	}
	for i < len(raw) && bytes.IndexByte([]byte(",]} \n\t\r"), raw[i]) < 0 {
		i++
	}
	return i
}

func stringEnd(raw rawValue, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func groupEnd(raw rawValue, i int) int {
	for depth := 0; ; {
		switch raw[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			i = stringEnd(raw, i)
			continue
		}
		i++
	}
}

// text is the content of a JSON string. Halves of surrogate pairs become U+FFFD.
func text(raw rawValue) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// quote is the JSON of a string.
func quote(s string) rawValue {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.Encode(s)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// compact is the value without insignificant space.
func compact(raw rawValue) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// depth is how many lists and objects stand inside each other at most.
func depth(raw rawValue) int {
	now, most := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '{', '[':
			now++
			most = max(most, now)
		case '}', ']':
			now--
		case '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		}
	}
	return most
}

// shownLength bounds how much of a refused value a message repeats.
const shownLength = 1000

// show prints a refused value the way the reference's messages do: what stands
// inside lists and objects is printed first and then quoted once more.
func show(raw rawValue) string {
	var out strings.Builder
	showInto(&out, raw, "\n")
	s := out.String()
	if len(s) > shownLength {
		s = strings.ToValidUTF8(s[:shownLength], "") + "…"
	}
	return s
}

func showInto(out *strings.Builder, raw rawValue, indent string) {
	if out.Len() > shownLength {
		return
	}
	switch shapeOf(raw) {
	case jsonList:
		items := elements(raw)
		showList(out, "[]", len(items), indent, func(i int, indent string) { showInside(out, items[i], indent) })
	case jsonObject:
		list := members(raw)
		showList(out, "{}", len(list), indent, func(i int, indent string) {
			out.Write(quote(list[i].key))
			out.WriteString(": ")
			showInside(out, list[i].value, indent)
		})
	default:
		out.WriteString(showSimple(raw))
	}
}

func showInside(out *strings.Builder, raw rawValue, indent string) {
	if s := shapeOf(raw); s == jsonList || s == jsonObject {
		showInto(out, raw, indent)
		return
	}
	out.Write(quote(showSimple(raw)))
}

func showSimple(raw rawValue) string {
	if shapeOf(raw) == jsonString {
		return `"` + text(raw) + `"`
	}
	return string(raw)
}

func showList(out *strings.Builder, brackets string, n int, indent string, item func(i int, indent string)) {
	if n == 0 {
		out.WriteString(brackets)
		return
	}
	out.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(indent + "  ")
		item(i, indent+"  ")
	}
	out.WriteString(indent)
	out.WriteByte(brackets[1])
}

// digits is the whole number that a JSON number or a JSON string of digits
// writes, and false for anything else.
func digits(raw rawValue) (uint64, bool) {
	s := string(raw)
	if shapeOf(raw) == jsonString {
		s = text(raw)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

func validJSON(raw rawValue) bool { return len(raw) > 0 && json.Valid(raw) }

// hasNull reports whether a string or key of the value contains U+0000, which
// JSON can only write as an escape.
func hasNull(raw rawValue) bool {
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
