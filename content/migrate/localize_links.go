package migrate

import (
	"cmp"
	"slices"

	"quire/schema"
	"quire/store"
)

// An edge names the locale of its target if its owner has none and the target has. So both
// change when types become localized, or stop being localized: the edges that they own, and
// those that lead to them.

// relink returns the fields of an entry or a component of type t after the entry has moved
// from one locale to another.
func (v *localizer) relink(t *schema.Type, fields store.Fields, from, to string) (after store.Fields, changed bool) {
	after = fields
	for i, f := range fields {
		a := t.Attribute(f.Name)
		if a == nil {
			continue
		}
		value, ok := v.value(a, f.Value, from, to)
		if ok && !changed {
			after, changed = slices.Clone(fields), true
		}
		if ok {
			after[i].Value = value
		}
	}
	return after, changed
}

func (v *localizer) value(a *schema.Attribute, value store.Value, from, to string) (after store.Value, changed bool) {
	switch {
	case value.Kind == store.Instances:
		value.Instances = slices.Clone(value.Instances)
		for i, r := range value.Instances {
			c := v.site.Type(r.Component)
			if c == nil || !c.IsComponent() {
				continue
			}
			fields, ok := v.relink(c, r.Fields, from, to)
			value.Instances[i].Fields = fields
			changed = changed || ok
		}
	case value.Kind == store.Edges && a.Relation != nil && a.Relation.Owns:
		value.Edges, changed = v.edges(a, value.Edges, from, to)
	}
	return value, changed
}

func (v *localizer) edges(a *schema.Attribute, edges []store.Edge, from, to string) (after []store.Edge, changed bool) {
	seen := make(map[store.End]bool, len(edges))
	for _, edge := range edges {
		locale := v.targetLocale(a, edge, from, to)
		changed = changed || locale != edge.Locale
		edge.Locale = locale
		if !seen[edge.End()] {
			after = append(after, edge)
		}
		seen[edge.End()] = true
	}
	if !changed {
		return edges, false // also one that already links twice: that is for a repair
	}
	return after, true
}

// targetLocale returns the locale in an edge after its owner has moved.
func (v *localizer) targetLocale(a *schema.Attribute, edge store.Edge, from, to string) string {
	target := a.Relation.Target
	if a.Relation.Morph() {
		target = v.site.Type(edge.Type)
	}
	if target == nil || target.IsComponent() {
		return edge.Locale
	}
	r := v.types[target]
	was, isAside := schema.AsideOf(from)
	switch {
	case to != "" && to == from:
		return edge.Locale
	case to != "": // seen in the owner's own locale
		if edge.Locale != "" && edge.Locale != to {
			v.links++
		}
		return ""
	case r != nil && target.Localized:
		return cmp.Or(edge.Locale, r.locale(edge.Target))
	case r != nil:
		if seen := cmp.Or(edge.Locale, from); seen != "" && seen != r.locale(edge.Target) {
			v.links++
		}
		return ""
	case target.Localized && edge.Locale == "" && !isAside:
		return was
	}
	return edge.Locale
}
