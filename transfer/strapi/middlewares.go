package strapi

import (
	"encoding/json"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"quire/transfer/strapi/script"
)

// middleware is a route middleware of the project.
type middleware struct {
	file string
	sets []parameter // of the query, in their order; nil if it is not understood
	used bool
}

// parameter is a query parameter that a middleware sets.
type parameter struct {
	name   string
	value  json.RawMessage
	unless bool // unless the request has it
}

var middlewareFile = regexp.MustCompile(`^src/(?:api/([^/]+)/)?middlewares/(.+)$`)

// middlewares reads the route middlewares by their names, "api::article.populate" and
// "global::populate".
func (r *reading) middlewares() map[string]*middleware {
	byName := map[string]*middleware{}
	for _, file := range slices.Sorted(maps.Keys(r.p.texts)) {
		part := middlewareFile.FindStringSubmatch(file)
		if part == nil {
			continue
		}
		name := "global::"
		if part[1] != "" {
			name = "api::" + part[1] + "."
		}
		name += strings.TrimSuffix(strings.TrimSuffix(part[2], path.Ext(part[2])), "/index")
		m := &middleware{file: file}
		sets, err := setParameters(r.parse(file))
		if err != nil {
			r.left(file, "%v", err)
		} else {
			m.sets = sets
			r.understood[file] = true
		}
		byName[name] = m
	}
	return byName
}

// leaveUnused reports middlewares that no router names as unused.
func (r *reading) leaveUnused(byName map[string]*middleware) {
	for _, m := range byName {
		if !m.used && r.understood[m.file] {
			r.understood[m.file] = false
			r.left(m.file, "no router of a content type names it for find or findOne")
		}
	}
}

// errNoMiddleware: a file does not export a function that returns a function.
var errNoMiddleware = errors.New("it is not understood as a middleware")

// setParameters returns what a middleware sets. The error names the line that does
// something else.
func setParameters(file []script.Statement) ([]parameter, error) {
	v, scope := script.Exported(file)
	for _, s := range file {
		if s.Kind != script.Constant && s.Kind != script.Export {
			return nil, &script.LiteralError{Line: s.Line}
		}
	}
	outer, err := functionOf(v)
	if err != nil {
		return nil, err
	}
	inner := script.NewScope(outer.Body, scope)
	v = script.Value{}
	for i, s := range outer.Body {
		switch last := i == len(outer.Body)-1; {
		case s.Kind == script.Return && last:
			v = s.Value
		case !harmless(s):
			return nil, &script.LiteralError{Line: s.Line}
		}
	}
	f, err := functionOf(v)
	if err != nil {
		return nil, err
	}
	if len(f.Parameters) != 2 || slices.Contains(f.Parameters, "") {
		return nil, errNoMiddleware
	}
	b := &middlewareBody{ctx: f.Parameters[0], next: f.Parameters[1], scope: script.NewScope(f.Body, inner)}
	err = b.read(f.Body, "")
	return b.sets, err
}

func functionOf(v script.Value) (*script.Func, error) {
	if v.Kind != script.Function {
		return nil, errNoMiddleware
	}
	return v.Func, nil
}

// harmless reports whether a statement changes nothing: constants without calls, and
// logging.
func harmless(s script.Statement) bool {
	switch s.Kind {
	case script.Constant:
		return s.Value.Kind != script.Unknown && s.Value.Kind != script.Call
	case script.Run:
		name := s.Value.Text
		return strings.HasPrefix(name, "console.") || strings.HasPrefix(name, "strapi.log.")
	}
	return false
}
