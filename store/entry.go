package store

import "fmt"

// Status is draft or published: which of the two versions of an entry this is.
type Status byte

const (
	Draft     Status = 'd'
	Published Status = 'p'
)

// String returns "draft" or "published".
func (s Status) String() string {
	switch s {
	case Draft:
		return "draft"
	case Published:
		return "published"
	}
	return fmt.Sprintf("status %d", byte(s))
}

// Entry is one stored version of a document: its (documentId, locale, status).
// Entries of types without draft and publish are always Published.
type Entry struct {
	ID         uint64 // unique among the entries of its type, draft and published; never reused
	DocumentID string
	Locale     string // empty for types that are not localized
	Status     Status

	// Milliseconds since 1970, UTC. PublishedAt is 0 for drafts.
	CreatedAt, UpdatedAt, PublishedAt int64

	Stamp Stamp // of the write that made this version; zero in entries of older files

	// Fields holds the values that are not null, in no particular order, each
	// name once. Attributes that the schema no longer has stay here.
	Fields Fields
}

// Value returns the value of that name, null when there is none.
func (e *Entry) Value(name string) Value { return e.Fields.Value(name) }

// Value returns the value of that name, null when there is none.
func (r *Instance) Value(name string) Value { return r.Fields.Value(name) }

// Key names an entry within its type.
type Key struct {
	DocumentID string
	Locale     string
	Status     Status
}

// Key returns the name of the entry within its type.
func (e *Entry) Key() Key { return Key{e.DocumentID, e.Locale, e.Status} }

// WithStatus is the key of the same document and locale in that status.
func (k Key) WithStatus(s Status) Key {
	k.Status = s
	return k
}

// String names the entry for people: "j3m1 (draft, en)".
func (k Key) String() string {
	if k.Locale == "" {
		return fmt.Sprintf("%s (%s)", k.DocumentID, k.Status)
	}
	return fmt.Sprintf("%s (%s, %s)", k.DocumentID, k.Status, k.Locale)
}

// Name names an entry among those of all types.
type Name struct {
	Type string // uid
	Key  Key
}

// String names the entry for people: "api::dish.dish j3m1 (draft, en)".
func (n Name) String() string { return n.Type + " " + n.Key.String() }

// Change is what one write did to one entry: Before is nil for a new entry,
// After is nil for a deleted one. The entries must not be modified.
type Change struct {
	Type          string // uid
	Before, After *Entry
}

// Name returns the name of the entry that changes.
func (c Change) Name() Name {
	if c.After != nil {
		return Name{c.Type, c.After.Key()}
	}
	return Name{c.Type, c.Before.Key()}
}
