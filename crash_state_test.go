package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// document is a JSON object.
type document map[string]any

// state is all that a peer shows: by the name of each document, what every locale
// and status of it holds, links from both sides included, in a form that is the
// same for equal content.
type state map[string][]string

const restaurantLinks = "populate[cuisines]=true&populate[cook]=true&populate[photo]=true&populate[visits]=true" +
	"&populate[stories]=true&populate[address][populate]=geo&populate[opening]=true&populate[seo]=true"

// views are the reads that show everything.
var views = []struct{ kind, path string }{
	{"restaurant", "/api/restaurants?status=draft&locale=en&" + restaurantLinks},
	{"restaurant", "/api/restaurants?status=draft&locale=de&" + restaurantLinks},
	{"restaurant", "/api/restaurants?status=published&locale=en&" + restaurantLinks},
	{"restaurant", "/api/restaurants?status=published&locale=de&" + restaurantLinks},
	{"story", "/api/stories?status=draft&populate[body][populate]=*&populate[restaurants]=true"},
	{"story", "/api/stories?status=published&populate[body][populate]=*&populate[restaurants]=true"},
	{"cuisine", "/api/cuisines?populate=restaurants"},
	{"cook", "/api/cooks?populate=restaurants"},
	{"visit", "/api/visits?populate=restaurant"},
	{"file", "/api/upload/files?sort=id"},
}

// state reads everything, and learns the ids of what is there.
func (p *peer) state(t *testing.T) state {
	t.Helper()
	s := state{}
	for _, v := range views {
		for _, d := range p.list(t, v.path) {
			name := d.name(v.kind)
			p.know(name, d)
			text, _ := json.Marshal(settled(map[string]any(d), strings.HasPrefix(name, shared)))
			s[name] = append(s[name], fmt.Sprintf("%.40s: %s", v.path, text))
		}
	}
	return s
}

func (p *peer) list(t *testing.T, path string) []document {
	t.Helper()
	status, answer, err := p.ask("GET", path+"&pagination[pageSize]=10000", "", nil)
	if err != nil || status != 200 {
		t.Fatalf("GET %s: %d %s, %v", path, status, answer, err)
	}
	var all []document
	into := any(&all)
	if answer[0] == '{' {
		into = &struct{ Data *[]document }{&all}
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatal(err)
	}
	return all
}

// name is what the test calls a document; every document carries it.
func (d document) name(kind string) string {
	key := map[string]string{"restaurant": "slug", "story": "slug", "cuisine": "name", "cook": "name", "visit": "comment", "file": "alternativeText"}[kind]
	text, _ := d[key].(string)
	name, _, _ := strings.Cut(text, " ")
	return name
}

// settled is a value without what two programs need not have in common: ids,
// times, and the order of links that writers who do not wait for each other make.
func settled(value any, disorder bool) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"id", "documentId", "createdAt", "updatedAt", "hash", "url"} {
			delete(v, key)
		}
		for key, member := range v {
			v[key] = settled(member, disorder)
		}
		if _, ok := v["publishedAt"]; ok {
			v["publishedAt"] = v["publishedAt"] != nil
		}
	case string:
		if len(v) > 60 {
			return fmt.Sprintf("%.20s… %s", v, sum([]byte(v))[:8])
		}
	case []any:
		for i := range v {
			v[i] = settled(v[i], disorder)
		}
		if disorder {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return value
}

// of is the part of the state with names that begin so.
func (s state) of(prefix string) state {
	part := state{}
	for name, holds := range s {
		if strings.HasPrefix(name, prefix) {
			part[name] = holds
		}
	}
	return part
}

// difference is the first one there is, empty when there is none.
func (s state) difference(model state) string {
	for _, name := range slices.Sorted(keys(s, model)) {
		if !slices.Equal(s[name], model[name]) {
			return fmt.Sprintf("%s is\n%s\nand should be\n%s", name, strings.Join(s[name], "\n"), strings.Join(model[name], "\n"))
		}
	}
	return ""
}

// keys yields the names of both, some twice.
func keys(all ...state) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, s := range all {
			for name := range s {
				if !yield(name) {
					return
				}
			}
		}
	}
}
