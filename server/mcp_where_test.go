package server_test

import (
	"fmt"
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/people"
)

// An assistant of an account that may read only some documents finds, reads and changes none
// of the others, and is told of them what it is told of a document that never was.
func TestAssistantsAndConditions(t *testing.T) {
	h := openAgents(t)
	where := []auth.Where{{Attribute: "tagline", Is: "north"}}
	all := []string{"read", "create", "update", "delete", "publish", "unpublish"}
	h.addAgent("nora", auth.AdminRole{Types: map[string]auth.TypeRights{"api::restaurant.restaurant": {Actions: all, Where: where}, "api::chef.chef": {Actions: all}}, Files: []string{"read"}, Releases: true}, people.Limits{Publish: people.Yes, Delete: people.Yes})
	chef := h.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	harbour := h.send("full", "POST", "/api/restaurants", `{"data": {"name": "Harbour", "tagline": "north", "stars": 1, "chef": "`+chef+`"}}`).documentID(t)
	south := h.send("full", "POST", "/api/restaurants", `{"data": {"name": "SECRET", "tagline": "south", "stars": 5, "chef": "`+chef+`", "nearby": ["`+harbour+`"]}}`).documentID(t)
	h.send("full", "PUT", "/api/restaurants/"+harbour, `{"data": {"nearby": ["`+south+`"]}}`)
	const uid, nobodys = "api::restaurant.restaurant", "zzzzzzzzzzzzzzzzzzzzzzzz"
	for _, one := range []struct{ tool, arguments string }{
		{"find", `{"type": "` + uid + `", "filters": {"documentId": "ID"}}`}, {"find", `{"type": "` + uid + `", "filters": {"nearby": {"documentId": "ID"}}}`}, {"get", `{"type": "` + uid + `", "documentId": "ID"}`}, {"get", `{"type": "` + uid + `", "documentId": "ID", "show": "history"}`},
		{"get", `{"type": "` + uid + `", "documentId": "ID", "show": "links"}`}, {"get", `{"type": "` + uid + `", "documentId": "ID", "revision": 3}`},
		{"write", `{"items": [{"type": "` + uid + `", "documentId": "ID", "version": 3, "data": {"name": "Mine"}}]}`}, {"write", `{"items": [{"type": "` + uid + `", "documentId": "HARBOUR", "version": VERSION, "data": {"nearby": ["ID"]}}]}`},
		{"act", `{"action": "delete", "items": [{"type": "` + uid + `", "documentId": "ID", "version": 3}]}`}, {"act", `{"action": "publish", "items": [{"type": "` + uid + `", "documentId": "ID", "version": 3}]}`}, {"act", `{"action": "unpublish", "items": [{"type": "` + uid + `", "documentId": "ID", "version": 3}]}`},
		{"act", `{"action": "duplicate", "items": [{"type": "` + uid + `", "documentId": "ID", "version": 3}]}`}, {"act", `{"action": "restore", "items": [{"type": "` + uid + `", "documentId": "ID", "version": 3, "revision": 3}]}`},
	} {
		version := h.send("full", "GET", "/api/restaurants/"+harbour, "").header.Get("Quire-Version")
		ask := func(id string) string {
			a := h.tool("nora", one.tool, "%s", strings.NewReplacer(`"ID"`, `"`+id+`"`, "HARBOUR", harbour, "VERSION", version).Replace(one.arguments))
			return strings.ReplaceAll(fmt.Sprint(a.status, a.failed, a.text), id, "ID")
		}
		got, want := ask(south), ask(nobodys)
		if got != want || strings.Contains(got, "SECRET") {
			t.Errorf("%s %s:\n%s\nand for one that never was:\n%s", one.tool, one.arguments, got, want)
		}
	}
	seen := 0
	for _, one := range []struct{ tool, arguments string }{
		{"describe", `{}`}, {"describe", `{"type": "` + uid + `"}`}, {"find", `{"type": "` + uid + `"}`}, {"find", `{"type": "` + uid + `", "search": "SEC"}`}, {"find", `{"search": "SEC"}`}, {"find", `{"type": "` + uid + `", "status": "draft", "populate": "*"}`}, {"find", `{"type": "api::chef.chef", "populate": {"restaurants": true}}`},
		{"find", `{"type": "api::chef.chef", "filters": {"restaurants": {"stars": 5}}}`}, {"get", `{"type": "api::chef.chef", "documentId": "` + chef + `", "populate": "*"}`}, {"get", `{"type": "` + uid + `", "documentId": "` + harbour + `", "populate": "*"}`},
	} {
		a := h.tool("nora", one.tool, "%s", one.arguments)
		if strings.Contains(a.raw, "SECRET") || strings.Contains(a.raw, south) || strings.Contains(a.text, "does not know") {
			t.Errorf("%s %s: %s", one.tool, one.arguments, a.raw)
		}
		if strings.Contains(a.raw, "Harbour") || strings.Contains(a.raw, "north") {
			seen++
		}
	}
	for _, uri := range []string{"quire://document/" + uid + "/" + south, "quire://schema/" + uid} {
		if a := h.message("nora", "resources/read", map[string]any{"uri": uri}); strings.Contains(a.raw, "SECRET") {
			t.Errorf("%s: %s", uri, a.raw)
		}
	}
	if a := h.send("full", "GET", "/api/restaurants/"+south, ""); a.status != 200 || !strings.Contains(a.body, "SECRET") {
		t.Errorf("what it does not see was changed: %d %s", a.status, a.body)
	}
	if seen < 5 {
		t.Errorf("only %d responses have anything", seen)
	}
}
