package admin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/admin"
	"quire/auth/people/desk"
)

const dishes = "/autosaves/api::dish.dish/"

func TestAutosaves(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.make("dishes", `{"name":"Soup"}`)
	v.want(404, "GET", dishes+id, "")
	a := v.want(200, "PUT", dishes+id, `{"form":{"name":"Stew","tags":[1,2]},"base":7,"device":"phone","title":"Soup"}`)
	if a.text("data.savedAt") != "2026-05-04T09:00:00Z" {
		t.Errorf("stored: %s", a.body)
	}
	got := v.want(200, "GET", dishes+id, "")
	if !strings.Contains(got.body, `"form":{"name":"Stew","tags":[1,2]},"base":7,"device":"phone","title":"Soup"`) {
		t.Errorf("read: %s", got.body)
	}
	opened := v.want(200, "GET", "/documents/api::dish.dish/"+id, "")
	if opened.text("data.autosave.form.name") != "Stew" || opened.text("data.draft.name") != "Soup" {
		t.Errorf("opened: %s", opened.body)
	}
	o.clock.pass(time.Minute)
	v.want(200, "PUT", dishes+"new-0123456789abcdef", `{"form":[]}`)
	v.want(200, "PUT", "/autosaves/api::restaurant.restaurant/"+id+"?locale=fr", `{"form":1,"base":null}`)
	list := v.want(200, "GET", "/autosaves", "")
	if strings.Count(list.body, `"uid"`) != 3 || !strings.HasPrefix(list.body, `{"data":[{"uid":"api::dish.dish","documentId":"new-0123456789abcdef","locale":null`) || strings.Contains(list.body, "Stew") {
		t.Errorf("the list: %s", list.body)
	}
	v.want(404, "GET", "/autosaves/api::restaurant.restaurant/"+id+"?locale=en", "")
	v.want(204, "DELETE", dishes+id, "")
	v.want(204, "DELETE", dishes+id, "")
	v.want(404, "GET", dishes+id, "")
	if changes := v.want(200, "GET", "/content/_changes?status=draft", "").body; strings.Contains(changes, "Stew") {
		t.Errorf("the changes have it: %s", changes)
	}
}

// A single type has one form for each locale, and no documentId.
func TestAutosavesOfSingleTypes(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	const homepage = "/autosaves/api::homepage.homepage"
	v.want(404, "GET", homepage, "")
	v.want(200, "PUT", homepage, `{"form":{"title":"Home"}}`)
	v.want(200, "PUT", homepage+"?locale=fr", `{"form":{"title":"Accueil"}}`)
	if a := v.want(200, "GET", "/documents/api::homepage.homepage?locale=fr", ""); a.text("data.autosave.form.title") != "Accueil" {
		t.Errorf("opened: %s", a.body)
	}
	if list := v.want(200, "GET", "/autosaves", ""); strings.Count(list.body, `"documentId":null`) != 2 {
		t.Errorf("the list: %s", list.body)
	}
	v.want(204, "DELETE", homepage+"?locale=fr", "")
	if got := v.want(200, "GET", homepage, "").text("data.form.title"); got != "Home" {
		t.Errorf("the other locale has %s", got)
	}
	v.want(404, "PUT", homepage+"/x", `{"form":1}`)
	v.want(404, "PUT", "/autosaves/api::dish.dish", `{"form":1}`)
}

func TestAutosavesThatAreRefused(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	long := strings.Repeat("x", 300)
	for _, test := range []struct {
		path, body, key string
		status          int
	}{
		{dishes + "a", `{}`, "form", 400},
		{dishes + "a", `{"form":1,"more":2}`, "more", 400},
		{dishes + "a", `{"form":1,"base":"x"}`, "base", 400},
		{dishes + "a", `{"form":1,"base":-1}`, "base", 400},
		{dishes + "a", `{"form":1,"title":"` + long + `"}`, "title", 400},
		{dishes + "a", `{"form":1,"device":"` + long + `"}`, "device", 400},
		{dishes + "a", `[1]`, "null", 400},
		{dishes + "a?locale=xx", `{"form":1}`, "locale", 400},
		{dishes + long, `{"form":1}`, "null", 404},
		{"/autosaves/api::none.none/a", `{"form":1}`, "null", 404},
		{"/autosaves/plugin::upload.file/a", `{"form":1}`, "null", 404},
		{dishes + "a", `{"form":"` + strings.Repeat("x", desk.MostForm) + `"}`, "null", 413},
		{dishes + "a", `{"form":"` + strings.Repeat("x", 2*desk.MostForm) + `"}`, "null", 413},
		{"/preferences", `[]`, "null", 400},
		{"/preferences", `null`, "null", 400},
		{"/preferences", `{"a":"` + strings.Repeat("x", desk.MostPreferences) + `"}`, "null", 413},
	} {
		if a := v.ask("PUT", test.path, test.body); a.status != test.status || a.text("error.details.key") != test.key {
			t.Errorf("PUT %.60s %.60s: %d %.300s, want %d and %s", test.path, test.body, a.status, a.body, test.status, test.key)
		}
	}
	if list := v.want(200, "GET", "/autosaves", ""); list.text("data") != "[]" {
		t.Errorf("stored all the same: %s", list.body)
	}
}

// Each account has a desk of its own, which goes with it.
func TestDesksAreTheirOwn(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id, bob := v.addAccount("bob", "editor")
	bob.want(200, "PUT", dishes+"a", `{"form":"secret"}`)
	bob.want(200, "PUT", "/preferences", `{"theme":"dark"}`)
	if a := bob.want(200, "GET", "/preferences", ""); a.text("data.theme") != "dark" {
		t.Errorf("the preferences are %s", a.body)
	}
	if a := v.want(200, "GET", "/preferences", ""); a.text("data") != "{}" {
		t.Errorf("those of another account are %s", a.body)
	}
	v.want(404, "GET", dishes+"a", "")
	v.want(204, "DELETE", dishes+"a", "")
	bob.want(200, "GET", dishes+"a", "")
	o.client().want(401, "GET", dishes+"a", "")
	o.client().want(401, "PUT", dishes+"a", `{"form":1}`)
	o.client().want(401, "GET", "/preferences", "")
	v.want(204, "DELETE", "/accounts/"+id, "")
	d := desk.New(o.db, nil)
	if list, err := d.Autosaves(id); err != nil || len(list) != 0 {
		t.Errorf("after the account was removed: %v %v", list, err)
	}
	if text, err := d.Preferences(id); err != nil || text != nil {
		t.Errorf("after the account was removed: %s %v", text, err)
	}
}

// An account has so many autosaves and no more; writing one again needs no place.
func TestMostAutosaves(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.want(200, "GET", "/session", "").text("data.account.id")
	d := desk.New(o.db, o.clock.Now)
	for i := range desk.MostAutosaves {
		_, err := d.Save(id, desk.Autosave{AutosaveKey: desk.AutosaveKey{UID: "api::dish.dish", DocumentID: fmt.Sprint("d", i)}, Form: []byte("1")})
		check(t, err)
	}
	if a := v.want(507, "PUT", dishes+"more", `{"form":1}`); a.text("error.name") != "InsufficientStorageError" {
		t.Errorf("one too many: %s", a.body)
	}
	v.want(200, "PUT", dishes+"d7", `{"form":2}`)
	v.want(204, "DELETE", dishes+"d8", "")
	v.want(200, "PUT", dishes+"more", `{"form":1}`)
}

// The forms of one account leave place for those of the others.
func TestLargeAutosaves(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, bob := v.addAccount("bob", "editor")
	id := v.want(200, "GET", "/session", "").text("data.account.id")
	d := desk.New(o.db, o.clock.Now)
	form := []byte(`"` + strings.Repeat("x", desk.MostForm-2) + `"`)
	for i := range desk.MostOwnForms / desk.MostForm {
		_, err := d.Save(id, desk.Autosave{AutosaveKey: desk.AutosaveKey{UID: "api::dish.dish", DocumentID: fmt.Sprint("d", i)}, Form: form})
		check(t, err)
	}
	if a := v.want(507, "PUT", dishes+"more", `{"form":1}`); !strings.Contains(a.text("error.message"), "32 MiB") {
		t.Errorf("too much: %s", a.body)
	}
	bob.want(200, "PUT", dishes+"more", `{"form":1}`)
	v.want(200, "PUT", dishes+"d7", `{"form":2}`)
	v.want(200, "PUT", dishes+"more", `{"form":1}`)
}

// No route but those for signing in answers whoever has no session.
func TestEveryRouteNeedsASession(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	o.owner()
	for _, r := range admin.Routes() {
		path := placeholder.ReplaceAllString(r.Path, "/x")
		a := o.client().ask(r.Method, path, `{}`)
		if (a.status == 401 && a.text("error.name") == "SessionExpired") == r.Open {
			t.Errorf("%s %s: %d %s", r.Method, path, a.status, a.body)
		}
	}
}
