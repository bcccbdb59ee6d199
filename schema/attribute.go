package schema

import (
	"encoding/json"
	"regexp"
)

// Kind is what the values of an attribute are. Its String is the "type" of schema files.
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

// Attribute is one named value of a type, with the rules that its values obey.
type Attribute struct {
	Name   string
	Kind   Kind
	Owner  *Type  // the type that declares it
	Pos    int    // index in Owner.Attributes; -1 for system attributes
	Slot   int    // index in Owner.Slots; meaningless for system attributes
	System System // NotSystem for declared attributes

	Required  bool
	Unique    bool // uid attributes are always unique
	Private   bool // by the attribute itself, the type's options.privateAttributes or the site's
	Localized bool // each locale has a value of its own; false in types that are not localized

	Unsearchable bool // "searchable": false keeps the attribute out of `_q`

	// Default is the JSON value that a create without this attribute gets; nil when there is none.
	Default json.RawMessage

	Min, Max             *float64       // numbers
	MinInt, MaxInt       *int64         // biginteger, exact
	MinLength, MaxLength *int           // strings, in UTF-16 code units as the reference counts them
	Pattern              *regexp.Regexp // "regex"; nil when there is none
	PatternText          string         // as written in the schema file
	PatternReach         int            // length of the longest text that Pattern is tried on, in bytes
	Enum                 []string
	TargetField          string // uid

	MinItems, MaxItems *int // repeatable components and dynamic zones

	// Relation is set for relations and for media, which are one-way relations to files.
	Relation *Relation

	// AllowedFiles limits media: images, videos, files, audios; empty allows all.
	AllowedFiles []string

	ComponentType *Type   // of a component attribute
	Repeatable    bool    // component
	Zone          []*Type // the components that a dynamic zone allows

	CustomField string // "plugin::color-picker.color"; Kind is the underlying type
}

// Searchable reports whether `_q` may look into the attribute.
func (a *Attribute) Searchable() bool {
	switch a.Kind {
	case String, Text, RichText, Email, UID, Enumeration, Integer, BigInteger, Float, Decimal:
		return !a.Hidden() && !a.Unsearchable
	}
	return false
}

// IsScalar reports whether the attribute is one plain value, always part of an
// entry's output, rather than something that is populated.
func (a *Attribute) IsScalar() bool {
	switch a.Kind {
	case Media, RelationKind, Component, DynamicZone:
		return false
	}
	return true
}

// IsText reports whether values are strings that are compared by collation.
func (a *Attribute) IsText() bool {
	switch a.Kind {
	case String, Text, RichText, Email, Password, UID, Enumeration:
		return true
	}
	return false
}

// Hidden reports whether nobody outside may see or name the attribute.
func (a *Attribute) Hidden() bool { return a.Private || a.Kind == Password }

// RelationForm is the cardinality of a relation. Its String is the "relation" of schema files.
type RelationForm uint8

const (
	OneToOne RelationForm = iota + 1
	OneToMany
	ManyToOne
	ManyToMany
	MorphToOne
	MorphToMany
	MorphOne
	MorphMany
)

var formNames = [...]string{
	OneToOne: "oneToOne", OneToMany: "oneToMany", ManyToOne: "manyToOne", ManyToMany: "manyToMany",
	MorphToOne: "morphToOne", MorphToMany: "morphToMany", MorphOne: "morphOne", MorphMany: "morphMany",
}

func (f RelationForm) String() string { return formNames[f] }

// Relation is what an attribute links to, and which side stores the edges.
type Relation struct {
	Form RelationForm

	// Target is the type linked to; nil for MorphToOne and MorphToMany, which
	// may link to any content type.
	Target *Type

	// Inverse is the attribute on Target that sees the same edges; nil for a
	// one-way relation.
	Inverse *Attribute

	// Owns is true on the side that stores the edges: inversedBy, one-way,
	// media and morphTo relations. The other side (mappedBy, morphOne and
	// morphMany through MorphBy) only sees them.
	Owns bool
}

// Many reports whether the attribute holds a list rather than one target.
func (r *Relation) Many() bool {
	switch r.Form {
	case OneToMany, ManyToMany, MorphToMany, MorphMany:
		return true
	}
	return false
}

// Exclusive reports whether a target can be linked from one entry at most, so
// that linking it takes it away from its former holder: bidirectional
// oneToOne and oneToMany, seen from the attribute's own side, and morphOne and
// morphMany where the target holds a single link.
func (r *Relation) Exclusive() bool {
	if r.Inverse == nil {
		return false
	}
	switch r.Form {
	case OneToOne, OneToMany:
		return true
	case MorphOne, MorphMany:
		return !r.Inverse.Relation.Many()
	}
	return false
}

// Morph reports whether targets may be of any type, so that each edge names its type.
func (r *Relation) Morph() bool { return r.Form == MorphToOne || r.Form == MorphToMany }
