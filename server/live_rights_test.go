package server_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/schema"
	"quire/store"
)

// Every caller receives the events of what it may find, and those of drafts only with
// readDraft. About all others it learns nothing, not even that they exist, with and
// without entries.
func TestEveryCallerHearsWhatItMay(t *testing.T) {
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	const restaurants, chefs = "api::restaurant.restaurant", "api::chef.chef"
	callers := map[string][]string{
		"finds dishes":       {dishUID + ".find"},
		"edits dishes":       {dishUID + ".find", dishUID + ".readDraft"},
		"only reads drafts":  {dishUID + ".readDraft", chefs + ".find"},
		"finds restaurants":  {restaurants + ".find"},
		"finds chefs too":    {restaurants + ".find", chefs + ".find"},
		"lists files":        {"plugin::upload.content-api.find"},
		"finds users":        {schema.UserUID + ".find"},
		"finds roles":        {schema.RoleUID + ".find"},
		"knows the history":  {dishUID + ".find", dishUID + ".readHistory"},
		"finds dishes alone": {dishUID + ".findOne", chefs + ".find"},
	}
	mayHear := map[string]string{
		"finds dishes": "dish published", "edits dishes": "dish published, dish draft", "only reads drafts": "chef published",
		"finds restaurants": "restaurant published", "finds chefs too": "restaurant published, chef published", "lists files": "file published",
		"finds users": "user published", "finds roles": "role published", "knows the history": "dish published", "finds dishes alone": "chef published",
	}
	streams := map[string][2]*listener{}
	for name, permissions := range callers {
		h.tokens[name] = h.customToken(t, name, permissions...)
		streams[name] = [2]*listener{h.hear(t, s, name, ""), h.hear(t, s, name, "?include=entry&populate=*")}
	}
	var begun uint64
	check(t, h.db.View(func(tx *store.Tx) error { begun = tx.Revision(); return nil }))
	side := &side{h, "HIDDENaaaa", map[string]string{}}
	side.fill()
	a := h.send("full", "POST", "/api/users-permissions/roles", `{"name": "role", "description": "d", "permissions": {}}`)
	if a.status != 200 {
		t.Fatal(a.status, a.body)
	}
	last := h.send("full", "POST", "/api/dishes", `{"data": {"name": "secret draft"}}`)
	h.send("full", "PUT", "/api/dishes/"+last.documentID(t)+"?status=draft", `{"data": {"name": "HIDDENaaaa"}}`)
	h.send("full", "DELETE", "/api/dishes/"+last.documentID(t), "")
	for name, both := range streams {
		want := h.logged(t, begun, mayHear[name])
		if len(want) == 0 && name != "lists files" {
			t.Errorf("there is nothing for %s to hear", name)
		}
		for _, l := range both {
			for _, event := range want {
				m := l.next()
				if m.String() != event {
					t.Fatalf("%s hears %q %s, want %q", name, m.String(), m.data, event)
				}
				what := strings.TrimSpace(m.String()[strings.Index(m.String(), " "):])
				kind, _, _ := strings.Cut(what, " ")
				status := strings.Fields(what)[1]
				if draft := name == "edits dishes" && status == "draft"; !draft && strings.Contains(m.data, "HIDDEN") || strings.Contains(m.data, "$argon2") {
					t.Errorf("%s hears a secret: %s", name, m.data)
				}
				if strings.Contains(m.data, `"actor"`) != (name == "knows the history") || name == "finds restaurants" && strings.Contains(m.data, `"chef":{`) {
					t.Errorf("%s hears more than it may: %s", name, m.data)
				}
				if id, after, _ := strings.Cut(m.id, "."); id != m.field("revision") || name != "edits dishes" && name != "finds chefs too" && len(after) > 0 && kind == "dish" {
					t.Errorf("%s: the id %s tells of what it may not see", name, m.id)
				}
			}
		}
	}
	h.server.EndStreams()
	for name, both := range streams {
		for _, l := range both {
			if m := l.next(); m.data != "" {
				t.Errorf("%s hears more: %s", name, m.data)
			}
		}
	}
}

// logged lists the events of the log for a listener who may receive events of some types
// and statuses: "dish published, dish draft".
func (h *accountSite) logged(t *testing.T, begun uint64, mayHear string) (list []string) {
	t.Helper()
	check(t, h.db.View(func(tx *store.Tx) error {
		floor, err := event.Floor(tx)
		check(t, err)
		return event.Read(tx, floor, func(c event.Commit) bool {
			for _, e := range c.Events {
				kind := e.Type[strings.LastIndex(e.Type, ".")+1:]
				if strings.Contains(", "+mayHear+",", ", "+kind+" "+e.Status.String()+",") && c.Revision > begun {
					list = append(list, strings.TrimSpace(e.Action.String()+" "+kind+" "+e.Status.String()+" "+e.Locale))
				}
			}
			return true
		})
	}))
	return list
}

// When a caller loses a right, its stream ends. It receives no later writes.
func TestRevokedStreamsEnd(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	user := func(name string) string {
		a := h.send("", "POST", "/api/auth/local/register", fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": "secret-1"}`, name, name))
		h.tokens[name] = a.text(t, "jwt")
		return a.text(t, "user.id")
	}
	role := h.send("full", "GET", "/api/users-permissions/roles", "")
	if role.status != 200 {
		t.Fatal(role.body)
	}
	set := func(id, body string) func() {
		return func() {
			if a := h.send("full", "PUT", "/api/users/"+id, body); a.status != 200 {
				t.Fatal(a.status, a.body)
			}
		}
	}
	h.tokens["custom"] = h.customToken(t, "custom", dishUID+".find")
	blocked, deleted, changed := user("blocked"), user("deleted"), user("changed")
	for name, revoke := range map[string]func(){
		"custom":  func() { check(t, h.auth.RevokeToken(t.Context(), "custom")) },
		"blocked": set(blocked, `{"blocked": true}`),
		"deleted": func() { h.send("full", "DELETE", "/api/users/"+deleted, "") },
		"changed": set(changed, `{"password": "another-1"}`),
	} {
		t.Run(name, func(t *testing.T) {
			l := h.hear(t, s, name, "?types=dishes")
			if a := h.send("full", "POST", "/api/dishes", `{"data": {"name": "before `+name+`"}}`); a.status != 201 {
				t.Fatal(a.body)
			}
			l.wants("publish dish published")
			revoke()
			if a := h.send("full", "POST", "/api/dishes", `{"data": {"name": "after `+name+`"}}`); a.status != 201 {
				t.Fatal(a.body)
			}
			l.wants("")
			if a := h.tryHear(t, s, name, "").answer; a.StatusCode != http.StatusUnauthorized {
				t.Errorf("it is answered %s", a.Status)
			}
		})
	}
}

// When a credential expires, its stream ends, even if nothing is written.
func TestExpiredStreamsEnd(t *testing.T) {
	t.Parallel()
	clock := &handClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{Now: clock.Now})
	s := h.listenTo(t, false)
	token, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "short", Kind: auth.FullAccess, Lifetime: time.Hour})
	check(t, err)
	h.tokens["short"] = token
	l := h.hear(t, s, "short", "?types=chefs")
	clock.advance(59 * time.Minute)
	h.send("full", "POST", "/api/chefs?status=draft", `{"data": {"name": "Ada"}}`)
	l.wants("create chef draft")
	clock.advance(time.Minute)
	l.wants("")
}

// When the permissions of a role change, the streams of its users end.
func TestStreamsEndWithTheirRole(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	made := h.send("full", "POST", "/api/users-permissions/roles", `{"name": "cook", "description": "d", "permissions": {"api::dish": {"controllers": {"dish": {"find": {"enabled": true}}}}}}`)
	if made.status != 200 {
		t.Fatal(made.body)
	}
	roles := h.send("full", "GET", "/api/users-permissions/roles", "").body
	at := strings.Index(roles, `"cook"`)
	if at < 0 {
		t.Fatal(roles)
	}
	id := roles[:at]
	id = id[strings.LastIndex(id, `"id":`)+5:]
	id = id[:strings.IndexByte(id, ',')]
	a := h.send("full", "POST", "/api/users", `{"username": "cook", "email": "cook@example.org", "password": "secret-1", "role": `+id+`}`)
	if a.status != 201 {
		t.Fatal(a.body)
	}
	h.tokens["cook"] = h.send("", "POST", "/api/auth/local", `{"identifier": "cook", "password": "secret-1"}`).text(t, "jwt")
	l := h.hear(t, s, "cook", "?types=dishes")
	h.send("full", "POST", "/api/dishes", `{"data": {"name": "before"}}`)
	l.wants("publish dish published")
	if a := h.send("full", "PUT", "/api/users-permissions/roles/"+id, `{"name": "cook", "description": "d", "permissions": {}}`); a.status != 200 {
		t.Fatal(a.body)
	}
	h.send("full", "POST", "/api/dishes", `{"data": {"name": "after"}}`)
	l.wants("")
}
