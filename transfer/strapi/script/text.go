package script

import "strings"

// escapes are the characters that escapes stand for. Others that are not letters and digits
// stand for themselves.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v'}

// text reads a text in quotes. One without an end, or with numeric escapes, is opaque.
func (s *scanner) text(quote byte) {
	var b strings.Builder
	kind := text
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == quote:
			s.add(kind, b.String(), i+1)
			return
		case c == '\n':
			s.add(opaque, "", i)
			return
		case c == '\\' && i+1 < len(s.rest):
			i++
			if !escape(&b, s.rest[i]) {
				kind = opaque
			}
		default:
			b.WriteByte(c)
		}
	}
	s.add(opaque, "", len(s.rest))
}

// escape writes the character of an escape. It reports false for numeric escapes, which no
// name of an attribute needs.
func escape(b *strings.Builder, c byte) bool {
	switch real, known := escapes[c]; {
	case known:
		b.WriteByte(real)
	case c == '\n' || c == '\r':
	case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
		return false
	default:
		b.WriteByte(c)
	}
	return true
}

// template reads a text in backquotes. One with expressions in it is opaque.
func (s *scanner) template() {
	var b strings.Builder
	kind, depth := text, 0 // of braces in an expression
	for i := 1; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '\\' && i+1 < len(s.rest):
			i++
			if !escape(&b, s.rest[i]) {
				kind = opaque
			}
		case c == '$' && strings.HasPrefix(s.rest[i:], "${"):
			kind, depth, i = opaque, depth+1, i+1
		case c == '{' && depth > 0:
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '`' && depth == 0:
			s.add(kind, b.String(), i+1)
			return
		default:
			b.WriteByte(c)
		}
	}
	s.add(opaque, "", len(s.rest))
}
