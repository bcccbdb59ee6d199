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

// MissingData is the message about a body whose "data" is absent or not an object.
const MissingData = `Missing "data" payload in the request body`

// Decode checks the value of a body's "data" against a content type and the caller's
// rights; nil access allows everything. It does not know the content: the Writer checks
// whether link targets exist, values are unique and required ones present.
//
// data may be nil, and may be any bytes. Errors: *KeyError for the first key that is not
// allowed, *ValidationError with every refused value; its message is MissingData if there
// is no object at all.
func Decode(site *schema.Site, t *schema.Type, data json.RawMessage, access schema.Access) (*Input, error) {
	object, err := Readable(site, data)
	if err != nil {
		return nil, err
	}
	d := decoder{site: site, access: access, left: MostItems(site)}
	return d.input(t, Value{json: object})
}

// DecodeValue is Decode for a value that Go code has made from any client input. Errors are
// those of Decode.
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

// DecodeUnbounded is Decode without a limit of links and component instances, and with all
// rights. The object must be Readable, or part of a readable one.
func DecodeUnbounded(site *schema.Site, t *schema.Type, object JSON) (*Input, error) {
	d := decoder{site: site, left: math.MaxInt}
	in, err := d.input(t, Value{json: object})
	if in != nil {
		in.sent = Value{} // no hook is asked about it, and it may be large
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

// MostItems returns the maximum number of links and component instances in one body. Each
// takes much more memory than its text in the body, and time of the Writer.
//
// A site with a higher limit of links in a write accepts that many.
func MostItems(site *schema.Site) int { return max(mostItems, site.Settings.Limits.WriteLinks) }

const mostItems = 20_000

// decoder decodes one body. It stops at the first refused key; it collects refused values.
type decoder struct {
	site   *schema.Site
	access schema.Access
	left   int // remaining links and component instances
	found  Issues
}

// count counts a link or a component instance.
func (d *decoder) count(at Path) error {
	if d.left--; d.left < 0 {
		return Refuse("%s has one item too many: a write can have at most %d links and components", at, MostItems(d.site))
	}
	return nil
}

// Readable checks what must be true before the JSON of an object can be split: it is valid,
// and not deeper than the site allows. Errors: *ValidationError.
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

// checkObject checks that a value is an object, and not deeper than the site allows.
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

// object decodes the members of an entry or of a component, in schema order. Attributes
// that are hidden from the caller are unknown keys.
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

// undeclared handles a key that is not a declared attribute. As in Strapi, publishedAt and
// locale have no effect in a body.
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

// scalar decodes a plain value. It is null if it is refused.
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
