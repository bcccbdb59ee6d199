package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object with its members in the order of the file. Members that nobody
// has opened keep their text from the file, so that git shows only real changes.
type object struct {
	members []member
	order   []string // of added members; nil for the object of a file
}

type member struct {
	key   string
	text  json.RawMessage // as in the file; nil if inner is set
	inner *object         // opened, to be changed
}

// parse reads a file, or a part of one.
func parse(text []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.Join(errors.New("it is not a JSON object"), err)
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

// quote returns a text as a JSON string, as JavaScript writes it.
func quote(text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text can always be encoded
	return bytes.TrimSpace(b.Bytes())
}

// find returns the member of a key, or nil.
func (o *object) find(key string) *member {
	i := slices.IndexFunc(o.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	return &o.members[i]
}

// value reads the member of a key into v, which is unchanged if there is none.
func (o *object) value(key string, v any) {
	if m := o.find(key); m != nil && m.inner == nil {
		_ = json.Unmarshal(m.text, v) // of another shape: loading the file reports it
	}
}

// text returns the text at a key, empty if there is none.
func (o *object) text(key string) (text string) {
	o.value(key, &text)
	return text
}

// read returns the object at a key for reading; one without members if there is none.
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

// open returns the object at a key for changing, and adds it if there is none.
func (o *object) open(key string) *object {
	inner := o.read(key)
	o.place(key, nil).inner = inner
	return inner
}

// set puts a value at a key, or removes the member if the value is null. It reports whether
// that changes anything. depth is that of the member in its file.
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

// place gives a key a text. A new key goes to its place in Strapi's order.
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

// fileOrder is the order in which Strapi writes the members of a file and of its parts,
// except attributes.
var fileOrder = []string{
	"kind", "collectionName", "info", "options", "pluginOptions", "attributes", "config",
	"singularName", "pluralName", "displayName", "icon", "description",
	"draftAndPublish", "i18n", "localized",
}

func isNull(value json.RawMessage) bool {
	return len(value) == 0 || bytes.Equal(bytes.TrimSpace(value), []byte("null"))
}

// same reports whether two values are equal except for spaces.
func same(a, b json.RawMessage) bool { return bytes.Equal(compact(a), compact(b)) }

func compact(value json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return value
	}
	return b.Bytes()
}

// indented returns a value with one line for each of its parts, as a member at a depth.
func indented(value json.RawMessage, depth int) json.RawMessage {
	var b bytes.Buffer
	if json.Indent(&b, compact(value), string(bytes.Repeat([]byte("  "), depth)), "  ") != nil {
		return value
	}
	return b.Bytes()
}
