package index

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// Fold maps upper case to lower case, character by character, as Strapi's database does; it
// does not change how characters are composed.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return string(AppendFold(make([]byte, 0, len(s)), []byte(s)))
		}
	}
	return s
}

// AppendFold appends Fold of a text.
func AppendFold(dst, text []byte) []byte {
	for {
		n := asciiLen(text)
		dst = appendLower(dst, text[:n])
		if text = text[n:]; len(text) == 0 {
			return dst
		}
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, lower(r))
		text = text[size:]
	}
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x8080808080808080
)

// asciiLen returns the number of bytes before the first one that is not ASCII.
func asciiLen(text []byte) int {
	n := 0
	for len(text)-n >= 8 && binary.LittleEndian.Uint64(text[n:])&highBits == 0 {
		n += 8
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// appendLower appends ASCII in lower case, eight bytes at a time. A byte is from A to Z if
// adding 0x3f sets its highest bit, and adding 0x25 does not.
func appendLower(dst, text []byte) []byte {
	for ; len(text) >= 8; text = text[8:] {
		word := binary.LittleEndian.Uint64(text)
		upper := ((word + 0x3f*eachByte) &^ (word + 0x25*eachByte)) & highBits
		dst = binary.LittleEndian.AppendUint64(dst, word|upper>>2)
	}
	for _, c := range text {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// lowers has the lower case of every character of two bytes: of the Latin, Greek and
// Cyrillic letters, among others.
var lowers = func() (table [0x800]rune) {
	for r := range table {
		table[r] = unicode.ToLower(rune(r))
	}
	return table
}()

func lower(r rune) rune {
	if int(r) < len(lowers) {
		return lowers[r]
	}
	return unicode.ToLower(r)
}
