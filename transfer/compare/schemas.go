package compare

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema"
)

// SchemaChange is a content type, a component or an attribute of one that differs between
// two sites.
type SchemaChange struct {
	Type      string `json:"type"`                // uid
	Attribute string `json:"attribute,omitempty"` // empty for the type as a whole
	Change    Kind   `json:"change"`
	Detail    string `json:"detail,omitempty"` // of a changed one: "string, now text"
}

// Schemas returns the differences between the schemas of two sites, by uid and attribute:
// types, components, attributes and their kinds, whether a type has drafts and locales, and
// whether an attribute is private, required, unique or localized.
func Schemas(from, to *schema.Site) (list []SchemaChange) {
	for _, uid := range uidsOf(from, to) {
		a, b := from.Type(uid), to.Type(uid)
		switch {
		case a == nil:
			list = append(list, SchemaChange{Type: uid, Change: Added})
		case b == nil:
			list = append(list, SchemaChange{Type: uid, Change: Removed})
		default:
			if was, is := traitsOf(a), traitsOf(b); was != is {
				list = append(list, SchemaChange{Type: uid, Change: Changed, Detail: was + ", now " + is})
			}
			list = append(list, attributesOf(a, b)...)
		}
	}
	return list
}

// uidsOf returns the uids of all types and components of two sites, in order.
func uidsOf(sites ...*schema.Site) (uids []string) {
	for _, site := range sites {
		for _, t := range slices.Concat(site.Types, site.Components) {
			uids = append(uids, t.UID)
		}
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

func traitsOf(t *schema.Type) string {
	drafts, locales := "no drafts", "not localized"
	if t.DraftAndPublish {
		drafts = "drafts"
	}
	if t.Localized {
		locales = "localized"
	}
	return drafts + " and " + locales
}

func attributesOf(a, b *schema.Type) (list []SchemaChange) {
	var names []string
	for _, one := range slices.Concat(a.Attributes, b.Attributes) {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := a.Attribute(name), b.Attribute(name)
		switch {
		case was == nil:
			list = append(list, SchemaChange{a.UID, name, Added, describe(is)})
		case is == nil:
			list = append(list, SchemaChange{a.UID, name, Removed, describe(was)})
		case describe(was) != describe(is):
			list = append(list, SchemaChange{a.UID, name, Changed, describe(was) + ", now " + describe(is)})
		}
	}
	return list
}

// describe returns an attribute in words: "string, required, unique".
func describe(a *schema.Attribute) string {
	words := []string{a.Kind.String()}
	if a.ComponentType != nil {
		words[0] = fmt.Sprintf("%s %s", a.Kind, a.ComponentType.UID)
	}
	if len(a.Enum) > 0 {
		words[0] += " of " + strings.Join(a.Enum, ", ")
	}
	for _, trait := range []struct {
		is   bool
		word string
	}{{a.Repeatable, "repeatable"}, {a.Required, "required"}, {a.Unique, "unique"}, {a.Private, "private"}, {a.Localized, "localized"}} {
		if trait.is {
			words = append(words, trait.word)
		}
	}
	return strings.Join(words, ", ")
}
