package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// document is a JSON object.
type document map[string]any

// state is everything that a peer shows: by the name of each document, the content of every
// locale and status of it, including links from both sides, in a form that is the same for
// equal content.
type state map[string][]string

const restaurantLinks = "populate[cuisines]=true&populate[cook]=true&populate[photo]=true&populate[visits]=true" +
	"&populate[stories]=true&populate[address][populate]=geo&populate[opening]=true&populate[seo]=true"

// views are the reads that show everything.
var views = []string{
	"/api/restaurants?status=draft&locale=en&" + restaurantLinks,
	"/api/restaurants?status=draft&locale=de&" + restaurantLinks,
	"/api/restaurants?status=published&locale=en&" + restaurantLinks,
	"/api/restaurants?status=published&locale=de&" + restaurantLinks,
	"/api/stories?status=draft&populate[body][populate]=*&populate[restaurants]=true",
	"/api/stories?status=published&populate[body][populate]=*&populate[restaurants]=true",
	"/api/cuisines?populate=restaurants",
	"/api/cooks?populate=restaurants",
	"/api/visits?populate=restaurant",
	"/api/upload/files?sort=id",
}

// finds are the reads that walk indexes. Everything that they sort by is different in every
// document.
var finds = []string{
	"/api/restaurants?status=draft&locale=en&sort=name&filters[seats][$gte]=200",
	"/api/restaurants?status=published&locale=en&sort=slug:desc&filters[cook][name][$notNull]=true",
	"/api/restaurants?status=draft&locale=en&sort=slug&filters[cuisines][name][$startsWith]=shared",
	"/api/restaurants?status=published&locale=de&sort=name:desc&filters[address][geo][lat][$lt]=45",
	"/api/stories?status=draft&sort=title&filters[restaurants][seats][$lt]=300",
	"/api/cooks?sort=name:desc&filters[restaurants][slug][$null]=true",
	"/api/visits?sort=comment&filters[rating][$in]=2&filters[rating][$in]=4",
	"/api/cuisines?sort=name&_q=w1",
}

// state reads everything, and learns the ids of the content.
func (p *Peer) state(t *testing.T) state {
	t.Helper()
	s := state{}
	for _, path := range views {
		for _, d := range p.list(t, path) {
			name := d.name(kindAt(path))
			p.know(name, d)
			id := fmt.Sprint(d["documentId"])
			text, _ := json.Marshal(comparable(map[string]any(d), strings.HasPrefix(name, shared)))
			s[name] = append(s[name], fmt.Sprintf("%.40s: %s", path, text))
			if path == views[0] || path == views[4] {
				s[name] = append(s[name], p.history(t, plurals[kindAt(path)]+"/"+id))
			}
		}
	}
	for _, path := range finds {
		for _, d := range p.list(t, path) {
			s["found by "+path] = append(s["found by "+path], d.name(kindAt(path)))
		}
	}
	return s
}

// kindAt returns the kind of document that a path leads to.
func kindAt(path string) string {
	for kind, plural := range plurals {
		if strings.HasPrefix(path, plural+"?") {
			return kind
		}
	}
	return ""
}

func (p *Peer) list(t *testing.T, path string) []document {
	t.Helper()
	path += "&pagination[pageSize]=10000"
	status, answer, err := p.Ask("GET", path, "", nil)
	// Until it shows what it must, for which it waits some seconds each time.
	for end := time.Now().Add(time.Minute); status == 503 && p.shown.Load() > 0 && time.Now().Before(end); {
		status, answer, err = p.Ask("GET", path, "", nil)
	}
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

// name returns the test's name of a document, which every document contains.
func (d document) name(kind string) string {
	key := map[string]string{"restaurant": "slug", "story": "slug", "cuisine": "name", "cook": "name", "visit": "comment", "file": "alternativeText"}[kind]
	text, _ := d[key].(string)
	name, _, _ := strings.Cut(text, " ")
	return name
}

// comparable returns a value without what two programs need not have in common: ids, times,
// and the order of links that concurrent writers make.
func comparable(value any, disorder bool) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"id", "documentId", "createdAt", "updatedAt", "hash", "url"} {
			delete(v, key)
		}
		for key, member := range v {
			v[key] = comparable(member, disorder)
		}
		if _, ok := v["publishedAt"]; ok {
			v["publishedAt"] = v["publishedAt"] != nil
		}
	case string:
		if len(v) > 60 {
			return fmt.Sprintf("%.20s… %s", v, Sum([]byte(v))[:8])
		}
	case []any:
		for i := range v {
			v[i] = comparable(v[i], disorder)
		}
		if disorder {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return value
}

// of returns the part of the state with names that have a prefix.
func (s state) of(prefix string) state {
	part := state{}
	for name, holds := range s {
		if strings.HasPrefix(name, prefix) {
			part[name] = holds
		}
	}
	return part
}

// difference returns the first difference, empty if there is none.
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

// history returns the history of a document, in a form that is the same for equal
// histories: what made each of its versions, and the content of the oldest.
func (p *Peer) history(t *testing.T, at string) string {
	t.Helper()
	var text strings.Builder
	var oldest float64
	for _, v := range p.list(t, at+"/history?") {
		fmt.Fprintln(&text, v["action"], v["locale"], v["status"], v["current"], v["removed"] != nil)
		oldest, _ = v["revision"].(float64)
	}
	status, answer, err := p.Ask("GET", fmt.Sprintf("%s/history/%.0f", at, oldest), "", nil)
	var version struct{ Data map[string]any }
	if err != nil || status != 200 || json.Unmarshal(answer, &version) != nil {
		t.Fatalf("revision %.0f of %s: %d %s, %v", oldest, at, status, answer, err)
	}
	held, _ := json.Marshal(comparable(version.Data, true))
	return text.String() + string(held)
}

// past returns the histories of deleted documents.
func (p *Peer) past(t *testing.T, gone []string) state {
	t.Helper()
	s := state{}
	for _, name := range gone {
		if kind := kindOf(name); kind != "file" {
			s[name] = []string{p.history(t, p.resolve(plurals[kind]+"/‹"+name+"›"))}
		}
	}
	return s
}
