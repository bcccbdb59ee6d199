package code

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/code/engine"
)

// A Route is one of a project's files of routes. Its path begins with /api, or with the
// prefix that the settings name.
type Route struct {
	Method  string   `json:"method"` // ALL for each of them
	Path    string   `json:"path"`   // in Koa's form: /api/articles/:id
	Handler string   `json:"handler"`
	Auth    bool     `json:"auth"`   // false if the route is open to all
	Scope   []string `json:"scope"`  // the permissions that a caller needs, each of them
	UID     string   `json:"uid"`    // of the controller: api::article.article
	Action  string   `json:"action"` // of the controller: find

	// Core is set if the route is one of Strapi's own for a content type and the project has
	// no code for it: neither a controller nor a service, policy or middleware.
	Core bool `json:"core"`

	File string `json:"file"` // in which it is

	index   int // in the runtime
	pattern *pattern
}

// A table finds the first route that matches. It tries only those that begin as the path does.
type table struct {
	routes []Route
	begin  map[string][]int // places of routes by the first two names of their paths, and those of any
	any    []int            // of routes that do not begin with names
}

// newTable compiles the paths of routes. Its error is an *Error.
func newTable(routes []Route) (*table, error) {
	t, wrong := &table{}, &Error{}
	for i, r := range routes {
		var err error
		if !slices.Contains(methods, r.Method) {
			err = fmt.Errorf("the route %s has the method %q, which is none", r.Path, r.Method)
		} else {
			r.pattern, err = compilePattern(r.Path)
		}
		if err != nil {
			wrong.Problems = append(wrong.Problems, engine.Problem{File: r.File, Message: err.Error()})
		}
		r.index = i
		t.routes = append(t.routes, r)
	}
	if len(wrong.Problems) > 0 {
		return nil, wrong
	}
	t.sort()
	return t, nil
}

// sort makes the lists of routes by how they begin.
func (t *table) sort() {
	t.begin = map[string][]int{}
	for i := range t.routes {
		if begin := t.routes[i].pattern.begin; begin != "" {
			t.begin[begin] = nil
		}
	}
	for i := range t.routes {
		begin := t.routes[i].pattern.begin
		if begin == "" {
			t.any = append(t.any, i)
		}
		for name := range t.begin {
			if begin == "" || begin == name {
				t.begin[name] = append(t.begin[name], i)
			}
		}
	}
}

// mayMatch returns the places of the routes that may have a path.
func (t *table) mayMatch(path string) []int {
	if list, ok := t.begin[beginOf(path)]; ok {
		return list
	}
	return t.any
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "ALL"}

// ErrNotFound is why no route matches: none has that path.
var ErrNotFound = errors.New("no route has that path")

// A MethodError is why no route matches: those with that path have other methods.
type MethodError struct{ Allowed []string }

func (e *MethodError) Error() string {
	return "the methods of that path are " + strings.Join(e.Allowed, ", ")
}

// Match finds the route of a request and the parameters in its path. The error is ErrNotFound
// or a *MethodError.
func (p *Program) Match(method, path string) (*Route, map[string]string, error) {
	return p.facts.Load().table.match(method, path)
}

func (t *table) match(method, path string) (*Route, map[string]string, error) {
	var allowed []string
	for _, i := range t.mayMatch(path) {
		r := &t.routes[i]
		params, ok := r.pattern.params(path)
		switch {
		case !ok:
		case r.Method == method, r.Method == "ALL", r.Method == "GET" && method == "HEAD":
			return r, params, nil
		case !slices.Contains(allowed, r.Method):
			allowed = append(allowed, r.Method)
		}
	}
	if len(allowed) > 0 {
		return nil, nil, &MethodError{Allowed: allowed}
	}
	return nil, nil, ErrNotFound
}

// Routes returns the routes of the project in the order in which they match.
func (p *Program) Routes() []Route { return p.facts.Load().routes }

// OwnsRoutes reports whether the project has files of routes for the API of a content type.
// The type then has the routes in these files and no others.
func (p *Program) OwnsRoutes(uid string) bool {
	name, isAPI := strings.CutPrefix(uid, "api::")
	api, _, _ := strings.Cut(name, ".")
	return isAPI && p.owned[api]
}

// HasMiddlewares reports whether the project has middlewares for all requests. Those without
// a route of the project then pass through Serve too.
func (p *Program) HasMiddlewares() bool { return p.facts.Load().middlewares }
