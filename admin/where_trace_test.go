package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// nobodys is the id of a document that never was.
const nobodys = "zzzzzzzzzzzzzzzzzzzzzzzz"

// A document that does not exist for an account is to it like one that never was: whatever it asks
// or writes, status, headers and body of the response are the same.
func TestUnseenIsLikeNeverWas(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	const uid, all = "api::restaurant.restaurant", "/content/restaurants"
	tries := 0
	for _, one := range []struct {
		method, path, body string
		headers            []string
	}{
		{"GET", all + "/ID", "", nil}, {"GET", all + "/ID?status=draft", "", nil}, {"GET", all + "/ID?locale=fr", "", nil}, {"GET", all + "/ID?include=state&status=draft", "", nil},
		{"GET", all + "/ID?populate=*", "", nil}, {"GET", all + "/ID", "", []string{"If-None-Match", "*"}}, {"GET", all + "/ID", "", []string{"X-Quire-Explain", "1"}},
		{"HEAD", all + "/ID", "", nil}, {"GET", all + "/ID/links", "", nil}, {"GET", all + "/ID/history", "", nil}, {"GET", all + "/ID/history?at=2030-01-01T00:00:00Z", "", nil},
		{"GET", all + "/ID/history/3", "", nil}, {"GET", all + "/ID/schedule", "", nil}, {"GET", "/content/_schedules?type=" + uid + "&documentId=ID", "", nil},
		{"GET", all + "?filters[documentId]=ID", "", nil}, {"GET", all + "?filters[nearby][documentId]=ID", "", nil}, {"GET", all + "?filters[documentId][$ne]=ID&fields=name", "", nil},
		{"GET", "/content/chefs?filters[restaurants][documentId]=ID", "", nil}, {"GET", "/content/chefs?filters[$not][restaurants][documentId]=ID&fields=name", "", nil}, {"GET", "/content/categories?filters[restaurants][documentId][$in]=ID", "", nil},
		{"PUT", all + "/ID", `{"data":{"name":"Mine"}}`, nil}, {"PUT", all + "/ID?status=draft", `{"data":{"name":"Mine"}}`, nil}, {"PUT", all + "/ID?locale=it", `{"data":{"name":"Mine"}}`, nil},
		{"PUT", all + "/ID", `{"data":{"name":"Mine"}}`, []string{"If-Match", `"1"`}}, {"PUT", all + "/ID", `{"data":{"name":"Mine"}}`, []string{"If-Match", "*"}}, {"PUT", all + "/ID", `{"data":{"name":"Mine"}}`, []string{"If-None-Match", "*"}},
		{"PUT", all + "/ID", `{"data":{"name":"x"}}`, nil}, {"PUT", all + "/ID", `{"data":{"slug":"SECRET-slug"}}`, nil},
		{"DELETE", all + "/ID", "", nil}, {"DELETE", all + "/ID?locale=*", "", nil}, {"DELETE", all + "/ID", "", []string{"If-Match", `"1"`}}, {"DELETE", all + "/ID", "", []string{"If-Match", "*"}}, {"DELETE", all + "/ID", "", []string{"If-None-Match", "*"}},
		{"POST", all + "/ID/actions/publish", `{}`, nil}, {"POST", all + "/ID/actions/publish", `{}`, []string{"If-Match", `"1"`}}, {"POST", all + "/ID/actions/unpublish?locale=*", `{}`, nil}, {"POST", all + "/ID/actions/discard-draft", `{}`, nil},
		{"POST", all + "/ID/actions/duplicate", `{}`, nil}, {"POST", all + "/ID/actions/duplicate", `{"data":{"name":"Copy"}}`, []string{"If-Match", `"1"`}}, {"POST", all + "/ID/actions/preview-link", `{}`, nil}, {"POST", all + "/ID/actions/publish", `{"at":"2031-05-04T09:00:00Z"}`, nil},
		{"POST", all + "/ID/history/3/restore", "", nil}, {"POST", all + "/ID/history/3/restore", "", []string{"If-Match", `"1"`}},
		{"PUT", all + "/HARBOUR", `{"data":{"nearby":{"connect":["ID"]}}}`, nil}, {"PUT", all + "/HARBOUR", `{"data":{"nearby":{"set":[{"documentId":"ID"}]}}}`, nil}, {"PUT", all + "/HARBOUR", `{"data":{"nearby":{"connect":[{"documentId":"HARBOUR","position":{"before":"ID"}}]}}}`, nil},
		{"PUT", all + "/HARBOUR", `{"data":{"sections":[{"__component":"section.related","heading":"H","restaurants":["ID"]}]}}`, nil}, {"PUT", "/content/chefs/CHEF", `{"data":{"restaurants":["ID"]}}`, nil},
		{"PUT", "/content/categories/CATEGORY", `{"data":{"restaurants":{"connect":["ID"]}}}`, nil}, {"POST", "/content/reviews", `{"data":{"note":1,"restaurant":"ID"}}`, nil},
		{"POST", "/content/_batch", `{"requests":[{"method":"PUT","path":"/api/restaurants/ID","body":{"data":{"name":"Mine"}}}]}`, nil}, {"POST", "/content/_batch", `{"requests":[{"method":"DELETE","path":"/api/restaurants/ID","ifMatch":"1"}]}`, nil},
		{"POST", "/content/_releases", `{"data":{"name":"R","steps":[{"type":"` + uid + `","documentId":"ID","action":"publish"}]}}`, nil},
		{"GET", "/documents/" + uid + "/ID", "", nil}, {"GET", "/documents/" + uid + "/ID?locale=fr", "", nil}, {"GET", "/links/" + uid + "?documentIds=ID", "", nil},
		{"GET", "/reviews/" + uid + "?documents=ID", "", nil}, {"GET", "/reviews/" + uid + "/ID", "", nil}, {"PUT", "/reviews/" + uid + "/ID", `{"due":"2031-01-01"}`, nil}, {"GET", "/reviews/" + uid + "/ID/people", "", nil}, {"POST", "/reviews/" + uid + "/ID/comments", `{"text":"Hello"}`, nil},
		{"GET", "/undo?by=*&since=2020-01-01T00:00:00Z&type=" + uid + "&documentId=ID", "", nil}, {"POST", "/undo", `{"by":"*","since":"2020-01-01T00:00:00Z","type":"` + uid + `","documentId":"ID"}`, nil},
		{"POST", "/previews", `{"type":"` + uid + `","documentId":"ID","data":{"name":"Mine"}}`, nil},
	} {
		ask := func(id string) string {
			named := strings.NewReplacer("ID", id, "HARBOUR", n.harbour, "CHEF", n.chef, "CATEGORY", n.category)
			a := n.nora.ask(one.method, named.Replace(one.path), strings.ReplaceAll(named.Replace(one.body), "document"+id, "documentID"), one.headers...)
			if a.status >= 500 {
				t.Errorf("%s %s %s: %d %s", one.method, one.path, one.body, a.status, a.body)
			}
			return sameWithout(a, id)
		}
		want := ask(nobodys)
		for _, id := range []string{n.south, n.buried} {
			tries++
			if got := ask(id); got != want {
				t.Errorf("%s %s %s %q tells that a document is there:\n%s\nand for one that never was:\n%s", one.method, one.path, one.body, one.headers, got, want)
			}
		}
	}
	if tries < 100 {
		t.Errorf("only %d tries", tries)
	}
}

// sameWithout is a response without what differs between any two.
func sameWithout(a *answer, id string) string {
	h := a.header.Clone()
	for _, name := range []string{"X-Request-Id", "Date", "Quire-Snapshot", "Etag"} {
		h.Del(name)
	}
	if a.status < 300 && h.Get("Quire-Version") != "" { // of a document that is there
		h.Del("Quire-Version")
	}
	lines := fmt.Sprint(a.status, " ", h)
	body := strings.ReplaceAll(a.body, id, "ID")
	return lines + "\n" + regexp.MustCompile(`"(updatedAt|publishedAt|createdAt|at|id|url|token|revision|expiresAt|since|version|documentId)":("[^"]*"|\d+)`).ReplaceAllString(body, `"$1":_`)
}

// Whoever may read only some documents reads the same, byte by byte, as if the others had been
// deleted: in lists, counts, figures, orders, pages, searches and on the pages of the admin.
func TestUnseenIsLikeDeleted(t *testing.T) {
	t.Parallel()
	n := openNorthWith(t, `"auth": {`, `"graphql": { "enabled": true, "endpoint": "/api/graphql" }, "auth": {`)
	v := n.owner
	v.want(200, "PUT", "/content/homepage", `{"data":{"title":"Home","featured":["`+n.south+`","`+n.harbour+`"],"sections":[{"__component":"section.related","heading":"Ours","restaurants":["`+n.south+`","`+n.harbour+`"]}]}}`)
	pier := v.make("restaurants", `{"name":"Pier","tagline":"north","stars":3,"vegan":true}`)
	v.make("restaurants?locale=fr", `{"name":"Quai","tagline":"north","stars":2}`)
	gone := []string{n.south, v.make("restaurants?status=draft", `{"name":"SECRET draft","tagline":"south","stars":4}`), v.make("restaurants?locale=fr", `{"name":"SECRET fr","tagline":"south","stars":5}`), v.make("restaurants", `{"name":"SECRET null","chef":"`+n.chef+`"}`)}
	v.want(200, "PUT", "/content/restaurants/"+gone[3]+"?locale=fr", `{"data":{"name":"SECRET","tagline":"South"}}`)
	v.want(200, "PUT", "/content/restaurants/"+pier+"?locale=fr", `{"data":{"name":"SECRET jetee","tagline":"south"}}`)
	v.want(200, "PUT", "/content/restaurants/"+pier+"?locale=it", `{"data":{"name":"Molo","tagline":"north"}}`)
	paths := []string{"/home", "/search?q=SECRET", "/search?q=e", "/deleted/api::restaurant.restaurant", "/documents/api::restaurant.restaurant/" + pier, "/documents/api::restaurant.restaurant/" + pier + "?locale=fr", "/links/api::chef.chef?documentIds=" + n.chef,
		"/content/restaurants/" + pier + "?include=state&status=draft&populate=*", "/content/restaurants/" + pier + "?locale=fr", "/content/restaurants/" + pier + "/history?locale=it", "/content/restaurants/" + pier + "/history?locale=fr", "/reviews/api::restaurant.restaurant/" + pier + "?locale=fr", "/reviews/api::restaurant.restaurant?locale=fr&documents=" + pier,
		"/content/homepage?populate[featured]=*&populate[sections][on][section.related][populate]=restaurants", "/content/homepage?populate[featured][count]=true", "/content/homepage?status=draft&populate[sections][populate]=*", "/content/homepage?filters[featured][tagline]=south", "/content/_schedules", "/content/_search?q=SECRET", "/content/_suggest?q=SE",
		"/content/chefs/" + n.chef + "/links", "/content/categories/" + n.category + "/links", "/content/restaurants/" + n.harbour + "/links", "/content/restaurants/" + pier + "/links",
		"/content/graphql?query=" + `{restaurants(sort:"stars:desc"){name nearby{name} chef{name restaurants{name}} localizations{name}} restaurants_connection{pageInfo{total} nodes{name}} chefs(filters:{restaurants:{stars:{gt:3}}}){name} categories{name restaurants_connection{pageInfo{total}}}}`,
	}
	for _, status := range []string{"", "&status=draft"} {
		for _, locale := range []string{"", "&locale=fr", "&locale=it", "&locale=*", "&locale=it&fallback=fr", "&locale=fr&fallback=en"} {
			for _, q := range []string{
				"restaurants?sort=stars:desc", "restaurants?sort=tagline,name:desc&pagination[pageSize]=1", "restaurants?sort=nearby.stars:desc&populate=*", "restaurants?populate=localizations", "restaurants?include=state", "restaurants?sort=-stars&pagination[pageSize]=2&pagination[after]=",
				"restaurants?filters[tagline][$ne]=north", "restaurants?filters[tagline][$null]=true", "restaurants?filters[$not][stars][$lt]=4", "restaurants?filters[tagline][$notIn]=north&filters[tagline][$notIn]=x", "restaurants?filters[nearby][id][$null]=true", "restaurants?filters[nearby][stars][$gt]=3", "restaurants?filters[$not][nearby][stars][$gt]=3", "restaurants?filters[nearby][chef][restaurants][stars]=5",
				"restaurants?filters[secret_note][$notNull]=true", "restaurants?filters[slug][$startsWith]=S", "restaurants?_q=SECRET", "restaurants/_count?filters[stars][$gte]=0", "restaurants/_aggregate?groupBy=tagline&count=true&max=stars&min=name&sum=stars&avg=stars", "restaurants/_aggregate?groupBy=nearby.tagline&count=true", "restaurants/_search?q=SECRET&facets=tagline", "restaurants/_search?q=e&facets=tagline,stars&highlight=name", "restaurants/_suggest?q=SE",
				"chefs?sort=restaurants.stars:desc&populate[restaurants][count]=true", "chefs?populate[restaurants][sort]=stars:desc&populate[restaurants][pagination][pageSize]=1", "chefs?populate[restaurants][filters][tagline][$ne]=north", "chefs?filters[restaurants][tagline]=south", "chefs?filters[$not][restaurants][tagline]=south", "chefs?filters[restaurants][tagline][$null]=true", "chefs?filters[restaurants][id][$notNull]=true", "chefs/_aggregate?groupBy=restaurants.tagline&count=true&max=restaurants.stars",
				"categories?populate[restaurants][populate]=chef", "categories?filters[restaurants][stars]=5", "categories?sort=restaurants.name:desc", "reviews?populate=*", "reviews?filters[restaurant][stars]=5", "reviews?filters[restaurant][id][$null]=true", "reviews?sort=restaurant.name", "reviews/_aggregate?groupBy=restaurant.tagline&count=true",
			} {
				paths = append(paths, "/content/"+q+map[bool]string{true: "&", false: "?"}[strings.Contains(q, "?")]+strings.TrimPrefix(status+locale, "&"))
			}
		}
	}
	before, requests := map[string]string{}, 0
	for _, path := range paths {
		for range 3 { // the last one can come from the cache
			a := n.nora.ask("GET", path, "")
			if strings.Contains(a.body, "SECRET") && !strings.Contains(path, "SECRET") || strings.Contains(a.body, `"SECRET`) {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
			if a.status == http.StatusOK {
				requests++
			} else if a.status != 404 && a.status != 400 {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
			before[path] = fmt.Sprint(a.status, " ", a.body)
		}
	}
	for _, id := range gone {
		v.want(204, "DELETE", "/content/restaurants/"+id+"?locale=*", "")
	}
	v.want(204, "DELETE", "/content/restaurants/"+pier+"?locale=fr", "")
	for _, path := range paths {
		a := n.nora.ask("GET", path, "")
		if after := fmt.Sprint(a.status, " ", a.body); unversioned(after) != unversioned(before[path]) {
			t.Errorf("%s: %s\nand when what is unseen is deleted\n%s", path, before[path], after)
		}
	}
	if requests < 2*len(paths) {
		t.Errorf("only %d of %d requests have a response", requests/3, len(paths))
	}
}

// Each version counts by itself: of a document that an account sees in one locale, or as it is
// published, nothing shows that there is another version.
func TestUnseenVersions(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	v := n.owner
	const all, uid = "/content/restaurants/", "api::restaurant.restaurant"
	pier := v.make("restaurants?locale=fr", `{"name":"Jetee","tagline":"north"}`)
	v.want(200, "PUT", all+pier, `{"data":{"name":"SECRET pier","tagline":"south"}}`)
	v.want(202, "POST", all+pier+"/actions/publish", `{"at":"2031-05-04T09:00:00Z"}`)
	v.want(200, "PUT", "/reviews/"+uid+"/"+pier, `{"due":"2031-01-01"}`)
	v.want(200, "PUT", all+n.harbour+"?status=draft", `{"data":{"name":"SECRET draft","tagline":"south"}}`)
	for path, missing := range map[string]string{
		"/content/_schedules": pier, all + pier + "/schedule": "publish", "/home": "SECRET", "/past?since=2020-01-01T00:00:00Z": `"locale":"en","title":""`,
		"/reviews/" + uid + "?locale=en&documents=" + pier: pier, "/documents/" + uid + "/" + pier: `"locale":"en"`, all + pier + "?locale=fr&include=state&status=draft&populate=localizations": `"locale":"en"`,
		all + n.harbour + "?include=state": "modified", all + n.harbour + "?publicationFilter=modified": n.harbour, "/content/restaurants?publicationFilter=modified": n.harbour, all + n.harbour + "/history": `"draft"`,
	} {
		if a := n.nora.ask("GET", path, ""); strings.Contains(a.body, missing) || strings.Contains(a.body, "SECRET") || a.status >= 500 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, title := range []string{"Jetee", "Harbour"} {
		if a := n.nora.want(200, "GET", "/past?since=2020-01-01T00:00:00Z", ""); !strings.Contains(a.body, `"title":"`+title+`"`) {
			t.Errorf("what was changed has no %s: %s", title, a.body)
		}
	}
	if a := n.nora.want(200, "GET", "/reviews/"+uid+"?locale=fr&documents="+pier, ""); !strings.Contains(a.body, pier) {
		t.Errorf("the stage of what it sees: %s", a.body)
	}
}

// What is out of reach does not come back by undoing, and undoing shows nothing of it.
func TestUndoingWithConditions(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	v := n.owner
	const all, uid = "/content/restaurants/", "api::restaurant.restaurant"
	moved := v.make("restaurants?status=draft", `{"name":"SECRET once","tagline":"south"}`)
	first := moment()
	v.want(200, "PUT", all+moved+"?status=draft", `{"data":{"name":"Mole","tagline":"north"}}`)
	second := moment()
	v.want(200, "PUT", all+moved+"?status=draft", `{"data":{"name":"Mole 2"}}`)
	v.want(200, "PUT", all+n.south, `{"data":{"name":"SECRET more"}}`)
	for _, path := range []string{"/undo?by=*&since=" + first, "/undo?by=*&since=" + first + "&type=" + uid + "&documentId=" + moved, "/undo?by=*&since=" + second, "/undo?by=*&since=" + first + "&until=" + second, "/past?since=" + first + "&until=" + second} {
		if a := n.nora.ask("GET", path, ""); strings.Contains(a.body, "SECRET") || strings.Contains(a.body, n.south) || a.status >= 500 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := n.nora.ask("POST", "/undo", `{"by":"*","since":"`+first+`"}`); a.status < 400 || strings.Contains(a.body, "SECRET") {
		t.Errorf("a version out of reach was restored: %d %s", a.status, a.body)
	}
	n.nora.want(200, "POST", "/undo", `{"by":"*","since":"`+second+`"}`)
	if a := n.nora.want(200, "GET", all+moved+"?status=draft", ""); a.text("data.name") != "Mole" {
		t.Errorf("after undoing: %s", a.body)
	}
	if a := v.want(200, "GET", all+n.south, ""); a.text("data.name") != "SECRET more" {
		t.Errorf("undoing changed what the account does not see: %s", a.body)
	}
}

// A page of a preview shows no more than its account sees, whatever the form has.
func TestPreviewsWithConditions(t *testing.T) {
	t.Parallel()
	n := openNorthWith(t, `{
  "i18n"`, `{
  "preview": {"api::restaurant.restaurant": "https://front.example.org/{locale}"},
  "i18n"`)
	id, token := n.nora.preview(restaurantForm(n.harbour, `{"name":"Typed"}`))
	for _, path := range []string{"/restaurants/" + n.harbour + "?status=draft&populate=*", "/restaurants/" + n.harbour + "?status=draft&populate[nearby][count]=true", "/restaurants/" + n.harbour + "?status=draft&populate[chef][populate]=restaurants", "/restaurants/" + n.south + "?status=draft", "/restaurants?status=draft"} {
		if a := n.owner.shown(token, path); strings.Contains(a.body, "SECRET") || strings.Contains(a.body, n.south) && a.status == 200 || a.status >= 500 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, data := range []string{`{"name":"Typed","nearby":["` + n.south + `"]}`, `{"name":"Typed","tagline":"south"}`} {
		if a := n.nora.ask("PUT", "/previews/"+id, `{"data":`+data+`}`); a.status != 400 && a.status != 403 {
			t.Errorf("%s: %d %s", data, a.status, a.body)
		}
	}
	n.nora.want(404, "POST", "/previews", restaurantForm(n.south, `{"name":"Typed"}`))
}

// A stream is about documents that exist for the account, also if it is heard again from an earlier
// event.
func TestStreamsWithConditions(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	at, v := n.owner.online(), n.owner
	n.nora.want(404, "GET", "/live?uid=api::restaurant.restaurant&documentId="+n.south, "")
	begin := v.want(200, "GET", "/content/chefs/"+n.chef, "").header.Get("Quire-Snapshot")
	now := n.nora.live(at, "device=desk")
	v.want(200, "PUT", "/content/restaurants/"+n.south+"?status=draft", `{"data":{"name":"SECRET 2"}}`)
	v.make("restaurants?status=draft", `{"name":"SECRET 3","tagline":"south"}`)
	v.want(200, "PUT", "/content/restaurants/"+n.south+"?locale=fr&status=draft", `{"data":{"name":"SECRET 4"}}`)
	v.want(204, "DELETE", "/content/restaurants/"+n.south+"?locale=fr", "")
	v.want(200, "PUT", "/content/restaurants/"+n.harbour+"?status=draft", `{"data":{"name":"Harbour 2"}}`)
	again := n.nora.live(at, "device=desk&since="+begin)
	for name, e := range map[string]*ear{"as it happens": now, "from an earlier event": again} {
		if data := e.next("change"); !strings.Contains(data, n.harbour) || strings.Contains(data, n.south) {
			t.Errorf("%s, it heard %s", name, data)
		}
	}
}

// A subscription of GraphQL shows what exists for the account, and no more of it through relations.
func TestSubscriptionsWithConditions(t *testing.T) {
	t.Parallel()
	n := openNorthWith(t, `"auth": {`, `"graphql": { "enabled": true, "endpoint": "/api/graphql" }, "auth": {`)
	at, v := n.owner.online(), n.owner
	asks := func(text string) *ear { return n.nora.hear(at, "/content/graphql?query="+url.QueryEscape(text)) }
	chefs := asks(`subscription { chefChanged(status: DRAFT) { entry { name restaurants { name documentId } } } }`)
	asks(`subscription { restaurantChanged(documentId: "` + n.south + `", status: DRAFT) { documentId } }`) // as one to a document that never was
	restaurants := asks(`subscription { restaurantChanged(status: DRAFT) { action documentId entry { name nearby { name } } } }`)
	v.want(200, "PUT", "/content/restaurants/"+n.south+"?status=draft", `{"data":{"name":"SECRET 2"}}`)
	v.make("restaurants?status=draft", `{"name":"SECRET 3","tagline":"south"}`)
	v.want(200, "PUT", "/content/chefs/"+n.chef, `{"data":{"name":"Bob"}}`)
	v.want(200, "PUT", "/content/restaurants/"+n.harbour+"?status=draft", `{"data":{"name":"Harbour 2"}}`)
	if data := restaurants.next("next"); !strings.Contains(data, n.harbour) || strings.Contains(data, "SECRET") {
		t.Errorf("restaurants: %s", data)
	}
	if data := chefs.next("next"); !strings.Contains(data, n.harbour) || strings.Contains(data, n.south) || strings.Contains(data, "SECRET") {
		t.Errorf("chefs: %s", data)
	}
}

// unversioned is a response without versions and times of documents, which an account may know
// of those that it sees.
func unversioned(text string) string {
	return regexp.MustCompile(`"(version|updatedAt|revision|at|score)":("[^"]*"|[\d.]+)`).ReplaceAllString(text, `"$1":_`)
}

// Two accounts of one role with different values never get the response of the other one, neither
// from the cache nor as 304.
func TestValuesArePartOfTags(t *testing.T) {
	t.Parallel()
	n := openNorth(t)
	other, sam := n.owner.addAccount("sam", n.role)
	n.owner.want(200, "PUT", "/accounts/"+other, `{"values":{"team":"south"}}`)
	for _, path := range []string{"/content/restaurants", "/content/restaurants?populate=*", "/content/restaurants/_count", "/content/chefs?populate=restaurants", "/content/restaurants/" + n.harbour, "/content/restaurants/_aggregate?groupBy=tagline&count=true", "/content/categories/" + n.category + "?populate=*"} {
		var tags []string
		for range 3 {
			a := n.nora.ask("GET", path, "")
			if strings.Contains(a.body, "SECRET") || strings.Contains(a.body, "south") {
				t.Errorf("%s: %s", path, a.body)
			}
			tags = append(tags, a.header.Get("Etag"))
			b := sam.ask("GET", path, "", "If-None-Match", strings.Join(slices.Compact(tags), ", "))
			if b.status == 304 || strings.Contains(b.body, "Harbour") || b.body == a.body && a.status == 200 && !strings.Contains(path, "_count") {
				t.Errorf("%s: the other account gets %d %s", path, b.status, b.body)
			}
		}
	}
	tag := n.nora.ask("GET", "/content/restaurants", "").header.Get("Etag")
	n.owner.want(200, "PUT", "/accounts/"+n.account, `{"values":{"team":"south"}}`)
	if a := n.nora.ask("GET", "/content/restaurants", "", "If-None-Match", tag); a.status != 200 || !strings.Contains(a.body, "SECRET") {
		t.Errorf("after another value: %d %s", a.status, a.body)
	}
}
