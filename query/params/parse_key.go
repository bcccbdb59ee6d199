package params

import "strings"

// step is one part of a key: the name of the parameter or the content of one pair of
// brackets.
type step struct {
	name  string
	index int // of "[7]" and, as 0, of "[]"; notIndex for anything else
}

const notIndex = -1

// entersList reports whether the step leads into a list and not an object.
func (s step) entersList(l Limits) bool { return 0 <= s.index && s.index < l.ArrayLimit }

// overflows reports whether the step is a number too high for a list.
func (s step) overflows(l Limits) bool { return s.index >= l.ArrayLimit }

// opensList reports whether the step is "[]".
func (s step) opensList() bool { return s.index == 0 && s.name == "" }

// readPath appends the steps of a key to path. It appends none for a key that qs drops.
//
//	filters[name][$in][0]   filters, name, $in, 0
//	a[b]c[d]                a, b, d: text between brackets is dropped
//	a[b                     a, "[b": brackets that do not close stand for themselves
//	a[[b]]                  a, "[b]"
func readPath(path []step, key string, l Limits) ([]step, error) {
	open := strings.IndexByte(key, '[')
	if open < 0 {
		open = len(key)
	}
	if name := key[:open]; name != "" {
		if isInherited(name) {
			return path[:0], nil
		}
		path = append(path, step{name, notIndex})
	}
	rest := key[open:]
	for depth := 0; rest != ""; depth++ {
		if depth == l.Depth {
			return nil, tooDeepKey(key, l)
		}
		end := closingBracket(rest)
		if end < 0 {
			return append(path, step{rest, notIndex}), nil
		}
		name := rest[1:end]
		if isInherited(name) {
			return path[:0], nil
		}
		path = appendBrackets(path, name)
		rest = afterBrackets(rest[end+1:])
	}
	return path, nil
}

// appendBrackets appends the step of "[name]". Empty brackets before a number or before
// other empty brackets add no level.
func appendBrackets(path []step, name string) []step {
	s := step{name, bracketIndex(name)}
	if n := len(path); s.index != notIndex && n > 0 && path[n-1].opensList() {
		path = path[:n-1]
	}
	return append(path, s)
}

// closingBracket returns the index of the bracket that closes the one s begins with, or -1.
func closingBracket(s string) int {
	level := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			level++
		case ']':
			if level--; level == 0 {
				return i
			}
		}
	}
	return -1
}

// afterBrackets skips to the next opening bracket.
func afterBrackets(s string) string {
	if i := strings.IndexByte(s, '['); i >= 0 {
		return s[i:]
	}
	return ""
}

// longestIndex is the maximum number of digits of a position in a list; more are a name.
const longestIndex = 9

// bracketIndex reads the text in brackets as a position in a list: "" is 0, and a
// number must be written as JavaScript prints it ("07" is a name).
func bracketIndex(s string) int {
	if len(s) > longestIndex || len(s) > 1 && s[0] == '0' {
		return notIndex
	}
	index := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return notIndex
		}
		index = index*10 + int(s[i]-'0')
	}
	return index
}

// isInherited reports whether every JavaScript object inherits that key; qs drops
// parameters with such a key in their path.
func isInherited(key string) bool {
	switch key {
	case "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
		"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
		"toLocaleString", "toString", "valueOf":
		return true
	}
	return false
}
