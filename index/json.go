package index

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendString appends s as a JSON string, escaping only what JSON requires, like
// JSON.stringify in Strapi.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		for len(s)-i >= 8 && plain(binary.LittleEndian.Uint64([]byte(s[i:i+8]))) {
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// plain reports whether none of the eight bytes of a word must be escaped. A byte that is
// smaller than the subtracted value borrows from its highest bit, which then is set in the
// difference and was not in the byte.
func plain(word uint64) bool {
	const each, highest = 0x0101010101010101, 0x8080808080808080
	quote, backslash := word^each*'"', word^each*'\\'
	return ((word-each*' ')&^word|(quote-each)&^quote|(backslash-each)&^backslash)&highest == 0
}

// AppendNumber appends f as JavaScript prints it: the shortest digits that are read back as
// the same number, without exponent between 1e-6 and 1e21.
func AppendNumber(dst []byte, f float64) []byte {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		return trimExponent(strconv.AppendFloat(dst, f, 'e', -1, 64))
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// trimExponent turns Go's "1e-07" into JavaScript's "1e-7".
func trimExponent(b []byte) []byte {
	if n := len(b); n >= 4 && b[n-2] == '0' && (b[n-3] == '-' || b[n-3] == '+') {
		b[n-2] = b[n-1]
		return b[:n-1]
	}
	return b
}

// AppendTime appends a moment, in milliseconds since 1970, as an ISO string in
// UTC with milliseconds; 0 is null.
func AppendTime(dst []byte, ms int64) []byte {
	if ms == 0 {
		return append(dst, "null"...)
	}
	moment := time.UnixMilli(ms).UTC()
	year, month, day := moment.Date()
	if year < 0 || year > 9999 {
		return append(moment.AppendFormat(append(dst, '"'), "2006-01-02T15:04:05.000Z"), '"')
	}
	hour, minute, second := moment.Clock()
	dst = append(dst, '"', byte('0'+year/1000), byte('0'+year/100%10))
	dst = append2(dst, year%100, '-')
	dst = append2(dst, int(month), '-')
	dst = append2(dst, day, 'T')
	dst = append2(dst, hour, ':')
	dst = append2(dst, minute, ':')
	dst = append2(dst, second, '.')
	thousandth := int(ms%1000+1000) % 1000
	return append(dst, byte('0'+thousandth/100), byte('0'+thousandth/10%10), byte('0'+thousandth%10), 'Z', '"')
}

// append2 appends a number of two digits and the next character.
func append2(dst []byte, n int, next byte) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10), next)
}

// unquote returns the text of a JSON string that AppendString wrote: a part of it, if
// nothing in it is escaped.
func unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1 : len(quoted)-1]
	if first := bytes.IndexByte(inner, '\\'); first >= 0 {
		return unescape(inner, first)
	}
	return inner
}

// unescape is unquote from the first escape on.
func unescape(s []byte, first int) []byte {
	out := append(make([]byte, 0, len(s)), s[:first]...)
	for i := first; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			n, _ := strconv.ParseUint(string(s[i+1:i+5]), 16, 32)
			out = utf8.AppendRune(out, rune(n))
			i += 4
		default:
			out = append(out, s[i])
		}
	}
	return out
}
