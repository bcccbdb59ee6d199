package params

import (
	"strings"
	"unicode/utf8"
)

// decodeBrackets decodes %5B and %5D throughout a query, so that everything after it sees
// one notation. Nearly every client encodes them.
func decodeBrackets(raw string) string {
	at := strings.Index(raw, "%5")
	if at < 0 {
		return raw
	}
	var b strings.Builder
	b.Grow(len(raw))
	for ; at >= 0; at = strings.Index(raw, "%5") {
		bracket, size := bracketAt(raw[at:])
		b.WriteString(raw[:at])
		b.WriteString(bracket)
		raw = raw[at+size:]
	}
	b.WriteString(raw)
	return b.String()
}

// bracketAt decodes the escape that s begins with if it is a bracket, and returns how
// many bytes of s it read.
func bracketAt(s string) (decoded string, size int) {
	if len(s) >= 3 {
		switch s[2] {
		case 'B', 'b':
			return "[", 3
		case 'D', 'd':
			return "]", 3
		}
	}
	return s[:2], 2
}

// unescape decodes "+" and percent escapes. If one escape in s is invalid, all are kept
// unchanged, as with JavaScript's decodeURIComponent under qs. ok is false if the result is
// not UTF-8.
func unescape(s string) (text string, ok bool) {
	if i := strings.IndexByte(s, '+'); i >= 0 {
		s = strings.ReplaceAll(s, "+", " ")
	}
	i := strings.IndexByte(s, '%')
	if i < 0 {
		return s, utf8.ValidString(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	rest := s
	for ; i >= 0; i = strings.IndexByte(rest, '%') {
		c, ok := escapeAt(rest[i:])
		if !ok {
			return s, utf8.ValidString(s)
		}
		b.WriteString(rest[:i])
		b.WriteByte(c)
		rest = rest[i+3:]
	}
	b.WriteString(rest)
	return b.String(), utf8.ValidString(b.String())
}

// escapeAt reads "%hh".
func escapeAt(s string) (c byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	high, ok1 := hexDigit(s[1])
	low, ok2 := hexDigit(s[2])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
