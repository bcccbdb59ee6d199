package admin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// titles are the names of the items in a list of the answer.
func (a *answer) titles(t *testing.T, path string) string {
	t.Helper()
	var names []string
	for _, part := range strings.Split(a.text(path), `"title":"`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// reader has a role that reads one type, without some of its attributes.
func (v *client) reader(name, uid, hidden string) *client {
	v.t.Helper()
	role := v.want(201, "POST", "/roles", fmt.Sprintf(`{"name":%q,"rights":{"types":{%q:{"actions":["read"],"hidden":[%s]}}}}`, name, uid, hidden)).text("data.id")
	_, them := v.addAccount(name, role)
	return them
}

func TestSearch(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.client().want(401, "GET", "/search?q=door", "")
	v.make("restaurants?status=draft", `{"name":"Old door"}`)
	id := v.make("restaurants", `{"name":"Door of blue"}`)
	v.want(200, "PUT", "/content/restaurants/"+id+"?locale=fr&status=draft", `{"data":{"name":"Porte (door)"}}`)
	v.make("chefs", `{"name":"Dora Doorman"}`)
	a := v.want(200, "GET", "/search?q=DOOR", "")
	if got := a.titles(t, "data"); got != "Dora Doorman, Porte (door), Old door" && got != "Dora Doorman, Door of blue, Old door" {
		t.Errorf("found %s in %s", got, a.body)
	}
	if !strings.Contains(a.body, `"uid":"api::chef.chef"`) || !strings.Contains(a.body, `"status":"published"`) {
		t.Errorf("found %s", a.body)
	}
	for _, query := range []string{"", "q=", "q=nothing", "q=%25", "q=-door", "q=door+nothing"} {
		if got := v.want(200, "GET", "/search?"+query, "").text("data"); got != "[]" {
			t.Errorf("%s finds %s", query, got)
		}
	}
	for q, want := range map[string]string{"doro": "Old door", "OLD+DOORS": "Old door", "orma": "Dora Doorman", "ld+d": "Old door", "old+doro": "Old door", "chef": ""} {
		if got := v.want(200, "GET", "/search?q="+q, "").titles(t, "data"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s finds %q, want %q", q, got, want)
		}
	}
	v.want(400, "GET", "/search?q="+strings.Repeat("x", 201), "")
	chefs := v.reader("chefs", "api::chef.chef", "")
	if got := chefs.want(200, "GET", "/search?q=door", "").titles(t, "data"); got != "Dora Doorman" {
		t.Errorf("who reads chefs alone finds %s", got)
	}
	blind := v.reader("blind", "api::restaurant.restaurant", `"name"`)
	for _, q := range []string{"door", "doro"} {
		if body := blind.want(200, "GET", "/search?q="+q, "").body; strings.Contains(body, "oor") {
			t.Errorf("who does not see names finds %s", body)
		}
	}
}

// However many documents there are, a search finds a few of each type.
func TestSearchFindsAFew(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for i := range 8 {
		v.make("chefs", fmt.Sprintf(`{"name":"Same %d"}`, i))
	}
	if got := strings.Count(v.want(200, "GET", "/search?q=same", "").body, `"title"`); got != 5 {
		t.Errorf("found %d", got)
	}
}

func TestHome(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.client().want(401, "GET", "/home", "")
	if a := v.want(200, "GET", "/home", ""); a.text("data") != `{"conflicts":[],"drafts":[],"own":false,"parts":[{"kind":"reviews","wide":true},{"kind":"drafts"},{"kind":"recent"},{"kind":"scheduled","wide":true}],"recent":[],"reviews":[],"scheduled":[],"waiting":[]}` {
		t.Errorf("an empty home is %s", a.body)
	}
	_, bob := v.addAccount("bob", "editor")
	soup := v.make("dishes", `{"name":"Soup"}`)
	v.make("dishes?status=draft", `{"name":"Stew"}`)
	gone := v.make("dishes", `{"name":"Gone"}`)
	v.want(204, "DELETE", "/content/dishes/"+gone, "")
	door := v.make("restaurants", `{"name":"Door"}`)
	v.want(200, "PUT", "/content/restaurants/"+door+"?locale=fr", `{"data":{"name":"Porte"}}`)
	bob.make("chefs?status=draft", `{"name":"Ada"}`)
	a := v.want(200, "GET", "/home", "")
	if drafts, recent := a.titles(t, "data.drafts"), a.titles(t, "data.recent"); drafts != "Stew" || recent != "Ada, Porte, Stew, Soup" {
		t.Errorf("the drafts are %s, the recent ones %s", drafts, recent)
	}
	if !strings.Contains(a.body, `"updatedBy":{"kind":"admin"`) || !strings.Contains(a.body, `"name":"bob"}`) {
		t.Errorf("nobody is named: %s", a.body)
	}
	if got := bob.want(200, "GET", "/home", "").titles(t, "data.drafts"); got != "Ada" {
		t.Errorf("the drafts of another account are %s", got)
	}
	version := v.want(200, "GET", "/content/dishes/"+soup+"?status=draft", "").header.Get("Quire-Version")
	v.want(200, "PUT", dishes+soup, `{"form":{"name":"Broth"},"base":`+version+`}`)
	if got := v.want(200, "GET", "/home", "").titles(t, "data.conflicts"); got != "" {
		t.Errorf("conflicts before anybody else has written: %s", got)
	}
	bob.want(200, "PUT", "/content/dishes/"+soup+"?status=draft", `{"data":{"price":5}}`)
	soon := time.Now().Add(48 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
	v.want(202, "POST", "/content/dishes/"+soup+"/actions/publish", `{"at":"`+soon+`"}`)
	a = v.want(200, "GET", "/home", "")
	if a.titles(t, "data.conflicts") != "Soup" || a.titles(t, "data.scheduled") != "Soup" || !strings.Contains(a.body, `"at":"`+soon+`"`) {
		t.Errorf("at last: %s", a.body)
	}
	chefs := v.reader("chefs", "api::chef.chef", "")
	if a := chefs.want(200, "GET", "/home", ""); a.titles(t, "data.recent") != "Ada" || strings.Contains(a.body, "Soup") {
		t.Errorf("who reads chefs alone sees %s", a.body)
	}
}

// An account arranges its first screen, or has that of its role in site.json. Parts of types
// and attributes that it does not see are neither stored nor shown.
func TestArrangedHome(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"i18n": {`, `"admin": { "home": { "editor": [{"kind": "note", "text": "Ask Ada"}], "chefs": [{"kind": "count", "type": "api::chef.chef"}, {"kind": "count", "type": "api::dish.dish"}, {"kind": "chart", "type": "api::chef.chef", "by": "name"}] } }, "i18n": {`)
	v := o.owner()
	const usual = `[{"kind":"reviews","wide":true},{"kind":"drafts"},{"kind":"recent"},{"kind":"scheduled","wide":true}]`
	parts := func(c *client, want string, own bool) {
		t.Helper()
		if a := c.want(200, "GET", "/home", ""); a.text("data.parts") != want || a.text("data.own") != fmt.Sprint(own) {
			t.Errorf("the parts are %s, own %s, want %s", a.text("data.parts"), a.text("data.own"), want)
		}
	}
	parts(v, usual, false)
	_, bob := v.addAccount("bob", "editor")
	parts(bob, `[{"kind":"note","text":"Ask Ada"}]`, false)
	chefs := v.reader("chefs", "api::chef.chef", `"name"`)
	parts(chefs, `[{"kind":"count","type":"api::chef.chef"}]`, false)

	o.client().want(401, "PUT", "/home", `{"parts":[]}`)
	v.want(200, "PUT", "/home", `{"parts":[{"kind":"chart","type":"api::restaurant.restaurant","by":"chef.name","wide":true,"query":"status=draft"}]}`)
	parts(v, `[{"by":"chef.name","kind":"chart","query":"status=draft","type":"api::restaurant.restaurant","wide":true}]`, true)
	v.want(200, "PUT", "/home", `{"parts":[{"kind":"chart","type":"api::restaurant.restaurant","by":"createdAt.month"}]}`)
	parts(v, `[{"by":"createdAt.month","kind":"chart","type":"api::restaurant.restaurant"}]`, true)
	if a := v.want(400, "PUT", "/home", `{"parts":[{"kind":"chart","type":"api::restaurant.restaurant","by":"name.month"}]}`); !strings.Contains(a.body, "parts[0].by") {
		t.Errorf("months of a text: %s", a.body)
	}
	v.want(200, "PUT", "/home", `{"parts":[]}`)
	parts(v, "[]", true)
	v.want(204, "DELETE", "/home", "")
	parts(v, usual, false)

	for body, key := range map[string]string{
		`{"parts":[{"kind":"clock"}]}`:                                                  "parts[0].kind",
		`{"parts":[{"kind":"drafts"},{"kind":"note"}]}`:                                 "parts[1].text",
		`{"parts":[{"kind":"drafts","query":"q=x"}]}`:                                   "parts[0].query",
		`{"parts":[{"kind":"count","type":"api::dish.dish"}]}`:                          "parts[0].type",
		`{"parts":[{"kind":"count","type":"plugin::users-permissions.user"}]}`:          "parts[0].type",
		`{"parts":[{"kind":"chart","type":"api::chef.chef"}]}`:                          "parts[0].by",
		`{"parts":[{"kind":"chart","type":"api::chef.chef","by":"name"}]}`:              "parts[0].by",
		`{"parts":[{"kind":"chart","type":"api::chef.chef","by":"name.month"}]}`:        "parts[0].by",
		`{"parts":[{"kind":"note","text":"` + strings.Repeat("x", 2001) + `"}]}`:        "parts[0].text",
		`{"parts":[` + strings.Repeat(`{"kind":"drafts"},`, 20) + `{"kind":"drafts"}]}`: "parts",
		`{"parts":[{"kind":"drafts","colour":"red"}]}`:                                  "colour",
		`{"parts":{"kind":"drafts"}}`:                                                   "parts",
	} {
		if a := chefs.want(400, "PUT", "/home", body); !strings.Contains(a.body, key) {
			t.Errorf("%s: %s does not name %s", body, a.body, key)
		}
	}
	parts(chefs, `[{"kind":"count","type":"api::chef.chef"}]`, false)
}

// However much has changed, the home has the last of it.
func TestHomeHasAFew(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for i := range 12 {
		v.make("dishes?status=draft", fmt.Sprintf(`{"name":"Dish %d"}`, i))
	}
	a := v.want(200, "GET", "/home", "")
	for _, list := range []string{"data.recent", "data.drafts"} {
		if got := a.titles(t, list); strings.Count(got, ",") != 9 || !strings.HasPrefix(got, "Dish 11, Dish 10,") {
			t.Errorf("%s is %s", list, got)
		}
	}
}
