package graphql

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"quire/schema"
)

// typeName returns the name of a content type or component: Restaurant,
// UsersPermissionsUser, ComponentPlaceAddress.
func typeName(t *schema.Type) string {
	if t.IsComponent() {
		return pascalCase("component_" + t.UID)
	}
	return pluginName(t) + pascalCase(t.Singular)
}

// pluginName returns the prefix of the names of a plugin's types; empty for the types of
// the site.
func pluginName(t *schema.Type) string {
	plugin, found := strings.CutPrefix(t.UID, "plugin::")
	if !found {
		return ""
	}
	plugin, _, _ = strings.Cut(plugin, ".")
	return pascalCase(plugin)
}

// enumName returns the name of the type of an enumeration.
func enumName(a *schema.Attribute) string {
	if a.EnumName != "" {
		return a.EnumName
	}
	return "ENUM_" + strings.ToUpper(typeName(a.Owner)+"_"+a.Name)
}

// zoneName returns the name of the union of a dynamic zone.
func zoneName(a *schema.Attribute) string {
	return typeName(a.Owner) + pascalCase(a.Name) + "DynamicZone"
}

// pascalCase joins the words of a name, each with a capital letter.
func pascalCase(text string) string {
	var b strings.Builder
	for _, word := range splitWords(text) {
		b.WriteString(upperFirst(strings.ToLower(word)))
	}
	return b.String()
}

func upperFirst(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func lowerFirst(word string) string { return strings.ToLower(word[:1]) + word[1:] }

// splitWords splits a name as lodash does, by which Strapi makes names: at signs, between
// letters and digits, before a capital letter, and before the last capital letter of
// several ("HTTPServer2x" is HTTP, Server, 2, x). An ordinal ("2nd") is one word.
func splitWords(text string) (words []string) {
	for len(text) > 0 {
		n := ordinalLength(text)
		switch {
		case n > 0:
		case isDigit(text[0]):
			n = span(text, isDigit)
		case isUpper(text[0]):
			if n = span(text, isUpper); n < len(text) && isLower(text[n]) {
				if n == 1 {
					n += span(text[1:], isLower)
				} else {
					n--
				}
			}
		case isLower(text[0]):
			n = span(text, isLower)
		default:
			text = text[1:]
			continue
		}
		words, text = append(words, text[:n]), text[n:]
	}
	return words
}

// ordinalLength returns the length of an ordinal at the beginning of a text that ends a
// word: 1st, 22nd, 3rd, 4th. It is 0 if there is none.
func ordinalLength(text string) int {
	n := span(text, isDigit)
	if n == 0 || len(text) < n+2 {
		return 0
	}
	suffix, next := "th", n+2
	if i := strings.IndexByte("123", text[n-1]); i >= 0 {
		suffix = []string{"st", "nd", "rd"}[i]
	}
	lower := text[n:next] == suffix
	switch {
	case !lower && text[n:next] != strings.ToUpper(suffix):
		return 0
	case next == len(text), lower && isUpper(text[next]), !lower && isLower(text[next]):
		return next
	case isUpper(text[next]), isLower(text[next]), isDigit(text[next]):
		return 0
	}
	return next
}

func span(text string, is func(byte) bool) (n int) {
	for n < len(text) && is(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// Enum is the values of an enumeration with their names in GraphQL.
type Enum struct{ Values, Names []string }

// Name returns the name of a value; false if the enumeration does not have it.
func (e *Enum) Name(value string) (string, bool) {
	i := slices.Index(e.Values, value)
	if i < 0 {
		return "", false
	}
	return e.Names[i], true
}

// Value returns the value of a name, the last one if several have it, as in Strapi.
func (e *Enum) Value(name string) string {
	for i, one := range slices.Backward(e.Names) {
		if one == name {
			return e.Values[i]
		}
	}
	return name
}

var german = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "ß", "ss", "&", " and ")

// enumValueName returns the name of a value: letters and digits, with _ in place of
// everything else. GraphQL cannot have names that begin with a digit, nor true, false and
// null; with these Strapi does not start, and here they begin with _.
func enumValueName(value string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(german.Replace(norm.NFC.String(value))) {
		switch {
		case r < unicode.MaxASCII && (isDigit(byte(r)) || isUpper(byte(r)) || isLower(byte(r))):
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.Trim(b.String(), "_")
	if name == "" || isDigit(name[0]) || name == "true" || name == "false" || name == "null" {
		return "_" + name
	}
	return name
}
