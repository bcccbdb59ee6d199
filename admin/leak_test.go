package admin_test

import (
	"strings"
	"testing"
)

// Whoever makes a webhook sees all that it sends.
func TestWebhooksAndHiddenAttributes(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	const body = `{"data":{"name":"%","url":"https://example.org/","types":["api::dish.dish"]}}`
	hook := v.want(201, "POST", "/content/_webhooks", strings.ReplaceAll(body, "%", "all")).text("data.id")
	for hidden, status := range map[string]int{"": 201, "price": 403} {
		role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::dish.dish":{"actions":["read"],"hidden":[`+quoted(hidden)+`]}},"files":["read"],"site":["settings"]}}`).text("data.id")
		_, them := v.addAccount("sees"+hidden, role)
		a := them.want(status, "POST", "/content/_webhooks", strings.ReplaceAll(body, "%", "sees "+hidden))
		if strings.Contains(a.body, "price") {
			t.Errorf("it names what is hidden: %s", a.body)
		}
		if status == 403 {
			them.want(403, "PUT", "/content/_webhooks/"+hook, `{"data":{"url":"https://example.com/"}}`)
		}
	}
}

// The schedules of documents show to those alone who may publish them or take them back.
func TestSchedulesAndRights(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	soup, chef := v.make("restaurants?status=draft", `{"name":"Soup"}`), v.make("chefs", `{"name":"Ada"}`)
	v.want(202, "POST", "/content/restaurants/"+soup+"/actions/publish", `{"at":"2031-05-04T09:00:00Z"}`)
	list := "/content/_schedules?type=api::restaurant.restaurant&documentId[]=" + soup + "&documentId[]=" + chef
	if a := v.want(200, "GET", list, ""); a.text("meta.pagination.total") != "1" || !strings.Contains(a.body, soup) {
		t.Errorf("an owner sees %s", a.body)
	}
	for rights, status := range map[string]int{
		`"api::restaurant.restaurant":{"actions":["read"]}`:                                                   403,
		`"api::dish.dish":{"actions":["read","publish"]}`:                                                     200,
		`"api::dish.dish":{"actions":["read","publish"]},"api::restaurant.restaurant":{"actions":["update"]}`: 200,
	} {
		role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{`+rights+`}}}`).text("data.id")
		_, them := v.addAccount("them"+role, role)
		if a := them.want(status, "GET", list, ""); strings.Contains(a.body, soup) {
			t.Errorf("with %s: %s", rights, a.body)
		}
		v.want(204, "DELETE", "/accounts/"+them.ask("GET", "/session", "").text("data.account.id"), "")
		v.want(204, "DELETE", "/roles/"+role, "")
	}
}

// Whoever may change some locales alone plans nothing that would change others when it is
// done: values that all locales share.
func TestSchedulesAndSharedValues(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	soup := v.make("restaurants", `{"name":"Soup","stars":1}`)
	v.want(200, "PUT", "/content/restaurants/"+soup+"?locale=fr", `{"data":{"name":"Soupe"}}`)
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::restaurant.restaurant":{"actions":["read","update","publish"],"locales":["fr"]}},"releases":true}}`).text("data.id")
	_, them := v.addAccount("them", role)
	const at = `"at":"2031-05-04T09:00:00Z"`
	step := `{"data":{"name":"%","steps":[{"type":"api::restaurant.restaurant","documentId":"` + soup + `","action":"publish","locales":["fr"]}]`
	plan := func(name string, scheduled, made, changed int) {
		t.Helper()
		them.want(scheduled, "POST", "/content/restaurants/"+soup+"/actions/publish?locale=fr", `{`+at+`}`)
		body := strings.ReplaceAll(step, "%", name)
		them.want(made, "POST", "/content/_releases", body+`,`+at+`}}`)
		id := them.want(201, "POST", "/content/_releases", body+`}}`).text("data.id")
		them.want(changed, "PUT", "/content/_releases/"+id, `{"data":{`+at+`}}`)
	}
	plan("fine", 202, 201, 200)
	v.want(200, "PUT", "/content/restaurants/"+soup+"?status=draft", `{"data":{"stars":5}}`)
	them.want(403, "POST", "/content/restaurants/"+soup+"/actions/publish?locale=fr", "")
	plan("refused", 403, 403, 403)
}

// quoted is a text in quotes, nothing for none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + text + `"`
}

// The paths of figures are no documents.
func TestFiguresAreNoDocuments(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	v.make("restaurants", `{"name":"Blue Door"}`)
	for _, name := range []string{"_count", "_aggregate", "_"} {
		v.want(404, "GET", "/documents/api::restaurant.restaurant/"+name, "")
		v.want(404, "PUT", "/autosaves/api::restaurant.restaurant/"+name, `{"form":{}}`)
		v.want(404, "GET", "/live?uid=api::restaurant.restaurant&documentId="+name, "")
	}
}

// Who has a document open does not hear of attributes that the role hides, where somebody
// else types in them.
func TestPresenceAndHiddenAttributes(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	id := v.make("restaurants", `{"name":"Blue Door"}`)
	them := v.reader("them", "api::restaurant.restaurant", `"tagline","opening_hours.note"`)
	query := "uid=api::restaurant.restaurant&documentId=" + id
	ana := v.live(at, query)
	ana.people(1)
	ears := them.live(at, query)
	ears.people(2)
	ana.people(2)
	v.want(204, "PUT", "/live/"+ana.name, `{"editing":["tagline","name","opening_hours.0.note","opening_hours.0.day"]}`)
	if got := ana.people(2)[0]; got != "Ana  [tagline name opening_hours.0.note opening_hours.0.day]" {
		t.Errorf("who sees all hears %s", got)
	}
	if got := ears.people(2)[0]; got != "Ana  [name opening_hours.0.day]" {
		t.Errorf("who does not hears %s", got)
	}
}

// The users of the site are not named to accounts that may not find them.
func TestUsersAreNotNamed(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	them := v.reader("them", "api::category.category", "")
	member := o.client().want(200, "POST", "//api/auth/local/register", `{"username":"mia","email":"mia@example.org","password":"`+secret+`"}`)
	o.client().want(201, "POST", "//api/categories", `{"data":{"name":"Soups"}}`, "Authorization", "Bearer "+member.text("jwt"))
	mia := member.text("user.documentId")
	if a := v.want(200, "GET", "/home", ""); mia == "null" || !strings.Contains(a.body, `"updatedBy":{"kind":"user","id":"`+mia) {
		t.Errorf("an owner sees %s", a.body)
	}
	if a := them.want(200, "GET", "/home", ""); !strings.Contains(a.body, `"updatedBy":{"kind":"user"}`) {
		t.Errorf("a reader sees %s", a.body)
	}
}
