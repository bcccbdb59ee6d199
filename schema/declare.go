package schema

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema/source"
)

// readAttributes reads the attributes of a type in the order of its file.
func (l *loader) readAttributes(t *Type, o source.Object) {
	v, ok := o.Get("attributes")
	if !ok {
		o.RefuseAt("attributes", "is missing", `write at least "attributes": {}`)
		return
	}
	attributes, _ := v.Object()
	for _, m := range attributes.Members {
		if !t.IsComponent() && slices.Contains(systemNames, m.Key) {
			continue
		}
		checkAttributeName(m)
		at, ok := m.Object()
		if ok && l.leadsToAdmin(at) {
			continue
		}
		a := &Attribute{Name: m.Key}
		t.declare(a)
		if ok {
			l.readAttribute(a, at)
		}
	}
}

// leadsToAdmin reports whether an attribute is a relation to a type of Strapi's admin. It is
// left out: the content API of Strapi shows it to nobody either.
func (l *loader) leadsToAdmin(o source.Object) bool {
	v, ok := o.Get("target")
	target := ""
	if ok {
		target, ok = v.Text()
	}
	if ok = ok && strings.HasPrefix(target, "admin::"); ok {
		l.note(v, target+" is not served, so the relation is left out", "remove the attribute, or relate to "+UserUID)
	}
	return ok
}

// readAttribute reads the definition of one attribute. An attribute with a reported type
// keeps Kind 0, and references to it are not reported as well.
func (l *loader) readAttribute(a *Attribute, o source.Object) {
	l.declared[a] = &declaration{at: o}
	a.Kind = l.readKind(a, o)
	a.Required = o.Flag("required", false)
	a.Unique = o.Flag("unique", false) && a.canBeUnique()
	a.Private = o.Flag("private", false)
	a.Unsearchable = !o.Flag("searchable", true)
	a.Localized = a.Owner.Localized && (readLocalized(o) || a.Kind == RelationKind || a.Kind == UID)
	l.readRules(a, o)
	l.readDefault(a, o)
	readConditions(a, o)
}

// canBeUnique reports whether "unique" has an effect on the kind: Strapi ignores it
// on the others.
func (a *Attribute) canBeUnique() bool {
	switch a.Kind {
	case JSON, Blocks, Password:
		return false
	}
	return a.IsScalar()
}

// readRules reads the options that only some kinds have.
func (l *loader) readRules(a *Attribute, o source.Object) {
	switch a.Kind {
	case String, Text, RichText, Email, Password:
		readTextRules(a, o)
	case UID:
		readTextRules(a, o)
		a.Unique = true
		a.TargetField = o.Text("targetField")
	case Enumeration:
		readEnum(a, o)
	case Integer, Float, Decimal:
		a.Min, a.Max = readBounds(o, "min", "max", source.Value.Number)
	case BigInteger:
		a.MinInt, a.MaxInt = readBounds(o, "min", "max", source.Value.Int64)
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

// readKind reads "type". For a custom field it is the type in the same file or, if the file
// has only "customField", the one in site.json; string if there is neither.
func (l *loader) readKind(a *Attribute, o source.Object) Kind {
	a.CustomField = o.Text("customField")
	v, ok := o.Get("type")
	if !ok {
		o.RefuseAt("type", "is missing", `write a type such as "string"`)
		return 0
	}
	name, ok := v.Text()
	if !ok {
		return 0
	}
	if name == "customField" {
		return l.customKind(a, o)
	}
	kind, ok := kindNamed(name)
	if !ok {
		v.Refuse(fmt.Sprintf("%q is not a type of attribute", name), "use one of Strapi's types, such as string, integer, relation, component")
	}
	return kind
}

func (l *loader) customKind(a *Attribute, o source.Object) Kind {
	if a.CustomField == "" {
		o.RefuseAt("customField", "is missing", `name the field, as in "plugin::color-picker.color"`)
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
