package schema

import (
	"encoding/json"
	"regexp"
	"slices"
)

// Kind is the kind of values that an attribute has. Its String is the "type" of schema
// files.
type Kind uint8

const (
	String Kind = iota + 1
	Text
	RichText
	Blocks
	Email
	Password
	UID
	Enumeration
	Integer
	BigInteger
	Float
	Decimal
	Boolean
	Date
	Time
	DateTime
	Timestamp
	JSON
	Media
	RelationKind
	Component
	DynamicZone
)

var kindNames = [...]string{
	String: "string", Text: "text", RichText: "richtext", Blocks: "blocks",
	Email: "email", Password: "password", UID: "uid", Enumeration: "enumeration",
	Integer: "integer", BigInteger: "biginteger", Float: "float", Decimal: "decimal",
	Boolean: "boolean", Date: "date", Time: "time", DateTime: "datetime", Timestamp: "timestamp",
	JSON: "json", Media: "media", RelationKind: "relation",
	Component: "component", DynamicZone: "dynamiczone",
}

func (k Kind) String() string { return kindNames[k] }

// System names the attributes that every entry has without declaring them.
type System uint8

const (
	NotSystem System = iota
	SystemID
	SystemDocumentID
	SystemCreatedAt
	SystemUpdatedAt
	SystemPublishedAt
	SystemLocale
	SystemLocalizations
)

// Attribute is one named value of a type, with the rules for its values.
type Attribute struct {
	Name   string
	Kind   Kind
	Owner  *Type  // the type that declares it
	Pos    int    // index in Owner.Attributes; -1 for system attributes
	Slot   int    // index in Owner.Slots; meaningless for system attributes
	System System // NotSystem for declared attributes

	Required  bool
	Unique    bool // uid attributes are always unique
	Private   bool // because of the attribute itself, the type's options.privateAttributes or the site's
	Localized bool // each locale has its own value; false in types that are not localized

	Unsearchable bool // "searchable": false keeps the attribute out of `_q`

	// Default is the JSON value for a create without this attribute; nil if there is none.
	Default json.RawMessage

	Min, Max             *float64       // numbers
	MinInt, MaxInt       *int64         // biginteger, exact
	MinLength, MaxLength *int           // strings, in UTF-16 code units as Strapi counts them
	Pattern              *regexp.Regexp // "regex"; nil if there is none
	PatternText          string         // as written in the schema file
	PatternMaxBytes      int            // maximum length of a text that is matched with Pattern
	Enum                 []string
	EnumName             string // of an enumeration in GraphQL; empty for the usual one
	TargetField          string // uid

	MinItems, MaxItems *int // repeatable components and dynamic zones

	// Relation is set for relations and for media, which are one-way relations to files.
	Relation *Relation

	// AllowedFiles limits media: images, videos, files, audios; empty allows all.
	AllowedFiles []string

	ComponentType *Type   // of a component attribute
	Repeatable    bool    // component
	Zone          []*Type // the components that a dynamic zone allows

	// Visible says when the attribute belongs to an entry; nil for always. The rules for its
	// values apply only then, as in Strapi: a hidden value may be missing.
	Visible *Condition

	CustomField string // "plugin::color-picker.color"; Kind is the underlying type
}

// Searchable reports whether `_q` searches the attribute, for callers who see it.
func (a *Attribute) Searchable() bool {
	switch a.Kind {
	case String, Text, RichText, Email, UID, Enumeration, Integer, BigInteger, Float, Decimal:
		return !a.Unsearchable
	}
	return false
}

// IsScalar reports whether the attribute is one plain value, which is always part of an
// entry's output and not populated.
func (a *Attribute) IsScalar() bool {
	switch a.Kind {
	case Media, RelationKind, Component, DynamicZone:
		return false
	}
	return true
}

// AlwaysRequired reports whether the attribute is required in every entry: no condition hides
// it.
func (a *Attribute) AlwaysRequired() bool { return a.Required && a.Visible == nil }

// IsText reports whether values are strings that are compared by collation.
func (a *Attribute) IsText() bool {
	switch a.Kind {
	case String, Text, RichText, Email, Password, UID, Enumeration:
		return true
	}
	return false
}

// HasMonth reports whether values are days or moments, by whose months entries can be grouped.
func (a *Attribute) HasMonth() bool {
	return a.Kind == Date || a.Kind == DateTime || a.Kind == Timestamp
}

// IsList reports whether the attribute can hold several component instances.
func (a *Attribute) IsList() bool { return a.Kind == DynamicZone || a.Repeatable }

// IsInverse reports whether the links of a relation are stored on its other side.
func (a *Attribute) IsInverse() bool {
	return a.Kind == RelationKind && !a.Relation.Owns && a.Relation.Inverse != nil
}

// IsTwoSided reports whether the links that the attribute owns are visible from their
// targets too.
func (a *Attribute) IsTwoSided() bool {
	return a.Kind == RelationKind && !a.Owner.IsComponent() && (a.Relation.Inverse != nil || a.Relation.Morph())
}

// IsShared reports whether the attribute has the same value in all locales of a document.
func (a *Attribute) IsShared() bool {
	return !a.Localized && (a.Relation == nil || a.Relation.Owns)
}

// Hidden reports whether the content API hides the attribute. A Sight decides what a caller
// sees.
func (a *Attribute) Hidden() bool { return a.Private || a.Kind == Password }

// Reserved reports whether the attribute is a secret of users that only the program sets
// and reads: no request can name it.
func (a *Attribute) Reserved() bool {
	return a.Owner != nil && a.Owner.UID == UserUID && slices.Contains(reservedOfUsers, a.Name)
}

var reservedOfUsers = []string{"resetPasswordToken", "confirmationToken", "sessionEpoch", "providerKey"}
