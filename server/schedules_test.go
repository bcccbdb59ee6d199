package server_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
)

// overseers adds callers who may list all schedules, and have different other rights.
func (p *planner) overseers() {
	p.t.Helper()
	all := []string{"plugin::quire.schedules.find", "plugin::quire.schedules.delete"}
	for name, more := range map[string][]string{
		"overseer":       {restaurants + ".publish"},
		"reader":         {restaurants + ".find", restaurants + ".readDraft"},
		"outsider":       {restaurants + ".find", "api::chef.chef.publish"},
		"only publisher": nil,
	} {
		list := append(all, more...)
		if more == nil {
			list = []string{restaurants + ".publish"}
		}
		var err error
		p.tokens[name], err = p.auth.CreateToken(p.t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(p.t, err)
	}
}

// listed returns the ids in a list.
func (a *answer) listed(t *testing.T) (ids []string) {
	t.Helper()
	var shown struct{ Data []struct{ ID string } }
	check(t, json.Unmarshal([]byte(a.body), &shown))
	for _, one := range shown.Data {
		ids = append(ids, one.ID)
	}
	return ids
}

// The schedule of a deleted document is in the list of all schedules, says why it has
// failed, and can be removed there.
func TestAllSchedules(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	p.overseers()
	day := func(n int) string {
		return `{"at": "` + time.Now().AddDate(0, 0, n).UTC().Format(time.RFC3339) + `"}`
	}
	gone := p.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Gone"}}`).documentID(t)
	failed := idOf(t, p.send("full", "POST", "/api/restaurants/"+gone+"/actions/publish", day(1)))
	done := idOf(t, p.send("full", "POST", "/api/restaurants/"+p.one+"/actions/publish", day(2)))
	later := idOf(t, p.send("full", "POST", "/api/restaurants/"+p.two+"/actions/publish", day(9)))
	soon := idOf(t, p.send("full", "POST", "/api/restaurants/"+p.two+"/actions/unpublish", day(8)))
	p.expect("full", "DELETE", "/api/restaurants/"+gone+"?locale=*", "", 204, "")
	p.until(time.Now().AddDate(0, 0, 3))

	list := "/api/_schedules"
	for _, test := range []struct{ as, query, want, total string }{
		{"full", "", soon + " " + later + " " + done + " " + failed, "4"},
		{"full", "?state=failed", failed, "1"},
		{"full", "?state=done", done, "1"},
		{"full", "?state=scheduled", soon + " " + later, "2"},
		{"full", "?pagination[page]=2&pagination[pageSize]=3", failed, "4"},
		{"full", "?pagination[page]=9", "", "4"},
		{"full", "?documentId=" + p.two, soon + " " + later, "2"},
		{"full", "?type=api::restaurant.restaurant&documentId[0]=" + p.one + "&documentId[1]=" + gone, done + " " + failed, "2"},
		{"full", "?type=api::chef.chef&documentId=" + p.one, "", "0"},
		{"full", "?type=api::chef.chef", "", "0"},
		{"overseer", "?state=scheduled&documentId[]=" + p.one + "&documentId[]=" + p.two, later, "1"},
		{"outsider", "?type=api::restaurant.restaurant&documentId=" + p.two, "", "0"},
		{"overseer", "", later + " " + done + " " + failed, "3"},
		{"reader", "", soon + " " + later + " " + done + " " + failed, "4"},
		{"outsider", "", "", "0"},
	} {
		a := p.expect(test.as, "GET", list+test.query, "", 200, `"total":`+test.total+"}")
		if got := strings.Join(a.listed(t), " "); got != test.want {
			t.Errorf("%s sees %s of %s and not %s", test.as, got, test.query, test.want)
		}
	}
	p.expect("full", "GET", list+"?state=failed", "", 200, `"failure":{"reason":"There is no such document`)
	p.expect("overseer", "GET", list+"?state=failed", "", 200, "no such document")
	p.expect("reader", "GET", list+"?state=failed", "", 200, `"failure":{"reason":"It could not be done"}`)
	for _, as := range []string{"", "only publisher", "planner"} {
		p.expect(as, "GET", list, "", 403, "Forbidden")
		p.expect(as, "DELETE", list+"/"+failed, "", 403, "Forbidden")
	}
	for _, bad := range []string{"state=planned", "state[]=done", "pagination[page]=0", "pagination[page]=x", "pagination[pageSize]=101", "pagination=1",
		"type=", "type[]=x", "documentId=", "documentId[a]=x", "documentId[0][a]=x"} {
		p.expect("full", "GET", list+"?"+bad, "", 400, "must be")
	}

	if many := strings.Repeat("&documentId[]=x", 100); p.send("full", "GET", list+"?state=done"+many, "").status != 200 || p.send("full", "GET", list+"?state=done&documentId[]=x"+many, "").status != 400 {
		t.Error("a list is about other than 100 documents")
	}

	p.expect("outsider", "DELETE", list+"/"+failed, "", 404, "")
	p.expect("reader", "DELETE", list+"/"+failed, "", 403, "")
	p.expect("overseer", "DELETE", list+"/"+soon, "", 404, "")
	p.expect("overseer", "DELETE", list+"/"+done, "", 400, "has been done")
	for _, id := range []string{failed, later} {
		p.expect("overseer", "DELETE", list+"/"+id, "", 204, "")
		p.expect("overseer", "DELETE", list+"/"+id, "", 404, "")
	}
	if left := p.expect("full", "GET", list, "", 200, `"total":2}`).listed(t); left[0] != soon || left[1] != done {
		t.Errorf("%v are left", left)
	}
	if p.until(time.Now().AddDate(0, 0, 20)); p.send("full", "GET", "/api/restaurants/"+p.two, "").status != 404 {
		t.Error("what was cancelled has been done")
	}
}

// A client that reads that a schedule is no longer pending sees its result.
func TestAScheduleIsGoneWhenItShows(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	for range 20 {
		id := p.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "One"}}`).documentID(t)
		p.expect("full", "POST", "/api/restaurants/"+id+"/actions/publish", `{"at": "`+tomorrow()+`"}`, 202, "")
		var reading sync.WaitGroup
		for i := range 3 {
			reading.Go(func() {
				path, gone := "/api/restaurants/"+id+"/schedule", `"data":[]`
				if i == 2 {
					path, gone = "/api/_schedules?state=scheduled", `"total":0`
				}
				for !strings.Contains(p.send("full", "GET", path, "").body, gone) {
				}
				if a := p.send("full", "GET", "/api/restaurants/"+id, ""); a.status != 200 {
					t.Errorf("%s says that it is done, and the document is %d", path, a.status)
				}
			})
		}
		p.until(time.Now().AddDate(0, 0, 2))
		reading.Wait()
	}
}
