package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Value is one JSON value of a site file, together with its place. Its readers return ok
// false for a value of another JSON type, after reporting it as a problem.
type Value struct {
	File     string          // slash-separated, relative to the site folder
	Raw      json.RawMessage // valid JSON, without space around it
	place    string          // JSON path in the file, or line and column
	problems *Problems
}

// Parse reads a whole file as one JSON object. Problems of the file, found now or when its
// values are read, are added to problems. It returns false if there is no object.
func Parse(file string, data []byte, problems *Problems) (Object, bool) {
	v := Value{File: file, Raw: bytes.TrimSpace(data), problems: problems}
	var checked json.RawMessage
	err := json.Unmarshal(data, &checked)
	if err == nil {
		return v.Object()
	}
	v.place = "line 1, column 1"
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		v.place = lineAndColumn(data, int(syntax.Offset)-1)
	}
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		v.Refuse("begins with a byte order mark", "save the file as UTF-8 without a byte order mark")
		return Object{}, false
	}
	v.Refuse("is not JSON: "+err.Error(), "correct the JSON here")
	return Object{}, false
}

// lineAndColumn returns the position of a byte, counting from 1, columns in characters.
func lineAndColumn(data []byte, offset int) string {
	before := data[:min(max(offset, 0), len(data))]
	line := bytes.Count(before, []byte("\n"))
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", line+1, utf8.RuneCount(last)+1)
}

// Refuse reports a problem at the value's place, with a way to fix it.
func (v Value) Refuse(message, fix string) {
	v.problems.Add(v.Problem(message, fix))
}

// Problem returns a problem at the place of the value, without reporting it.
func (v Value) Problem(message, fix string) Problem {
	return Problem{File: v.File, Place: v.place, Message: message, Fix: fix}
}

// RefuseShape reports that the value must be something else: "a list of texts".
func (v Value) RefuseShape(what string) {
	v.Refuse(fmt.Sprintf("must be %s, not %s", what, v.shape()), "write "+what)
}

// shape returns the JSON type of the value in words.
func (v Value) shape() string {
	switch v.Raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// Object reads a JSON object. A duplicate key is a problem; the first one counts.
func (v Value) Object() (Object, bool) {
	if v.Raw[0] != '{' {
		v.RefuseShape("an object")
		return Object{Value: v}, false
	}
	o := Object{Value: v}
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(v.Raw))
	dec.Token()
	for dec.More() {
		token, _ := dec.Token()
		key, _ := token.(string)
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break // impossible: Parse has checked the syntax
		}
		m := Member{key, v.child(pathStep(v.place, key), raw)}
		if seen[key] {
			m.Refuse("occurs twice", "keep one of the two")
			continue
		}
		seen[key] = true
		o.Members = append(o.Members, m)
	}
	return o, true
}

// List reads a JSON array.
func (v Value) List() ([]Value, bool) {
	if v.Raw[0] != '[' {
		v.RefuseShape("a list")
		return nil, false
	}
	var raws []json.RawMessage
	if json.Unmarshal(v.Raw, &raws) != nil {
		return nil, false
	}
	items := make([]Value, len(raws))
	for i, raw := range raws {
		items[i] = v.child(fmt.Sprintf("%s[%d]", v.place, i), raw)
	}
	return items, true
}

// Text reads a JSON string.
func (v Value) Text() (string, bool) {
	var s string
	if v.Raw[0] != '"' || json.Unmarshal(v.Raw, &s) != nil {
		v.RefuseShape("a text")
		return "", false
	}
	return s, true
}

func (v Value) flag() (set, ok bool) {
	if v.Raw[0] != 't' && v.Raw[0] != 'f' {
		v.RefuseShape("true or false")
		return false, false
	}
	return v.Raw[0] == 't', true
}

// Number reads a JSON number that a float64 can hold.
func (v Value) Number() (float64, bool) {
	n, err := strconv.ParseFloat(string(v.Raw), 64)
	if err != nil || math.IsInf(n, 0) {
		v.RefuseShape("a number")
		return 0, false
	}
	return n, true
}

// Whole reads a whole number that is not below least.
func (v Value) Whole(least int) (int, bool) {
	n, err := strconv.Atoi(string(v.Raw))
	if err != nil || n < least {
		v.refuseWhole(fmt.Sprintf("from %d", least))
		return 0, false
	}
	return n, true
}

// Int64 reads a whole number of 64 bits, as [ParseInt64] does.
func (v Value) Int64() (int64, bool) {
	n, ok := ParseInt64(v.Raw)
	if !ok {
		v.refuseWhole("of at most 64 bits")
	}
	return n, ok
}

func (v Value) refuseWhole(which string) {
	v.Refuse("must be a whole number "+which, "write a whole number "+which)
}

// ParseInt64 takes a JSON number or, because JavaScript cannot represent all 64-bit
// numbers, a string.
func ParseInt64(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	return n, err == nil
}

// Word is a text that can be reported at its own place.
type Word struct {
	Value
	Text string
}

// Words reads a list of texts. It reports items that are not texts, and leaves them out.
func (v Value) Words() []Word {
	items, _ := v.List()
	var words []Word
	for _, item := range items {
		if text, ok := item.Text(); ok {
			words = append(words, Word{item, text})
		}
	}
	return words
}

// child returns a value at a place inside v.
func (v Value) child(place string, raw json.RawMessage) Value {
	return Value{File: v.File, place: place, Raw: bytes.TrimSpace(raw), problems: v.problems}
}

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// pathStep returns the place of a member: `info.singularName`, `roles["api::a.b"]`.
func pathStep(place, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return place + "[" + strconv.Quote(key) + "]"
	case place == "":
		return key
	}
	return place + "." + key
}
