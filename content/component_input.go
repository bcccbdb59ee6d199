package content

import (
	"strings"

	"quire/schema"
)

// records decodes the value of a component or dynamic zone attribute. Whether
// ids name instances of the document is for the plan to find out.
func (d *decoder) records(a *schema.Attribute, raw rawValue, at path) ([]recordInput, error) {
	if a.Kind == schema.DynamicZone {
		if s := shapeOf(raw); s != jsonList && s != jsonNull {
			d.invalidRelations(at) // the reference reports the body as a whole too
		}
		return d.list(raw, at, func(item rawValue, at path) (recordInput, error) { return d.zoneItem(a, item, at) })
	}
	record := func(item rawValue, at path) (recordInput, error) { return d.record(a.ComponentType, item, at) }
	if a.Repeatable {
		return d.list(raw, at, record)
	}
	if isNull(raw) {
		return nil, nil
	}
	one, err := record(raw, at)
	return []recordInput{one}, err
}

// list decodes a repeatable component or a dynamic zone. It is never null: the
// empty list is [].
func (d *decoder) list(raw rawValue, at path, item func(rawValue, path) (recordInput, error)) ([]recordInput, error) {
	if shapeOf(raw) != jsonList {
		wrongShape("array", raw, at, &d.found)
		return nil, nil
	}
	var records []recordInput
	for i, each := range elements(raw) {
		one, err := item(each, at.item(i))
		if err != nil {
			return nil, err
		}
		records = append(records, one)
	}
	return records, nil
}

// record decodes one component instance.
func (d *decoder) record(component *schema.Type, raw rawValue, at path) (recordInput, error) {
	if shapeOf(raw) != jsonObject {
		wrongShape("object", raw, at, &d.found)
		return recordInput{}, nil
	}
	return d.instance(component, members(raw), at)
}

func (d *decoder) instance(component *schema.Type, list []member, at path) (recordInput, error) {
	r := recordInput{component: component}
	rest := list[:0]
	for _, m := range list {
		if m.key != "id" {
			rest = append(rest, m)
		} else if !isNull(m.value) {
			r.keep = true
			r.id = d.recordID(m.value, at.attribute("id"))
		}
	}
	var err error
	r.fields, err = d.object(component, rest, at)
	return r, err
}

func (d *decoder) recordID(raw rawValue, at path) uint64 {
	id, ok := digits(raw)
	if !ok {
		d.found.add(at, raw, "%s must be the id of a component instance, but the final value was: `%s`.", at, show(raw))
	}
	return id
}

// zoneItem decodes one instance in a dynamic zone, which says its component.
// Like the reference, it reports the body as a whole too when it cannot tell
// what the item is.
func (d *decoder) zoneItem(zone *schema.Attribute, raw rawValue, at path) (recordInput, error) {
	if shapeOf(raw) != jsonObject {
		wrongShape("object", raw, at, &d.found)
		d.invalidRelations(at)
		return recordInput{}, nil
	}
	var uid rawValue
	var rest []member
	for _, m := range members(raw) {
		if m.key == "__component" {
			uid = m.value
		} else {
			rest = append(rest, m)
		}
	}
	component := d.zoneComponent(zone, uid, at.attribute("__component"))
	if component == nil {
		return recordInput{}, nil
	}
	return d.instance(component, rest, at)
}

func (d *decoder) zoneComponent(zone *schema.Attribute, uid rawValue, at path) *schema.Type {
	if uid == nil || isNull(uid) {
		d.found.add(at, nil, "%s is a required field", at)
		d.invalidRelations(at)
		return nil
	}
	var allowed []string
	for _, c := range zone.Zone {
		if shapeOf(uid) == jsonString && text(uid) == c.UID {
			return c
		}
		allowed = append(allowed, c.UID)
	}
	d.found.add(at, uid, "%s must be one of the following values: %s", at, strings.Join(allowed, ", "))
	d.invalidRelations(at)
	return nil
}
