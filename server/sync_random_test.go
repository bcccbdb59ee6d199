package server_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var syncSeed = flag.Uint64("sync-seed", 1, "`SEED` of what TestCopiesEqualWhatTheListsShow writes")

// syncTypes are the lists of the types that are written.
var syncTypes = map[string]string{
	"api::restaurant.restaurant": "/api/restaurants", "api::chef.chef": "/api/chefs", "api::dish.dish": "/api/dishes",
	"api::category.category": "/api/categories", "api::review.review": "/api/reviews", "api::homepage.homepage": "/api/homepage",
}

// syncWriter does random writes.
type syncWriter struct {
	*rand.Rand
	*draftSite
	ids map[string][]string // by path
	n   int
}

func (w *syncWriter) pick(list ...string) string { return list[w.IntN(len(list))] }

// some returns a document of a path, sometimes a deleted one.
func (w *syncWriter) some(path string) string {
	if len(w.ids[path]) == 0 {
		return "nothing"
	}
	return w.pick(w.ids[path]...)
}

// data returns a body for a path.
func (w *syncWriter) data(path string) string {
	w.n++
	name := fmt.Sprintf(`"name": "%s %d"`, strings.TrimPrefix(path, "/api/"), w.n)
	link := func(name, to string) string {
		return w.pick("", `, "`+name+`": null`, `, "`+name+`": "`+w.some(to)+`"`, `, "`+name+`": "`+w.some(to)+`"`)
	}
	links := func(name, to string) string {
		return w.pick("", `, "`+name+`": []`, `, "`+name+`": ["`+w.some(to)+`"]`, `, "`+name+`": {"connect": ["`+w.some(to)+`"]}`, `, "`+name+`": {"disconnect": ["`+w.some(to)+`"]}`)
	}
	switch path {
	case "/api/restaurants":
		return "{" + name + link("chef", "/api/chefs") + links("categories", "/api/categories") + links("reviews", "/api/reviews") + w.pick("", fmt.Sprintf(`, "opening_hours": [{"day": "mon", "note": "%d"}]`, w.n)) + "}"
	case "/api/chefs":
		return "{" + name + links("restaurants", "/api/restaurants") + "}"
	case "/api/categories":
		return "{" + name + link("parent", "/api/categories") + links("restaurants", "/api/restaurants") + "}"
	case "/api/reviews":
		return fmt.Sprintf(`{"note": %d`, 1+w.n%5) + link("restaurant", "/api/restaurants") + "}"
	case "/api/homepage":
		return fmt.Sprintf(`{"title": "%d"`, w.n) + links("featured", "/api/restaurants") + "}"
	}
	return "{" + name + "}"
}

// request returns a random write: method, path and body.
func (w *syncWriter) request() (method, path, body string) {
	list := w.pick(slices.Sorted(maps.Values(syncTypes))...)
	one := list + "/" + w.some(list)
	if list == "/api/homepage" {
		one = list
	}
	in := "?locale=" + w.pick("en", "en", "fr", "it")
	status := w.pick("", "", "&status=draft")
	switch w.IntN(12) {
	case 0, 1, 2:
		if list == "/api/homepage" {
			return "PUT", one + in + status, `{"data": ` + w.data(list) + `}`
		}
		return "POST", list + in + status, `{"data": ` + w.data(list) + `}`
	case 3, 4, 5, 6:
		return "PUT", one + in + status, `{"data": ` + w.data(list) + `}`
	case 7:
		return "DELETE", one + w.pick(in, in, "?locale=*"), ""
	case 8, 9:
		return "POST", one + "/actions/" + w.pick("publish", "unpublish", "discard-draft") + w.pick(in, "?locale=*"), ""
	case 10:
		return "POST", one + "/actions/duplicate", ""
	}
	return "POST", "/api/_batch", `{"requests": [{"method": "PUT", "url": "` + one + in + `", "body": {"data": ` + w.data(list) + `}}, {"method": "PUT", "url": "` + one + in + `&status=draft", "body": {"data": ` + w.data(list) + `}}]}`
}

// write does one write. Many are refused, which does not matter.
func (w *syncWriter) write() {
	w.t.Helper()
	method, path, body := w.request()
	a := w.send("full", method, path, body)
	if a.status >= 500 {
		w.t.Fatalf("-sync-seed %d: %s %s %s: %d %s", *syncSeed, method, path, body, a.status, a.body)
	}
	list, _, _ := strings.Cut(strings.TrimPrefix(path, "/api/"), "/")
	list, _, _ = strings.Cut(list, "?")
	if a.status == 201 {
		w.ids["/api/"+list] = append(w.ids["/api/"+list], a.documentID(w.t))
	}
}

// query returns the parameters of a copy, and the lists that it must equal.
func (w *syncWriter) query(c draftCaller) (query, more string, paths map[string]string) {
	paths = maps.Clone(syncTypes)
	limit := fmt.Sprintf("limit=%d", 1+w.IntN(4))
	switch w.IntN(6) {
	case 0:
		path := w.pick("restaurants", "chefs", "dishes", "categories")
		maps.DeleteFunc(paths, func(_, p string) bool { return p != "/api/"+path })
		more = "fields=name"
		if path == "restaurants" {
			more += ",locale"
		}
		query = "types=" + path + "&" + more + "&" + limit
	case 1:
		maps.DeleteFunc(paths, func(_, p string) bool { return p != "/api/restaurants" })
		query, more = "types=restaurants&populate=opening_hours&"+limit, "populate=opening_hours"
	default:
		query = "types=" + names(paths) + "&" + limit
	}
	drafts := maps.Clone(paths)
	maps.DeleteFunc(drafts, func(uid, _ string) bool { return w.hides(c, uid) })
	if len(drafts) == 0 || w.IntN(2) == 0 {
		return query, more, paths
	}
	return "types=" + names(drafts) + "&status=draft&" + limit, "status=draft", drafts
}

func names(types map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(types)), ",")
}

func (w *syncWriter) hides(c draftCaller, uid string) bool {
	if uid == "api::homepage.homepage" {
		return !strings.Contains(c.reads, "h")
	}
	return w.site.Type(uid).DraftAndPublish && !slices.ContainsFunc([]byte(c.reads), func(letter byte) bool { return draftTypes[letter] == uid })
}

// Whatever is written between its pages, a copy equals the lists that its caller sees
// whenever a response says that there is no more.
func TestCopiesEqualWhatTheListsShow(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	w := &syncWriter{rand.New(rand.NewPCG(*syncSeed, 15)), s, map[string][]string{}, 0}
	for range 60 {
		w.write()
	}
	type kept struct {
		*replica
		more  string
		paths map[string]string
	}
	var copies []kept
	for _, c := range s.callers {
		if strings.HasPrefix(c.as, "link of ") {
			continue // a preview link reads one document
		}
		query, more, paths := w.query(c)
		copies = append(copies, kept{s.replica(c.as, query), more, paths})
	}
	compared := 0
	for round := range 150 {
		for range w.IntN(4) {
			w.write()
		}
		k := copies[w.IntN(len(copies))]
		more := k.step()
		for n := w.IntN(6); more && n > 0; n-- {
			more = k.step()
		}
		if !more {
			compared++
			k.equals(s.lists(k.as, k.more, k.paths), fmt.Sprintf("-sync-seed %d, round %d", *syncSeed, round))
		}
		if t.Failed() {
			return
		}
	}
	for _, k := range copies {
		k.follow().equals(s.lists(k.as, k.more, k.paths), fmt.Sprintf("-sync-seed %d, at the end", *syncSeed))
		if k.begun > 1 {
			t.Errorf("%s as %q was begun %d times", k.query, k.as, k.begun)
		}
	}
	t.Logf("%d comparisons", compared)
}
