package admin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestSiteName is the maximum length of the site's name in a QR code, in bytes.
const longestSiteName = 60

// siteName returns the name of the site in apps: its name, or its host.
func (x *request) siteName() string {
	name := strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(x.admin.Name, ""), ":", " "))
	if name = cut(name, longestSiteName); name == "" {
		name, _, _ = strings.Cut(x.http.Host, ":")
		name = cut(name, longestSiteName)
	}
	return name
}

// cut shortens a text to a maximum number of bytes, at the end of a visible character;
// nothing is left of a single longer one.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !begins(text, most) {
		most--
	}
	return strings.TrimSpace(text[:most])
}

const joiner = '\u200d' // makes one picture of several

// begins reports whether a visible character begins at i: what is there is no accent, sign
// or shade of the character before, no part of its syllable, and no half of a flag.
func begins(text string, i int) bool {
	if !utf8.RuneStart(text[i]) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[i:])
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	switch {
	case next == joiner || before == joiner, unicode.Is(unicode.M, next):
		return false
	case next >= 0x1f3fb && next <= 0x1f3ff: // shades of skin
		return false
	case next >= 0xe0020 && next <= 0xe007f: // what flags of regions end in
		return false
	case next >= 0x1160 && next <= 0x11ff: // vowels and ends of syllables in Hangul
		return false
	}
	return !isFlag(next) || flags(text[:i])%2 == 0
}

// isFlag reports whether two such letters form a flag.
func isFlag(r rune) bool { return unicode.Is(unicode.Regional_Indicator, r) }

// flags counts the letters of flags at the end of a text.
func flags(text string) (n int) {
	return utf8.RuneCountInString(text) - utf8.RuneCountInString(strings.TrimRightFunc(text, isFlag))
}
