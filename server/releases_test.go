package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/content/release"
)

// planner is a site with several callers who may schedule and release.
type planner struct {
	*accountSite
	one, two string // restaurants that were never published
}

const restaurants = "api::restaurant.restaurant"

func openPlanner(t *testing.T) *planner {
	t.Helper()
	p := &planner{accountSite: openAccountSite(t, sampleWith(t, unlimited, noRoles), options{})}
	releases := []string{"plugin::quire.releases.find", "plugin::quire.releases.create", "plugin::quire.releases.update", "plugin::quire.releases.delete"}
	for name, list := range map[string][]string{
		"publisher":   {restaurants + ".publish", restaurants + ".find"},
		"unpublisher": {restaurants + ".unpublish", restaurants + ".find"},
		"planner":     append([]string{restaurants + ".find"}, releases...),
		"stranger":    append([]string{"api::chef.chef.find", "api::chef.chef.publish", "plugin::quire.releases.publish"}, releases...),
		"chief":       append([]string{restaurants + ".find", restaurants + ".publish", restaurants + ".unpublish", "plugin::quire.releases.publish"}, releases...),
	} {
		var err error
		p.tokens[name], err = p.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(t, err)
	}
	for _, id := range []*string{&p.one, &p.two} {
		*id = p.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Hello"}}`).documentID(t)
	}
	return p
}

// expect sends a request. The response must have that status, and contain shows.
func (p *planner) expect(as, method, path, body string, status int, shows string) *answer {
	p.t.Helper()
	a := p.send(as, method, path, body)
	if a.status != status || !strings.Contains(a.body, shows) {
		p.t.Errorf("%s %s %s by %q: %d %s", method, path, body, as, a.status, a.body)
	}
	return a
}

// idOf returns the id in a response.
func idOf(t *testing.T, a *answer) string {
	t.Helper()
	var shown struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(a.body), &shown); err != nil || len(shown.Data.ID) != 24 {
		t.Fatalf("%s: %v", a.body, err)
	}
	return shown.Data.ID
}

// until carries out what is due at a time.
func (p *planner) until(at time.Time) (outcomes []release.Outcome) {
	p.t.Helper()
	err := release.New(p.db, p.site, p.writer, nil).Run(context.Background(), at, func(o release.Outcome) { outcomes = append(outcomes, o) })
	check(p.t, err)
	return outcomes
}

func tomorrow() string { return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339) }

func TestSchedule(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	one, at := "/api/restaurants/"+p.one, `{"at": "`+tomorrow()+`"}`
	for _, test := range []struct {
		as, action, body string
		status           int
		shows            string
	}{
		{"", "publish", at, 403, "Forbidden"},
		{"unpublisher", "publish", at, 403, "Forbidden"},
		{"publisher", "publish", `{"at": "yesterday"}`, 400, `"at\" must be`},
		{"publisher", "publish", `{"at": "2020-01-01T00:00:00Z"}`, 400, `in the future`},
		{"publisher", "publish", `{"at": "2999-01-01T00:00:00Z"}`, 400, `10 years`},
		{"publisher", "publish", `{"at": null}`, 400, `"key":"at"`},
		{"publisher", "publish", `{"at": {}}`, 400, `"key":"at"`},
		{"publisher", "publish", `{"when": 1}`, 400, "when"},
		{"publisher", "publish", `null`, 400, "a JSON object"},
		{"full", "discard-draft", at, 400, `\"at\"`},
		{"full", "duplicate", at, 400, `\"at\"`},
		{"publisher", "publish?locale=it", at, 400, "it"},
		{"publisher", "publish?at=2999-01-01T00:00:00Z", "", 400, "belongs into the body"},
		{"unpublisher", "unpublish?discardDraft=maybe", at, 400, "discardDraft"},
		{"publisher", "publish?locale=fr,en", at, 202, `"locales":["fr","en"]`},
		{"publisher", "publish?locale=fr,fr,en,fr", at, 202, `"locales":["fr","en"]`},
		{"unpublisher", "unpublish?discardDraft=true", at, 403, "Forbidden"}, // it could not discard the draft alone
		{"full", "unpublish?discardDraft=true", at, 202, `"discardDraft":true`},
	} {
		p.expect(test.as, "POST", one+"/actions/"+test.action, test.body, test.status, test.shows)
	}
	p.expect("publisher", "POST", "/api/restaurants/none/actions/publish", at, 404, "Not Found")
	p.expect("full", "POST", "/api/homepage/actions/publish", at, 404, "Not Found")
	p.expect("full", "POST", "/api/categories/x/actions/publish", at, 405, "")
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", ""} {
		if a := p.send("publisher", "POST", one+"/actions/publish", at, "Content-Type", kind); a.status != 400 {
			t.Errorf("as %q: %d %s", kind, a.status, a.body) // it must not be published at once
		}
	}
	if a := p.send("publisher", "POST", one+"/actions/publish", at, "If-Match", "1"); a.status != 400 {
		t.Errorf("with If-Match: %d %s", a.status, a.body)
	}
}

// A caller sees a schedule and can cancel it only if it could do the same action at
// once.
func TestWhoSeesASchedule(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	one, at := "/api/restaurants/"+p.one, `{"at": "`+tomorrow()+`"}`
	publish := idOf(t, p.send("publisher", "POST", one+"/actions/publish", at))
	unpublish := idOf(t, p.send("unpublisher", "POST", one+"/actions/unpublish", at))
	for as, sees := range map[string][2]bool{"publisher": {true, false}, "unpublisher": {false, true}, "chief": {true, true}, "full": {true, true}} {
		a := p.expect(as, "GET", one+"/schedule", "", 200, `"data":[`)
		for i, id := range []string{publish, unpublish} {
			if strings.Contains(a.body, id) != sees[i] {
				t.Errorf("%s sees %s", as, a.body)
			}
			if !sees[i] {
				p.expect(as, "DELETE", one+"/schedule/"+id, "", 404, "")
			}
		}
	}
	p.expect("planner", "GET", one+"/schedule", "", 403, "")
	p.expect("full", "GET", "/api/restaurants/"+p.two+"/schedule", "", 200, `"data":[]`)
	p.expect("full", "DELETE", "/api/restaurants/"+p.two+"/schedule/"+publish, "", 404, "")
	p.expect("publisher", "DELETE", one+"/schedule/"+publish, "", 204, "")
	p.expect("publisher", "DELETE", one+"/schedule/"+publish, "", 404, "")
	p.expect("publisher", "GET", one+"/schedule", "", 200, `"data":[]`)
	p.send("full", "DELETE", one+"?locale=*", "")
	if done := p.until(time.Now().Add(48 * time.Hour)); len(done) != 1 || done[0].Err == nil {
		t.Errorf("%+v", done)
	}
	p.expect("unpublisher", "GET", one+"/schedule", "", 200, `"state":"failed","createdAt"`)
	p.expect("unpublisher", "DELETE", one+"/schedule/"+unpublish, "", 204, "")
}

// A single type has a schedule like a document of a collection.
func TestScheduleOfASingleType(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	p.send("full", "PUT", "/api/homepage?status=draft", `{"data": {"title": "Home"}}`)
	made := p.expect("full", "POST", "/api/homepage/actions/publish", `{"at": "`+tomorrow()+`"}`, 202, `"scheduled"`)
	p.expect("full", "GET", "/api/homepage/schedule", "", 200, idOf(t, made))
	if done := p.until(time.Now().Add(48 * time.Hour)); len(done) != 1 || done[0].Err != nil {
		t.Errorf("%+v", done)
	}
	p.expect("full", "GET", "/api/homepage", "", 200, `"Home"`)
	p.expect("full", "DELETE", "/api/homepage/schedule/x", "", 404, "")
}

// releaseBody returns a release that publishes restaurants.
func releaseBody(more string, documents ...string) string {
	var steps []string
	for _, id := range documents {
		steps = append(steps, fmt.Sprintf(`{"type": %q, "documentId": %q, "action": "publish"}`, restaurants, id))
	}
	return `{"data": {"name": "Winter", "steps": [` + strings.Join(steps, ",") + `]` + more + `}}`
}

func TestReleases(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	made := p.expect("planner", "POST", "/api/_releases", releaseBody("", p.one, p.two), 201, `"state":"planned"`)
	one := "/api/_releases/" + idOf(t, made)
	p.expect("planner", "GET", "/api/_releases", "", 200, `"stepCount":2}],"meta":{"pagination":{"page":1,"pageSize":25,"pageCount":1,"total":1}}`)
	p.expect("planner", "GET", "/api/_releases?state=done&pagination[page]=7&pagination[pageSize]=3", "", 200, `"data":[]`)
	p.expect("planner", "GET", one, "", 200, p.two)
	for _, bad := range []string{"state=x", "pagination[page]=0", "pagination[page]=01", "pagination[pageSize]=101", "pagination=1", "pagination[page][]=1"} {
		p.expect("planner", "GET", "/api/_releases?"+bad, "", 400, "must be")
	}
	p.expect("planner", "POST", one+"/publish", "", 403, "Forbidden")
	p.expect("planner", "GET", one+"/check", "", 403, "Forbidden")
	p.expect("planner", "PUT", one, `{"data": {"at": "`+tomorrow()+`"}}`, 403, "plugin::quire.releases.publish")
	p.expect("planner", "POST", "/api/_releases", releaseBody(`, "at": "`+tomorrow()+`"`, p.one), 403, "plugin::quire.releases.publish")
	p.expect("chief", "PUT", one, `{"data": {"name": "Spring", "at": "`+tomorrow()+`"}}`, 200, `"state":"scheduled"`)
	p.expect("planner", "PUT", one, `{"data": {"name": "Summer"}}`, 200, `"state":"scheduled"`)
	p.expect("planner", "PUT", one, releaseBody("", p.one), 403, "plugin::quire.releases.publish")
	p.expect("planner", "GET", one, "", 200, `"locales":["en"]`)
	p.expect("planner", "PUT", one, `{"data": {"at": null}}`, 200, `"at":null`)
	p.expect("chief", "GET", one+"/check", "", 200, `{"ok":true,"failures":[]}`)
	p.expect("chief", "POST", one+"/publish", `{"x": 1}`, 400, "x")
	p.expect("chief", "POST", one+"/publish", "", 200, `"state":"done"`)
	p.expect("full", "GET", "/api/restaurants/"+p.one, "", 200, "Hello")
	p.expect("chief", "POST", one+"/publish", "", 400, "has been done")
	p.expect("chief", "PUT", one, `{"data": {"name": "x"}}`, 400, "has been done")
	p.expect("planner", "DELETE", one, "", 204, "")
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		p.expect("full", method, one, `{"data": {}}`, 404, "Not Found")
	}
	for _, body := range []string{"", "{}", "[]", `{"data": null}`, `{"data": []}`, `{"data": {"steps": []}}`, `{"data": {"name": "Winter"}, "at": null}`} {
		p.expect("planner", "POST", "/api/_releases", body, 400, "")
	}
}

// Two people who add documents to the same release at once lose neither: who names the
// updatedAt that they have read is refused if somebody has changed the release since.
func TestReleaseThatTwoPeopleChange(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	made := p.expect("planner", "POST", "/api/_releases", releaseBody("", p.one), 201, "")
	one := "/api/_releases/" + idOf(t, made)
	read := func(a *answer) string {
		var shown struct{ Data struct{ UpdatedAt string } }
		check(t, json.Unmarshal([]byte(a.body), &shown))
		return fmt.Sprintf(`, "updatedAt": %q`, shown.Data.UpdatedAt)
	}
	known := read(made)
	second := p.expect("planner", "PUT", one, releaseBody(known, p.one, p.two), 200, p.two)
	p.expect("chief", "PUT", one, releaseBody(known, p.one), 409, "changed")
	p.expect("chief", "GET", one, "", 200, p.two)
	p.expect("chief", "PUT", one, `{"data": {"name": "Spring"`+read(second)+`}}`, 200, "Spring")
	for _, bad := range []string{`"yesterday"`, `1`, `null`} {
		p.expect("planner", "PUT", one, `{"data": {"updatedAt": `+bad+`}}`, 400, "updatedAt")
	}
	p.expect("planner", "POST", "/api/_releases", `{"data": {"name": "New", "updatedAt": "2026-01-01T00:00:00Z"}}`, 400, "updatedAt")
}

// The response lists all failures with their steps, without values of drafts.
func TestReleasesThatFail(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	bad := p.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"slug": "secret"}}`).documentID(t)
	one := "/api/_releases/" + idOf(t, p.expect("planner", "POST", "/api/_releases", releaseBody("", p.one, bad, "none"), 201, ""))
	check := p.expect("chief", "GET", one+"/check", "", 200, `"ok":false`)
	failed := p.expect("chief", "POST", one+"/publish", "", 400, `"path":["steps","1","name"]`)
	shown := p.expect("chief", "GET", one, "", 200, `"state":"failed"`)
	for _, a := range []*answer{check, failed, shown} {
		if !strings.Contains(a.body, "name must be") || !strings.Contains(a.body, "no such document") || strings.Contains(a.body, "secret") {
			t.Errorf("it shows %s", a.body)
		}
	}
	if other := p.send("planner", "GET", one, ""); strings.Contains(other.body, "name must be") || !strings.Contains(other.body, "It cannot be done") {
		t.Errorf("who may not publish sees %s", other.body)
	}
	p.expect("full", "GET", "/api/restaurants/"+p.one, "", 404, "")
	for _, same := range []string{`{"data": {}}`, `{"data": {"name": "Autumn"}}`} {
		if a := p.expect("chief", "PUT", one, same, 200, `"state":"failed"`); !strings.Contains(a.body, "no such document") {
			t.Errorf("after %s it shows %s", same, a.body)
		}
	}
	p.expect("planner", "PUT", one, releaseBody("", p.one), 200, `"state":"planned"`)
	p.expect("chief", "POST", one+"/publish", "", 200, `"state":"done"`)
}

// Steps on types that a caller may not find are hidden from it. It can neither replace
// nor publish them.
func TestStepsThatTheCallerMayNotSee(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	one := "/api/_releases/" + idOf(t, p.expect("planner", "POST", "/api/_releases", releaseBody("", p.one), 201, ""))
	seen := p.expect("stranger", "GET", one, "", 200, `"hiddenSteps":1`)
	if strings.Contains(seen.body, p.one) || strings.Contains(seen.body, "restaurant") {
		t.Errorf("a stranger sees %s", seen.body)
	}
	p.expect("stranger", "PUT", one, `{"data": {"steps": []}}`, 403, "may not see")
	for _, a := range []*answer{
		p.expect("stranger", "POST", one+"/publish", "", 403, "Forbidden"),
		p.expect("stranger", "GET", one+"/check", "", 403, "Forbidden"),
		p.expect("stranger", "PUT", one, `{"data": {"at": "`+tomorrow()+`"}}`, 403, "Forbidden"),
		p.expect("stranger", "POST", "/api/_releases", releaseBody("", p.one), 400, `steps[0].type`),
	} {
		if strings.Contains(a.body, "restaurant") {
			t.Errorf("a stranger reads %s", a.body)
		}
	}
}

// The actor of a release is its caller if it is published at once, and the schedule if
// it is published at its time.
func TestActorsOfReleases(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	made := idOf(t, p.expect("chief", "POST", "/api/_releases", releaseBody(`, "at": "`+tomorrow()+`"`, p.one), 201, `"scheduled"`))
	if done := p.until(time.Now().Add(48 * time.Hour)); len(done) != 1 || done[0].Release.ID != made || !strings.HasPrefix(string(done[0].Release.By), "token:") {
		t.Errorf("%+v", done)
	}
	p.expect("chief", "GET", "/api/_releases/"+made, "", 200, `"state":"done"`)
	if a := p.send("chief", "GET", "/api/_releases/"+made, ""); strings.Contains(a.body, "token:") {
		t.Errorf("it shows who planned it: %s", a.body)
	}
}

// Steps on types that the site no longer has are visible to everybody, fail, and cannot
// be scheduled.
func TestStepsOnTypesThatAreGone(t *testing.T) {
	t.Parallel()
	p := openPlanner(t)
	gone := release.Step{Type: "api::gone.gone", DocumentID: "x", Action: "publish"}
	made, err := release.New(p.db, p.site, p.writer, nil).Create(context.Background(), release.Release{Name: "Old", Steps: []release.Step{gone}})
	check(t, err)
	one := "/api/_releases/" + made.ID
	p.expect("planner", "GET", one, "", 200, `"type":"api::gone.gone"`)
	for _, as := range []string{"stranger", "chief", "full"} { // the type may be back by then
		p.expect(as, "PUT", one, `{"data": {"at": "`+tomorrow()+`"}}`, 400, "no longer has")
	}
	p.expect("chief", "GET", one+"/check", "", 200, "no content type api::gone.gone")
	p.expect("chief", "POST", one+"/publish", "", 400, "no content type api::gone.gone")
	p.expect("planner", "PUT", one, releaseBody("", p.one), 200, `"state":"planned"`)
}
