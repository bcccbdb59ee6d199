package server

import (
	"strings"

	"github.com/julienschmidt/httprouter"
)

// The router cannot have a word and a parameter at one place, /api/users/me
// beside /api/users/:id. There the route with the parameter passes the request
// on to that of the word.

// withWords returns the routes that the router is to know: all but those that
// another passes on to.
func withWords(routes []Route) []*Route {
	var known []*Route
	parameters := map[string]*Route{} // by method and path up to the parameter
	for i := range routes {
		r := &routes[i]
		if parent, last := cutPath(r.Path); strings.HasPrefix(last, ":") {
			parameters[r.Method+" "+parent] = r
		}
	}
	for i := range routes {
		r := &routes[i]
		parent, last := cutPath(r.Path)
		wide := parameters[r.Method+" "+parent]
		if wide == nil || strings.HasPrefix(last, ":") {
			known = append(known, r)
			continue
		}
		if wide.words == nil {
			wide.words = map[string]*Route{}
		}
		wide.words[last] = r
	}
	return known
}

func cutPath(path string) (parent, last string) {
	slash := strings.LastIndexByte(path, '/')
	return path[:slash], path[slash+1:]
}

// meant is the route that the request is for: r, or that of a word.
func (r *Route) meant(params httprouter.Params) *Route {
	if len(params) == 0 || r.words == nil {
		return r
	}
	if word := r.words[params[len(params)-1].Value]; word != nil {
		return word
	}
	return r
}
