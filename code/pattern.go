package code

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// A pattern is a path of a route with parameters, in the form of Koa's router:
// /articles/:id, /echo/:a/:b?, /files/(.*), /years/:year(\d+).
type pattern struct {
	text  string
	match *regexp.Regexp
	names []string // of the groups: names of parameters, numbers of nameless ones
	begin string   // its first two names, in lower case; empty if it begins with something else
}

// beginOf returns the first two names of a path, in lower case: /api/articles.
func beginOf(path string) string {
	for i, slashes := 0, 0; i < len(path); i++ {
		if path[i] == '/' {
			slashes++
		}
		if slashes == 3 {
			path = path[:i]
		}
	}
	return strings.ToLower(strings.TrimSuffix(path, "/"))
}

var plainNames = regexp.MustCompile(`^/[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?$`)

// maxPattern is the maximum length of a path of a route.
const maxPattern = 1000

// compilePattern reads a pattern.
func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a path of more than %d bytes", maxPattern)
	}
	if !strings.HasPrefix(text, "/") && text != "" {
		return nil, errors.New(`a path begins with "/"`)
	}
	r := &patternReader{rest: text, p: &pattern{text: text}}
	r.out.WriteString(`(?is)^`)
	for r.rest != "" {
		if err := r.readPart(); err != nil {
			return nil, fmt.Errorf("the path %s: %w", text, err)
		}
	}
	r.out.WriteString(`/?$`)
	match, err := regexp.Compile(r.out.String())
	if err != nil {
		return nil, fmt.Errorf("the path %s: %w", text, err)
	}
	r.p.match = match
	if begin := beginOf(text); plainNames.MatchString(begin) && (strings.Count(begin, "/") == 2 || len(begin) == len(strings.TrimSuffix(text, "/"))) {
		r.p.begin = begin
	}
	return r.p, nil
}

// A patternReader turns a pattern into a regular expression, part by part.
type patternReader struct {
	rest string
	out  strings.Builder
	p    *pattern
	free int // nameless groups so far
}

var paramName = regexp.MustCompile(`^:([A-Za-z0-9_]+)`)

// readPart reads a literal, or a parameter with the slash or dot before it: both are absent
// together if the parameter may be.
func (r *patternReader) readPart() error {
	before := ""
	if strings.HasPrefix(r.rest, "/:") || strings.HasPrefix(r.rest, "/(") || strings.HasPrefix(r.rest, ".:") {
		before, r.rest = r.rest[:1], r.rest[1:]
	}
	name, group := "", `[^/#?]+?`
	if part := paramName.FindStringSubmatch(r.rest); part != nil {
		name, r.rest = part[1], r.rest[len(part[0]):]
	}
	own, err := r.readGroup()
	if err != nil {
		return err
	}
	if own != "" {
		group = own
	}
	if name == "" && own == "" {
		r.readLiteral(before)
		return nil
	}
	if name == "" {
		name = fmt.Sprint(r.free)
		r.free++
	}
	r.p.names = append(r.p.names, name)
	r.writeGroup(regexp.QuoteMeta(before), group)
	return nil
}

// readGroup reads the expression of a parameter: (\d+).
func (r *patternReader) readGroup() (string, error) {
	if !strings.HasPrefix(r.rest, "(") {
		return "", nil
	}
	depth := 0
	for i := 0; i < len(r.rest); i++ {
		switch r.rest[i] {
		case '\\':
			i++
		case '(':
			if depth++; depth > 1 && !strings.HasPrefix(r.rest[i:], "(?:") {
				return "", errors.New(`groups within a group must begin with "?:"`)
			}
		case ')':
			if depth--; depth == 0 {
				group := r.rest[1:i]
				r.rest = r.rest[i+1:]
				if group == "" || strings.HasPrefix(group, "?") {
					return "", errors.New("a group needs an expression")
				}
				if _, err := regexp.Compile(group); err != nil {
					return "", err
				}
				return group, nil
			}
		}
	}
	return "", errors.New("a group is not closed")
}

// readLiteral writes the next character as it is.
func (r *patternReader) readLiteral(before string) {
	if before != "" {
		r.out.WriteString(regexp.QuoteMeta(before))
		return
	}
	if strings.HasPrefix(r.rest, `\`) && len(r.rest) > 1 {
		r.rest = r.rest[1:]
	}
	for i := range r.rest {
		if i > 0 {
			r.out.WriteString(regexp.QuoteMeta(r.rest[:i]))
			r.rest = r.rest[i:]
			return
		}
	}
	r.out.WriteString(regexp.QuoteMeta(r.rest))
	r.rest = ""
}

// writeGroup writes a parameter, with what follows it: ? for one that may be absent, * and +
// for several elements of a path.
func (r *patternReader) writeGroup(before, group string) {
	after := ""
	if r.rest != "" && strings.ContainsRune("?*+", rune(r.rest[0])) {
		after, r.rest = r.rest[:1], r.rest[1:]
	}
	switch after {
	case "?":
		fmt.Fprintf(&r.out, `(?:%s(%s))?`, before, group)
	case "*", "+":
		many := fmt.Sprintf(`(?:%s(%s(?:%s%s)*))`, before, nameless(group), before, nameless(group))
		r.out.WriteString(many + map[string]string{"*": "?", "+": ""}[after])
	default:
		fmt.Fprintf(&r.out, `%s(%s)`, before, group)
	}
}

func nameless(group string) string { return "(?:" + group + ")" }

// params returns the parameters of a path, or ok false if it does not match. Those that are
// absent are left out.
func (p *pattern) params(path string) (params map[string]string, ok bool) {
	if p.begin != "" && len(p.names) == 0 && strings.EqualFold(path, p.text) { // most of those without parameters
		return map[string]string{}, true
	}
	found := p.match.FindStringSubmatchIndex(path)
	if found == nil {
		return nil, false
	}
	params = map[string]string{}
	for i, name := range p.names {
		from, to := found[2*i+2], found[2*i+3]
		if from < 0 {
			continue
		}
		value := path[from:to]
		if decoded, err := url.PathUnescape(value); err == nil {
			value = decoded
		}
		params[name] = value
	}
	return params, true
}
