package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// linksOf returns the links to what is at a path, each as its type, status and path.
func linksOf(t *testing.T, a *answer) []string {
	t.Helper()
	var found struct {
		Data []struct{ Type, DocumentID, Locale, Status, Title, Path string }
	}
	check(t, json.Unmarshal([]byte(a.body), &found))
	list := []string{}
	for _, l := range found.Data {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", l.Type, l.Locale, l.Status, l.Path, l.Title)))
	}
	return list
}

func TestWhatLinksToADocument(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	chef := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Blue Door", "chef": "`+chef+`", "sections": [{"__component": "section.quote", "text": "q", "chef": "`+chef+`"}]}}`)
	c.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Draft", "chef": "`+chef+`"}}`)
	path := "/api/chefs/" + chef + "/links"
	want := []string{
		"api::restaurant.restaurant en draft chef Blue Door", "api::restaurant.restaurant en draft sections.chef Blue Door",
		"api::restaurant.restaurant en published chef Blue Door", "api::restaurant.restaurant en published sections.chef Blue Door",
		"api::restaurant.restaurant en draft chef Draft",
	}
	a := c.send("full", "GET", path, "")
	if got := linksOf(t, a); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if a := c.send("full", "GET", path, "", held(a.header.Get("ETag"))...); a.status != 304 {
		t.Errorf("asked again: %d", a.status)
	}
	if got := linksOf(t, c.send("full", "GET", path+"?pagination[start]=1&pagination[limit]=2", "")); fmt.Sprint(got) != fmt.Sprint(want[1:3]) {
		t.Errorf("a page is %q", got)
	}
	c.send("full", "DELETE", "/api/chefs/"+chef, "")
	if a := c.send("full", "GET", path, "", held(a.header.Get("ETag"))...); a.status != 404 {
		t.Errorf("of a document that is gone: %d %s", a.status, a.body)
	}
}

func TestWhatShowsAFile(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	file := fmt.Sprint(c.uploaded(part{"files", "door.txt", "text"})[0].ID)
	c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup", "photo": `+file+`}}`)
	path := "/api/upload/files/" + file + "/links"
	if got := fmt.Sprint(linksOf(t, c.send("full", "GET", path, ""))); got != "[api::dish.dish  draft photo Soup api::dish.dish  published photo Soup]" {
		t.Errorf("the links are %s", got)
	}
	if a := c.send("full", "GET", "/api/upload/files/999/links", ""); a.status != 404 {
		t.Errorf("of no file: %d", a.status)
	}
}

func TestWhoMayAskWhatLinks(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	chef := c.send("full", "POST", "/api/chefs?status=draft", `{"data": {"name": "Ada"}}`).documentID(t)
	for _, test := range []struct {
		as, path string
		status   int
	}{
		{"", "/api/chefs/" + chef + "/links", 403},
		{"full", "/api/chefs/" + chef + "/links", 200},
		{"full", "/api/chefs/none/links", 404},
		{"full", "/api/homepage/links", 404},
		{"full", "/api/chefs/" + chef + "/links?pagination[pageSize]=1000", 400},
		{"full", "/api/chefs/" + chef + "/links?pagination[after]=", 400},
		{"full", "/api/chefs?include=state", 200},
		{"full", "/api/chefs?include=other", 400},
		{"full", "/api/chefs?include[]=state", 400},
	} {
		if a := c.send(test.as, "GET", test.path, ""); a.status != test.status {
			t.Errorf("%q %s: %d %s, want %d", test.as, test.path, a.status, a.body, test.status)
		}
	}
}

func TestStateOfDocuments(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	soup := "/api/dishes/" + c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	statusOf := func() string {
		t.Helper()
		var list struct {
			Data []struct{ State []struct{ Status string } }
		}
		a := c.send("full", "GET", "/api/dishes?include=state&status=draft&filters[name]=Soup", "")
		check(t, json.Unmarshal([]byte(a.body), &list))
		if len(list.Data) != 1 || len(list.Data[0].State) != 1 {
			t.Fatalf("the list is %s", a.body)
		}
		return list.Data[0].State[0].Status
	}
	for _, step := range []struct{ method, path, body, want string }{
		{"PUT", soup, `{"data": {}}`, "published"},
		{"PUT", soup + "?status=draft", `{"data": {"price": 5}}`, "modified"},
		{"POST", soup + "/actions/publish", "", "published"},
		{"POST", soup + "/actions/unpublish", "", "draft"},
	} {
		if a := c.send("full", step.method, step.path, step.body); a.status != 200 {
			t.Fatalf("%s %s: %d %s", step.method, step.path, a.status, a.body)
		}
		if got := statusOf(); got != step.want {
			t.Errorf("after %s %s the state is %s, want %s", step.method, step.path, got, step.want)
		}
	}
}
