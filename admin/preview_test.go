package admin_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"quire/documents"
)

// previewedSite is a site with addresses for previews.
func previewedSite(t *testing.T) *testAdmin {
	return openAdmin(t, `{
  "i18n"`, `{
  "preview": {"api::restaurant.restaurant": "https://front.example.org/{locale}/{slug}", "api::homepage.homepage": "https://front.example.org/"},
  "i18n"`)
}

// preview opens a preview of a form, and returns its id and its token.
func (v *client) preview(form string) (id, token string) {
	v.t.Helper()
	a := v.want(200, "POST", "/previews", form)
	return a.text("data.id"), tokenOf(v.t, a)
}

func tokenOf(t testing.TB, a *answer) string {
	t.Helper()
	u, err := url.Parse(a.text("data.url"))
	check(t, err)
	return u.Query().Get("previewToken")
}

// shown is what the holder of a token sees, who has no session.
func (o *testAdmin) shown(token, path string) *answer {
	o.t.Helper()
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	return o.client().ask("GET", "//api/"+path+sign+"previewToken="+token, "")
}

func restaurantForm(id, data string) string {
	return `{"uid":"api::restaurant.restaurant","documentId":"` + id + `","locale":"en","data":` + data + `}`
}

func TestAFormShowsInItsPreviewAlone(t *testing.T) {
	t.Parallel()
	o := previewedSite(t)
	v := o.owner()
	id := v.make("restaurants", `{"name":"Stored","slug":"stored"}`)
	other := v.want(200, "POST", "/content/restaurants/"+id+"/actions/preview-link", "").text("data.token")
	changes := v.want(200, "GET", "/content/_changes?status=draft", "").body
	a := v.want(200, "POST", "/previews", restaurantForm(id, `{"name":"Typed","slug":"typed"}`))
	token := tokenOf(t, a)
	if !strings.HasPrefix(a.text("data.url"), "https://front.example.org/en/typed?previewToken=") || a.text("data.expiresAt") == "null" {
		t.Errorf("opened: %s", a.body)
	}
	for _, path := range []string{"restaurants/" + id, "restaurants?filters[slug]=typed", "restaurants?filters[name]=Typed&sort=name", "restaurants/" + id + "?populate=*"} {
		got := o.shown(token, path)
		if got.status != 200 || !strings.Contains(got.body, `"name":"Typed"`) || got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != "private, no-store" || got.header.Get("Quire-Version") != "" {
			t.Errorf("the holder of the token at %s: %d %v %s", path, got.status, got.header, got.body)
		}
	}
	if got := o.shown(token, "restaurants/"+id+"?status=published"); !strings.Contains(got.body, `"name":"Stored"`) {
		t.Errorf("the published version: %s", got.body)
	}
	for who, got := range map[string]*answer{
		"the public":           o.client().ask("GET", "//api/restaurants?filters[slug]=typed", ""),
		"another link":         o.shown(other, "restaurants/"+id),
		"the account":          v.ask("GET", "/content/restaurants/"+id+"?status=draft", ""),
		"a search of it":       v.ask("GET", "/content/restaurants?status=draft&filters[name]=Typed", ""),
		"the editor":           v.ask("GET", "/documents/api::restaurant.restaurant/"+id, ""),
		"its history":          v.ask("GET", "/content/restaurants/"+id+"/history", ""),
		"the audit log":        v.ask("GET", "/audit", ""),
		"the log of changes":   v.ask("GET", "/content/_changes?status=draft", ""),
		"GraphQL of the token": o.client().ask("POST", "//graphql?previewToken="+token, `{"query":"{ restaurants { name } }"}`),
	} {
		if strings.Contains(got.body, "Typed") || strings.Contains(got.body, "typed") {
			t.Errorf("%s shows the form: %s", who, got.body)
		}
	}
	if now := v.want(200, "GET", "/content/_changes?status=draft", "").body; now != changes {
		t.Errorf("the log of changes was %s, and is %s", changes, now)
	}
	if log := o.log.String(); strings.Contains(log, "Typed") || strings.Contains(log, token) {
		t.Errorf("the log has the form or its token: %s", log)
	}
}

func TestAPreviewFollowsItsForm(t *testing.T) {
	t.Parallel()
	o := previewedSite(t)
	v := o.owner()
	doc := v.make("restaurants", `{"name":"Stored","slug":"stored"}`)
	id, token := v.preview(restaurantForm(doc, `null`))
	sees := func(want string) {
		t.Helper()
		if got := o.shown(token, "restaurants/"+doc); !strings.Contains(got.body, `"name":"`+want+`"`) {
			t.Errorf("%d %s, want %s", got.status, got.body, want)
		}
	}
	sees("Stored")
	a := v.want(200, "PUT", "/previews/"+id, `{"data":{"name":"First","slug":"first"}}`)
	if tokenOf(t, a) != token || !strings.Contains(a.body, "/en/first?") {
		t.Errorf("changed: %s", a.body)
	}
	sees("First")
	v.want(400, "PUT", "/previews/"+id, `{"data":{"name":"Second","stars":"many"}}`)
	v.want(400, "PUT", "/previews/"+id, `{"data":{"name":"Second","unknown":1}}`)
	v.want(400, "PUT", "/previews/"+id, `{"data":{"name":"Second","slug":""}}`) // an address needs it
	v.want(400, "PUT", "/previews/"+id, `{"data":[]}`)
	sees("First")
	v.want(200, "PUT", "/content/restaurants/"+doc+"?status=draft", `{"data":{"tagline":"from elsewhere"}}`)
	sees("First")
	if got := o.shown(token, "restaurants/"+doc); !strings.Contains(got.body, "from elsewhere") {
		t.Errorf("what somebody else has saved is missing: %s", got.body)
	}
	v.want(204, "DELETE", "/previews/"+id, "")
	sees("Stored")
	v.want(404, "PUT", "/previews/"+id, `{"data":null}`)
	v.want(404, "DELETE", "/previews/"+id, "")
}

func TestAPreviewOfANewDocument(t *testing.T) {
	t.Parallel()
	o := previewedSite(t)
	v := o.owner()
	v.want(400, "POST", "/previews", restaurantForm("", `{"name":"Idea"}`))
	a := v.want(200, "POST", "/previews", restaurantForm("", `{"name":"Idea","slug":"idea"}`))
	got := o.shown(tokenOf(t, a), "restaurants?filters[slug]=idea")
	if !strings.Contains(got.body, `"name":"Idea"`) || !strings.Contains(got.body, `"total":1`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if list := v.want(200, "GET", "/content/restaurants?status=draft", ""); list.text("meta.pagination.total") != "0" {
		t.Errorf("something was made: %s", list.body)
	}
	_, token := v.preview(`{"uid":"api::homepage.homepage","locale":"fr","data":{"title":"Accueil"}}`)
	if got := o.shown(token, "homepage?locale=fr"); !strings.Contains(got.body, `"title":"Accueil"`) {
		t.Errorf("a single type: %d %s", got.status, got.body)
	}
}

// Only the account that opened a preview can change it, and only as far as it may write.
func TestPreviewsHaveTheRightsOfTheAccount(t *testing.T) {
	t.Parallel()
	o := previewedSite(t)
	v := o.owner()
	doc := v.make("restaurants", `{"name":"Stored","slug":"stored"}`)
	id, _ := v.preview(restaurantForm(doc, `{"name":"Typed"}`))
	role := func(actions, hidden string) string {
		return v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::restaurant.restaurant":{"actions":[`+actions+`],"hidden":[`+hidden+`]}}}}`).text("data.id")
	}
	writes := role(`"read","update"`, `"tagline"`)
	_, reader := v.addAccount("reads", role(`"read"`, ""))
	_, writer := v.addAccount("writes", writes)
	for name, them := range map[string]*client{"reads": reader, "writes": writer} {
		if a := them.want(404, "PUT", "/previews/"+id, `{"data":{"name":"Mine"}}`); strings.Contains(a.body, "Typed") {
			t.Errorf("%s sees the form of another: %s", name, a.body)
		}
		them.want(404, "DELETE", "/previews/"+id, "")
	}
	reader.want(403, "POST", "/previews", restaurantForm(doc, `{"name":"Mine"}`))
	reader.want(404, "POST", "/previews", `{"uid":"api::homepage.homepage","data":null}`)
	writer.want(400, "POST", "/previews", restaurantForm(doc, `{"tagline":"Mine"}`))
	_, token := writer.preview(restaurantForm(doc, `{"name":"Mine"}`))
	v.want(200, "PUT", "/content/restaurants/"+doc+"?status=draft", `{"data":{"tagline":"hidden from them"}}`)
	if got := o.shown(token, "restaurants/"+doc+"?populate=*"); !strings.Contains(got.body, "Mine") || strings.Contains(got.body, "hidden from them") {
		t.Errorf("%d %s", got.status, got.body)
	}
	_, private := v.preview(restaurantForm(doc, `{"name":"Mine","secret_note":"private"}`))
	if got := o.shown(private, "restaurants/"+doc+"?populate=*"); !strings.Contains(got.body, "Mine") || strings.Contains(got.body, "private") || strings.Contains(got.body, "secret_note") {
		t.Errorf("a private attribute: %d %s", got.status, got.body)
	}
	v.want(200, "PUT", "/roles/"+writes, `{"name":"R","rights":{"types":{"api::restaurant.restaurant":{"actions":["read"]}}}}`)
	if got := o.shown(token, "restaurants/"+doc); got.status != 401 {
		t.Errorf("after the role has lost the right: %d %s", got.status, got.body)
	}
}

func TestPreviewsOfFormsAreBounded(t *testing.T) {
	t.Parallel()
	o := previewedSite(t)
	v := o.owner()
	doc := v.make("restaurants", `{"name":"Stored","slug":"stored"}`)
	first, token := v.preview(restaurantForm(doc, `{"name":"Typed"}`))
	for i := range documents.MostOwnForms {
		v.preview(restaurantForm(doc, fmt.Sprintf(`{"name":"Form %d"}`, i)))
	}
	v.want(404, "PUT", "/previews/"+first, `{"data":null}`)
	if got := o.shown(token, "restaurants/"+doc); !strings.Contains(got.body, "Stored") {
		t.Errorf("after it was dropped: %d %s", got.status, got.body)
	}
	long := strings.Repeat("x", documents.MostFormBytes)
	v.want(413, "POST", "/previews", restaurantForm(doc, `{"tagline":"`+long+`"}`))
	v.want(400, "POST", "/previews", `{"uid":"api::restaurant.restaurant","locale":"xx","data":null}`)
	v.want(400, "POST", "/previews", `{"uid":"api::review.review","documentId":"`+doc+`","data":null}`)
	v.want(404, "POST", "/previews", restaurantForm("_count", `null`))
	v.want(404, "POST", "/previews", restaurantForm("nothing", `{"name":"Typed"}`))
	v.want(404, "POST", "/previews", `{"uid":"api::nothing.nothing","data":null}`)
}
