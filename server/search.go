package server

import (
	"net/http"
	"slices"

	"quire/auth"
	"quire/documents"
	"quire/schema"
)

// Parameters of a search in one type, of one over all types, and of their suggestions.
var (
	searchedKeys   = []string{"filters", "status", "publicationFilter", "hasPublishedVersion", "locale", "fallbackLocale"}
	searchKeys     = append([]string{"q", "sort", "fields", "populate", "pagination", "facets", "explain"}, searchedKeys...)
	suggestKeys    = append([]string{"q"}, searchedKeys...)
	searchAllKeys  = []string{"q", "types", "fields", "populate", "pagination", "explain", "status", "locale", "fallbackLocale"}
	suggestAllKeys = []string{"q", "types", "status", "locale", "fallbackLocale"}
)

// searchRoutes are those over all types. They are open: the handler decides which types the
// caller may search.
func searchRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/api/_search", Open: true, takes: searchAllKeys, handler: func(x *request) error { return searchAll(x, false) }},
		{Method: http.MethodGet, Path: "/api/_suggest", Open: true, takes: suggestAllKeys, handler: func(x *request) error { return searchAll(x, true) }},
	}
}

// typeSearchRoutes are those of a collection.
func typeSearchRoutes(t *schema.Type) []Route {
	h, path, find := &contentType{t}, "/api/"+t.Route(), auth.Permission{UID: t.UID, Action: schema.Find}
	return []Route{
		{Method: http.MethodGet, Path: path + "/_search", Permission: find, takes: searchKeys, handler: h.search},
		{Method: http.MethodGet, Path: path + "/_suggest", Permission: find, takes: suggestKeys, handler: h.suggest},
	}
}

// search answers GET on _search: the entries with the words of a text.
func (c *contentType) search(x *request) error {
	return x.answerSearch(x.call.Search(c.t, x.arguments()))
}

// answerSearch answers a search, and counts it if it finds nothing.
func (x *request) answerSearch(r *documents.Read, err error) error {
	if err := x.answer(r, err); err != nil {
		return err
	}
	x.noteMissed(r.Missed())
	return nil
}

// noteMissed counts the search of a visitor that found nothing, if the site counts them. A
// caller with a credential may search for something that only it knows of, so those are not
// counted.
func (x *request) noteMissed(text string) {
	if x.site.missed != nil && text != "" && x.who == nil && x.caller == x.site.auth.Public() {
		x.site.missed(text)
	}
}

// suggest answers GET on _suggest: what the text can be continued to.
func (c *contentType) suggest(x *request) error {
	return x.answer(x.call.Suggest(c.t, x.arguments()))
}

// searchAll answers a search over all types that the caller may find, or those that the
// request names.
func searchAll(x *request, suggest bool) error {
	tree, err := x.query()
	if err != nil {
		return err
	}
	types := x.call.SearchedTypes(tree)
	if !x.caller.Full() && !x.caller.IsAdmin() {
		types = slices.DeleteFunc(types, func(t *schema.Type) bool { return x.site.codedReads[t.UID] })
	}
	if named := tree.Get("types"); named != nil {
		chosen, err := x.site.namedTypes(named)
		if err != nil {
			return err
		}
		for _, t := range chosen {
			if !slices.Contains(types, t) {
				return forbidden()
			}
		}
		types = chosen
	}
	return x.answerSearch(x.call.SearchAll(types, tree, suggest))
}
