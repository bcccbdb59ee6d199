package admin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/schema"
)

// Search finds documents of all types by their titles.

func searchRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/search", handler: search}}
}

// Limits of a search.
const (
	longestSearch = 200 // characters
	mostOfType    = 5   // documents
	mostFound     = 50
)

func search(x *exchange) error {
	q := strings.TrimSpace(x.request.URL.Query().Get("q"))
	if utf8.RuneCountInString(q) > longestSearch || !utf8.ValidString(q) {
		return queryProblem("q", fmt.Sprintf("q has at most %d characters", longestSearch))
	}
	items := []*item{}
	if q == "" {
		return x.data(items)
	}
	caller := x.session.Identity().Caller
	for t := range x.admin.Server.Site(x.request).Served() {
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
func (x *exchange) searchType(t *schema.Type, q string) ([]*item, error) {
	query, main := x.titleQuery(t)
	if main.System != schema.NotSystem {
		return nil, nil
	}
	query.Set("filters["+main.Name+"][$containsi]", q)
	query.Set("sort", "updatedAt:desc")
	query.Set("pagination[withCount]", "false")
	query.Set("pagination[limit]", fmt.Sprint(mostOfType))
	if t.Localized {
		query.Set("locale", "*")
	}
	answer, err := x.get(t.Route(), query)
	if err != nil {
		return nil, err
	}
	var found struct{ Data []map[string]json.RawMessage }
	if err := answer.into(&found); err != nil {
		return nil, err
	}
	items, err := itemsOf(t, main, found.Data...)
	begins := func(i *item) int {
		if strings.HasPrefix(strings.ToLower(i.Title), strings.ToLower(q)) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(begins(a), begins(b)) })
	seen := map[string]bool{}
	return slices.DeleteFunc(items, func(i *item) bool {
		again := seen[i.DocumentID]
		seen[i.DocumentID] = true
		return again
	}), err
}
