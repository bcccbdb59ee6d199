package describe

import (
	"encoding/json"
	"fmt"
	"strings"

	"quire/schema"
)

// The schemas of bodies. The server also takes texts for numbers and the like, as
// Strapi does; the document describes the proper forms. A draft need not have what is
// required and may be below lower limits, so for types with drafts these rules are in
// the description and do not restrict the schema.

// alwaysChecked reports whether everything of the type is checked at every write.
func alwaysChecked(t *schema.Type) bool { return !t.DraftAndPublish && !t.IsComponent() }

// entryContent is the content of a body that writes an entry. A new one must have what is
// required.
func (d *document) entryContent(t *schema.Type, isNew bool) object {
	name := d.names[t] + "Update"
	if isNew {
		name = d.names[t] + "Create"
	}
	data := d.define(name, func() any {
		properties, required := d.inputs(t)
		if !isNew || !alwaysChecked(t) {
			required = nil
		}
		return described(openObject(properties, required...), typeText(t)+".")
	})
	inJSON := object{{"schema", openObject(object{{"data", data}}, "data")}}
	if example := d.exampleOf(t); example != nil {
		inJSON = append(inJSON, member{"example", example})
	}
	inForm := described(typed("object"), "The same as `data[name]=value`. All values are texts.")
	return object{{"application/json", inJSON}, {"application/x-www-form-urlencoded", object{{"schema", inForm}}}}
}

// inputs are the members that a body may have, and those that a create must have.
func (d *document) inputs(t *schema.Type) (properties object, required []string) {
	for _, a := range t.Attributes {
		if !writable(a) {
			continue
		}
		properties = append(properties, member{a.Name, d.inputSchema(a)})
		if neededToPublish(a) {
			required = append(required, a.Name)
		}
	}
	return properties, required
}

func (d *document) inputSchema(a *schema.Attribute) object {
	switch {
	case a.Kind == schema.DynamicZone:
		items := d.oneOf(a.Zone, "__component", d.itemInput)
		return d.limitItems(arrayOf(items), a)
	case a.Kind == schema.Component && a.Repeatable:
		return d.limitItems(arrayOf(d.instance(a.ComponentType)), a)
	case a.Kind == schema.Component:
		return d.limited(d.instance(a.ComponentType), a)
	case a.Relation != nil:
		return described(d.shared(linksName(a.Relation)), linksText(a))
	}
	return d.limited(d.limits(d.scalarInput(a), a), a)
}

func (d *document) scalarInput(a *schema.Attribute) object {
	if a.Kind == schema.BigInteger {
		return object{{"type", texts([]string{"string", "integer"})}, {"pattern", `^-?\d+$`}}
	}
	return d.scalar(a)
}

// instance is an instance of a component: a new one or, with an id, one that the entry
// has already.
func (d *document) instance(t *schema.Type) object {
	return d.define(d.names[t]+"Input", func() any { return d.instanceWith(t, nil) })
}

func (d *document) itemInput(t *schema.Type) object {
	return d.define(d.names[t]+"ItemInput", func() any { return d.instanceWith(t, object{{"__component", constant(t.UID)}}) })
}

func (d *document) instanceWith(t *schema.Type, tag object) object {
	properties, _ := d.inputs(t)
	id := object{{"id", described(typed("integer"), "Of an instance that the entry has, which is to be kept.")}}
	var required []string
	for _, m := range tag {
		required = append(required, m.key)
	}
	return described(openObject(append(tag.with(id...), properties...), required...), typeText(t)+".")
}

// limits adds the limits of a plain value to its schema.
func (d *document) limits(s object, a *schema.Attribute) object {
	if a.Max != nil {
		s = s.with(member{"maximum", *a.Max})
	}
	if a.MaxLength != nil {
		s = s.with(member{"maxLength", *a.MaxLength})
	}
	if !alwaysChecked(a.Owner) {
		return s
	}
	if a.Min != nil {
		s = s.with(member{"minimum", *a.Min})
	}
	if a.MinLength != nil {
		s = s.with(member{"minLength", *a.MinLength})
	}
	if a.PatternText != "" {
		s = s.with(member{"pattern", a.PatternText})
	}
	return s
}

func (d *document) limitItems(s object, a *schema.Attribute) object {
	if a.MaxItems != nil && alwaysChecked(a.Owner) {
		s = s.with(member{"maxItems", *a.MaxItems})
	}
	return described(s, sentence(rulesInWords(a)))
}

// limited adds to a schema whether null is allowed, the default, and what publishing
// requires.
func (d *document) limited(s object, a *schema.Attribute) object {
	if !a.AlwaysRequired() || !alwaysChecked(a.Owner) {
		s = nullable(s)
	}
	if a.Default != nil && a.Kind != schema.Password && a.IsScalar() {
		s = s.with(member{"default", json.RawMessage(a.Default)})
	}
	return described(s, sentence(rulesInWords(a)))
}

// rulesInWords are the rules that the schema does not express.
func rulesInWords(a *schema.Attribute) []string {
	var rules []string
	add := func(applies bool, format string, args ...any) {
		if applies {
			rules = append(rules, fmt.Sprintf(format, args...))
		}
	}
	add(a.Unique || a.Kind == schema.UID, "unique")
	add(a.MinInt != nil, "at least %d", deref(a.MinInt))
	add(a.MaxInt != nil, "at most %d", deref(a.MaxInt))
	add(a.MinItems != nil, "at least %d items", deref(a.MinItems))
	if alwaysChecked(a.Owner) {
		return rules
	}
	add(neededToPublish(a), "required")
	add(a.Min != nil, "at least %v", deref(a.Min))
	add(a.MinLength != nil, "at least %d characters", deref(a.MinLength))
	add(a.MaxItems != nil, "at most %d items", deref(a.MaxItems))
	add(a.PatternText != "", "matches /%s/", a.PatternText)
	return rules
}

func deref[N any](n *N) (v N) {
	if n != nil {
		v = *n
	}
	return v
}

func sentence(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	return "To be published: " + strings.Join(rules, ", ") + "."
}
