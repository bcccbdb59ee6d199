package migrate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"quire/content/body"
	"quire/content/verify"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// convert returns what a value becomes if the new site has an attribute for it.
func (v *evolver) convert(a attribute, value store.Value, at verify.Spot) (after store.Value, changed bool) {
	switch {
	case value.IsEmpty():
		return value, false
	case value.Kind == store.Instances && (a.to.Kind == schema.Component || a.to.Kind == schema.DynamicZone):
		return v.instances(a, value, at)
	case value.Kind == store.Edges && a.to.Relation != nil && a.to.Relation.Owns:
		return v.edges(a, value, at)
	case value.Kind == store.Instances || value.Kind == store.Edges || !a.to.IsScalar():
		if renamed, changed := v.hidden(value); !v.converts(a) {
			return renamed, changed
		}
		if value.Kind == store.Edges && isTurned(a) {
			v.tally.add(Converted, at, v.into(a, value), v.example(a, value))
			return store.Value{}, true
		}
		return v.unconvertible(a, value, at, fmt.Sprintf("it is no %s", a.to.Kind))
	case !v.converts(a) || !v.needs(a, value):
		return value, false
	}
	if isHash(value) || a.from != nil && a.from.Kind == schema.Password {
		return v.unconvertible(a, value, at, "a password is stored as a hash, and becomes nothing else")
	}
	converted, lost, err := body.Convert(a.to, value)
	switch {
	case err != nil:
		return v.unconvertible(a, value, at, err.Error())
	case lost != "":
		x := v.example(a, value)
		x.After, x.Why = v.shorten(a, converted), "without "+lost
		v.tally.add(Cut, at, v.into(a, value), x)
	default:
		x := v.example(a, value)
		x.After = v.shorten(a, converted)
		v.tally.add(Converted, at, v.into(a, value), x)
	}
	return converted, true
}

// converts reports whether values of the attribute must be converted.
func (v *evolver) converts(a attribute) bool {
	return len(v.Only) == 0 || v.named(a)
}

// named reports whether Only names the attribute, or its type.
func (v *evolver) named(a attribute) bool {
	return slices.Contains(v.Only, Removed{a.to.Owner.UID, a.to.Name}) || slices.Contains(v.Only, Removed{Type: a.to.Owner.UID})
}

// needs reports whether a stored plain value is not valid for the new attribute.
func (v *evolver) needs(a attribute, value store.Value) bool {
	switch {
	case !index.Suits(a.to, &value):
		return true
	case a.to.Kind == schema.Integer && (value.Num < math.MinInt32 || value.Num > math.MaxInt32):
		return true
	case a.from != nil && (a.from.Kind == schema.Password) != (a.to.Kind == schema.Password):
		return true
	case a.to.Kind != schema.Enumeration || slices.Contains(a.to.Enum, value.Text):
		return false
	case a.from != nil && a.from.Kind != schema.Enumeration:
		return true
	}
	return v.named(a) // otherwise there may be fewer choices than before, which is a rule
}

// unconvertible counts a value that has no equivalent in the new site, and deletes it.
func (v *evolver) unconvertible(a attribute, value store.Value, at verify.Spot, why string) (store.Value, bool) {
	x := v.example(a, value)
	x.Why = why
	v.tally.add(Unconvertible, at, v.into(a, value), x)
	return store.Value{}, true
}

// into names both kinds.
func (v *evolver) into(a attribute, value store.Value) string {
	return fmt.Sprintf("%s to %s", kindOf(a.from, value), kindOf(a.to, store.Value{}))
}

var storedKinds = [...]string{
	store.Null: "nothing", store.Bool: "boolean", store.Int: "whole number", store.Float: "number",
	store.Text: "text", store.JSON: "JSON", store.Instances: "components", store.Edges: "links",
}

// kindOf names the kind of an attribute; without one, that of a stored value.
func kindOf(a *schema.Attribute, value store.Value) string {
	switch {
	case a == nil:
		return storedKinds[value.Kind]
	case a.IsInverse():
		return a.Relation.Form.String() + " of the other side"
	case a.Kind == schema.RelationKind:
		return a.Relation.Form.String()
	case a.Kind == schema.Media && a.Relation.Many():
		return "media of any number"
	case a.Kind == schema.Component && a.Repeatable:
		return "a list of components"
	case a.Kind == schema.Component:
		return "one component"
	}
	return a.Kind.String()
}

// instances returns what components become.
func (v *evolver) instances(a attribute, value store.Value, at verify.Spot) (after store.Value, changed bool) {
	kept := make([]store.Instance, 0, len(value.Instances))
	for _, r := range value.Instances {
		if v.drop[Removed{Type: r.Component}] {
			v.tally.add(Dropped, at, r.Component, Example{})
			changed = true
			continue
		}
		name := v.newUID(r.Component)
		if name != r.Component {
			v.tally.add(Renamed, at, r.Component, Example{Value: name})
		}
		fields, inside := v.fields(v.side(name), name, r.Fields, at)
		changed = changed || inside || name != r.Component
		r.Component, r.Fields = name, fields
		if !v.takes(a.to, name) && v.converts(a) {
			v.unconvertible(a, store.Value{Kind: store.Instances, Instances: []store.Instance{r}}, at, "it does not take the component "+name)
			changed = true
			continue
		}
		if len(kept) > 0 && !a.to.IsList() && v.converts(a) {
			x := v.example(a, store.Value{Kind: store.Instances, Instances: []store.Instance{r}})
			x.Why = "it holds one component, the first"
			v.tally.add(Cut, at, v.into(a, value), x)
			changed = true
			continue
		}
		kept = append(kept, r)
	}
	value.Instances = kept
	return value, changed
}

// takes reports whether an attribute can have a component. One that the new site does not
// have is hidden, and stays.
func (v *evolver) takes(a *schema.Attribute, component string) bool {
	if t := v.To.Type(component); t == nil || !t.IsComponent() {
		return true
	}
	if a.Kind == schema.Component {
		return a.ComponentType.UID == component
	}
	return slices.ContainsFunc(a.Zone, func(t *schema.Type) bool { return t.UID == component })
}

// example returns a value in the form of an example.
func (v *evolver) example(a attribute, value store.Value) Example {
	return Example{Value: v.shorten(a, value)}
}

// shorten returns the beginning of a value, empty if not everybody may see it, or if that
// is unknown.
func (v *evolver) shorten(a attribute, value store.Value) string {
	if a == (attribute{}) || a.from != nil && a.from.Hidden() || a.to != nil && a.to.Hidden() || isHash(value) {
		return ""
	}
	text := value.Text[:min(len(value.Text), 4*shortenedExample)]
	switch value.Kind {
	case store.Int:
		text = strconv.FormatInt(value.Num, 10)
	case store.Float:
		text = strconv.FormatFloat(value.Real, 'g', -1, 64)
	case store.Bool:
		text = strconv.FormatBool(value.Num != 0)
	case store.Text:
		text = strconv.Quote(text)
	case store.Instances:
		text = listed(value.Instances, func(r store.Instance) string { return fmt.Sprintf("%s %d", r.Component, r.ID) })
	case store.Edges:
		text = listed(value.Edges, func(e store.Edge) string { return strings.TrimSpace(e.Type + " " + e.Target) })
	}
	if runes := []rune(text); len(runes) > shortenedExample {
		text = string(runes[:shortenedExample-1]) + "…"
	}
	return text
}

// listed returns the names of the first items of a list.
func listed[T any](list []T, name func(T) string) string {
	var names []string
	for _, one := range list[:min(len(list), 5)] {
		names = append(names, name(one))
	}
	if len(list) > 5 {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}
