package admin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/admin"
)

// make writes a document and returns its documentId.
func (v *client) make(path, data string) string {
	v.t.Helper()
	return v.want(201, "POST", "/content/"+path, `{"data":`+data+`}`).text("data.documentId")
}

func TestDocument(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	chef := v.make("chefs", `{"name":"Ada","bio":"long"}`)
	id := v.make("restaurants", `{"name":"Blue Door","chef":"`+chef+`","sections":[{"__component":"section.quote","text":"q","chef":"`+chef+`"}],"opening_hours":[{"day":"mon"}]}`)
	v.want(200, "PUT", "/content/restaurants/"+id+"?status=draft", `{"data":{"name":"Red Door"}}`)
	v.want(200, "PUT", "/content/restaurants/"+id+"?status=draft&locale=fr", `{"data":{"name":"Porte rouge"}}`)
	a := v.want(200, "GET", "/documents/api::restaurant.restaurant/"+id, "")
	for path, want := range map[string]string{
		"data.draft.name": "Red Door", "data.published.name": "Blue Door", "data.draft.chef.name": "Ada", "data.draft.chef.documentId": chef, "data.draft.chef.bio": "null",
		"data.createdBy.kind": "admin", "data.createdBy.name": "Ana", "data.updatedBy.name": "Ana", "data.schedules": "[]", "data.autosave": "null",
	} {
		if got := a.text(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	for _, part := range []string{`"locale":"en","status":"modified"`, `"locale":"fr","status":"draft"`, `"__component":"section.quote"`, `"day":"mon"`} {
		if !strings.Contains(a.body, part) {
			t.Errorf("there is no %s in %s", part, a.body)
		}
	}
	version := v.want(200, "GET", "/content/restaurants/"+id+"?status=draft", "").header.Get("Quire-Version")
	if a.text("meta.version") != version {
		t.Errorf("the version is %s, not %s", a.text("meta.version"), version)
	}
	french := v.want(200, "GET", "/documents/api::restaurant.restaurant/"+id+"?locale=fr", "")
	if french.text("data.draft.name") != "Porte rouge" || french.text("data.published") != "null" {
		t.Errorf("in French: %s", french.body)
	}
	missing := v.want(200, "GET", "/documents/api::restaurant.restaurant/"+id+"?locale=it", "")
	if missing.text("data.draft") != "null" || !strings.Contains(missing.body, `"locale":"fr"`) {
		t.Errorf("in a locale that it lacks: %s", missing.body)
	}
	v.want(304, "GET", "/documents/api::restaurant.restaurant/"+id, "", "If-None-Match", a.header.Get("Etag"))
}

func TestDocumentOfOtherKinds(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	category := v.make("categories", `{"name":"Soups"}`)
	a := v.want(200, "GET", "/documents/api::category.category/"+category, "")
	if a.text("data.draft") != "null" || a.text("data.published.name") != "Soups" || !strings.Contains(a.body, `"status":"published"`) {
		t.Errorf("without drafts: %s", a.body)
	}
	empty := v.want(200, "GET", "/documents/api::homepage.homepage", "")
	if empty.text("data.draft") != "null" || empty.text("data.locales") != "[]" {
		t.Errorf("a single type that is still to be made: %s", empty.body)
	}
	v.want(200, "PUT", "/content/homepage?status=draft", `{"data":{"title":"Home"}}`)
	if a := v.want(200, "GET", "/documents/api::homepage.homepage", ""); a.text("data.draft.title") != "Home" || a.text("data.createdBy.name") != "Ana" {
		t.Errorf("a single type: %s", a.body)
	}
}

func TestDocumentsThatThereAreNot(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	id := o.owner().make("chefs?status=draft", `{"name":"Ada"}`)
	for _, test := range []struct {
		path   string
		status int
	}{
		{"/documents/api::chef.chef/none", 404},
		{"/documents/api::chef.chef", 404},
		{"/documents/api::homepage.homepage/" + id, 404},
		{"/documents/api::none.none/" + id, 404},
		{"/documents/section.quote/" + id, 404},
		{"/documents/plugin::users-permissions.user/" + id, 404},
		{"/documents/api::chef.chef/" + id + "?locale=fr", 200},
		{"/documents/api::chef.chef/" + id + "?locale=xx", 400},
		{"/documents/api::restaurant.restaurant/" + id + "?locale=xx", 400},
	} {
		v := o.client()
		v.want(401, "GET", test.path, "")
		v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
		a := v.want(test.status, "GET", test.path, "")
		if test.status == 400 && a.text("error.details.key") != "locale" {
			t.Errorf("%s: %s", test.path, a.body)
		}
	}
}

// Of a relation with many links not all are shown, and the answer says how many there are.
func TestDocumentWithManyLinks(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	chef := v.make("chefs", `{"name":"Ada"}`)
	for part := range 3 {
		var requests []string
		for i := range 400 {
			requests = append(requests, fmt.Sprintf(`{"method":"POST","url":"/api/restaurants?status=draft","body":{"data":{"name":"R %d","chef":"%s"}}}`, part*400+i, chef))
		}
		v.want(200, "POST", "/content/_batch", `{"requests":[`+strings.Join(requests, ",")+`]}`)
	}
	a := v.want(200, "GET", "/documents/api::chef.chef/"+chef, "")
	if n := strings.Count(a.body, `"name":"R `); n != 1000 || a.text("meta.counts.restaurants") != "1200" {
		t.Errorf("%d links are shown, and counted are %s", n, a.text("meta"))
	}
}

// What a role hides or may not read is not in a document that it opens, nor in what it
// sees of others.
func TestDocumentForARole(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	chef := v.make("chefs", `{"name":"Ada"}`)
	id := v.make("restaurants", `{"name":"Blue Door","secret_note":"private","chef":"`+chef+`","opening_hours":[{"day":"mon","note":"hidden"}]}`)
	path := "/documents/api::restaurant.restaurant/" + id
	reader := v.reader("reader", "api::restaurant.restaurant", `"name","opening_hours.note"`)
	a := reader.want(200, "GET", path, "")
	if a.text("data.draft.secret_note") != "private" || !strings.Contains(a.body, `"day":"mon"`) {
		t.Errorf("what it may see: %s", a.body)
	}
	for _, hidden := range []string{"Blue Door", "hidden", "Ada", chef, `"door_code"`} {
		if strings.Contains(a.body, hidden) {
			t.Errorf("there is %s in %s", hidden, a.body)
		}
	}
	chefs := v.reader("chefs", "api::chef.chef", "")
	chefs.want(404, "GET", path, "")
	if a := chefs.want(200, "GET", "/documents/api::chef.chef/"+chef, ""); strings.Contains(a.body, id) {
		t.Errorf("who reads chefs alone sees %s", a.body)
	}
	for _, links := range []struct {
		who  *client
		want int
	}{{v, 2}, {chefs, 0}} {
		if got := strings.Count(links.who.want(200, "GET", "/content/chefs/"+chef+"/links", "").body, `"path":"chef"`); got != links.want {
			t.Errorf("%d links to the chef, want %d", got, links.want)
		}
	}
}

// A document is opened as it was at one moment: somebody writes its draft and publishes it,
// again and again, so the draft is never more than one step ahead.
func TestAnOpenedDocumentIsOfOneMoment(t *testing.T) {
	o := openAdmin(t)
	v := o.owner()
	id := v.make("restaurants", `{"name":"Blue Door 0"}`)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for step := 1; ; step++ {
			select {
			case <-stop:
				return
			default:
			}
			v.ask("PUT", "/content/restaurants/"+id+"?status=draft", fmt.Sprintf(`{"data":{"name":"Blue Door %d"}}`, step))
			v.ask("POST", "/content/restaurants/"+id+"/actions/publish", "")
		}
	}()
	seen := map[string]bool{}
	for len(seen) < 50 {
		a := v.want(200, "GET", "/documents/api::restaurant.restaurant/"+id, "")
		draft, published := a.text("data.draft.name"), a.text("data.published.name")
		var ahead, behind int
		fmt.Sscanf(draft, "Blue Door %d", &ahead)
		fmt.Sscanf(published, "Blue Door %d", &behind)
		if ahead-behind != 0 && ahead-behind != 1 {
			t.Errorf("the draft is %s beside %s", draft, published)
		}
		seen[draft] = true
	}
	close(stop)
	<-done
}

// BenchmarkOpenDocument is the request with which the editor opens a document, without its
// connection.
func BenchmarkOpenDocument(b *testing.B) {
	o := openAdmin(b)
	v := o.owner()
	chef := v.make("chefs", `{"name":"Ada","bio":"long"}`)
	id := v.make("restaurants", `{"name":"Blue Door","chef":"`+chef+`","sections":[{"__component":"section.quote","text":"q","chef":"`+chef+`"}],"opening_hours":[{"day":"mon"}]}`)
	for b.Loop() {
		r := httptest.NewRequestWithContext(b.Context(), "GET", admin.APIPath+"/documents/api::restaurant.restaurant/"+id, nil)
		r.Header.Set("Cookie", "quire_admin="+v.cookie)
		w := httptest.NewRecorder()
		if o.handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
