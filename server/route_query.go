package server

import (
	"slices"

	"quire/query"
)

// Strapi ignores parameters that it does not know. The routes that Quire adds refuse them: a
// misspelt parameter would otherwise select more than the client wants. Those that probes
// and browsers request ignore them too, because such clients add parameters of their own:
// /_ready, /metrics and the page at /api/docs.

// Parameters of several routes of Quire's own.
var (
	selectKeys    = []string{"filters", "_q", "status", "publicationFilter", "hasPublishedVersion", "locale", "fallbackLocale", "page", "pageSize"} // the last two are refused with a hint
	listKeys      = append([]string{"sort", "fields", "populate", "pagination", "include"}, selectKeys...)
	aggregateKeys = append([]string{"groupBy", "count", "sum", "avg", "min", "max", "sort", "fields", "populate", "pagination"}, selectKeys...)
	fileKeys      = []string{"filters", "sort", "fields", "populate", "pagination", "start", "limit", "_q"}
	pageKeys      = []string{"page", "pageSize", "start", "limit", "withCount", "after"} // in pagination
	versionKeys   = []string{"status", "locale", "pagination"}
	actionKeys    = []string{"fields", "populate", "locale", "status", "at"}
)

// leniently returns the routes as ones that ignore unknown parameters.
func leniently(routes []Route) []Route {
	for i := range routes {
		routes[i].lenient = true
	}
	return routes
}

// taking returns the route as one that takes parameters.
func (r Route) taking(keys ...string) Route {
	r.takes = keys
	return r
}

// checkQuery refuses parameters that a route of Quire's own does not take.
func (r *Route) checkQuery(x *request) error {
	if r.lenient || x.http.URL.RawQuery == "" {
		return nil
	}
	parameters, err := x.query()
	if err != nil {
		return err
	}
	for _, key := range parameters.Keys {
		if !slices.Contains(r.takes, key) {
			return &query.KeyError{Key: key, Param: key}
		}
	}
	if pages := parameters.Get("pagination"); pages.IsObject() {
		for _, key := range pages.Keys {
			if !slices.Contains(pageKeys, key) {
				return &query.KeyError{Key: key, Path: "pagination." + key, Param: "pagination"}
			}
		}
	}
	return nil
}
