package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"quire/content/search"
)

// missedTexts are the searches that a server has counted.
type missedTexts struct {
	mu   sync.Mutex
	list []string
}

func (m *missedTexts) add(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, text)
}

func (m *missedTexts) take() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := strings.Join(m.list, " | ")
	m.list = nil
	return text
}

// foundByAll lets everybody read restaurants.
const foundByAll = `{"public": {"api::restaurant.restaurant": ["find"]}}`

func TestSearchesOfVisitorsThatFindNothingAreCounted(t *testing.T) {
	t.Parallel()
	counted := &missedTexts{}
	h := openSearchedWith(t, foundByAll, `{"countMissed": true}`, options{Missed: counted.add})
	for _, test := range []struct{ as, path, counted string }{
		{"", "/api/restaurants/_search?q=borscht", "borscht"},
		{"", "/api/restaurants/_search?q=borscht&status=published", "borscht"},
		{"", "/api/_search?q=borscht", "borscht"},
		{"", "/api/restaurants/_search?q=soup", ""},
		{"", "/api/restaurants/_search?q=soup+borscht", ""},            // some of the words are found
		{"", "/api/restaurants/_search?q=soup&pagination[page]=9", ""}, // there are entries
		{"", "/api/restaurants/_search", ""},
		{"", "/api/restaurants/_suggest?q=borscht", ""},
		{"", "/api/_suggest?q=borscht", ""},
		{"", "/api/restaurants?_q=borscht", ""},
		{"", "/api/restaurants/_search?q=borscht&facets=nope", ""},
		// Whoever has a credential may search for what only it knows of.
		{"full", "/api/restaurants/_search?q=borscht", ""},
		{"full", "/api/_search?q=borscht", ""},
		{"full", "/api/restaurants/_search?q=Unpublishedborscht&status=draft", ""},
		{"", "/api/restaurants/_search?q=Unpublishedborscht&status=draft", ""},
	} {
		h.send(test.as, "GET", test.path, "")
		if got := counted.take(); got != test.counted {
			t.Errorf("%s %s: counted %q, want %q", test.as, test.path, got, test.counted)
		}
	}
}

func TestSearchesAreNotCountedUnlessTheSiteAsks(t *testing.T) {
	t.Parallel()
	counted := &missedTexts{}
	h := openSearchedWith(t, foundByAll, "", options{Missed: counted.add})
	if a := h.send("", "GET", "/api/restaurants/_search?q=borscht", ""); a.status != 200 || counted.take() != "" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// Words that are set in the admin apply to the next search, and a client that has the response
// of before gets another one.
func TestWordsOfTheAdminApplyAtOnce(t *testing.T) {
	t.Parallel()
	h := openSearched(t, `{"synonyms": [["meal", "soup"]]}`)
	lexicon := h.lexicon
	path := "/api/restaurants/_search?fields=name&q="
	find := func(q string) string {
		t.Helper()
		var f found
		check(t, json.Unmarshal([]byte(h.wantStatus(t, 200, "GET", path+q, "").body), &f))
		return f.names()
	}
	before := h.wantStatus(t, 200, "GET", path+"haven", "")
	tag := before.header.Get("Etag")
	if a := h.send("full", "GET", path+"haven", "", "If-None-Match", tag); a.status != http.StatusNotModified || find("haven") != "" || find("c%2B%2B+") != "C++ Café" || find("c+") == "" {
		t.Fatalf("%d %q %q", a.status, find("haven"), find("c%2B%2B+"))
	}
	check(t, lexicon.Put("", &search.WordLists{Synonyms: [][]string{{"haven", "harbour"}}, Together: []string{"C++"}}, nil))
	if a := h.send("full", "GET", path+"haven", "", "If-None-Match", tag); a.status != 200 || find("haven") != "Harbour" || find("c%2B%2B+") != "C++ Café" || find("c+") != "" {
		t.Errorf("after the change: %d %q %q %q", a.status, find("haven"), find("c%2B%2B+"), find("c+"))
	}
	if find("meal") == "" {
		t.Error("the synonyms of site.json are gone")
	}
	h.wantStatus(t, 201, "POST", "/api/restaurants", `{"data": {"name": "C++ Haven", "slug": "later"}}`)
	if got := find("c%2B%2B+"); got != "C++ Haven | C++ Café" && got != "C++ Café | C++ Haven" {
		t.Errorf("an entry that was written later: %q", got)
	}
	check(t, lexicon.Put(lexicon.Current().Version, &search.WordLists{}, nil))
	if find("haven") != "C++ Haven" {
		t.Errorf("after the words were removed: %q", find("haven"))
	}
}
