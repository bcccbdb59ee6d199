package store

import "fmt"

// Status is draft or published: one of the two versions of an entry.
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

// Entry is one stored version of a document, identified by documentId, locale and status.
// Entries of types without draft and publish are always Published.
type Entry struct {
	ID         uint64 // unique among the entries of its type, draft and published; never reused
	DocumentID string
	Locale     string // empty for types that are not localized
	Status     Status

	// Milliseconds since 1970, UTC. PublishedAt is 0 for drafts.
	CreatedAt, UpdatedAt, PublishedAt int64

	Stamp Stamp // of the write that made this version; zero in entries of older files

	// Fields has the values that are not null, in any order, each name once. It keeps
	// attributes that the schema no longer has.
	Fields Fields
}

// Value returns the value with that name, null if there is none.
func (e *Entry) Value(name string) Value { return e.Fields.Value(name) }

// Value returns the value with that name, null if there is none.
func (r *Instance) Value(name string) Value { return r.Fields.Value(name) }

// Key identifies an entry within its type.
type Key struct {
	DocumentID string
	Locale     string
	Status     Status
}

// Key returns the key of the entry within its type.
func (e *Entry) Key() Key { return Key{e.DocumentID, e.Locale, e.Status} }

// WithStatus returns the key of the same document and locale in that status.
func (k Key) WithStatus(s Status) Key {
	k.Status = s
	return k
}

// String returns the key in readable form: "j3m1 (draft, en)".
func (k Key) String() string {
	if k.Locale == "" {
		return fmt.Sprintf("%s (%s)", k.DocumentID, k.Status)
	}
	return fmt.Sprintf("%s (%s, %s)", k.DocumentID, k.Status, k.Locale)
}

// Name identifies an entry among those of all types.
type Name struct {
	Type string // uid
	Key  Key
}

// String returns the name in readable form: "api::dish.dish j3m1 (draft, en)".
func (n Name) String() string { return n.Type + " " + n.Key.String() }

// Change is what one write did to one entry: Before is nil for a new entry, After is nil
// for a deleted one. The entries must not be modified.
type Change struct {
	Type          string // uid
	Before, After *Entry
}

// Name returns the name of the changed entry.
func (c Change) Name() Name {
	if c.After != nil {
		return Name{c.Type, c.After.Key()}
	}
	return Name{c.Type, c.Before.Key()}
}
