package body

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"unicode/utf8"

	"quire/schema"
	"quire/store"
)

// MissingData is the message about a body whose "data" is absent or no object.
const MissingData = `Missing "data" payload in the request body`

// Decode checks the value of a body's "data" against a content type and the
// caller's rights; nil access allows everything. It knows no content: whether
// link targets exist, values are unique or required ones present is for the
// Writer to find out.
//
// data may be nil, and may be any bytes. Errors: *KeyError for the first key
// that must not be there, *ValidationError listing every value that is refused;
// its message is MissingData when there is no object at all.
func Decode(site *schema.Site, t *schema.Type, data json.RawMessage, access schema.Access) (*Input, error) {
	object, err := Readable(site, data)
	if err != nil {
		return nil, err
	}
	d := decoder{site: site, access: access, left: MostItems(site)}
	return d.input(t, Value{json: object})
}

// DecodeValue is Decode for a value that Go code has made, of whatever a client has sent.
// Errors are those of Decode.
func DecodeValue(site *schema.Site, t *schema.Type, data Value, access schema.Access) (*Input, error) {
	if !data.ValidUTF8() {
		return nil, errNotUTF8
	}
	if err := checkObject(site, data); err != nil {
		return nil, err
	}
	d := decoder{site: site, access: access, left: MostItems(site)}
	return d.input(t, data)
}

// DecodeUnbounded is Decode for what may give any number of links and component
// instances, and everything. The object must be readable, or part of what is.
func DecodeUnbounded(site *schema.Site, t *schema.Type, object JSON) (*Input, error) {
	d := decoder{site: site, left: math.MaxInt}
	in, err := d.input(t, Value{json: object})
	if in != nil {
		in.sent = Value{} // nobody is asked about it, and it may be large
	}
	return in, err
}

func (d *decoder) input(t *schema.Type, object Value) (*Input, error) {
	var sight *schema.Sight
	if d.access != nil {
		sight = d.access.Sight(t)
	}
	fields, err := d.object(t, sight, object.Members(), Path{})
	if err != nil {
		return nil, err
	}
	return &Input{t, fields, d.access, object}, d.found.Err()
}

// MostItems bounds the links and component instances that one body gives. Each takes
// much more memory than text in the body, and time of the Writer.
//
// A site whose writes may name more links takes as many of them.
func MostItems(site *schema.Site) int { return max(mostItems, site.Settings.Limits.WriteLinks) }

const mostItems = 20_000

// decoder turns one body into given values. Refused keys end it at once;
// refused values are gathered.
type decoder struct {
	site   *schema.Site
	access schema.Access
	left   int // how many more links and component instances may come
	found  Issues
}

// count counts a link or a component instance.
func (d *decoder) count(at Path) error {
	if d.left--; d.left < 0 {
		return Refuse("%s has one item too many: a write can have at most %d links and components", at, MostItems(d.site))
	}
	return nil
}

// Readable checks what must hold before the JSON of an object can be taken apart:
// it is valid, and no deeper than the site allows. Errors: *ValidationError.
func Readable(site *schema.Site, data []byte) (object JSON, err error) {
	object = JSON(bytes.TrimSpace(data))
	if len(object) == 0 {
		return nil, Refuse(MissingData)
	}
	if !utf8.Valid(object) {
		return nil, errNotUTF8
	}
	if !json.Valid(object) {
		return nil, Refuse("data is not valid JSON")
	}
	if err := checkObject(site, Value{json: object}); err != nil {
		return nil, err
	}
	return object, nil
}

var errNotUTF8 = Refuse("data is not valid UTF-8")

// checkObject checks that a value is an object, and no deeper than the site allows.
func checkObject(site *schema.Site, v Value) error {
	if limit := site.Settings.Limits.Depth; limit > 0 && v.depth() > limit {
		return Refuse("data is nested deeper than %d levels", limit)
	}
	switch v.shape() {
	case jsonObject:
		return nil
	case jsonList:
		var found Issues
		found.Add(Path{}, JSON("null"), "this must be a `object` type, but the final value was: `null` (cast from the value `%s`).", v.JSON().show())
		return found.Err()
	}
	return Refuse(MissingData)
}

// object decodes the members of an entry or of a component, in schema order. What is
// hidden from the caller is no key of it.
func (d *decoder) object(t *schema.Type, sight *schema.Sight, list []Field, at Path) ([]Given, error) {
	type assignment struct {
		attribute *schema.Attribute
		value     Value
	}
	assigned := make([]assignment, 0, len(list))
	for _, m := range list {
		a := t.Attribute(m.Key)
		if a != nil && a.System == schema.NotSystem && sight.Knows(a) {
			assigned = append(assigned, assignment{a, m.Value})
		} else if err := undeclared(t, m.Key, at); err != nil {
			return nil, err
		} else if m.Key == "locale" && m.Value.shape() != jsonString && !m.Value.IsNull() {
			d.found.WrongShape("string", m.Value.JSON(), at.Attribute(m.Key))
		}
	}
	slices.SortFunc(assigned, func(a, b assignment) int { return cmp.Compare(a.attribute.Pos, b.attribute.Pos) })
	fields := make([]Given, 0, len(assigned))
	for _, one := range assigned {
		g, err := d.attribute(one.attribute, sight.Within(one.attribute), one.value, at.Attribute(one.attribute.Name))
		if err != nil {
			return nil, err
		}
		fields = append(fields, g)
	}
	return fields, nil
}

// undeclared says what to do about a key that is no declared attribute. As in
// Strapi, publishedAt and locale have no effect in a body.
func undeclared(t *schema.Type, key string, at Path) error {
	if t.IsComponent() {
		return &KeyError{key, at.dotted(), UnknownKey}
	}
	switch key {
	case "publishedAt", "locale":
		return nil
	case "id", "documentId":
		return &KeyError{key, "", IdentityKey}
	case "createdAt", "updatedAt", "createdBy", "updatedBy", "localizations":
		return &KeyError{key, key, ReservedKey}
	}
	return &KeyError{key, "", UnknownKey}
}

func (d *decoder) attribute(a *schema.Attribute, inside *schema.Sight, raw Value, at Path) (Given, error) {
	g := Given{Attribute: a}
	var err error
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		g.Instances, err = d.instances(a, inside, raw, at)
	case schema.RelationKind, schema.Media:
		g.Links, err = d.links(a, raw, at)
	default:
		g.Scalar = d.scalar(a, raw, at)
	}
	return g, err
}

// scalar decodes a plain value. It is null when it is refused.
func (d *decoder) scalar(a *schema.Attribute, raw Value, at Path) store.Value {
	if raw.IsNull() {
		return store.Value{}
	}
	rule := scalars[a.Kind]
	v := rule.decode(raw, at, &d.found)
	if v.Kind != store.Null {
		rule.check(a, v, at, false, &d.found)
	}
	return v
}
