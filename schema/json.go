package schema

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

// value is one JSON value of a site file, together with where it stands.
// Its readers report a value of another JSON type as a problem and then tell
// their caller that there is none.
type value struct {
	file, place string
	raw         json.RawMessage // valid JSON, without space around it
	problems    *Problems
}

// object is a JSON object with its members in the order of the file. An absent
// object has no members, so that optional parts can be read without asking.
type object struct {
	value
	members []member
}

type member struct {
	key string
	value
}

// parseFile reads a whole file as one JSON object.
func parseFile(file string, data []byte, problems *Problems) (object, bool) {
	v := value{file: file, raw: bytes.TrimSpace(data), problems: problems}
	var checked json.RawMessage
	err := json.Unmarshal(data, &checked)
	if err == nil {
		return v.object()
	}
	v.place = "line 1, column 1"
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		v.place = lineAndColumn(data, int(syntax.Offset)-1)
	}
	v.refuse("is not JSON: "+err.Error(), "correct the JSON here")
	return object{}, false
}

// lineAndColumn tells where a byte stands, counting from 1, columns in characters.
func lineAndColumn(data []byte, offset int) string {
	before := data[:min(max(offset, 0), len(data))]
	line := bytes.Count(before, []byte("\n"))
	last := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("line %d, column %d", line+1, utf8.RuneCount(last)+1)
}

// refuse reports a problem at the value's place.
func (v value) refuse(message, fix string) {
	v.problems.add(Problem{File: v.file, Place: v.place, Message: message, Fix: fix})
}

// wanted reports a value of the wrong JSON type.
func (v value) wanted(what string) {
	v.refuse(fmt.Sprintf("must be %s, not %s", what, v.shape()), "write "+what)
}

// shape names the value's JSON type as a reader would.
func (v value) shape() string {
	switch v.raw[0] {
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

// object reads a JSON object. A key that stands in it twice is a problem; the
// first one counts.
func (v value) object() (object, bool) {
	if v.raw[0] != '{' {
		v.wanted("an object")
		return object{value: v}, false
	}
	o := object{value: v}
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(v.raw))
	dec.Token()
	for dec.More() {
		token, _ := dec.Token()
		key, _ := token.(string)
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break // cannot be: parseFile has checked the syntax
		}
		m := member{key, v.child(pathStep(v.place, key), raw)}
		if seen[key] {
			m.refuse("stands here twice", "keep one of the two")
			continue
		}
		seen[key] = true
		o.members = append(o.members, m)
	}
	return o, true
}

// list reads a JSON array.
func (v value) list() ([]value, bool) {
	if v.raw[0] != '[' {
		v.wanted("a list")
		return nil, false
	}
	var raws []json.RawMessage
	if json.Unmarshal(v.raw, &raws) != nil {
		return nil, false
	}
	items := make([]value, len(raws))
	for i, raw := range raws {
		items[i] = v.child(fmt.Sprintf("%s[%d]", v.place, i), raw)
	}
	return items, true
}

func (v value) text() (string, bool) {
	var s string
	if v.raw[0] != '"' || json.Unmarshal(v.raw, &s) != nil {
		v.wanted("a text")
		return "", false
	}
	return s, true
}

func (v value) flag() (set, ok bool) {
	if v.raw[0] != 't' && v.raw[0] != 'f' {
		v.wanted("true or false")
		return false, false
	}
	return v.raw[0] == 't', true
}

func (v value) number() (float64, bool) {
	n, err := strconv.ParseFloat(string(v.raw), 64)
	if err != nil || math.IsInf(n, 0) {
		v.wanted("a number")
		return 0, false
	}
	return n, true
}

// whole reads a whole number that is not below least.
func (v value) whole(least int) (int, bool) {
	n, err := strconv.Atoi(string(v.raw))
	if err != nil || n < least {
		v.wantedWhole(fmt.Sprintf("from %d", least))
		return 0, false
	}
	return n, true
}

// int64 reads a whole number of 64 bits.
func (v value) int64() (int64, bool) {
	n, ok := parseInt64(v.raw)
	if !ok {
		v.wantedWhole("of at most 64 bits")
	}
	return n, ok
}

func (v value) wantedWhole(which string) {
	v.refuse("must be a whole number "+which, "write a whole number "+which)
}

// parseInt64 takes a JSON number or, since JavaScript cannot hold all numbers
// of 64 bits, a text.
func parseInt64(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	return n, err == nil
}

// word is a text that can be reported at its own place.
type word struct {
	value
	text string
}

// words reads a list of texts.
func (v value) words() []word {
	items, _ := v.list()
	var words []word
	for _, item := range items {
		if text, ok := item.text(); ok {
			words = append(words, word{item, text})
		}
	}
	return words
}

func (v value) child(place string, raw json.RawMessage) value {
	return value{file: v.file, place: place, raw: bytes.TrimSpace(raw), problems: v.problems}
}

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// pathStep is the place of a member: `info.singularName`, `roles["api::a.b"]`.
func pathStep(place, key string) string {
	switch {
	case !plainKey.MatchString(key):
		return place + "[" + strconv.Quote(key) + "]"
	case place == "":
		return key
	}
	return place + "." + key
}
