package strapi

import (
	"slices"
	"strings"

	"quire/transfer/strapi/script"
)

// middlewareBody is the function of a middleware that runs for each request.
type middlewareBody struct {
	ctx, next string // the names of the function's parameters
	scope     *script.Scope
	sets      []parameter
	called    bool // next; nothing may come after that
}

// settable are the parameters that `defaults` in site.json can set.
var settable = []string{"populate", "sort", "fields", "pagination"}

// read reads statements, which apply unless the request has a parameter; empty for all
// requests. The error is a *script.LiteralError for the first statement that does something
// else.
func (b *middlewareBody) read(list []script.Statement, unless string) error {
	for _, s := range list {
		fine := !b.called && harmless(s)
		switch {
		case fine:
		case b.called:
		case s.Kind == script.Assign:
			fine = b.assign(s, unless)
		case s.Kind == script.Unless && unless == "":
			name, ok := strings.CutPrefix(s.Name, b.ctx+".query.")
			fine = ok && b.read(s.Then, name) == nil
		case s.Kind == script.Run || s.Kind == script.Return:
			b.called = s.Value.Kind == script.Call && s.Value.Text == b.next && unless == ""
			fine = b.called
		}
		if !fine {
			return &script.LiteralError{Line: s.Line}
		}
	}
	if unless == "" && !b.called {
		return errNoMiddleware
	}
	return nil
}

// assign reads what is assigned to the query or to one of its parameters.
func (b *middlewareBody) assign(s script.Statement, unless string) bool {
	query := b.ctx + ".query"
	if name, ok := strings.CutPrefix(s.Name, query+"."); ok {
		return b.set(name, s.Value, unless)
	}
	v := s.Value
	if s.Name != query || v.Kind != script.Object {
		return false
	}
	at := slices.IndexFunc(v.Items, func(v script.Value) bool {
		return v.Spread && v.Kind == script.Name && v.Text == query
	})
	if at < 0 { // it would remove what the request has
		return false
	}
	for i, item := range v.Items {
		if i == at {
			continue
		}
		name := unless
		if i < at {
			name = v.Keys[i] // the request replaces it
		}
		if item.Spread || unless != "" && name != unless || !b.set(v.Keys[i], item, name) {
			return false
		}
	}
	return true
}

// set records a parameter.
func (b *middlewareBody) set(name string, v script.Value, unless string) bool {
	if unless != "" && unless != name || !slices.Contains(settable, name) {
		return false
	}
	text, err := b.scope.Resolve(v).JSON()
	if err != nil || !strings.ContainsAny(string(text[:1]), `"[{`) {
		return false
	}
	b.sets = followedBy(b.sets, []parameter{{name, text, unless != ""}})
	return true
}
