package content

import (
	"bytes"
	"cmp"
	"encoding/json"
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
	raw := bytes.TrimSpace(data)
	d := decoder{site: site, access: access}
	if err := d.readable(raw); err != nil {
		return nil, err
	}
	fields, err := d.object(t, members(raw), path{})
	if err != nil {
		return nil, err
	}
	return &Input{t, fields}, d.found.err()
}

// decoder turns one body into given values. Refused keys end it at once;
// refused values are gathered.
type decoder struct {
	site   *schema.Site
	access schema.Access
	found  issues
}

// readable checks what must hold before a body can be taken apart.
func (d *decoder) readable(raw rawValue) error {
	if len(raw) == 0 {
		return refuse(MissingData)
	}
	if !utf8.Valid(raw) {
		return refuse("data is not valid UTF-8")
	}
	if !json.Valid(raw) {
		return refuse("data is not valid JSON")
	}
	if limit := d.site.Settings.Limits.Depth; limit > 0 && depth(raw) > limit {
		return refuse("data is nested deeper than %d levels", limit)
	}
	switch shapeOf(raw) {
	case jsonObject:
		return nil
	case jsonList:
		d.found.add(path{}, rawValue("null"), "this must be a `object` type, but the final value was: `null` (cast from the value `%s`).", show(raw))
		return d.found.err()
	}
	return refuse(MissingData)
}

// object decodes the members of an entry or of a component, in schema order.
func (d *decoder) object(t *schema.Type, list []member, at path) ([]given, error) {
	type assignment struct {
		attribute *schema.Attribute
		value     rawValue
	}
	assigned := make([]assignment, 0, len(list))
	for _, m := range list {
		a := t.Attribute(m.key)
		if a != nil && a.System == schema.NotSystem {
			assigned = append(assigned, assignment{a, m.value})
		} else if err := undeclared(t, m.key, at); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(assigned, func(a, b assignment) int { return cmp.Compare(a.attribute.Pos, b.attribute.Pos) })
	fields := make([]given, 0, len(assigned))
	for _, one := range assigned {
		g, err := d.attribute(one.attribute, one.value, at.attribute(one.attribute.Name))
		if err != nil {
			return nil, err
		}
		fields = append(fields, g)
	}
	return fields, nil
}

// undeclared says what to do about a key that is no declared attribute. As in
// the reference, publishedAt and locale have no effect in a body.
func undeclared(t *schema.Type, key string, at path) error {
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

func (d *decoder) attribute(a *schema.Attribute, raw rawValue, at path) (given, error) {
	g := given{attribute: a}
	var err error
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		g.records, err = d.records(a, raw, at)
	case schema.RelationKind, schema.Media:
		g.links, err = d.links(a, raw, at)
	default:
		g.scalar = d.scalar(a, raw, at)
	}
	return g, err
}

// scalar decodes a plain value. It is null when it is refused.
func (d *decoder) scalar(a *schema.Attribute, raw rawValue, at path) store.Value {
	if isNull(raw) {
		return store.Value{}
	}
	rule := scalars[a.Kind]
	v := rule.decode(raw, at, &d.found)
	if v.Kind != store.Null {
		rule.check(a, v, at, false, &d.found)
	}
	return v
}
