package content

import (
	"quire/schema"
	"quire/store"
)

// validate reports everything that keeps an entry from being published: all
// limits, required values, and values that must be unique. absent says which
// attributes nobody has ever given, for the message about them.
func (op *operation) validate(t *schema.Type, e *store.Entry, attributes []*schema.Attribute, absent func(*schema.Attribute) bool) {
	body := path{}
	for _, a := range attributes {
		v := e.Value(a.Name)
		at := body.attribute(a.Name)
		if a.Required && isEmpty(v) && absent(a) && a.Relation == nil {
			op.found.add(at, nil, "%s must be defined.", at)
			continue
		}
		op.validateValue(a, v, at)
	}
	op.unique(t, e, attributes)
}

func (op *operation) validateValue(a *schema.Attribute, v store.Value, at path) {
	switch {
	case a.Relation != nil:
	case isList(a):
		op.validateList(a, v.Records, at)
	case a.Kind == schema.Component:
		if a.Required && isEmpty(v) {
			op.found.add(at, nil, "%s must be defined.", at)
		}
		op.validateRecords(v.Records, func(int) path { return at })
	default:
		op.validateScalar(a, v, at)
	}
}

// validateList checks the number of instances, which the reference does not
// mind while an optional list is empty, and then each of them.
func (op *operation) validateList(a *schema.Attribute, records []store.Record, at path) {
	n := len(records)
	if a.MinItems != nil && n < *a.MinItems && (n > 0 || a.Required) {
		op.found.add(at, nil, "%s field must have at least %d items", at, *a.MinItems)
	}
	if a.MaxItems != nil && n > *a.MaxItems {
		op.found.add(at, nil, "%s field must have less than or equal to %d items", at, *a.MaxItems)
	}
	op.validateRecords(records, at.item)
}

func (op *operation) validateRecords(records []store.Record, at func(int) path) {
	for i, r := range records {
		component := op.site.Type(r.Component)
		if component == nil {
			continue // the schema has it no longer
		}
		inside := at(i)
		for _, a := range component.Attributes {
			op.validateValue(a, r.Value(a.Name), inside.attribute(a.Name))
		}
	}
}

// validateScalar checks a plain value. Passwords are hashes by now and were
// checked before.
func (op *operation) validateScalar(a *schema.Attribute, v store.Value, at path) {
	rule := scalars[a.Kind]
	switch {
	case isEmpty(v) && a.Required:
		op.found.add(at, rawValue("null"), "%s must be a `%s` type, but the final value was: `null`.", at, rule.shape)
	case isEmpty(v), a.Kind == schema.Password:
	case v.Kind != rule.kind:
		wrongShape(rule.shape, asJSON(a, v), at, &op.found)
	default:
		rule.check(a, v, at, true, &op.found)
	}
}
