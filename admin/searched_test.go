package admin_test

import (
	"fmt"
	"strings"
	"testing"

	"quire/auth"
)

// counting is a site.json with which searches of visitors are counted.
var counting = []string{`"rest": {`, `"search": {"countMissed": true, "synonyms": [["meal", "soup"]]}, "rest": {`}

// What visitors do not find is shown to those with the right settings, as counts.
func TestMissedSearches(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, counting...)
	v := o.owner()
	otto := v.operator()
	_, eve := v.addAccount("eve", "editor")
	reader := o.client()
	for range 2 {
		reader.want(200, "GET", "//api/restaurants/_search?q=Borscht", "", "X-Quire-Admin", "-")
	}
	reader.want(200, "GET", "//api/_search?q=pho", "", "X-Quire-Admin", "-")
	a := otto.want(200, "GET", "/search/missed", "")
	if want := `{"data":[{"text":"borscht","count":2,"last":"2026-05-04"},{"text":"pho","count":1,"last":"2026-05-04"}],"meta":{"counted":true,"days":90,"keptDays":90,"texts":2,"others":0}}`; strings.TrimSpace(a.body) != want {
		t.Errorf("got %s", a.body)
	}
	for _, who := range []*client{o.client(), eve} {
		for method, path := range map[string]string{"GET": "/search/missed", "DELETE": "/search/missed", "PUT": "/search/words"} {
			if a := who.ask(method, path, ""); a.status != 401 && a.status != 403 || strings.Contains(a.body, "borscht") {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
	for _, days := range []string{"0", "91", "x", "-7"} {
		if a := v.want(400, "GET", "/search/missed?days="+days, ""); a.text("error.details.key") != "days" {
			t.Errorf("%s: %s", days, a.body)
		}
	}
	otto.want(204, "DELETE", "/search/missed", "")
	if a := otto.want(200, "GET", "/search/missed?days=7", ""); a.text("data") != "[]" {
		t.Errorf("after they were deleted: %s", a.body)
	}
	if a := v.want(200, "GET", "/audit", ""); !strings.Contains(a.body, `"action":"search.clear"`) || strings.Contains(a.body, "borscht") {
		t.Errorf("the audit log: %s", a.body)
	}
}

// A search of somebody who sees more than visitors is in no count: its text may be of what only
// they may see.
func TestSearchesOfOthersAreNotCounted(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, counting...)
	v := o.owner()
	_, eve := v.addAccount("eve", "editor")
	v.want(201, "POST", "/content/restaurants?status=draft", `{"data": {"name": "Draftname"}}`)
	token, err := o.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "front", Kind: auth.FullAccess})
	check(t, err)
	for _, path := range []string{"/restaurants/_search?q=HIDDENmark", "/restaurants/_search?q=HIDDENmark&status=draft", "/_search?q=HIDDENmark", "/restaurants/_search?q=Draftname"} {
		eve.ask("GET", "/content"+path, "")
		v.ask("GET", "/as/public"+path, "")
		o.client().ask("GET", "//api"+path, "", "X-Quire-Admin", "-", "Authorization", "Bearer "+token)
	}
	eve.want(200, "GET", "/search?q=HIDDENmark", "")
	o.client().ask("GET", "//api/restaurants/_search?q=HIDDENmark&status=draft", "", "X-Quire-Admin", "-")
	o.client().ask("GET", "//api/restaurants/_search?q=HIDDENmark", "", "X-Quire-Admin", "-", "Authorization", "Bearer wrong")
	if a := v.want(200, "GET", "/search/missed", ""); a.text("data") != "[]" {
		t.Errorf("counted: %s", a.body)
	}
}

func TestWordsOfSearches(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, counting...)
	v := o.owner()
	v.want(201, "POST", "/content/restaurants?status=published", `{"data": {"name": "The Soup Kitchen"}}`)
	names := func(q string) string {
		return o.client().want(200, "GET", "//api/restaurants/_search?fields=name&q="+q, "", "X-Quire-Admin", "-").text("meta.pagination.total")
	}
	a := v.want(200, "GET", "/search/words", "")
	if want := `{"version":"","words":{"synonyms":[],"together":[]},"inSite":{"synonyms":[["meal","soup"]],"together":[]}}`; !strings.Contains(a.body, want) || names("broth") != "0" || names("meal") != "1" {
		t.Fatalf("got %s", a.body)
	}
	const words = `"words":{"synonyms":[["broth","soup"]],"together":["C++"]}`
	a = v.want(200, "PUT", "/search/words", `{"version":"",`+words+`}`)
	if names("broth") != "1" || !strings.Contains(a.body, words) {
		t.Errorf("the synonym does not apply: %s", a.body)
	}
	v.want(409, "PUT", "/search/words", `{"version":"",`+words+`}`)
	for body, key := range map[string]string{
		`{"version":""}`: "words",
		`{"version":"","words":{"synonyms":[["one"]],"together":[]}}`:                              "words.synonyms[0]",
		`{"version":"","words":{"synonyms":[["one","a, b"]],"together":[]}}`:                       "words.synonyms[0][1]",
		`{"version":"","words":{"synonyms":[],"together":["` + strings.Repeat("x", 61) + `"]}}`:    "words.together[0]",
		`{"version":"","words":{"synonyms":[` + strings.Repeat(`["a","b"],`, 500) + `["a","b"]]}}`: "words.synonyms",
		fmt.Sprintf(`{"version":"","words":{"synonyms":[["a"%s]]}}`, strings.Repeat(`,"b"`, 20)):   "words.synonyms[0]",
		`{"version":"","words":{"synonyms":[],"together":[],"stopWords":{}}}`:                      "stopWords",
	} {
		if a := v.want(400, "PUT", "/search/words", body); a.text("error.details.key") != key {
			t.Errorf("%.80s: %s", body, a.body)
		}
	}
	v.want(200, "PUT", "/search/words", `{"version":"`+a.text("data.version")+`","words":{"synonyms":[],"together":[]}}`)
	if names("broth") != "0" {
		t.Error("a removed synonym applies")
	}
	if a := v.want(200, "GET", "/audit", ""); !strings.Contains(a.body, `"action":"search.words"`) {
		t.Errorf("the audit log: %s", a.body)
	}
}
