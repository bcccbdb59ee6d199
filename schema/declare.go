package schema

import (
	"fmt"
	"slices"
)

// readAttributes reads the attributes of a type in the order of its file.
func (l *loader) readAttributes(t *Type, o object) {
	v, ok := o.get("attributes")
	if !ok {
		o.refuseAt("attributes", "is missing", `write at least "attributes": {}`)
		return
	}
	attributes, _ := v.object()
	for _, m := range attributes.members {
		checkAttributeName(m)
		a := &Attribute{Name: m.key}
		t.declare(a)
		if at, ok := m.object(); ok {
			l.readAttribute(a, at)
		}
	}
}

// readAttribute reads what the file says of one attribute. An attribute whose
// type cannot be told keeps Kind 0, and what names it is not reported again.
func (l *loader) readAttribute(a *Attribute, o object) {
	l.declared[a] = &declaration{at: o}
	a.Kind = l.readKind(a, o)
	a.Required = o.flag("required", false)
	a.Unique = o.flag("unique", false) && a.comparable()
	a.Private = o.flag("private", false)
	a.Unsearchable = !o.flag("searchable", true)
	a.Localized = a.Owner.Localized && (localized(o) || a.Kind == RelationKind || a.Kind == UID)
	l.readRules(a, o)
	readDefault(a, o)
}

// comparable reports whether "unique" means something for the kind: the
// reference ignores it on the others.
func (a *Attribute) comparable() bool {
	switch a.Kind {
	case JSON, Blocks, Password:
		return false
	}
	return a.IsScalar()
}

// readRules reads the options that only some kinds have.
func (l *loader) readRules(a *Attribute, o object) {
	switch a.Kind {
	case String, Text, RichText, Email, Password:
		readTextRules(a, o)
	case UID:
		readTextRules(a, o)
		a.Unique = true
		a.TargetField = o.text("targetField")
	case Enumeration:
		readEnum(a, o)
	case Integer, Float, Decimal:
		a.Min, a.Max = readBounds(o, "min", "max", value.number)
	case BigInteger:
		a.MinInt, a.MaxInt = readBounds(o, "min", "max", value.int64)
	case Media:
		readMedia(a, o)
	case RelationKind:
		l.readRelation(a, o)
	case Component:
		l.readComponentUse(a, o)
	case DynamicZone:
		l.readZone(a, o)
	}
}

// readKind reads "type". For a custom field it is the type beside it or, where
// the file only says "customField", the one that site.json gives; string
// without either.
func (l *loader) readKind(a *Attribute, o object) Kind {
	a.CustomField = o.text("customField")
	v, ok := o.get("type")
	if !ok {
		o.refuseAt("type", "is missing", `write a type such as "string"`)
		return 0
	}
	name, ok := v.text()
	if !ok {
		return 0
	}
	if name == "customField" {
		return l.customKind(a, o)
	}
	kind, ok := kindNamed(name)
	if !ok {
		v.refuse(fmt.Sprintf("%q is not a type of attribute", name), "use one of the reference's types, such as string, integer, relation, component")
	}
	return kind
}

func (l *loader) customKind(a *Attribute, o object) Kind {
	if a.CustomField == "" {
		o.refuseAt("customField", "is missing", `name the field, as in "plugin::color-picker.color"`)
	}
	if kind, ok := l.custom[a.CustomField]; ok {
		return kind
	}
	return String
}

func kindNamed(name string) (Kind, bool) {
	i := slices.Index(kindNames[1:], name) + 1
	return Kind(i), i != 0
}
