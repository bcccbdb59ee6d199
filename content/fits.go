package content

import (
	"quire/schema"
	"quire/store"
)

// Fits reports whether values of that kind can be those of the attribute.
func Fits(a *schema.Attribute, k store.ValueKind) bool {
	switch a.Kind {
	case schema.Component, schema.DynamicZone:
		return k == store.Records
	case schema.RelationKind, schema.Media:
		return k == store.Edges
	}
	return k == scalars[a.Kind].kind
}
