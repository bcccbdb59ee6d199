package store

// ValueKind is the kind of a Value.
type ValueKind uint8

const (
	Null      ValueKind = iota
	Bool                // Num is 0 or 1
	Int                 // Num is the number: integer and biginteger
	Float               // Real: float and decimal
	Text                // Text: strings, dates ("2006-01-02"), times ("15:04:05.999"), and datetimes ("2006-01-02T15:04:05.000Z")
	JSON                // Text is a JSON document: json and blocks
	Instances           // Instances: a component (one instance), a repeatable component or a dynamic zone
	Edges               // Edges: the links of a relation or media attribute that its entry owns
)

// Value is the value of one attribute of an entry. The zero Value is null. Only the member
// for Kind is meaningful.
type Value struct {
	Kind      ValueKind
	Num       int64
	Real      float64
	Text      string
	Instances []Instance
	Edges     []Edge
}

// TextValue returns a Value with a text.
func TextValue(s string) Value { return Value{Kind: Text, Text: s} }

// Instance is one stored instance of a component.
type Instance struct {
	ID        uint64 // unique among the instances of its component; shared by draft and published
	Component string // uid; "place.address"
	Fields    Fields
}

// Edge is one link of a relation, stored with its owner. Targets are documents, never
// entries: the read decides which version is shown.
type Edge struct {
	Target string // documentId
	Type   string // uid of the target, only for morph relations
	Locale string // of the target, only if the owner is not localized and the target is

	// Place orders the owners in the list that the target sees through the
	// inverse side: ascending, with gaps.
	Place uint64

	// Only is the one version of the target that the edge links to, if the owner has no
	// drafts and the target has them; 0 for both. An edge of a draft links to the draft,
	// one of a published entry to the published one.
	Only Status
}

// Field is one named value. Fields are stored by name and not by position, so that a
// changed schema does not affect stored entries.
type Field struct {
	Name  string
	Value Value
}
