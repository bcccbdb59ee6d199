package server_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/auth"
)

// openPeople opens a site with accounts of the admin, by name, with their rights on
// restaurants.
func openPeople(t *testing.T, people map[string]auth.TypeRights) *accountSite {
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	h.receivePeople()
	for name, rights := range people {
		rights.Actions = everyAction
		role := auth.AdminRole{Types: map[string]auth.TypeRights{restaurants: rights, auth.EveryType: {Actions: everyAction}}, Files: []string{"read", "upload"}, Releases: true}
		h.receive(t, name, role)
	}
	return h
}

// An account sees private attributes unless its role hides them. What is hidden in one
// type can be visible in another.
func TestWhatAnAccountSees(t *testing.T) {
	t.Parallel()
	w := openTwinsFor(t, "account")
	s := w.sides[0]
	s.receive(t, "editor", auth.BuiltInAdminRoles()["editor"])
	const one = "/api/restaurants/{" + restaurants + "}?populate=*"
	if a := s.send("editor", "GET", s.path(one), ""); strings.Count(a.body, s.mark) < 5 || strings.Contains(a.body, "door_code") {
		t.Errorf("an editor sees %s", a.body)
	}
	if a := s.send("full", "GET", s.path(one), ""); strings.Contains(a.body, "secret_note") {
		t.Errorf("a token sees %s", a.body)
	}
	if a := s.send("account", "GET", "/api/homepage?populate[hero]=true&populate[sections][populate]=*", ""); strings.Count(a.body, `"href":"shown"`) != 2 {
		t.Errorf("a component is hidden where the role does not hide it: %s", a.body)
	}
	s.receive(t, "guest", auth.AdminRole{Types: map[string]auth.TypeRights{restaurants: {Actions: []string{"read"}, Hidden: []string{"chef", "name"}}, auth.EveryType: {Actions: []string{"read"}}}})
	for as, paths := range map[string][]string{"editor": {`"path":"chef"`, `"path":"sections.chef"`, `"title":"rest"`}, "guest": {`"path":"sections.chef"`}} {
		a := s.send(as, "GET", s.path("/api/chefs/{api::chef.chef}/links"), "")
		for _, part := range []string{`"path":"chef"`, `"path":"sections.chef"`, `"title":"rest"`} {
			if strings.Contains(a.body, part) != slices.Contains(paths, part) {
				t.Errorf("%s for %s: %s", part, as, a.body)
			}
		}
	}
	for _, q := range []string{"filters[secret_note][$contains]=HIDDEN", "_q=HIDDEN"} {
		if a := s.send("editor", "GET", "/api/restaurants?"+q, ""); !strings.Contains(a.body, `"total":1`) {
			t.Errorf("%s finds %s", q, a.body)
		}
	}
}

// A change that an account may not make gets a 403 that names it.
func TestWhatAnAccountMayNotChange(t *testing.T) {
	t.Parallel()
	h := openPeople(t, map[string]auth.TypeRights{"ada": {}, "own": {Own: true}, "french": {Locales: []string{"fr"}}, "limited": {ReadOnly: []string{"stars", "cover"}, Hidden: []string{"rating"}}})
	made := h.send("ada", "POST", "/api/restaurants", `{"data": {"name": "One", "stars": 3, "rating": 1}}`)
	one := "/api/restaurants/" + made.text(t, "data.documentId")
	at := `{"at": "` + time.Now().AddDate(1, 0, 0).UTC().Format(time.RFC3339) + `"}`
	id := h.send("ada", "POST", one+"/actions/publish", at).text(t, "data.id")
	step := `{"type": "` + restaurants + `", "documentId": "` + made.text(t, "data.documentId") + `", "action": "publish"}`
	release := h.send("ada", "POST", "/api/_releases", `{"data": {"name": "r", "steps": [`+step+`]}}`).text(t, "data.id")
	for _, r := range []struct{ as, method, path, body, details string }{
		{"limited", "PUT", one, `{"data": {"stars": 4}}`, `{"path":"stars"}`},
		{"limited", "POST", "/api/_batch", `{"requests": [{"method": "PUT", "url": "` + one + `", "body": {"data": {"stars": 4}}}]}`, `{"request":0,"path":"stars"}`},
		{"french", "PUT", one, `{"data": {"name": "x y"}}`, `{"locale":"en"}`},
		{"french", "DELETE", one + "?locale=*", "", `{"locale":"*"}`},
		{"french", "POST", one + "/actions/unpublish?locale=*", "", `{"locale":"*"}`},
		{"french", "POST", one + "/actions/publish", at, `{"locale":"en"}`},
		{"french", "DELETE", one + "/schedule/" + id, "", `{"locale":"en"}`},
		{"own", "PUT", one, `{"data": {"name": "x y"}}`, `{}`},
		{"own", "DELETE", one, "", `{}`},
		{"own", "POST", one + "/actions/publish", "", `{}`},
		{"own", "POST", one + "/actions/publish", at, `{}`},
		{"own", "DELETE", one + "/schedule/" + id, "", `{}`},
		{"own", "DELETE", "/api/_schedules/" + id, "", `{}`},
		{"own", "GET", "/api/_releases/" + release + "/check", "", `{}`},
		{"own", "POST", "/api/_releases/" + release + "/publish", "", `{}`},
		{"own", "POST", "/api/_releases", `{"data": {"name": "r", "at": ` + at[len(`{"at": `):len(at)-1] + `, "steps": [` + step + `]}}`, `{}`},
	} {
		a := h.send(r.as, r.method, r.path, r.body)
		if a.status != 403 || a.Error.Name != "ForbiddenError" || !strings.Contains(a.body, `"details":`+r.details+`}`) {
			t.Errorf("%s %s %s by %s: %d %s", r.method, r.path, r.body, r.as, a.status, a.body)
		}
	}
	if a := h.send("limited", "PUT", one, `{"data": {"rating": 4}}`); a.status != 400 || a.Error.Message != "Invalid key rating" {
		t.Errorf("a hidden key: %d %s", a.status, a.body)
	}
	if a := h.send("ada", "GET", one, ""); !strings.Contains(a.body, `"name":"One"`) || !strings.Contains(a.body, `"stars":3`) || !strings.Contains(a.body, `"rating":1`) {
		t.Errorf("something has changed: %s", a.body)
	}
	for _, r := range [][3]string{{"limited", "PUT", `{"data": {"stars": 3, "name": "Two"}}`}, {"ada", "PUT", `{"data": {"stars": 5}}`}, {"french", "PUT", `{"data": {"name": "Deux"}}`}} {
		path := one
		if r[0] == "french" {
			path += "?locale=fr"
		}
		if a := h.send(r[0], r[1], path, r[2]); a.status != 200 {
			t.Errorf("%v: %d %s", r, a.status, a.body)
		}
	}
}

// The failure of a schedule does not name what is hidden from its reader.
func TestFailuresNameNothingHidden(t *testing.T) {
	t.Parallel()
	h := openPeople(t, map[string]auth.TypeRights{"ada": {}, "limited": {Hidden: []string{"seo.meta_title"}}})
	id := h.send("ada", "POST", "/api/restaurants?status=draft", `{"data": {"name": "One", "seo": {"meta_description": "x"}}}`).text(t, "data.documentId")
	release := h.send("ada", "POST", "/api/_releases", `{"data": {"name": "r", "steps": [{"type": "`+restaurants+`", "documentId": "`+id+`", "action": "publish"}]}}`).text(t, "data.id")
	if a := h.send("ada", "POST", "/api/_releases/"+release+"/publish", ""); a.status != 400 || !strings.Contains(a.body, "meta_title") {
		t.Fatalf("publishing: %d %s", a.status, a.body)
	}
	for _, path := range []string{"/api/_releases/" + release, "/api/_releases/" + release + "/check"} {
		if a := h.send("ada", "GET", path, ""); !strings.Contains(a.body, "meta_title") {
			t.Errorf("%s does not say why: %s", path, a.body)
		}
		if a := h.send("limited", "GET", path, ""); a.status != 200 || strings.Contains(a.body, "meta_title") || !strings.Contains(a.body, "may not see") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, r := range [][2]string{{"POST", "/api/_releases/" + release + "/publish"}, {"POST", "/api/restaurants/" + id + "/actions/publish"}} {
		if a := h.send("limited", r[0], r[1], ""); a.status != 400 || strings.Contains(a.body, "meta_title") {
			t.Errorf("%v: %d %s", r, a.status, a.body)
		}
	}
}
