package describe

import (
	"slices"
	"strconv"
	"strings"

	"quire/schema"
)

// suffixes make the names of the schemas of a type: "Restaurant", "RestaurantCreate",
// and so on. No two types may share a name.
var suffixes = []string{
	"", "Create", "Update", "Input", "Filters", "Item", "ItemInput", "Related", "Legacy", "LegacyItem", "LegacyRelated",
	"Response", "ListResponse", "LegacyResponse", "LegacyListResponse", "Former", "FormerItem", "FormerResponse", "RestoredResponse", "LegacyRestoredResponse",
}

// builtInNames are those of the built-in types. The TypeScript of browsers has a
// File of its own.
var builtInNames = map[string]string{schema.FileUID: "UploadFile", schema.UserUID: "User", schema.RoleUID: "Role"}

// nameTypes gives every type its name: that of its model, "BlogPost" for
// api::blog.blog-post, or of its group and file, "SharedSeo" for shared.seo.
// Where that is taken, it is a longer one made of the uid.
func nameTypes(site *schema.Site) map[*schema.Type]string {
	taken := map[string]bool{}
	for _, name := range slices.Concat(preludeNames(), siteNames, globalNames, sharedNames()) {
		taken[name] = true
	}
	names := map[*schema.Type]string{}
	for _, t := range slices.Concat(site.Public(), site.Components) {
		if t.BuiltIn {
			names[t] = claimName(taken, builtInNames[t.UID], t)
		}
	}
	for _, t := range slices.Concat(site.Public(), site.Components) {
		switch {
		case t.BuiltIn:
		case t.IsComponent():
			names[t] = claimName(taken, pascal(t.UID), t)
		default:
			names[t] = claimName(taken, pascal(t.Singular), t)
		}
	}
	return names
}

// claimName takes the name or, if it is taken, the first free one made of the uid.
func claimName(taken map[string]bool, name string, t *schema.Type) string {
	whole := pascal(t.UID)
	for n := 2; !isFree(taken, name); n++ {
		if isFree(taken, whole) {
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

func isFree(taken map[string]bool, name string) bool {
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
