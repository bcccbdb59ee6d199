package describe

import (
	"slices"

	"quire/schema"
)

// The schemas of former versions: whole, with relations by documentId.

// former is the schema of a former version of an entry or of an instance of a component,
// which names its type in the member tag unless that is empty.
func (d *document) former(t *schema.Type, tag string) object {
	name := d.names[t] + "Former"
	if tag != "" {
		name += "Item"
	}
	return d.define(name, func() any {
		var properties object
		if tag != "" {
			properties = append(properties, member{tag, constant(t.UID)})
		}
		properties = append(properties, member{"id", typed("integer")})
		if !t.IsComponent() {
			properties = append(properties, member{"documentId", typed("string")})
		}
		var required []string
		for _, p := range properties {
			required = append(required, p.key)
		}
		for _, a := range formerAttributes(t) {
			properties = append(properties, member{a.Name, d.formerOutput(a)})
		}
		return described(openObject(properties, required...), typeText(t)+", as it was.")
	})
}

// formerAttributes are those that a former version can show: all but what is hidden, and
// relations that are stored on their other side.
func formerAttributes(t *schema.Type) []*schema.Attribute {
	return slices.DeleteFunc(slices.Concat(t.Attributes, t.System), func(a *schema.Attribute) bool {
		return a.Hidden() || a.System == schema.SystemID || a.System == schema.SystemDocumentID || a.Relation != nil && !a.Relation.Owns
	})
}

func (d *document) formerOutput(a *schema.Attribute) object {
	if a.IsScalar() {
		if a.System == schema.NotSystem {
			return nullable(d.scalar(a))
		}
		return nullable(d.scalarOutput(a))
	}
	item := d.formerItem(a)
	if isMany(a) {
		return arrayOf(item)
	}
	return nullable(item)
}

func (d *document) formerItem(a *schema.Attribute) object {
	switch {
	case a.Kind == schema.DynamicZone:
		return d.oneOf(a.Zone, "__component", func(t *schema.Type) object { return d.former(t, "__component") })
	case a.Kind == schema.Component:
		return d.former(a.ComponentType, "")
	case a.Relation.Morph():
		return closedObject(object{{"__type", typed("string")}, {"documentId", typed("string")}})
	}
	return closedObject(object{{"documentId", typed("string")}})
}
