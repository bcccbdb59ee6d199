package body

import (
	"strings"

	"quire/schema"
)

// instances decodes the value of a component or dynamic zone attribute. The plan checks
// whether ids belong to instances of the document.
func (d *decoder) instances(a *schema.Attribute, sight *schema.Sight, raw Value, at Path) ([]Instance, error) {
	if a.Kind == schema.DynamicZone {
		if s := raw.shape(); s != jsonList && s != jsonNull {
			d.invalidRelations(at) // Strapi also reports the body as a whole
		}
		return d.list(raw, at, func(item Value, at Path) (Instance, error) { return d.zoneItem(a, sight, item, at) })
	}
	instance := func(item Value, at Path) (Instance, error) {
		if item.shape() != jsonObject {
			d.found.WrongShape("object", item.JSON(), at)
			return Instance{}, nil
		}
		return d.instanceFields(a.ComponentType, sight, item.Members(), at)
	}
	if a.Repeatable {
		return d.list(raw, at, instance)
	}
	if raw.IsNull() {
		return nil, nil
	}
	one, err := instance(raw, at)
	return []Instance{one}, err
}

// list decodes a repeatable component or a dynamic zone. It is never null: the
// empty list is [].
func (d *decoder) list(raw Value, at Path, item func(Value, Path) (Instance, error)) ([]Instance, error) {
	if raw.shape() != jsonList {
		d.found.WrongShape("array", raw.JSON(), at)
		return nil, nil
	}
	var instances []Instance
	for i, each := range raw.elements() {
		if err := d.count(at); err != nil {
			return nil, err
		}
		one, err := item(each, at.Item(i))
		if err != nil {
			return nil, err
		}
		instances = append(instances, one)
	}
	return instances, nil
}

func (d *decoder) instanceFields(component *schema.Type, sight *schema.Sight, list []Field, at Path) (Instance, error) {
	r := Instance{Component: component}
	rest := list[:0]
	for _, m := range list {
		if m.Key != "id" {
			rest = append(rest, m)
		} else if !m.Value.IsNull() {
			r.Keep = true
			r.ID = d.recordID(m.Value, at.Attribute("id"))
		}
	}
	var err error
	r.Given, err = d.object(component, sight, rest, at)
	return r, err
}

func (d *decoder) recordID(raw Value, at Path) uint64 {
	id, ok := raw.digits()
	if !ok {
		d.found.Add(at, raw.JSON(), "%s must be the id of a component instance, but the final value was: `%s`.", at, raw.JSON().show())
	}
	return id
}

// zoneItem decodes one instance in a dynamic zone, which names its component. Like Strapi,
// it also reports the body as a whole if the item has no known component.
func (d *decoder) zoneItem(zone *schema.Attribute, sight *schema.Sight, raw Value, at Path) (Instance, error) {
	if raw.shape() != jsonObject {
		d.found.WrongShape("object", raw.JSON(), at)
		d.invalidRelations(at)
		return Instance{}, nil
	}
	var uid Value
	var rest []Field
	for _, m := range raw.Members() {
		if m.Key == "__component" {
			uid = m.Value
		} else {
			rest = append(rest, m)
		}
	}
	component := d.zoneComponent(zone, uid, at.Attribute("__component"))
	if component == nil {
		return Instance{}, nil
	}
	return d.instanceFields(component, sight, rest, at)
}

func (d *decoder) zoneComponent(zone *schema.Attribute, uid Value, at Path) *schema.Type {
	if uid.IsNull() {
		d.found.Add(at, nil, "%s is a required field", at)
		d.invalidRelations(at)
		return nil
	}
	var allowed []string
	for _, c := range zone.Zone {
		if uid.shape() == jsonString && uid.text() == c.UID {
			return c
		}
		allowed = append(allowed, c.UID)
	}
	d.found.Add(at, uid.JSON(), "%s must be one of the following values: %s", at, strings.Join(allowed, ", "))
	d.invalidRelations(at)
	return nil
}
