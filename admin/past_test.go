package admin_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
)

// lookBack is what the site says about a period.
type lookBack struct {
	Data struct {
		Since time.Time
		Types []struct {
			Type  string
			Count int
		}
		Documents []struct {
			Type, DocumentID, Title string
			Exists                  bool
			Actions                 []string
			By                      []struct{ Name string }
			At                      time.Time
		}
		Page, PageCount int
	}
}

func (c *client) lookBack(query string) (l lookBack) {
	c.t.Helper()
	check(c.t, json.Unmarshal([]byte(c.want(200, "GET", "/past?"+query, "").body), &l))
	return l
}

// moment returns a time after all commits, which all later ones follow.
func moment() (at string) {
	since := time.Now().Add(2 * time.Millisecond)
	waitUntil(since)
	return since.UTC().Format(time.RFC3339Nano)
}

// What was changed since a moment is listed by type, with who and when; one document is taken back,
// or all between two moments.
func TestTheSiteAtAMoment(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	inn, bar, gone := v.make("restaurants", `{"name":"Inn"}`), v.make("restaurants", `{"name":"Bar"}`), v.make("restaurants", `{"name":"Gone"}`)
	first := moment()
	_, bob := v.addAccount("bob", "editor")
	bob.want(200, "PUT", "/content/restaurants/"+inn, `{"data":{"name":"Bob's Inn"}}`)
	v.want(200, "PUT", "/content/restaurants/"+bar, `{"data":{"name":"New Bar"}}`)
	v.want(204, "DELETE", "/content/restaurants/"+gone, "")
	second := moment()
	bob.want(200, "PUT", "/content/restaurants/"+bar, `{"data":{"name":"Bob's Bar"}}`)
	chef := v.make("chefs", `{"name":"Ann"}`)

	all := v.lookBack("since=" + first)
	counts, lines := map[string]int{}, map[string]string{}
	for _, n := range all.Data.Types {
		counts[n.Type] = n.Count
	}
	for _, d := range all.Data.Documents {
		names := []string{}
		for _, by := range d.By {
			names = append(names, by.Name)
		}
		lines[d.DocumentID] = strings.Join([]string{d.Title, strings.Join(d.Actions, "+"), strings.Join(names, "+")}, "|")
	}
	owner := v.ask("GET", "/session", "").text("data.account.name")
	for id, want := range map[string]string{inn: "Bob's Inn|update+publish|bob", bar: "Bob's Bar|update+publish|bob+" + owner, gone: "Gone|delete|" + owner, chef: "Ann|create+publish|" + owner} {
		if lines[id] != want {
			t.Errorf("it says %q, want %q", lines[id], want)
		}
	}
	if counts["api::restaurant.restaurant"] != 3 || counts["api::chef.chef"] != 1 || all.Data.Page != 1 || all.Data.PageCount != 1 {
		t.Errorf("%+v", all)
	}
	if between := v.lookBack("since=" + first + "&until=" + second); len(between.Data.Documents) != 3 {
		t.Errorf("between: %+v", between)
	}
	if later := v.lookBack("since=" + second + "&page=2"); len(later.Data.Documents) != 0 {
		t.Errorf("the second page: %+v", later)
	}

	names := func() string {
		a := v.want(200, "GET", "/content/restaurants?fields=name&sort=name", "")
		var list struct{ Data []struct{ Name string } }
		check(t, json.Unmarshal([]byte(a.body), &list))
		var names []string
		for _, one := range list.Data {
			names = append(names, one.Name)
		}
		return strings.Join(names, ", ")
	}
	one := `{"by":"*","since":"` + first + `","type":"api::restaurant.restaurant","documentId":"` + inn + `"}`
	v.want(200, "POST", "/undo", one)
	if got := names(); got != "Bob's Bar, Inn" {
		t.Errorf("after one document: %s", got)
	}
	period := "by=*&since=" + first + "&until=" + second
	if a := v.want(200, "GET", "/undo?"+period, ""); strings.Count(a.body, `"reason":"others have changed it since"`) != 2 {
		t.Errorf("between, it would do: %s", a.body)
	}
	v.want(200, "POST", "/undo", `{"by":"*","since":"`+first+`","until":"`+second+`"}`)
	if got := names(); got != "Bob's Bar, Gone, Inn" {
		t.Errorf("after the time between: %s", got)
	}
	v.want(200, "POST", "/undo", `{"by":"*","since":"`+first+`"}`)
	if got := names(); got != "Bar, Gone, Inn" {
		t.Errorf("after all: %s", got)
	}
	v.want(404, "GET", "/content/chefs/"+chef, "")
}

// Who may not read a type sees nothing of its changes, nor takes them back; and wrong questions are
// refused with the key.
func TestTheSiteAtAMomentAndRights(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	first := moment()
	door := v.make("restaurants?status=draft", `{"name":"Hidden Door"}`)
	chef := v.make("chefs", `{"name":"Ann"}`)
	stranger := v.reader("stranger", "api::chef.chef", "")
	blind := v.reader("blind", "api::restaurant.restaurant", `"name"`)
	for _, path := range []string{"/past?since=" + first, "/undo?by=*&since=" + first} {
		a := stranger.ask("GET", path, "")
		if strings.Contains(a.body, "Door") || strings.Contains(a.body, door) || strings.Contains(a.body, "restaurant") {
			t.Errorf("%s: a stranger sees %s", path, a.body)
		}
		if a := blind.ask("GET", path, ""); strings.Contains(a.body, "Door") {
			t.Errorf("%s: who may not see names sees %s", path, a.body)
		}
		o.client().want(401, "GET", path, "")
	}
	if seen := stranger.lookBack("since=" + first); len(seen.Data.Documents) != 1 || seen.Data.Documents[0].DocumentID != chef {
		t.Errorf("a stranger sees %+v", seen)
	}
	stranger.want(403, "POST", "/undo", `{"by":"*","since":"`+first+`"}`)
	v.want(200, "GET", "/content/restaurants/"+door+"?status=draft", "")
	for query, key := range map[string]string{
		"": "since", "since=yesterday": "since", "since=" + first + "&until=soon": "until", "since=" + first + "&until=2001-01-01T00:00:00Z": "until",
		"since=" + first + "&page=0": "page", "since=" + first + "&page=1001": "page", "since=" + first + "&page=x": "page",
	} {
		if a := v.want(400, "GET", "/past?"+query, ""); !strings.Contains(a.body, `"key":"`+key+`"`) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	if a := v.want(400, "GET", "/undo?by=*&since="+first+"&type="+url.QueryEscape("api::chef.chef"), ""); !strings.Contains(a.body, `"key":"documentId"`) {
		t.Error(a.body)
	}
}

// A page has at most 100 documents.
func TestPagesOfThePast(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	first := moment()
	for range 101 {
		v.make("chefs", `{"name":"Ann"}`)
	}
	one, two := v.lookBack("since="+first), v.lookBack("since="+first+"&page=2")
	if len(one.Data.Documents) != 100 || len(two.Data.Documents) != 1 || one.Data.PageCount != 2 || one.Data.Types[0].Count != 101 {
		t.Errorf("%d and %d documents on %d pages", len(one.Data.Documents), len(two.Data.Documents), one.Data.PageCount)
	}
}
