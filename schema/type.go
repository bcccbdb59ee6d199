package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
)

// TypeKind says whether a type is a collection, a single document or a component.
type TypeKind uint8

const (
	Collection TypeKind = iota + 1
	Single
	ComponentType
)

// Type is a content type or a component: a named list of attributes.
//
// A Type is frozen once Load returns it, but for its title, and may be shared without locks.
type Type struct {
	UID      string // "api::restaurant.restaurant", "place.address"
	Kind     TypeKind
	Singular string // "restaurant"; the route of a single type; empty for components
	Plural   string // "restaurants"; the route of a collection type; empty for components
	Display  string

	Description string // for people; empty for none
	Icon        string // of a component: the name of a picture, as in Strapi; empty for none

	// PluginOptions are those of the schema file as JSON, for the code of the project; nil for
	// none.
	PluginOptions json.RawMessage

	DraftAndPublish bool
	Localized       bool
	BuiltIn         bool // files, users and roles: served by their own endpoints

	// Attributes are the declared attributes in the order of the schema file.
	// Attribute.Pos is an index into this list.
	Attributes []*Attribute

	// Slots are the same attributes in the order in which the index keeps their
	// values; Attribute.Slot is an index into this list.
	Slots []*Attribute

	// Sorted are the same attributes in the order of their names, which is that of stored fields.
	Sorted []*Attribute

	// System are id, documentId, createdAt, updatedAt, publishedAt and, for a
	// localized type, locale and localizations. Components have only id.
	System []*Attribute

	// File is the file of the type, relative to the site folder; empty for built-in types.
	File string

	byName  map[string]*Attribute
	ordinal int // in the site's types or components
	title   atomic.Pointer[Attribute]
}

// Attribute returns the declared or system attribute of that exact name, or nil.
func (t *Type) Attribute(name string) *Attribute { return t.byName[name] }

// IsComponent reports whether t is a component and not a content type.
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

// StateKey returns the member of an entry with the state of its document, if a read
// requests that: "state" or, if the type has an attribute of that name, "__state".
func (t *Type) StateKey() string {
	if t.Attribute("state") != nil {
		return "__state"
	}
	return "state"
}

// MainField returns the attribute by which people distinguish entries of the type: as in
// Strapi the first string that is not an id, otherwise the first other short text. If the
// type has none, it is documentId, or id in a component. sees decides which attributes
// count.
func (t *Type) MainField(sees func(*Attribute) bool) *Attribute {
	for _, kinds := range [][]Kind{{String}, {UID, Email, Text, Enumeration}} {
		for _, kind := range kinds {
			for _, a := range t.Attributes {
				if a.Kind == kind && !a.namesID() && sees(a) {
					return a
				}
			}
		}
	}
	if t.IsComponent() {
		return t.Attribute("id")
	}
	return t.Attribute("documentId")
}

// SetTitle sets the attribute by which the admin names entries; nil for the main field.
func (t *Type) SetTitle(a *Attribute) { t.title.Store(a) }

// Title returns the attribute by which the admin names entries: the one that people have
// chosen, or the main field if they have not, or if it does not count.
func (t *Type) Title(sees func(*Attribute) bool) *Attribute {
	if a := t.title.Load(); a != nil && sees(a) {
		return a
	}
	return t.MainField(sees)
}

// namesID reports whether the attribute is an id of something, by its name.
func (a *Attribute) namesID() bool {
	return strings.EqualFold(a.Name, "id") || strings.HasSuffix(a.Name, "Id") || strings.HasSuffix(a.Name, "ID") || strings.HasSuffix(a.Name, "_id")
}

// declare adds an attribute after the others.
func (t *Type) declare(a *Attribute) {
	a.Owner, a.Pos = t, len(t.Attributes)
	t.Attributes = append(t.Attributes, a)
	t.byName[a.Name] = a
}

// asidePrefix begins no code of a locale.
const asidePrefix = "~"

// Aside returns the stored form of the locale of a version whose type is not localized any
// more. Such a version is not served; it returns when the type is localized again.
func Aside(locale string) string { return asidePrefix + locale }

// AsideOf returns the locale of a version that is stored aside, and whether it is one: see
// [Aside].
func AsideOf(stored string) (locale string, aside bool) {
	return strings.CutPrefix(stored, asidePrefix)
}

// TakesLocale reports whether the type serves entries stored under this locale: one that is
// not aside for a localized type, "" for any other type.
func (t *Type) TakesLocale(stored string) bool {
	_, aside := AsideOf(stored)
	return !aside && (stored != "") == t.Localized
}

// declareSystem gives a type the attributes that every entry has. It runs before the
// declared attributes are read, so that a clash of names is reported there.
func (t *Type) declareSystem() {
	t.declareSystemAttribute("id", SystemID, Integer)
	if t.IsComponent() {
		return
	}
	t.declareSystemAttribute("documentId", SystemDocumentID, String)
	t.declareSystemAttribute("createdAt", SystemCreatedAt, DateTime)
	t.declareSystemAttribute("updatedAt", SystemUpdatedAt, DateTime)
	t.declareSystemAttribute("publishedAt", SystemPublishedAt, DateTime)
	if !t.Localized {
		return
	}
	t.declareSystemAttribute("locale", SystemLocale, String)
	localizations := t.declareSystemAttribute("localizations", SystemLocalizations, RelationKind)
	localizations.Relation = &Relation{Form: OneToMany, Target: t}
}

func (t *Type) declareSystemAttribute(name string, s System, k Kind) *Attribute {
	a := &Attribute{Name: name, Kind: k, Owner: t, Pos: -1, System: s}
	t.System = append(t.System, a)
	t.byName[name] = a
	return a
}

func (t *Type) assignSlots() {
	t.Slots = make([]*Attribute, 0, len(t.Attributes))
	for _, linking := range []bool{true, false} {
		for _, a := range t.Attributes {
			if linking == (a.Relation != nil && a.Relation.Owns) {
				a.Slot = len(t.Slots)
				t.Slots = append(t.Slots, a)
			}
		}
	}
	t.Sorted = slices.SortedFunc(slices.Values(t.Slots), func(a, b *Attribute) int { return strings.Compare(a.Name, b.Name) })
}

// Action is one permission that a role or token can have for a type.
type Action string

const (
	Find      Action = "find"
	FindOne   Action = "findOne"
	Create    Action = "create"
	Update    Action = "update"
	Delete    Action = "delete"
	ReadDraft Action = "readDraft"

	CreateDraft  Action = "createDraft" // a Create that publishes nothing
	UpdateDraft  Action = "updateDraft" // an Update that publishes nothing
	Publish      Action = "publish"     // of an existing draft
	Unpublish    Action = "unpublish"
	DiscardDraft Action = "discardDraft"
	Duplicate    Action = "duplicate"

	ReadHistory Action = "readHistory" // former versions; those of drafts only with ReadDraft

	PreviewLink Action = "previewLink" // showing a document and its draft to others for a while
)

// ReadOne returns the action that reads one document of the type.
func (t *Type) ReadOne() Action {
	if t.Kind == Single {
		return Find
	}
	return FindOne
}

// Actions lists the actions that can be allowed to a role or token on the type.
func (t *Type) Actions() []Action {
	actions := []Action{Find, FindOne, Create, Update, Delete, Duplicate, ReadHistory}
	if t.Kind == Single {
		actions = []Action{Find, Update, Delete, ReadHistory} // a single type has one document
	}
	if !t.DraftAndPublish {
		return actions
	}
	actions = append(actions, ReadDraft)
	if t.Kind != Single {
		actions = append(actions, CreateDraft)
	}
	return append(actions, UpdateDraft, Publish, Unpublish, DiscardDraft, PreviewLink)
}
