package describe

import (
	"slices"

	"quire/schema"
)

// outputs returns the attributes that answers can show, in the order of answers: the
// declared ones that are not hidden, then those of every entry.
func outputs(t *schema.Type) (scalars, populated []*schema.Attribute) {
	for _, a := range slices.Concat(t.Attributes, t.System) {
		switch {
		case a.Hidden() || a.System == schema.SystemID || a.System == schema.SystemDocumentID:
		case a.IsScalar():
			scalars = append(scalars, a)
		default:
			populated = append(populated, a)
		}
	}
	return scalars, populated
}

// targets are the types that an attribute can lead to: those of a relation, a
// component or a dynamic zone. A relation to any type has all content types.
func targets(site *schema.Site, a *schema.Attribute) []*schema.Type {
	switch {
	case a.Kind == schema.DynamicZone:
		return a.Zone
	case a.Kind == schema.Component:
		return []*schema.Type{a.ComponentType}
	case a.Relation == nil:
		return nil
	case a.Relation.Target == nil:
		return site.Public()
	}
	return []*schema.Type{a.Relation.Target}
}

// isMany reports whether a populated attribute shows a list.
func isMany(a *schema.Attribute) bool {
	return a.Kind == schema.DynamicZone || a.Repeatable || a.Relation != nil && a.Relation.Many()
}

// versionedTypes are the types whose drafts and published entries have different
// schemas: those with drafts, components with required values, which drafts need not
// have, and types that show one of them.
func versionedTypes(site *schema.Site) map[*schema.Type]bool {
	found := map[*schema.Type]bool{}
	all := slices.Concat(site.Public(), site.Components)
	for _, t := range all {
		if t.DraftAndPublish || t.IsComponent() && slices.ContainsFunc(t.Attributes, alwaysHasValue) {
			found[t] = true
		}
	}
	for before := -1; before != len(found); {
		before = len(found)
		for _, t := range all {
			if !found[t] && showsAny(site, t, found) {
				found[t] = true
			}
		}
	}
	return found
}

// alwaysHasValue reports whether every published entry has a value of the attribute.
func alwaysHasValue(a *schema.Attribute) bool {
	return a.AlwaysRequired() && !a.Hidden() && a.Relation == nil && a.Kind != schema.DynamicZone && !a.Repeatable
}

// showsAny reports whether answers about t can show one of some types.
func showsAny(site *schema.Site, t *schema.Type, some map[*schema.Type]bool) bool {
	_, populated := outputs(t)
	return slices.ContainsFunc(populated, func(a *schema.Attribute) bool {
		return slices.ContainsFunc(targets(site, a), func(t *schema.Type) bool { return some[t] })
	})
}
