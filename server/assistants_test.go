package server_test

import (
	"os"
	"testing"

	"quire/auth"
	"quire/auth/people"
)

// receiveAssistant lets an assistant of the account a1 send requests by a name.
func (h *accountSite) receiveAssistant(name string, role auth.AdminRole, limits people.Limits) {
	h.people[name] = limits.Caller(h.site, "a1."+name, &people.Role{Name: "role", Rights: role})
}

// An assistant that may delete, and not publish, deletes what is not published and nothing else.
func TestAssistantDeletesNothingPublished(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	h.receivePeople()
	h.receiveAssistant("cleaner", auth.AdminRole{Full: true}, people.Limits{Publish: people.No, Delete: people.Yes})
	h.receiveAssistant("publisher", auth.AdminRole{Full: true}, people.Limits{Publish: people.Yes, Delete: people.Yes})
	h.receiveAssistant("writer", auth.AdminRole{Full: true}, people.Limits{Publish: people.Yes, Delete: people.No})
	published := h.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	draft := h.send("full", "POST", "/api/dishes?status=draft", `{"data": {"name": "Stew"}}`).documentID(t)
	category := h.send("full", "POST", "/api/categories", `{"data": {"name": "Starters"}}`).documentID(t)
	for _, try := range []struct {
		as, path string
		status   int
	}{
		{"cleaner", "/api/dishes/" + published, 403},
		{"cleaner", "/api/dishes/" + published + "?locale=*", 403},
		{"cleaner", "/api/categories/" + category, 403},
		{"writer", "/api/dishes/" + draft, 403},
		{"cleaner", "/api/dishes/" + draft, 204},
		{"publisher", "/api/dishes/" + published, 204},
		{"publisher", "/api/categories/" + category, 204},
	} {
		if a := h.send(try.as, "DELETE", try.path, ""); a.status != try.status {
			t.Errorf("%s: DELETE %s: %d %s", try.as, try.path, a.status, a.body)
		}
	}
}

// An assistant of an account that may change only its own documents may change what the
// account and its other assistants have created, and nothing else.
func TestAssistantChangesTheDocumentsOfItsOwner(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	h.receivePeople()
	own := auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: []string{"read", "create", "update", "publish"}, Own: true}}}
	h.receive(t, "a1", own)
	h.receive(t, "a2", own)
	h.receiveAssistant("one", own, people.Limits{})
	h.receiveAssistant("two", own, people.Limits{})
	create := func(as string) string {
		return h.send(as, "POST", "/api/dishes?status=draft", `{"data": {"name": "Soup"}}`).documentID(t)
	}
	hers, ones, others := create("a1"), create("one"), create("a2")
	for _, try := range []struct {
		as, id string
		status int
	}{{"one", hers, 200}, {"two", ones, 200}, {"a1", ones, 200}, {"one", others, 403}, {"a2", ones, 403}, {"a2", hers, 403}} {
		if a := h.send(try.as, "PUT", "/api/dishes/"+try.id+"?status=draft", `{"data": {"name": "Stew"}}`); a.status != try.status {
			t.Errorf("%s: %d %s, want %d", try.as, a.status, a.body, try.status)
		}
	}
}
