package describe

import (
	"quire/schema"
)

// The schemas of what answers show. In the previous format the attributes of entries
// are wrapped, and so are the entries that relations lead to; components are not.

// entryForm is the form of an entry in an answer.
type entryForm struct {
	legacy bool
	tag    string // "__component" or "__type", where the entry names its type
}

func (s entryForm) suffix() string {
	suffix := map[string]string{"": "", "__component": "Item", "__type": "Related"}[s.tag]
	if s.legacy {
		return "Legacy" + suffix
	}
	return suffix
}

// entry is the schema of an entry or of an instance of a component.
func (d *document) entry(t *schema.Type, s entryForm) object {
	return d.define(d.names[t]+s.suffix(), func() any { return d.entryWith(t, s, nil) })
}

// entryWith is an entry that has further members.
func (d *document) entryWith(t *schema.Type, s entryForm, more object) object {
	var properties object
	if s.tag != "" {
		properties = append(properties, member{s.tag, constant(t.UID)})
	}
	properties = append(properties, member{"id", typed("integer")})
	if !t.IsComponent() {
		properties = append(properties, member{"documentId", typed("string")})
	}
	var required []string
	for _, p := range properties.with(more...) {
		required = append(required, p.key)
	}
	if s.legacy && !t.IsComponent() {
		properties = append(properties, member{"attributes", openObject(d.attributes(t, s))})
		required = append(required, "attributes")
	} else {
		properties = append(properties, d.attributes(t, s)...)
	}
	if !t.IsComponent() && !t.BuiltIn {
		states := described(arrayOf(d.shared("QuireState")), "With `include=state`: how the document stands in each locale.")
		properties = append(properties, member{t.StateKey(), states})
	}
	return described(openObject(append(properties, more...), required...), typeText(t)+".")
}

// attributes are what an entry shows besides its ids. Each may be left out: the
// request says which attributes it wants, and what to populate.
func (d *document) attributes(t *schema.Type, s entryForm) object {
	var properties object
	scalars, populated := outputs(t)
	for _, a := range scalars {
		properties = append(properties, member{a.Name, d.scalarOutput(a)})
	}
	for _, a := range populated {
		properties = append(properties, member{a.Name, d.populatedOutput(a, s)})
	}
	return properties
}

// scalarOutput is the schema of a plain value in an answer.
func (d *document) scalarOutput(a *schema.Attribute) object {
	switch a.System {
	case schema.SystemCreatedAt, schema.SystemUpdatedAt:
		return moment
	case schema.SystemPublishedAt:
		if a.Owner.DraftAndPublish {
			return nullable(moment)
		}
		return moment
	case schema.SystemLocale:
		return d.locale()
	}
	if alwaysHasValue(a) && !a.Owner.DraftAndPublish && !a.Owner.IsComponent() {
		return d.scalar(a)
	}
	return nullable(d.scalar(a))
}

var moment = typed("string").with(member{"format", "date-time"})

func (d *document) locale() object { return words(localeCodes(d.site)...) }

// scalar is the schema of a plain value that is not null.
func (d *document) scalar(a *schema.Attribute) object {
	format := func(name string) object { return typed("string").with(member{"format", name}) }
	pattern := func(p string) object { return typed("string").with(member{"pattern", p}) }
	switch a.Kind {
	case schema.Enumeration:
		return words(a.Enum...)
	case schema.Integer:
		return typed("integer").with(member{"format", "int32"})
	case schema.BigInteger:
		return pattern(`^-?\d+$`)
	case schema.Float, schema.Decimal:
		return typed("number")
	case schema.Boolean:
		return typed("boolean")
	case schema.Date:
		return format("date")
	case schema.DateTime, schema.Timestamp:
		return moment
	case schema.Time:
		return pattern(`^\d\d:\d\d:\d\d(\.\d{1,3})?$`)
	case schema.Email:
		return format("email")
	case schema.Password:
		return format("password")
	case schema.Blocks:
		return d.shared("Blocks")
	case schema.JSON:
		return d.json(a)
	}
	return typed("string")
}

func (d *document) json(a *schema.Attribute) object {
	if isFormats(a) {
		return typed("object").with(member{"additionalProperties", d.shared("PictureFormat")})
	}
	return object{{"description", "Any JSON value."}}
}

// populatedOutput is the schema of a populated attribute.
func (d *document) populatedOutput(a *schema.Attribute, s entryForm) object {
	item := d.itemOutput(a, s)
	var shown object
	switch {
	case isMany(a):
		shown = arrayOf(item)
	case a.Kind == schema.Component && alwaysHasValue(a) && !a.Owner.DraftAndPublish && !a.Owner.IsComponent():
		shown = item
	default:
		shown = nullable(item)
	}
	if s.legacy && a.Relation != nil {
		shown = closedObject(object{{"data", shown}})
	}
	return anyOf(shown, d.shared("EntryCount"))
}

// itemOutput is the schema of one entry or instance of a populated attribute.
func (d *document) itemOutput(a *schema.Attribute, s entryForm) object {
	s.tag = ""
	switch {
	case a.Kind == schema.DynamicZone:
		s.tag = "__component"
	case a.Relation != nil && a.Relation.Target == nil:
		s.tag = "__type"
	}
	of := targets(d.site, a)
	if s.tag == "" {
		return d.entry(of[0], s)
	}
	return d.oneOf(of, s.tag, func(t *schema.Type) object { return d.entry(t, s) })
}

// oneOf returns the schema of one of several types, which the member tag distinguishes.
func (d *document) oneOf(types []*schema.Type, tag string, schemaOf func(*schema.Type) object) object {
	var options list
	var mapping object
	for _, t := range types {
		option := schemaOf(t)
		options = append(options, option)
		mapping = append(mapping, member{t.UID, option[0].value})
	}
	return object{
		{"oneOf", options},
		{"discriminator", object{{"propertyName", tag}, {"mapping", mapping}}},
	}
}
