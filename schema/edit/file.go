package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object with its members in the order of the file. Members that nobody
// has opened keep their text as it stands in the file, so that a change shows in git as what
// it is.
type object struct {
	members []member
	order   []string // of the members that come to be; nil for that of a file
}

type member struct {
	key   string
	text  json.RawMessage // as in the file; nil where inner is set
	inner *object         // that has been opened, to be changed
}

// parse reads a file, or a part of one.
func parse(text []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.Join(errors.New("it is no JSON object"), err)
	}
	o := &object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)}
		if err := d.Decode(&m.text); err != nil {
			return nil, err
		}
		o.members = append(o.members, m)
	}
	return o, nil
}

// write appends the object as Strapi writes it, with two spaces for each level.
func (o *object) write(b []byte, indent string) []byte {
	if len(o.members) == 0 {
		return append(b, "{}"...)
	}
	inside := indent + "  "
	b = append(b, '{')
	for i, m := range o.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '\n'), inside...), quote(m.key)...)
		b = append(b, ": "...)
		if m.inner != nil {
			b = m.inner.write(b, inside)
		} else {
			b = append(b, m.text...)
		}
	}
	return append(append(append(b, '\n'), indent...), '}')
}

// quote is a text in JSON as JavaScript writes it.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can be
	return bytes.TrimSpace(b.Bytes())
}

// find is the member of a key, nil where there is none.
func (o *object) find(key string) *member {
	i := slices.IndexFunc(o.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	return &o.members[i]
}

// value reads the member of a key into v, which stays as it is where there is none.
func (o *object) value(key string, v any) {
	if m := o.find(key); m != nil && m.inner == nil {
		_ = json.Unmarshal(m.text, v) // of another shape: whoever loads the file says so
	}
}

// text is the text at a key, empty where there is none.
func (o *object) text(key string) (text string) {
	o.value(key, &text)
	return text
}

// read is the object at a key, to be read; one without members where there is none.
func (o *object) read(key string) *object {
	m := o.find(key)
	switch {
	case m == nil:
		return &object{}
	case m.inner != nil:
		return m.inner
	}
	inner, err := parse(m.text)
	if err != nil {
		return &object{}
	}
	return inner
}

// open is the object at a key, to be changed. One that is not there comes to be.
func (o *object) open(key string) *object {
	inner := o.read(key)
	o.place(key, nil).inner = inner
	return inner
}

// set puts a value at a key, or removes the member where the value is null. It reports
// whether that changes anything. depth is that of the member in its file.
func (o *object) set(key string, value json.RawMessage, depth int) bool {
	m := o.find(key)
	if isNull(value) {
		o.members = slices.DeleteFunc(o.members, func(m member) bool { return m.key == key })
		return m != nil
	}
	if m != nil && m.inner == nil && same(m.text, value) {
		return false
	}
	o.place(key, indented(value, depth))
	return true
}

// place gives a key a text, at its place in Strapi's order where it has none yet.
func (o *object) place(key string, text json.RawMessage) *member {
	if m := o.find(key); m != nil {
		m.text, m.inner = text, nil
		return m
	}
	at := len(o.members)
	order := o.order
	if order == nil {
		order = fileOrder
	}
	if rank := slices.Index(order, key); rank >= 0 {
		if i := slices.IndexFunc(o.members, func(m member) bool { return slices.Index(order, m.key) > rank }); i >= 0 {
			at = i
		}
	}
	o.members = slices.Insert(o.members, at, member{key: key, text: text})
	return &o.members[at]
}

// fileOrder is the order in which Strapi writes the members of a file and of its parts, but
// attributes.
var fileOrder = []string{
	"kind", "collectionName", "info", "options", "pluginOptions", "attributes", "config",
	"singularName", "pluralName", "displayName", "icon", "description",
	"draftAndPublish", "i18n", "localized",
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || bytes.Equal(bytes.TrimSpace(value), []byte("null"))
}

// same reports whether two values are the same but for spaces.
func same(a, b json.RawMessage) bool { return bytes.Equal(compact(a), compact(b)) }

func compact(value json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}

// indented is a value with a line for each of its parts, as a member at a depth.
func indented(value json.RawMessage, depth int) json.RawMessage {
	var b bytes.Buffer
	if json.Indent(&b, compact(value), string(bytes.Repeat([]byte("  "), depth)), "  ") != nil {
		return value
	}
	return b.Bytes()
}
