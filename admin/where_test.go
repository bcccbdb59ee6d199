package admin_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// northSite is a site with restaurants of two teams, and an account whose role reaches those of its
// own alone. What nobody of its team may see has SECRET in it.
type northSite struct {
	owner, nora            *client
	account                string // id of the account
	role                   string
	chef, category         string
	harbour, south, buried string // documentIds; the last one was deleted
}

const northRights = `{"types":{"api::restaurant.restaurant":{"actions":["read","create","update","delete","publish","unpublish"],"locales":null,"where":[{"attribute":"tagline","account":"team"}]},` +
	`"api::chef.chef":{"actions":["read","update","publish"],"locales":null},"api::homepage.homepage":{"actions":["read"],"locales":null},"api::category.category":{"actions":["read","update"],"locales":null},"api::review.review":{"actions":["read","create","update"],"locales":null}},"files":["read"],"releases":true,"site":["settings"]}`

func openNorth(t *testing.T) *northSite {
	t.Helper()
	return openNorthWith(t)
}

// openNorthWith is openNorth with another site.json.
func openNorthWith(t *testing.T, replacements ...string) *northSite {
	t.Helper()
	n := &northSite{owner: openAdmin(t, replacements...).owner()}
	v := n.owner
	n.role = v.want(201, "POST", "/roles", `{"name":"Team","rights":`+northRights+`}`).text("data.id")
	n.account, n.nora = v.addAccount("nora", n.role)
	v.want(200, "PUT", "/accounts/"+n.account, `{"values":{"team":"north"}}`)
	n.chef, n.category = v.make("chefs", `{"name":"Ada"}`), v.make("categories", `{"name":"fish"}`)
	links := `,"chef":"` + n.chef + `","categories":["` + n.category + `"]`
	n.harbour = v.make("restaurants", `{"name":"Harbour","tagline":"north","stars":1`+links+`}`)
	n.south = v.make("restaurants", `{"name":"SECRET","tagline":"south","slug":"SECRET-slug","stars":5,"secret_note":"SECRET","nearby":["`+n.harbour+`"]`+links+`}`)
	v.want(200, "PUT", "/content/restaurants/"+n.harbour, `{"data":{"nearby":["`+n.south+`"]}}`)
	v.make("reviews", `{"note":1,"restaurant":"`+n.south+`"}`)
	n.buried = v.make("restaurants", `{"name":"SECRET too","tagline":"south"}`)
	v.want(204, "DELETE", "/content/restaurants/"+n.buried+"?locale=*", "")
	v.want(202, "POST", "/content/restaurants/"+n.south+"/actions/unpublish", `{"at":"2031-05-04T09:00:00Z"}`)
	v.want(201, "POST", "/reviews/api::restaurant.restaurant/"+n.south+"/comments", `{"text":"SECRET comment"}`)
	return n
}

// Whoever may read only some documents of a type finds no trace of the others, whatever it asks.
func TestConditionsHideDocuments(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	const uid = "api::restaurant.restaurant"
	seen, requests := 0, 0
	for _, path := range []string{
		"/content/restaurants", "/content/restaurants?status=draft&locale=*&sort=name", "/content/restaurants?populate=*", "/content/restaurants?populate[nearby][populate]=*",
		"/content/restaurants/_count", "/content/restaurants/_aggregate?groupBy=tagline&count=true", "/content/restaurants/_aggregate?max=name&min=stars",
		"/content/restaurants?_q=SECRET", "/content/restaurants/_search?q=SECRET&facets=tagline", "/content/restaurants/_suggest?q=SEC", "/content/_search?q=SECRET", "/content/_suggest?q=SEC",
		"/content/restaurants?filters[nearby][name][$contains]=S", "/content/restaurants?filters[$or][0][tagline]=south&filters[$or][1][slug][$startsWith]=S", "/content/restaurants?sort=nearby.name:desc&pagination[pageSize]=1",
		"/content/chefs?populate=*", "/content/chefs?populate[restaurants][sort]=name", "/content/chefs?filters[restaurants][name]=SECRET", "/content/chefs?filters[restaurants][stars][$gt]=3", "/content/chefs?sort=restaurants.name:desc&populate[restaurants][count]=true",
		"/content/categories?populate[restaurants][filters][tagline]=south", "/content/reviews?populate=*", "/content/reviews?filters[restaurant][name][$startsWith]=S", "/content/reviews/_aggregate?groupBy=restaurant.name&count=true",
		"/content/restaurants/" + n.south, "/content/restaurants/" + n.south + "?status=draft&populate=*", "/content/restaurants/" + n.south + "/history", "/content/restaurants/" + n.buried + "/history",
		"/content/chefs/" + n.chef + "/links", "/content/categories/" + n.category + "/links", "/content/restaurants/" + n.harbour + "/links", "/content/restaurants/" + n.south + "/links",
		"/content/_changes?types=" + uid, "/content/_changes", "/content/_schedules", "/content/restaurants/" + n.south + "/schedule",
		"/documents/" + uid + "/" + n.south, "/documents/" + uid + "/" + n.harbour, "/documents/api::chef.chef/" + n.chef, "/links/" + uid + "?documentIds=" + n.south + "," + n.harbour, "/deleted/" + uid, "/home", "/search?q=SECRET", "/search?q=s",
		"/reviews/" + uid + "?documents=" + n.south + "," + n.harbour, "/reviews/" + uid + "/" + n.south, "/reviews/" + uid + "/" + n.south + "/people", "/live?uid=" + uid + "&documentId=" + n.south,
		"/audit", "/audit/export", "/changes",
	} {
		a := n.nora.ask("GET", path, "")
		requests++
		if a.status == 404 && !strings.Contains(path, n.south) && !strings.Contains(path, n.buried) || a.status == 400 {
			t.Errorf("%s: nothing was asked: %d %s", path, a.status, a.body)
		}
		if a.status >= 500 || strings.Contains(a.body, "SECRET") && !strings.Contains(path, "SECRET") || strings.Contains(a.body, `"SECRET`) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
		for _, id := range []string{n.south, n.buried} {
			if strings.Contains(a.body, id) {
				t.Errorf("%s names a document that is not there for the account: %s", path, a.body)
			}
		}
		if strings.Contains(a.body, n.harbour) {
			seen++
		}
	}
	if seen < 10 {
		t.Errorf("only %d of %d answers have anything at all", seen, requests)
	}
	for path, want := range map[string]string{
		"/content/restaurants?pagination[pageSize]=1": "meta.pagination.total=1", "/content/restaurants/_count": "data.count=1", "/content/restaurants?filters[stars][$gt]=3": "meta.pagination.total=0",
		"/content/chefs?filters[restaurants][stars]=5": "meta.pagination.total=0", "/content/chefs/" + n.chef + "?populate[restaurants][count]=true": "data.restaurants.count=1",
		"/content/reviews?filters[restaurant][id][$null]=true": "meta.pagination.total=1", "/content/restaurants/_aggregate?max=stars": "data.max.stars=1",
	} {
		key, value, _ := strings.Cut(want, "=")
		if a := n.nora.want(200, "GET", path, ""); a.text(key) != value {
			t.Errorf("%s: %s is not %s in %s", path, key, value, a.body)
		}
	}
	for _, path := range []string{"/content/restaurants/%s", "/content/restaurants/%s/history", "/documents/" + uid + "/%s", "/reviews/" + uid + "/%s"} {
		n.nora.want(404, "GET", fmt.Sprintf(path, n.south), "")
		n.nora.want(200, "GET", fmt.Sprintf(path, n.harbour), "")
	}
	n.nora.want(403, "GET", "/content/_changes?types="+uid, "")
	n.nora.want(403, "POST", "/content/_webhooks", `{"data":{"name":"all","url":"https://example.org/","types":["`+uid+`"]}}`)
}

// A refusal does not name a condition about an attribute that the account does not see.
func TestARefusalKeepsHiddenConditions(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	const write = `{"data":{"name":"Other","tagline":"south"}}`
	if a := n.nora.want(403, "POST", "/content/restaurants", write); !strings.Contains(a.body, "tagline is \\\"north\\\"") {
		t.Errorf("what is seen is not named: %s", a.body)
	}
	hidden := strings.Replace(northRights, `"where"`, `"hidden":["tagline"],"where"`, 1)
	n.owner.want(200, "PUT", "/roles/"+n.role, `{"name":"Team","rights":`+hidden+`}`)
	n.owner.want(200, "PUT", "/content/restaurants/"+n.harbour+"?status=draft", `{"data":{"tagline":"south"}}`)
	a := n.nora.want(403, "POST", "/content/restaurants/"+n.harbour+"/actions/publish", `{}`)
	if strings.Contains(a.body, "tagline") || strings.Contains(a.body, "north") {
		t.Errorf("what is hidden is named: %s", a.body)
	}
}

// A write leaves each document where it was: within the reach of the account, or out of it.
func TestConditionsOnWrites(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	const all = "/content/restaurants"
	south, harbour := all+"/"+n.south, all+"/"+n.harbour
	for _, one := range []struct {
		status             int
		method, path, body string
	}{
		{404, "PUT", south, `{"data":{"name":"mine"}}`}, {404, "PUT", south + "?status=draft", `{"data":{"tagline":"north"}}`}, {404, "PUT", south + "?locale=fr", `{"data":{"name":"mine","tagline":"north"}}`},
		{204, "DELETE", south + "?locale=*", ""}, {412, "DELETE", south + "?locale=*", ""}, {404, "POST", south + "/actions/publish", `{}`}, {404, "POST", south + "/actions/unpublish", `{}`},
		{404, "POST", south + "/actions/discard-draft", `{}`}, {404, "POST", south + "/actions/duplicate", `{}`}, {404, "POST", south + "/actions/publish", `{"at":"2031-05-04T09:00:00Z"}`}, {404, "POST", south + "/history/1/restore", ""},
		{403, "PUT", harbour, `{"data":{"tagline":"south"}}`}, {403, "PUT", harbour + "?status=draft", `{"data":{"tagline":null}}`}, {403, "POST", all, `{"data":{"name":"Other","tagline":"south"}}`},
		{403, "POST", all + "?status=draft", `{"data":{"name":"Other","tagline":null}}`}, {400, "PUT", harbour, `{"data":{"nearby":{"connect":["` + n.south + `"]}}}`}, {400, "POST", "/content/reviews", `{"data":{"note":2,"restaurant":"` + n.south + `"}}`},
		{400, "PUT", "/content/chefs/" + n.chef, `{"data":{"restaurants":{"connect":["` + n.south + `"]}}}`}, {200, "PUT", harbour, `{"data":{"name":"Harbour 2"}}`}, {201, "POST", harbour + "/actions/duplicate", `{}`},
	} {
		var headers []string
		if one.method == "DELETE" && one.status == 412 {
			headers = []string{"If-Match", `"v1"`}
		}
		if a := n.nora.ask(one.method, one.path, one.body, headers...); a.status != one.status || strings.Contains(a.body, "SECRET") {
			t.Errorf("%s %s %s: %d instead of %d: %s", one.method, one.path, one.body, a.status, one.status, a.body)
		}
	}
	made := n.nora.make("restaurants", `{"name":"Pier"}`)
	if a := n.owner.want(200, "GET", all+"/"+made, ""); a.text("data.tagline") != "north" {
		t.Errorf("a document without the value is %s", a.body)
	}
	n.nora.want(200, "PUT", harbour, `{"data":{"nearby":{"set":["`+made+`"]}}}`)
	n.nora.want(200, "PUT", "/content/categories/"+n.category, `{"data":{"restaurants":{"set":["`+made+`"]}}}`)
	if a := n.owner.want(200, "GET", harbour+"?populate=nearby", ""); !strings.Contains(a.body, n.south) || !strings.Contains(a.body, made) {
		t.Errorf("saying what is linked has removed what the account does not see: %s", a.body)
	}
	a := n.owner.want(200, "GET", "/content/categories/"+n.category+"?populate=restaurants", "")
	if !strings.Contains(a.body, n.south) || strings.Contains(a.body, n.harbour) {
		t.Errorf("the other side of a relation: %s", a.body)
	}
	if a := n.owner.want(200, "GET", south+"?populate=*&status=draft", ""); a.text("data.name") != "SECRET" || a.text("data.tagline") != "south" {
		t.Errorf("a document out of reach was changed: %s", a.body)
	}
	n.owner.want(200, "PUT", harbour+"?status=draft", `{"data":{"name":"SECRET draft","tagline":"south"}}`)
	n.nora.want(403, "PUT", harbour+"?status=draft", `{"data":{"tagline":"north"}}`)
	n.nora.want(403, "POST", harbour+"/actions/publish", `{}`)
	if a := n.nora.want(200, "GET", harbour, ""); a.text("data.tagline") != "north" {
		t.Errorf("the published version: %s", a.body)
	}
}

// A former version shows only if its own values were in the reach of the account.
func TestConditionsAndHistory(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	moved := n.owner.make("restaurants?status=draft", `{"name":"SECRET once","tagline":"south"}`)
	n.owner.want(200, "PUT", "/content/restaurants/"+moved+"?status=draft", `{"data":{"name":"Mole","tagline":"north"}}`)
	list := n.nora.want(200, "GET", "/content/restaurants/"+moved+"/history", "")
	revisions := regexp.MustCompile(`"revision":(\d+)`).FindAllStringSubmatch(list.body, -1)
	if len(revisions) != 2 {
		t.Fatalf("the versions are %s", list.body)
	}
	newest, first := revisions[0][1], revisions[1][1]
	n.nora.want(200, "GET", "/content/restaurants/"+moved+"/history/"+newest, "")
	for _, path := range []string{"/history/" + first, "/history/" + newest + "?diff=" + first, "/history/" + first + "?diff=" + newest} {
		if a := n.nora.ask("GET", "/content/restaurants/"+moved+path, ""); a.status < 400 || strings.Contains(a.body, "SECRET") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := n.nora.ask("POST", "/content/restaurants/"+moved+"/history/"+first+"/restore", ""); a.status < 400 {
		t.Errorf("what was out of reach was restored: %s", a.body)
	}
	n.nora.want(204, "DELETE", "/content/restaurants/"+moved+"?locale=*", "")
	if a := n.nora.want(200, "GET", "/deleted/api::restaurant.restaurant", ""); !strings.Contains(a.body, "Mole") || strings.Contains(a.body, "SECRET") {
		t.Errorf("what was deleted: %s", a.body)
	}
}

// The values of an account decide at once; without the value, the role allows nothing, and only
// owners set values.
func TestAccountValues(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	account := "/accounts/" + n.account
	n.owner.want(200, "PUT", account, `{"values":{"team":"south"}}`)
	n.nora.want(200, "GET", "/content/restaurants/"+n.south, "")
	n.nora.want(404, "GET", "/content/restaurants/"+n.harbour, "")
	n.owner.want(200, "PUT", account, `{"values":{}}`)
	n.nora.want(403, "GET", "/content/restaurants", "")
	for body, key := range map[string]string{
		`{"values":{"a b":"x"}}`: "values.a b", `{"values":{"team":""}}`: "values.team", `{"values":{"team":"` + strings.Repeat("x", 257) + `"}}`: "values.team",
		`{"values":{"1":"x","2":"x","3":"x","4":"x","5":"x","6":"x","7":"x","8":"x","9":"x","10":"x","11":"x"}}`: "values",
	} {
		if a := n.owner.want(400, "PUT", account, body); !strings.Contains(a.body, `"`+key+`"`) {
			t.Errorf("%s names another key: %s", body, a.body)
		}
	}
	manager := n.owner.want(201, "POST", "/roles", `{"name":"Managers","rights":{"types":{"*":{"actions":["read","create","update","delete","publish","unpublish"],"locales":null}},"files":["read","upload","delete"],"releases":true,"site":["accounts","settings"]}}`).text("data.id")
	_, mia := n.owner.addAccount("mia", manager)
	mia.want(403, "PUT", account, `{"values":{"team":"south"}}`)
	mia.want(403, "POST", "/accounts", `{"name":"Kim","email":"kim@example.org","role":"`+n.role+`","values":{"team":"south"}}`)
	mia.want(200, "PUT", account, `{"name":"Nora"}`)
	limited := n.owner.want(201, "POST", "/roles", `{"name":"Team leads","rights":`+strings.Replace(northRights, `["settings"]`, `["settings","accounts"]`, 1)+`}`).text("data.id")
	id, lea := n.owner.addAccount("lea", limited)
	n.owner.want(200, "PUT", "/accounts/"+id, `{"values":{"team":"north"}}`)
	n.owner.want(200, "PUT", account, `{"values":{"team":"south"}}`)
	lea.want(403, "PUT", account, `{"name":"Taken over"}`)
	n.owner.want(200, "PUT", account, `{"values":{"team":"north"}}`)
	lea.want(200, "PUT", account, `{"name":"Nora"}`)
}

// Wrong conditions are refused, with the key.
func TestConditionsAreChecked(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	of := func(uid, where string) string {
		return `{"name":"R","rights":{"types":{"` + uid + `":{"actions":["read"],"locales":null,"where":[` + where + `]}}}}`
	}
	const dish = "api::dish.dish"
	many := strings.TrimSuffix(strings.Repeat(`{"attribute":"name","is":"x"},`, 21), ",")
	for body, key := range map[string]string{
		of(dish, `{"attribute":"gone","is":"x"}`): ".where.0.attribute", of(dish, `{"attribute":"photo","is":"x"}`): ".where.0.attribute", of(dish, `{"attribute":"name"}`): ".where.0.is",
		of(dish, `{"attribute":"name","is":"x","account":"y"}`): ".where.0.is", of(dish, `{"attribute":"name","account":"a b"}`): ".where.0.account", of(dish, `{"attribute":"allergens","is":"soap"}`): ".where.0.is",
		of("api::restaurant.restaurant", `{"attribute":"stars","is":"01"}`): ".where.0.is", of(dish, many): ".where", of("plugin::users-permissions.user", `{"attribute":"username","is":"x"}`): ".where",
	} {
		if a := v.want(400, "POST", "/roles", body); !strings.Contains(a.body, key+`"`) {
			t.Errorf("%s names another key than %s: %s", body, key, a.body)
		}
	}
}

// A preview link, an unsaved form and streams of changes keep to the conditions of their maker.
func TestConditionsOfPreviews(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	n.nora.want(404, "POST", "/content/restaurants/"+n.south+"/actions/preview-link", `{}`)
	a := n.nora.want(200, "POST", "/content/restaurants/"+n.harbour+"/actions/preview-link", `{}`)
	token := a.text("data.token")
	if token == "" {
		t.Fatalf("the link is %s", a.body)
	}
	for _, path := range []string{n.harbour + "?populate=*", n.harbour + "?populate[nearby][populate]=*", n.south} {
		reader := n.owner.client()
		if a := reader.ask("GET", "//api/restaurants/"+path, "", "Authorization", "Bearer "+token); strings.Contains(a.body, "SECRET") {
			t.Errorf("a preview link shows %s: %s", url.PathEscape(path), a.body)
		}
	}
}
