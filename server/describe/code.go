package describe

import (
	"regexp"
	"strings"
)

// What the code of a project takes and answers is known to the code alone.

// codedOperation describes a route that the code of the project answers.
func codedOperation(r Route) operation {
	o := operation{
		summary: r.Handler, about: "The code of the project answers: `" + r.Handler + "`.",
		answers: []answer{{200, "What the code answers.", object{{"*/*", object{{"schema", object{}}}}}}},
	}
	if r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
		o.body = object{{"content", object{{"*/*", object{{"schema", object{}}}}}}}
	}
	return o
}

var (
	pathPattern = regexp.MustCompile(`(:\w+)\([^/]*\)`)
	pathRest    = regexp.MustCompile(`\([^/]*\)`)
)

// Coded returns the routes of the project's code as they are described: a path without the
// patterns of its parameters, a route for each of the methods.
func Coded(r Route) (routes []Route) {
	path := pathRest.ReplaceAllString(pathPattern.ReplaceAllString(r.Path, "$1"), "*rest")
	r.Path = strings.NewReplacer("?", "", "+", "").Replace(path)
	methods := []string{r.Method}
	if r.Method == "ALL" {
		methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	}
	for _, r.Method = range methods {
		routes = append(routes, r)
	}
	return routes
}
