package language

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text as its words are folded, with what is between them.
func Fold(text string) string {
	dst := make([]byte, 0, len(text))
	for _, r := range text {
		dst = appendFolded(dst, r)
	}
	return string(dst)
}

// Accents are the combining marks of Latin, Greek and Cyrillic letters.
const firstAccent, lastAccent = 0x0300, 0x036f

// spelled are letters that are written with others where a keyboard lacks them, and letters
// that count as the same.
var spelled = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'å': "a", 'Å': "a",
	'ł': "l", 'Ł': "l", 'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d", 'þ': "th", 'Þ': "th", 'ı': "i", 'İ': "i",
	'ħ': "h", 'Ħ': "h", 'ς': "σ", 'й': "й", 'Й': "й",
}

// foldedLetters has the folded form of the letters of two bytes.
var foldedLetters = func() (table [0x800]string) {
	for r := range table {
		table[r] = string(slowlyFolded(nil, rune(r)))
	}
	return table
}()

// appendFolded appends a character in lower case and without accents. A character that only
// changes others becomes nothing.
func appendFolded(dst []byte, r rune) []byte {
	switch {
	case 'A' <= r && r <= 'Z':
		return append(dst, byte(r)+'a'-'A')
	case r < utf8.RuneSelf:
		return append(dst, byte(r))
	case r == breve && len(dst) >= len("и") && string(dst[len(dst)-len("и"):]) == "и":
		return append(dst[:len(dst)-len("и")], "й"...)
	case int(r) < len(foldedLetters):
		return append(dst, foldedLetters[r]...)
	}
	return slowlyFolded(dst, r)
}

// breve is the accent that makes й of и, which is another letter.
const breve = '\u0306'

func slowlyFolded(dst []byte, r rune) []byte {
	if folded, ok := spelled[r]; ok {
		return append(dst, folded...)
	}
	if isGram(r) {
		return norm.NFKC.AppendString(dst, string(r))
	}
	for _, one := range norm.NFKD.String(string(r)) {
		one = unicode.ToLower(one)
		switch folded, ok := spelled[one]; {
		case ok:
			dst = append(dst, folded...)
		case isWord(r) && !isWord(one), one >= firstAccent && one <= lastAccent:
		default:
			dst = utf8.AppendRune(dst, one)
		}
	}
	return dst
}
