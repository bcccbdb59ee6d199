package admin

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/documents"
	"quire/schema"
)

// Search finds documents of all types by their titles.

func searchRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/search", handler: searchTitles, summary: "Find documents of all types by what they are called", query: []string{"q"}, out: []*item{}}}
}

// Limits of a search.
const (
	longestSearch = 200 // characters
	mostOfType    = 5   // documents
	mostFound     = 50
)

func searchTitles(x *request) error {
	q := strings.TrimSpace(x.http.URL.Query().Get("q"))
	if utf8.RuneCountInString(q) > longestSearch || !utf8.ValidString(q) {
		return queryProblem("q", fmt.Sprintf("q has at most %d characters", longestSearch))
	}
	items := []*item{}
	if q == "" {
		return x.data(items)
	}
	caller := x.session.Identity().Caller
	for t := range x.admin.Server.Site(x.http).Served() {
		if t.Kind == schema.Single || !caller.Allows(t, schema.Find) || len(items) >= mostFound {
			continue
		}
		found, err := x.searchType(t, q)
		if err != nil {
			return err
		}
		items = append(items, found[:min(len(found), mostFound-len(items))]...)
	}
	return x.data(items)
}

// searchType finds documents of a type, each once: first those whose titles begin with the
// text, then the most recently changed.
func (x *request) searchType(t *schema.Type, q string) (items []*item, err error) {
	call, err := x.call()
	if err != nil {
		return nil, err
	}
	found, err := call.Titled(x.http.Context(), t, q, mostOfType)
	begins := func(s *documents.Summary) int {
		if strings.HasPrefix(strings.ToLower(s.Title), strings.ToLower(q)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b *documents.Summary) int { return cmp.Compare(begins(a), begins(b)) })
	seen := map[string]bool{}
	for _, s := range found {
		if !seen[s.DocumentID] {
			seen[s.DocumentID] = true
			items = append(items, itemOf(s))
		}
	}
	return items, err
}
