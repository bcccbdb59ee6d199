package script

import (
	"regexp"
	"strings"
)

// token is a word, a number, a text or a sign.
type token struct {
	kind  tokenKind
	text  string // of a text: its value
	line  int    // from 1
	first bool   // first on its line
}

type tokenKind byte

const (
	end tokenKind = iota
	word
	number
	text
	sign
	opaque // a template with expressions, a regular expression, or what cannot be read
)

var (
	wordForm   = regexp.MustCompile(`^[\pL_$#][\pL\pN_$]*`)
	numberForm = regexp.MustCompile(`^(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:[0-9][0-9_]*)?\.?[0-9][0-9_]*\.?(?:[eE][+-]?[0-9]+)?n?)`)
	signForm   = regexp.MustCompile(`^(?:\.\.\.|\?\?=|\|\|=|&&=|===|!==|\*\*|=>|\?\?|\|\||&&|\?\.|==|!=|<=|>=|\+\+|--|[+*/%-]=|.)`)
)

// scanner reads the tokens of a file.
type scanner struct {
	rest  string
	line  int
	first bool
	list  []token
}

// scan reads all tokens; the last one is the end.
func scan(file string) []token {
	s := &scanner{rest: strings.TrimPrefix(file, "\ufeff"), line: 1, first: true}
	for s.rest != "" {
		if !s.space() {
			s.next()
		}
	}
	s.add(end, "", 0)
	return s.list
}

// space skips a space, a new line or a comment, and reports whether there was one.
func (s *scanner) space() bool {
	n := 0
	switch {
	case strings.ContainsRune(" \t\r\n", rune(s.rest[0])):
		n = 1
	case strings.HasPrefix(s.rest, "//"):
		n = until(s.rest, "\n", 0)
	case strings.HasPrefix(s.rest, "/*"):
		n = until(s.rest, "*/", 2)
	default:
		return false
	}
	if lines := strings.Count(s.rest[:n], "\n"); lines > 0 {
		s.line, s.first = s.line+lines, true
	}
	s.rest = s.rest[n:]
	return true
}

// until returns the length of a text before an end, plus n bytes of that end; all of it
// without one.
func until(in, last string, n int) int {
	if at := strings.Index(in, last); at >= 0 {
		return at + n
	}
	return len(in)
}

// add adds a token of n bytes.
func (s *scanner) add(kind tokenKind, what string, n int) {
	s.list = append(s.list, token{kind, what, s.line, s.first})
	s.line, s.first = s.line+strings.Count(s.rest[:n], "\n"), false
	s.rest = s.rest[n:]
}

func (s *scanner) next() {
	c := s.rest[0]
	switch {
	case strings.IndexByte("()[]{},:;", c) >= 0: // most signs, without a search
		s.add(sign, s.rest[:1], 1)
	case c == '"' || c == '\'':
		s.text(c)
	case c == '`':
		s.template()
	case c == '/' && s.expression():
		s.add(opaque, "/", pattern(s.rest))
	case wordForm.MatchString(s.rest):
		one := wordForm.FindString(s.rest)
		s.add(word, one, len(one))
	case numberForm.MatchString(s.rest):
		one := numberForm.FindString(s.rest)
		s.add(number, one, len(one))
	default:
		one := signForm.FindString(s.rest)
		s.add(sign, one, max(len(one), 1))
	}
}

// expression reports whether a value can begin here: a slash is then no division.
func (s *scanner) expression() bool {
	if len(s.list) == 0 {
		return true
	}
	last := s.list[len(s.list)-1]
	return last.kind == sign && !strings.Contains(")]}", last.text) || last.kind == word && last.text == "return"
}

// longestPattern bounds how far the end of a regular expression is looked for, in bytes.
const longestPattern = 500

// pattern is how long a regular expression is, without its flags; 1 for a slash that begins
// none.
func pattern(in string) int {
	class := false
	for i := 1; i < min(len(in), longestPattern) && in[i] != '\n'; i++ {
		switch {
		case in[i] == '\\':
			i++
		case in[i] == '[':
			class = true
		case in[i] == ']':
			class = false
		case in[i] == '/' && !class:
			return i + 1
		}
	}
	return 1
}
