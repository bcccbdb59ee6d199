package schema

// TypeKind tells collections, single documents and components apart.
type TypeKind uint8

const (
	Collection TypeKind = iota + 1
	Single
	ComponentType
)

// Type is a content type or a component: a named list of attributes.
//
// A Type is frozen once Load returns it and may be shared without locks.
type Type struct {
	UID      string // "api::restaurant.restaurant", "place.address"
	Kind     TypeKind
	Singular string // "restaurant"; the route of a single type; empty for components
	Plural   string // "restaurants"; the route of a collection type; empty for components
	Display  string

	DraftAndPublish bool
	Localized       bool
	BuiltIn         bool // files, users and roles: served by endpoints of their own

	// Attributes are the declared attributes in the order of the schema file.
	// Attribute.Pos is an index into this list.
	Attributes []*Attribute

	// Slots are the same attributes in the order in which the index keeps their
	// values; Attribute.Slot is an index into this list.
	Slots []*Attribute

	// System are id, documentId, createdAt, updatedAt, publishedAt and, for a
	// localized type, locale and localizations. Components have only id.
	System []*Attribute

	// File is where the type was read from, relative to the site folder; empty for built-in types.
	File string

	byName  map[string]*Attribute
	ordinal int // in the site's types or components
}

// Attribute returns the declared or system attribute of that exact name, or nil.
func (t *Type) Attribute(name string) *Attribute { return t.byName[name] }

// IsComponent reports whether t is a component rather than a content type.
func (t *Type) IsComponent() bool { return t.Kind == ComponentType }

// Route is the path element under /api that serves the type: the plural name of
// a collection, the singular name of a single type. Built-in types and
// components have none.
func (t *Type) Route() string {
	switch {
	case t.BuiltIn || t.IsComponent():
		return ""
	case t.Kind == Single:
		return t.Singular
	}
	return t.Plural
}

// declare adds an attribute behind the others.
func (t *Type) declare(a *Attribute) {
	a.Owner, a.Pos = t, len(t.Attributes)
	t.Attributes = append(t.Attributes, a)
	t.byName[a.Name] = a
}

// Model is the short name of the type: its singular name, as in "restaurant".
func (t *Type) Model() string { return t.Singular }
