package schema

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"sort"

	"quire/schema/settings"
	"quire/schema/source"
)

// Site is a loaded site folder: its content types and components, the built-in types, and
// the settings of site.json. It is immutable.
type Site struct {
	Types      []*Type // content types, built-in ones included, ordered by UID
	Components []*Type // ordered by UID; ComponentOrdinal is an index into it
	Settings   settings.Settings
	Given      map[string]bool // paths that site.json sets: "limits.bodyBytes"

	// Notes are about what Strapi loads, and what may be meant otherwise.
	Notes []source.Problem

	// Fingerprint is the same for two sites with the same files.
	Fingerprint [sha256.Size]byte

	byUID      map[string]*Type
	byPlural   map[string]*Type
	bySingular map[string]*Type
}

// The uids of the built-in types.
const (
	FileUID   = "plugin::upload.file"
	FolderUID = "plugin::upload.folder"
	UserUID   = "plugin::users-permissions.user"
	RoleUID   = "plugin::users-permissions.role"
)

// Type returns the content type or component with that uid, or nil.
func (s *Site) Type(uid string) *Type { return s.byUID[uid] }

// ByPlural returns the collection type served at /api/<plural>, or nil.
// Built-in types are not found: they have endpoints of their own.
func (s *Site) ByPlural(plural string) *Type { return s.byPlural[plural] }

// BySingular returns the single type served at /api/<singular>, or nil.
func (s *Site) BySingular(singular string) *Type { return s.bySingular[singular] }

// LinkedLocale returns the locale of its target to which a link leads: that of the entry
// with the link, otherwise the one that the link names, otherwise the default one. from and
// named may be empty. The locale is empty for a target that is not localized.
func (s *Site) LinkedLocale(target *Type, from, named string) string {
	if !target.Localized {
		return ""
	}
	return cmp.Or(from, named, s.Settings.DefaultLocale)
}

// Served yields the content types with the generic endpoints, ordered by UID: all except
// the built-in ones.
func (s *Site) Served() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		for _, t := range s.Types {
			if !t.BuiltIn && !yield(t) {
				return
			}
		}
	}
}

// Public returns the content types that the content API shows: all except the folders of
// files, which only accounts of the admin see.
func (s *Site) Public() []*Type {
	return slices.DeleteFunc(slices.Clone(s.Types), func(t *Type) bool { return t.UID == FolderUID })
}

// TypeOrdinal returns the position of a content type in Types.
func (s *Site) TypeOrdinal(t *Type) int { return t.ordinal }

// ComponentOrdinal returns the position of a component in Components.
func (s *Site) ComponentOrdinal(t *Type) int { return t.ordinal }

// allTypes yields every type: content types, then components.
func (s *Site) allTypes() iter.Seq[*Type] {
	return func(yield func(*Type) bool) {
		for _, list := range [][]*Type{s.Types, s.Components} {
			for _, t := range list {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func numberTypes(types []*Type) {
	sort.Slice(types, func(i, j int) bool { return types[i].UID < types[j].UID })
	for i, t := range types {
		t.ordinal = i
	}
}
