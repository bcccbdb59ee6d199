package content

import (
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// validate reports everything that prevents an entry from being published: all limits,
// required values, and values that must be unique. absent says which attributes were never
// set, for the message about them. seen are the values that decide which attributes are
// hidden; those may have any value or none, but a unique one stays unique.
func (op *operation) validate(t *schema.Type, e *store.Entry, attributes []*schema.Attribute, absent func(*schema.Attribute) bool, seen store.Fields) {
	for _, a := range attributes {
		if !body.Visible(a, seen) {
			continue
		}
		v := e.Value(a.Name)
		at := body.At(a.Name)
		if a.Required && v.IsEmpty() && absent(a) && a.Relation == nil {
			op.found.Add(at, nil, "%s must be defined.", at)
			continue
		}
		op.validateValue(a, v, at)
	}
	op.unique(t, e, attributes)
}

func (op *operation) validateValue(a *schema.Attribute, v store.Value, at body.Path) {
	switch {
	case a.Relation != nil:
	case a.IsList():
		op.validateList(a, v.Instances, at)
	case a.Kind == schema.Component:
		if a.Required && v.IsEmpty() {
			op.found.Add(at, nil, "%s must be defined.", at)
		}
		op.validateInstances(v.Instances, func(int) body.Path { return at })
	default:
		body.CheckPublished(a, v, at, &op.found)
	}
}

// validateList checks the number of instances, except in an empty optional list, as in
// Strapi, and then each instance.
func (op *operation) validateList(a *schema.Attribute, instances []store.Instance, at body.Path) {
	n := len(instances)
	if a.MinItems != nil && n < *a.MinItems && (n > 0 || a.Required) {
		op.found.Add(at, nil, "%s field must have at least %d items", at, *a.MinItems)
	}
	if a.MaxItems != nil && n > *a.MaxItems {
		op.found.Add(at, nil, "%s field must have less than or equal to %d items", at, *a.MaxItems)
	}
	op.validateInstances(instances, at.Item)
}

func (op *operation) validateInstances(instances []store.Instance, at func(int) body.Path) {
	for i, r := range instances {
		component := op.site.Type(r.Component)
		if component == nil {
			continue // the schema no longer has it
		}
		inside := at(i)
		for _, a := range component.Attributes {
			if body.Visible(a, r.Fields) {
				op.validateValue(a, r.Value(a.Name), inside.Attribute(a.Name))
			}
		}
	}
}
