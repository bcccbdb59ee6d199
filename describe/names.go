package describe

import (
	"slices"
	"strconv"
	"strings"

	"quire/schema"
)

// suffixes are what the names of a type are made of in the descriptions: what it
// looks like, what can be written, and so on. No two types may share one.
var suffixes = []string{
	"", "Create", "Update", "Input", "Filters", "Item", "ItemInput", "Related", "Legacy", "LegacyItem", "LegacyRelated",
	"Response", "ListResponse", "LegacyResponse", "LegacyListResponse",
}

// builtInNames are those of the built-in types. The TypeScript of browsers has a
// File of its own.
var builtInNames = map[string]string{schema.FileUID: "UploadFile", schema.UserUID: "User", schema.RoleUID: "Role"}

// nameTypes gives every type its name: that of its model, "BlogPost" for
// api::blog.blog-post, or of its group and file, "SharedSeo" for shared.seo.
// Where that is taken the uid makes a longer one.
func nameTypes(site *schema.Site) map[*schema.Type]string {
	taken := map[string]bool{}
	for _, name := range slices.Concat(preludeNames(), siteNames, globalNames, sharedNames()) {
		taken[name] = true
	}
	names := map[*schema.Type]string{}
	for _, t := range slices.Concat(site.Types, site.Components) {
		if t.BuiltIn {
			names[t] = claim(taken, builtInNames[t.UID], t)
		}
	}
	for _, t := range slices.Concat(site.Types, site.Components) {
		switch {
		case t.BuiltIn:
		case t.IsComponent():
			names[t] = claim(taken, pascal(t.UID), t)
		default:
			names[t] = claim(taken, pascal(t.Singular), t)
		}
	}
	return names
}

// claim takes the name, or the first free one after it.
func claim(taken map[string]bool, name string, t *schema.Type) string {
	whole := pascal(t.UID)
	for n := 2; !free(taken, name); n++ {
		if free(taken, whole) {
			name = whole
			break
		}
		name = whole + strconv.Itoa(n)
	}
	for _, suffix := range suffixes {
		taken[name+suffix] = true
	}
	return name
}

func free(taken map[string]bool, name string) bool {
	return !slices.ContainsFunc(suffixes, func(suffix string) bool { return taken[name+suffix] })
}

// pascal joins the words of a uid or name: "place.opening_hours" is
// "PlaceOpeningHours".
func pascal(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".:-_", r) }) {
		if b.Len() == 0 && word[0] >= '0' && word[0] <= '9' {
			b.WriteByte('T')
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// globalNames are types of TypeScript's own that the generated ones use.
var globalNames = []string{"Exclude", "Extract", "NonNullable", "Omit", "Partial", "Pick", "Record"}
