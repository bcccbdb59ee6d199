package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
)

// openTables is a sample site with a few dishes and restaurants, some of them drafts or
// in French.
func openTables(t *testing.T) *accountSite {
	h := openSample(t)
	add := func(path, data string) {
		t.Helper()
		if a := h.send("full", "POST", path, `{"data": `+data+`}`); a.status != 201 {
			t.Fatalf("%s %s: %d %s", path, data, a.status, a.body)
		}
	}
	for i, one := range []string{
		`"name": "Étoile", "price_tier": "p1", "seats": 10, "rating": 0.1, "vegan": true, "founded": "2025-12-31"`,
		`"name": "Le Marché", "price_tier": "p2", "seats": 20, "rating": 0.2, "tagline": "sous une étoile", "founded": "2026-01-01"`,
		`"name": "Étoiles", "price_tier": "p1", "seats": 30, "founded": "2026-01-31"`,
	} {
		add("/api/restaurants", fmt.Sprintf(`{%s, "slug": "s-%d"}`, one, i))
	}
	add("/api/restaurants?status=draft", `{"name": "Étoile du Nord", "price_tier": "p4", "seats": 1000}`)
	add("/api/restaurants?locale=fr", `{"name": "Étoile", "price_tier": "p3", "seats": 40}`)
	return h
}

func TestCountsAndFigures(t *testing.T) {
	t.Parallel()
	h := openTables(t)
	for path, want := range map[string]string{
		"/_count":                          `{"data":{"count":3},"meta":{}}`,
		"/_count?filters[price_tier]=p1":   `{"data":{"count":2},"meta":{}}`,
		"/_count?_q=étoile":                `{"data":{"count":3},"meta":{}}`,
		"/_count?status=draft":             `{"data":{"count":4},"meta":{}}`,
		"/_count?locale=*":                 `{"data":{"count":4},"meta":{}}`,
		"/_count?pagination[pageSize]=1":   `{"data":{"count":3},"meta":{}}`,
		"/_count?filters[name]=x&locale=*": `{"data":{"count":0},"meta":{}}`,
		"/_aggregate":                      `{"data":{"count":3},"meta":{}}`,
		"/_aggregate?sum=seats,rating&avg=seats,rating&min=name&max=seats":                         `{"data":{"sum":{"seats":"60","rating":0.3},"avg":{"seats":"20","rating":0.15},"min":{"name":"Étoile"},"max":{"seats":"30"}},"meta":{}}`,
		"/_aggregate?filters[name]=x&count=true&sum=seats&avg=seats&max=name":                      `{"data":{"count":0,"sum":{"seats":null},"avg":{"seats":null},"max":{"name":null}},"meta":{}}`,
		"/_aggregate?groupBy=price_tier":                                                           `{"data":[{"group":{"price_tier":"p1"},"count":2},{"group":{"price_tier":"p2"},"count":1}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":2}}}`,
		"/_aggregate?groupBy=vegan,price_tier&sum[]=seats&sort=sum.seats:desc&pagination[limit]=2": `{"data":[{"group":{"vegan":false,"price_tier":"p1"},"sum":{"seats":"30"}},{"group":{"vegan":false,"price_tier":"p2"},"sum":{"seats":"20"}}],"meta":{"pagination":{"start":0,"limit":2,"total":3}}}`,
		"/_aggregate?groupBy[]=price_tier&count=false&pagination[withCount]=false":                 `{"data":[{"group":{"price_tier":"p1"}},{"group":{"price_tier":"p2"}}],"meta":{"pagination":{"page":1,"pageSize":25}}}`,
		"/_aggregate?groupBy=rating&sort=group.rating:desc&filters[name][$contains]=toile":         `{"data":[{"group":{"rating":null},"count":1},{"group":{"rating":0.1},"count":1}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":2}}}`,
		"/_aggregate?groupBy=founded.month":                                                        `{"data":[{"group":{"founded.month":"2025-12"},"count":1},{"group":{"founded.month":"2026-01"},"count":2}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":2}}}`,
		"/_aggregate?groupBy=founded.month,vegan&max=seats&sort=founded.month:desc,vegan&locale=*": `{"data":[{"group":{"founded.month":null,"vegan":false},"max":{"seats":"40"}},{"group":{"founded.month":"2026-01","vegan":false},"max":{"seats":"30"}},{"group":{"founded.month":"2025-12","vegan":true},"max":{"seats":"10"}}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":3}}}`,
		"/_aggregate?groupBy=chef.name&locale=fr":                                                  `{"data":[{"group":{"chef.name":null},"count":1}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":1}}}`,
	} {
		if a := h.send("full", "GET", "/api/restaurants"+path, ""); a.status != 200 || a.body != want {
			t.Errorf("%s: %d %s\nwant %s", path, a.status, a.body, want)
		}
	}
}

func TestBestMatchesComeFirst(t *testing.T) {
	t.Parallel()
	h := openTables(t)
	names := func(query string) string {
		a := h.send("full", "GET", "/api/restaurants?fields=name&"+query, "")
		var list struct{ Data []struct{ Name string } }
		check(t, json.Unmarshal([]byte(a.body), &list))
		var all []string
		for _, one := range list.Data {
			all = append(all, one.Name)
		}
		return strings.Join(all, ", ")
	}
	for query, want := range map[string]string{
		"_q=étoile&sort=_rank":                                           "Étoile, Étoiles, Le Marché",
		"_q=étoile&sort=_rank:desc":                                      "Le Marché, Étoiles, Étoile",
		"_q=étoile&sort=_rank&status=draft":                              "Étoile, Étoile du Nord, Étoiles, Le Marché",
		"_q=étoile&sort=_rank&locale=*&sort[1]=seats:desc":               "Étoile, Étoile, Étoiles, Le Marché",
		"_q=étoile&sort[_rank]=asc&pagination[start]=1":                  "Étoiles, Le Marché",
		"_q=marché&sort=_rank,name":                                      "Le Marché",
		"_q=s-&sort=_rank":                                               "Étoile, Le Marché, Étoiles",
		"_q=étoile&sort=_rank&pagination[page]=3&pagination[pageSize]=1": "Le Marché",
	} {
		if got := names(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	for _, query := range []string{"sort=_rank", "sort=_rank&_q=", "sort=name,_rank", "_q=x&sort=_rank:up", "_q=x&populate[categories][sort]=_rank", "_q=x&sort=chef._rank", "_q=x&filters[_rank]=1", "_q=x&fields=_rank"} {
		if a := h.send("full", "GET", "/api/restaurants?"+query, ""); a.status != 400 || !strings.Contains(a.Error.Message, "_rank") && !strings.Contains(a.Error.Message, "order") {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
}

// numbered returns a list of n names that do not exist.
func numbered(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("n%d", i)
	}
	return strings.Join(names, ",")
}

// An invalid request for aggregates gets a 400 with the reason.
func TestWrongQuestionsForFigures(t *testing.T) {
	t.Parallel()
	h := openTables(t)
	many := "name,slug,story,tagline,price_tier,stars,rating,score,seats,email,founded,opens_at,inspected_at,id,documentId,createdAt,updatedAt"
	for query, named := range map[string]string{
		"groupBy=nothing":                      "Invalid key nothing",
		"groupBy=chef":                         "Invalid key chef",
		"groupBy=sections.text":                "Invalid key sections",
		"groupBy=meta":                         "meta, which is json",
		"groupBy=name.month":                   "name is no date, and has no month",
		"groupBy=nothing.month":                "Invalid key nothing",
		"groupBy=createdAt.year":               "Invalid key createdAt",
		"groupBy=createdAt.month.month":        "Invalid key createdAt",
		"max=createdAt.month":                  "Invalid key createdAt",
		"groupBy=":                             "groupBy",
		"groupBy[a]=name":                      "groupBy",
		"groupBy[0][0]=name":                   "groupBy",
		"groupBy=categories.name,reviews.note": "reviews.note",
		"groupBy=name,slug,seats,stars,vegan":  "groupBy takes up to 4",
		"sum=name":                             "sum does not apply to name, which is string",
		"avg=founded":                          "avg does not apply to founded, which is date",
		"sum=id":                               "sum does not apply to id",
		"min=vegan":                            "min does not apply to vegan, which is boolean",
		"max=meta":                             "max does not apply to meta, which is json",
		"sum=reviews.note":                     "reviews.note leads elsewhere",
		"sum=opening_hours.id":                 "opening_hours.id leads elsewhere",
		"min=" + many:                          "min takes up to 16 attributes",
		"max=" + many[5:] + "&min=name":        "more than 16 attributes",
		"sum=" + numbered(10_000):              "sum takes up to 16 attributes", // refused before all names are read
		"groupBy=" + numbered(10_000):          "groupBy takes up to 4 attributes",
		"count=2":                              "count",
		"count=false":                          "asks for nothing",
		"groupBy=name&sort=slug":               "Invalid key slug",
		"groupBy=name&sort=sum.seats":          "Invalid key sum.seats",
		"groupBy=name&sort=name:up":            "order",
		"groupBy=name&fields=name":             "fields does not apply",
		"populate=*":                           "populate does not apply",
		"groupBy=name&pagination[after]=x":     "Groups have pages and no cursors",
		"groupBy=name&page=1":                  "pagination",
		"groupBy=name&pagination[page][a]=1":   "pagination[page]",
		"_q=a&groupBy=name&sort=_rank":         "Invalid key _rank",
		"status=x":                             "status",
	} {
		if a := h.send("full", "GET", "/api/restaurants/_aggregate?"+query, ""); a.status != 400 || !strings.Contains(a.Error.Message, named) {
			t.Errorf("%s: %d %s, want a 400 that says %q", query, a.status, a.body, named)
		}
	}
	for _, method := range []string{"POST", "PATCH"} {
		if a := h.send("full", method, "/api/restaurants/_count", `{"data": {}}`); a.status != 405 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
	if a := h.send("full", "PUT", "/api/restaurants/_count", `{"data": {"name": "x y"}}`); a.status != 404 {
		t.Errorf("a document called _count: %d %s", a.status, a.body)
	}
}

// In every parameter, a hidden attribute looks like one that does not exist.
func TestHiddenAttributesHaveNoFigures(t *testing.T) {
	t.Parallel()
	forEach(t, hiddenAttributesHaveNoFigures)
}

func hiddenAttributesHaveNoFigures(t *testing.T, w *twins, as string) {
	requested := 0
	for ct := range w.site.Served() {
		if ct.Kind != schema.Collection {
			continue
		}
		for _, way := range w.ways(as, ct) {
			if !way.direct() {
				continue
			}
			keys := way.keys()
			unknown := append(keys[:len(keys)-1:len(keys)-1], "nothing_at_all")
			for _, q := range []string{"groupBy=PATH", "groupBy=id,PATH", "groupBy[0]=PATH", "groupBy=PATH.month", "sum=PATH", "avg=id,PATH", "min[]=PATH", "max=PATH", "groupBy=id&sort=PATH", "min=id&sort=min.PATH:desc", "groupBy=id&sort=group.PATH"} {
				path := "/api/" + ct.Route() + "/_aggregate?" + q
				a := w.ask(as, "GET", strings.ReplaceAll(path, "PATH", strings.Join(keys, ".")), "")
				b := w.ask(as, "GET", strings.ReplaceAll(path, "PATH", strings.Join(unknown, ".")), "")
				if requested++; a.status != http.StatusBadRequest || strings.ReplaceAll(a.body, way.hidden.Name, "nothing_at_all") != b.body {
					t.Errorf("%s of %v: %d %s\nand of nothing %s", path, keys, a.status, a.body, b.body)
				}
			}
		}
		for _, q := range []string{"_aggregate?_q=HIDDEN", "_count?_q=HIDDEN", "_count?_q=aaaa&sort=_rank"} {
			if a := w.ask(as, "GET", "/api/"+ct.Route()+"/"+q, ""); a.status != 200 || !strings.Contains(a.body, `"count":0`) {
				t.Errorf("%s %s: %d %s", ct.UID, q, a.status, a.body)
			}
		}
	}
	if requested < 100 {
		t.Errorf("%d questions: the enumeration has lost its way", requested)
	}
}

// Groups cannot reach what the caller may not read.
func TestFiguresNeedFindOnWhatTheyLeadTo(t *testing.T) {
	t.Parallel()
	h := openTables(t)
	var err error
	h.tokens["diner"], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "diner", Kind: auth.Custom, Permissions: []string{"api::restaurant.restaurant.find", "api::chef.chef.find"}})
	check(t, err)
	for path, want := range map[string]int{
		"/api/restaurants/_count":                                          200,
		"/api/restaurants/_aggregate?groupBy=chef.name":                    200,
		"/api/restaurants/_aggregate?groupBy=categories.name":              400,
		"/api/restaurants/_aggregate?groupBy=reviews.note":                 400,
		"/api/restaurants/_aggregate?groupBy=name&sort=group.reviews.note": 400,
		"/api/restaurants/_aggregate?filters[reviews][note]=1":             400,
		"/api/restaurants/_aggregate?status=draft":                         403,
		"/api/restaurants/_count?status=draft":                             403,
		"/api/categories/_count":                                           403,
		"/api/categories/_aggregate":                                       403,
	} {
		if a := h.send("diner", "GET", path, ""); a.status != want {
			t.Errorf("%s: %d %s, want %d", path, a.status, a.body, want)
		}
	}
}

// Clients revalidate aggregates like lists.
func TestFiguresHaveTags(t *testing.T) {
	t.Parallel()
	h := openTables(t)
	for _, path := range []string{"/api/restaurants/_count", "/api/restaurants/_aggregate?groupBy=chef.name"} {
		first := h.send("full", "GET", path, "")
		again := h.send("full", "GET", path, "", "If-None-Match", first.header.Get("Etag"))
		if again.status != 304 {
			t.Errorf("%s, as it was: %d", path, again.status)
		}
	}
	path := "/api/restaurants/_aggregate?groupBy=chef.name"
	before := h.send("full", "GET", path, "").header.Get("Etag")
	h.send("full", "POST", "/api/chefs", `{"data": {"name": "Ana"}}`)
	if a := h.send("full", "GET", path, "", "If-None-Match", before); a.status != 200 {
		t.Errorf("after a write of what is grouped by: %d", a.status)
	}
}
