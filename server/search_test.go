package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/schema"
)

// openSearched is a sample site with restaurants to search, in English and French.
func openSearched(t *testing.T, site string) *accountSite {
	t.Helper()
	return openSearchedWith(t, noRoles, site, options{})
}

func openSearchedWith(t *testing.T, roles, site string, o options) *accountSite {
	t.Helper()
	folder := sampleWith(t, unlimited, roles).(fstest.MapFS)
	var config map[string]json.RawMessage
	check(t, json.Unmarshal(folder["site.json"].Data, &config))
	if site != "" {
		config["search"] = json.RawMessage(site)
	}
	text, err := json.Marshal(config)
	check(t, err)
	folder["site.json"] = &fstest.MapFile{Data: text}
	h := openAccountSite(t, folder, o)
	for i, one := range []string{
		`"name": "Crème Brûlée House", "tagline": "Sweet soups and recipes", "price_tier": "p1", "seats": 10`,
		`"name": "The Soup Kitchen", "tagline": "We cook <b>soup</b> & bread", "price_tier": "p2", "seats": 20`,
		`"name": "Harbour", "tagline": "Fish soup by the harbour kitchen", "price_tier": "p1", "seats": 30`,
		`"name": "Soup", "price_tier": "p3", "seats": 40`,
		`"name": "C++ Café", "tagline": "東京タワー", "price_tier": "p1", "seats": 50`,
	} {
		h.wantStatus(t, 201, "POST", "/api/restaurants", fmt.Sprintf(`{"data": {%s, "slug": "s-%d"}}`, one, i))
	}
	h.wantStatus(t, 201, "POST", "/api/restaurants?status=draft", `{"data": {"name": "Soupdraft Secretplace"}}`)
	h.wantStatus(t, 201, "POST", "/api/restaurants?locale=fr", `{"data": {"name": "L'Assiette des recettes", "slug": "fr"}}`)
	return h
}

func (h *accountSite) wantStatus(t *testing.T, status int, method, path, body string) *answer {
	t.Helper()
	a := h.send("full", method, path, body)
	if a.status != status {
		t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// found is what a search returns.
type found struct {
	Data []struct {
		Name      string            `json:"name"`
		Type      string            `json:"__type"`
		Highlight map[string]string `json:"_highlight"`
		Rank      map[string]any    `json:"_rank"`
		Text      string
		Count     int
	}
	Meta struct {
		Pagination struct{ Total int }
		Facets     map[string][]struct {
			Value any
			Count int
		}
		Search struct {
			Partial    bool
			DidYouMean string
		}
	}
}

func (h *accountSite) search(t *testing.T, path, q, more string) (f found) {
	t.Helper()
	a := h.wantStatus(t, 200, "GET", path+"?q="+url.QueryEscape(q)+more, "")
	check(t, json.Unmarshal([]byte(a.body), &f))
	return f
}

// names are the names of what is found, in their order.
func (f *found) names() string {
	var names []string
	for _, one := range f.Data {
		names = append(names, one.Name+one.Text)
	}
	return strings.Join(names, " | ")
}

func TestSearchFindsWords(t *testing.T) {
	t.Parallel()
	h := openSearched(t, `{"synonyms": [["meal", "soup"], ["big apple", "harbour"]], "together": ["C++"], "stopWords": {"en": ["house"]}}`)
	for _, test := range []struct{ q, more, names string }{
		{"creme brulee", "", "Crème Brûlée House"},
		{"CREME", "", "Crème Brûlée House"},
		{"creme brule", "", "Crème Brûlée House"},
		{"crmee brulle", "", "Crème Brûlée House"},
		{"kreme", "", "Crème Brûlée House"}, // no other word begins so
		{"soup", "", "Soup | The Soup Kitchen | Harbour | Crème Brûlée House"},
		{"soups ", "", "Soup | The Soup Kitchen | Crème Brûlée House | Harbour"},
		{"recipe", "", "Crème Brûlée House"},
		{"sou", "", "Soup | The Soup Kitchen | Crème Brûlée House | Harbour"},
		{"soup kitchen", "", "The Soup Kitchen | Harbour"},
		{"soup kitchen paris", "", "The Soup Kitchen | Harbour | Soup | Crème Brûlée House"},
		{`"soup kitchen"`, "", "The Soup Kitchen"},
		{`"kitchen soup"`, "", ""},
		{"soup -kitchen", "", "Soup | Crème Brûlée House"},
		{`soup -"fish soup"`, "", "Soup | The Soup Kitchen | Crème Brûlée House"},
		{"-soup", "", "C++ Café"},
		{"meal", "", "Soup | The Soup Kitchen | Crème Brûlée House | Harbour"},
		{"big apple", "", "Harbour"},
		{"the", "", "The Soup Kitchen | Harbour"},
		{"fish the", "", "Harbour"},
		{"house harbour", "", "Harbour"},
		{"c++", "", "C++ Café"},
		{strings.Repeat("soup", 17), "", ""}, // no index has words as long as that
		{"東京", "", "C++ Café"},
		{"タワ", "", "C++ Café"},
		{"京ワ", "", ""},
		{"ー", "", "C++ Café"},
		{"soup", "&filters[price_tier]=p1", "Harbour | Crème Brûlée House"},
		{"soup", "&pagination[page]=2&pagination[pageSize]=1", "The Soup Kitchen"},
		{"soup", "&sort=seats:desc&pagination[limit]=2", "Soup | Harbour"},
		{"recette", "&locale=fr", "L'Assiette des recettes"},
		{"assiette", "", ""},
		{"assiette", "&locale=*", "L'Assiette des recettes"},
		{"assiette", "&locale=en&fallbackLocale=fr", "L'Assiette des recettes"},
		{"soupdraft", "&status=draft", "Soupdraft Secretplace"},
		{"secretplace", "", ""},
		{"!?", "&pagination[limit]=1", "Crème Brûlée House"},
	} {
		if f := h.search(t, "/api/restaurants/_search", test.q, test.more); f.names() != test.names {
			t.Errorf("%q%s finds\n%s\nwant\n%s", test.q, test.more, f.names(), test.names)
		}
	}
	if f := h.search(t, "/api/restaurants/_search", "soup kitchen paris", ""); !f.Meta.Search.Partial || f.Meta.Pagination.Total != 4 {
		t.Errorf("a search of which a word is missing: %+v", f.Meta)
	}
}

func TestSearchShowsWhatItFound(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	f := h.search(t, "/api/restaurants/_search", "soup", "&filters[name]=The Soup Kitchen&explain=1")
	if got := f.Data[0].Highlight; got["name"] != "The <mark>Soup</mark> Kitchen" || got["tagline"] != "We cook &lt;b&gt;<mark>soup</mark>&lt;/b&gt; &amp; bread" {
		t.Errorf("highlights %q", got)
	}
	if rank := f.Data[0].Rank; rank["words"] != 1.0 || rank["typos"] != 0.0 || rank["exact"] != 1.0 || rank["score"].(float64) <= 0 {
		t.Errorf("explained as %v", rank)
	}
	f = h.search(t, "/api/restaurants/_search", "soup", "&facets=price_tier,categories.name&pagination[limit]=1")
	if got := fmt.Sprint(f.Meta.Facets); got != "map[categories.name:[] price_tier:[{p1 2} {p2 1} {p3 1}]]" {
		t.Errorf("facets %s", got)
	}
	f = h.search(t, "/api/restaurants/_search", "harbor kitchn", "")
	if f.Meta.Search.DidYouMean != "harbour kitchen" && f.Meta.Search.DidYouMean != "Harbour kitchen" && f.Meta.Search.DidYouMean != "Harbour Kitchen" {
		t.Errorf("did you mean %q", f.Meta.Search.DidYouMean)
	}
	long := strings.Repeat("word ", 100) + "needle" + strings.Repeat(" after", 100)
	h.wantStatus(t, 201, "POST", "/api/restaurants", `{"data": {"name": "Long", "slug": "long", "tagline": "`+long+`"}}`)
	f = h.search(t, "/api/restaurants/_search", "needle", "")
	if got := f.Data[0].Highlight["tagline"]; len(got) > 260 || !strings.HasPrefix(got, "… word") || !strings.HasSuffix(got, "after …") || !strings.Contains(got, "<mark>needle</mark>") {
		t.Errorf("a long text is shown as %q", got)
	}
}

// A word as it was typed in the most important attribute is before one that only goes on there.
func TestSearchPrefersTheWordItself(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	for i, one := range []string{`"name": "Guitarfish", "tagline": "A fish like a guitar"`, `"name": "The guitar of Ana", "tagline": "Music every night"`, `"name": "Bass", "tagline": "Every guitar"`} {
		h.wantStatus(t, 201, "POST", "/api/restaurants", fmt.Sprintf(`{"data": {%s, "slug": "g-%d"}}`, one, i))
	}
	if f := h.search(t, "/api/restaurants/_search", "guitar", ""); f.names() != "The guitar of Ana | Guitarfish | Bass" {
		t.Errorf("in the order %s", f.names())
	}
}

func TestSearchFollowsEachWrite(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	if f := h.search(t, "/api/restaurants/_search", "pancake", ""); len(f.Data) != 0 {
		t.Fatalf("found %s", f.names())
	}
	made := h.wantStatus(t, 201, "POST", "/api/restaurants", `{"data": {"name": "Pancakes", "slug": "p"}}`)
	path := "/api/restaurants/" + made.text(t, "data.documentId")
	if f := h.search(t, "/api/restaurants/_search", "pancake", ""); f.names() != "Pancakes" {
		t.Errorf("after the write %q", f.names())
	}
	h.wantStatus(t, 200, "PUT", path+"?status=draft", `{"data": {"name": "Waffles"}}`)
	if f := h.search(t, "/api/restaurants/_search", "waffle", ""); len(f.Data) != 0 {
		t.Errorf("a draft is found: %s", f.names())
	}
	h.wantStatus(t, 200, "POST", path+"/actions/publish", "")
	if f := h.search(t, "/api/restaurants/_search", "waffle", ""); f.names() != "Waffles" {
		t.Errorf("after publishing %q", f.names())
	}
	h.wantStatus(t, 204, "DELETE", path, "")
	if f := h.search(t, "/api/restaurants/_suggest", "waff", ""); len(f.Data) != 0 {
		t.Errorf("after deleting it is suggested: %s", f.names())
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	for q, want := range map[string]string{
		"sou": "Soup | soups", "crem": "Crème", "fish ha": "fish Harbour", "harbo": "Harbour", "brulx": "Brûlée", "the soup ki": "the soup Kitchen",
		"": "", "secr": "", "nothing so": "", `"sou"`: "",
	} {
		if f := h.search(t, "/api/restaurants/_suggest", q, ""); f.names() != want {
			t.Errorf("%q goes on with %q, want %q", q, f.names(), want)
		}
	}
	if f := h.search(t, "/api/restaurants/_suggest", "sou", "&filters[price_tier]=p3"); f.names() != "Soup" || f.Data[0].Count != 1 {
		t.Errorf("within a filter %+v", f.Data)
	}
}

func TestSearchOverAllTypes(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	h.wantStatus(t, 201, "POST", "/api/dishes", `{"data": {"name": "Soup of the day"}}`)
	f := h.search(t, "/api/_search", "soup", "")
	var types []string
	for _, one := range f.Data {
		types = append(types, one.Type)
	}
	if f.Meta.Pagination.Total != 5 || !strings.Contains(f.names(), "Soup of the day") || !strings.Contains(fmt.Sprint(types), "api::dish.dish") || !strings.Contains(fmt.Sprint(types), "api::restaurant.restaurant") {
		t.Errorf("found %q of %v", f.names(), types)
	}
	if f := h.search(t, "/api/_search", "soup", "&types=dishes"); f.names() != "Soup of the day" {
		t.Errorf("of one type %q", f.names())
	}
	if f := h.search(t, "/api/_search", "soup day", ""); f.names() != "Soup of the day" || f.Meta.Search.Partial {
		t.Errorf("with all words %q", f.names())
	}
	if f := h.search(t, "/api/_suggest", "sou", ""); f.Data[0].Text != "Soup" || f.Data[0].Count != 4 {
		t.Errorf("suggested %+v", f.Data)
	}
	var err error
	h.tokens["diner"], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "diner", Kind: auth.Custom, Permissions: []string{"api::dish.dish.find"}})
	check(t, err)
	if a := h.send("diner", "GET", "/api/_search?q=soup", ""); a.status != 200 || !strings.Contains(a.body, `"total":1`) {
		t.Errorf("who may find dishes gets %d %s", a.status, a.body)
	}
	for path, status := range map[string]int{"/api/_search?q=soup&types=restaurants": 403, "/api/restaurants/_search?q=soup": 403, "/api/restaurants/_suggest?q=s": 403, "/api/dishes/_search?q=soup&status=draft": 403, "/api/_search?types=nothing": 400} {
		if a := h.send("diner", "GET", path, ""); a.status != status {
			t.Errorf("%s: %d %s, want %d", path, a.status, a.body, status)
		}
	}
}

func TestSearchSettingsOfATypeCount(t *testing.T) {
	t.Parallel()
	h := openSearched(t, `{"types": {"api::restaurant.restaurant": {"attributes": {"tagline": 5}, "order": ["seats:desc"]}}}`)
	if f := h.search(t, "/api/restaurants/_search", "crème", ""); f.names() != "" {
		t.Errorf("an attribute that is not searched: %q", f.names())
	}
	if f := h.search(t, "/api/restaurants/_search", "", "&pagination[limit]=2"); f.names() != "C++ Café | Soup" {
		t.Errorf("without words %q", f.names())
	}
	h.wantStatus(t, 201, "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	if f := h.search(t, "/api/_search", "soup", ""); strings.Contains(fmt.Sprint(f.Data), "api::dish") {
		t.Errorf("a type that is not listed is found: %+v", f.Data)
	}
}

// The explanation names the keys of the order that the caller may use, and no others.
func TestTheOrderOfASearchIsExplainedWithoutHiddenKeys(t *testing.T) {
	t.Parallel()
	h := openSearched(t, `{"types": {"api::restaurant.restaurant": {"order": ["secret_note:desc", "seats:desc"]}}}`)
	a := h.wantStatus(t, 200, "GET", "/api/restaurants/_search?q=soup&explain=1", "")
	if !strings.Contains(a.body, `"order":["seats:desc"]`) || strings.Contains(a.body, "secret_note") {
		t.Errorf("got %s", a.body)
	}
}

// The smallest request beyond each bound is refused, and names the parameter.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	h := openSearched(t, "")
	for query, named := range map[string]string{
		"q=" + strings.Repeat("a", 513):            "q",
		"q=" + strings.Repeat("a+", 25):            "q",
		"q=%22" + strings.Repeat("a+", 65) + "%22": "q",
		"q[]=a":         "q",
		"explain=maybe": "explain",
		"facets=id,documentId,name,slug,seats,stars,rating,tagline,locale": "facets",
		"facets=nothing":                         "nothing",
		"facets=secret_note":                     "secret_note",
		"facets=sections":                        "facets",
		"pagination[after]=":                     "pagination[after]",
		"pagination[start]=10001":                "first 10000",
		"sort=nothing":                           "nothing",
		"_q=a":                                   "_q",
		"pagination[page]=1&pagination[start]=1": "pagination",
	} {
		if a := h.send("full", "GET", "/api/restaurants/_search?"+query, ""); a.status != 400 || !strings.Contains(a.body, named) {
			t.Errorf("%.80s: %d %.200s, want 400 and %q", query, a.status, a.body, named)
		}
	}
	for query, named := range map[string]string{"facets=name": "facets", "filters[name]=a": "filters", "q=" + strings.Repeat("a", 513): "q"} {
		if a := h.send("full", "GET", "/api/_search?"+query, ""); a.status != 400 || !strings.Contains(a.body, named) {
			t.Errorf("%.80s over all types: %d %.200s", query, a.status, a.body)
		}
	}
	h.wantStatus(t, 200, "GET", "/api/restaurants/_search?q="+strings.Repeat("a", 512), "")
	h.wantStatus(t, 200, "GET", "/api/restaurants/_search?q="+strings.Repeat("a+", 24), "")
}

var ownOfSide = regexp.MustCompile(`"documentId":"[^"]*"|"[a-zA-Z]+At":"[^"]*"`)

// Two sites that differ only in hidden values answer each search alike: neither the text nor
// the order, a count, a highlight, a suggestion nor a better spelling shows one.
func TestWordsOfHiddenValuesAreNotFound(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, w *twins, as string) {
		requested := 0
		paths := []string{"/api/"}
		for ct := range w.site.Served() {
			if ct.Kind == schema.Collection {
				paths = append(paths, "/api/"+ct.Route()+"/")
			}
		}
		for _, path := range paths {
			for _, q := range []string{"_search?q=HIDDEN", "_search?q=HIDDENaaab", "_search?q=%22HIDDENaaaa%22", "_search?q=rest+HIDDENaaaa&explain=1", "_search?q=-HIDDENaaaa", "_search?q=rest&explain=1",
				"_search?q=aaaa&explain=1", "_suggest?q=HIDD", "_suggest?q=rest+h", "_suggest?q=hiddenaaa", "_search?q=HIDDENaaaa&status=draft", "_search?q=HIDDENaaaa&locale=*", "_suggest?q=hiddem"} {
				var answers [2]string
				for i, s := range w.sides {
					a := s.send(as, "GET", path+q, "")
					answers[i] = ownOfSide.ReplaceAllString(a.body, "")
					if strings.Contains(a.body, s.mark) {
						t.Errorf("%s%s shows a hidden value: %s", path, q, a.body)
					}
				}
				if requested++; answers[0] != answers[1] {
					t.Errorf("%s%s depends on a hidden value:\n%s\n%s", path, q, answers[0], answers[1])
				}
			}
		}
		if requested < 50 {
			t.Errorf("%d searches: the enumeration has lost its way", requested)
		}
	})
}
