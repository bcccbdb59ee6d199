package admin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/content/changeset"
	"quire/documents"
	"quire/store"
)

// propose stores a change set in the name of a token.
func (o *testAdmin) propose(title string, steps ...changeset.Step) (id string) {
	o.t.Helper()
	owner := func() (auth.Identity, error) { return o.auth.ActAs(auth.AsOwner) }
	err := o.server.Ask(o.t.Context(), owner, func(ctx context.Context, call *documents.Call) error {
		call.Actor = store.ActorOf(store.ByToken, "robot")
		set, err := call.Propose(ctx, title, steps)
		if err == nil {
			id = set.ID
		}
		return err
	})
	check(o.t, err)
	return id
}

// A person sees what a change set would do, and approves it; nothing is done before.
func TestAPersonApprovesAChangeSet(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	door := v.make("restaurants?status=draft", `{"name":"Door"}`)
	id := o.propose("Open the door",
		changeset.Step{Action: "update", Type: "api::restaurant.restaurant", DocumentID: door, Status: "draft", Data: json.RawMessage(`{"name":"The Door"}`)},
		changeset.Step{Action: "publish", Type: "api::restaurant.restaurant", DocumentID: door})
	if a := v.want(200, "GET", "/changes", ""); !strings.Contains(a.body, `"id":"`+id+`","title":"Open the door","by":{"kind":"token","id":"robot","name":"robot"}`) || strings.Contains(a.body, "effects") {
		t.Errorf("list: %s", a.body)
	}
	a := v.want(200, "GET", "/changes/"+id, "")
	for _, want := range []string{`"state":"waiting"`, `"status":"draft","title":"The Door","action":"update","before":{"name":"Door"},"after":{"name":"The Door"}`, `"status":"published","title":"The Door","action":"create"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s is not in %s", want, a.body)
		}
	}
	v.want(404, "GET", "/content/restaurants/"+door, "")
	v.want(204, "POST", "/changes/"+id+"/approve", "")
	if a := v.want(200, "GET", "/content/restaurants/"+door, ""); a.text("data.name") != "The Door" {
		t.Errorf("published: %s", a.body)
	}
	v.want(409, "POST", "/changes/"+id+"/approve", "")
	v.want(409, "POST", "/changes/"+id+"/reject", "")
	if a := v.want(200, "GET", "/changes/"+id, ""); a.text("data.state") != "approved" || !strings.Contains(a.body, `"decidedBy":{"kind":"admin"`) {
		t.Errorf("decided: %s", a.body)
	}
	if a := v.want(200, "GET", "/content/restaurants/"+door+"/history", ""); !strings.Contains(a.body, `"name":"robot"`) {
		t.Errorf("the history does not name who proposed it: %s", a.body)
	}
	if a := v.want(200, "GET", "/audit", ""); !strings.Contains(a.body, "changes.approve") {
		t.Errorf("audit: %s", a.body)
	}
}

// What has become impossible is shown with its reason, and can be rejected.
func TestAChangeSetThatHasBecomeImpossible(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	door := v.make("restaurants?status=draft", `{"name":"Door"}`)
	id := o.propose("", changeset.Step{Action: "publish", Type: "api::restaurant.restaurant", DocumentID: door})
	v.want(204, "DELETE", "/content/restaurants/"+door, "")
	if a := v.want(200, "GET", "/changes/"+id, ""); !strings.Contains(a.body, `"problem":{"step":0,"message":`) {
		t.Errorf("%s", a.body)
	}
	if a := v.want(409, "POST", "/changes/"+id+"/approve", ""); !strings.Contains(a.body, "Change 1: Not Found") {
		t.Errorf("%s", a.body)
	}
	v.want(204, "POST", "/changes/"+id+"/reject", "")
	if a := v.want(200, "GET", "/changes/"+id, ""); a.text("data.state") != "rejected" {
		t.Errorf("%s", a.body)
	}
}

// Who may not read the drafts of a type knows nothing of change sets about it, and who may only
// read them cannot approve one.
func TestRightsOnChangeSets(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	door := v.make("restaurants?status=draft", `{"name":"Hidden Door"}`)
	id := o.propose("A secret", changeset.Step{Action: "publish", Type: "api::restaurant.restaurant", DocumentID: door})
	stranger := v.reader("stranger", "api::chef.chef", "")
	if a := stranger.want(200, "GET", "/changes", ""); a.text("data") != "[]" {
		t.Errorf("a stranger sees %s", a.body)
	}
	for _, path := range []string{"", "/approve", "/reject"} {
		method := "POST"
		if path == "" {
			method = "GET"
		}
		stranger.want(404, method, "/changes/"+id+path, "")
		v.want(404, method, "/changes/none"+path, "")
		o.client().want(401, method, "/changes/"+id+path, "")
	}
	blind := v.reader("blind", "api::restaurant.restaurant", `"name"`)
	if a := blind.want(200, "GET", "/changes/"+id, ""); strings.Contains(a.body, "Door") || !strings.Contains(a.body, `"problem":{"step":0,"message":"Forbidden"}`) {
		t.Errorf("who may not see names sees %s", a.body)
	}
	blind.want(403, "POST", "/changes/"+id+"/approve", "")
	blind.want(403, "POST", "/changes/"+id+"/reject", "")
}

// What somebody did is taken back in the admin; nobody takes back what they could not do.
func TestUndoInTheAdmin(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	inn := v.make("restaurants", `{"name":"Inn"}`)
	v.want(200, "PUT", "/content/chefs/"+v.make("chefs", `{"name":"Ann"}`), `{"data":{"name":"Anna"}}`)
	since := time.Now().Add(time.Millisecond)
	waitUntil(since)
	bobsID, bob := v.addAccount("bob", "editor")
	bob.want(200, "PUT", "/content/restaurants/"+inn, `{"data":{"name":"Bob's Inn"}}`)
	bob.make("restaurants", `{"name":"Bob's Bar"}`)
	by, at := "admin:"+bobsID, since.UTC().Format(time.RFC3339Nano)
	form := fmt.Sprintf(`{"by":%q,"since":%q}`, by, at)
	if a := v.want(200, "GET", "/undo?by="+by+"&since="+at, ""); !strings.Contains(a.body, `"before":{"name":"Bob's Inn"},"after":{"name":"Inn"}`) || !strings.Contains(a.body, `"action":"delete"`) {
		t.Errorf("it would do: %s", a.body)
	}
	v.reader("reads", "api::restaurant.restaurant", "").want(403, "POST", "/undo", form)
	v.want(200, "POST", "/undo", form)
	if a := v.want(200, "GET", "/content/restaurants?fields=name&sort=name", ""); a.titles(t, "data") != "Inn" && !strings.Contains(a.body, `"name":"Inn"`) || strings.Contains(a.body, "Bob") {
		t.Errorf("after the undo: %s", a.body)
	}
	for path, want := range map[string]string{"/undo": `"key":"since"`, "/undo?since=" + at: `"key":"by"`, "/undo?by=x&since=yesterday": `"key":"since"`} {
		if a := v.want(400, "GET", path, ""); !strings.Contains(a.body, want) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	v.want(400, "POST", "/undo", `{"by":"admin:x"}`)
	v.want(400, "POST", "/undo", `{"since":"2026-01-01T00:00:00Z"}`)
	v.want(400, "POST", "/undo", `{"by":"admin:x","since":"2026-01-01T00:00:00Z","other":1}`)
}

// waitUntil returns when the clock of the machine, which stamps commits, shows that time.
func waitUntil(at time.Time) {
	for !time.Now().After(at) {
	}
}

// Who may change own documents alone decides about no others.
func TestChangeSetsAndOwnDocuments(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(204, "POST", "/changes/"+o.propose("", changeset.Step{Action: "create", Type: "api::chef.chef", DocumentID: "robotschef", Status: "draft", Data: json.RawMessage(`{"name":"Robot"}`)})+"/approve", "")
	role := v.want(201, "POST", "/roles", `{"name":"own","rights":{"types":{"api::chef.chef":{"actions":["read","create","update","delete"],"own":true}}}}`).text("data.id")
	_, them := v.addAccount("owns", role)
	id := o.propose("", changeset.Step{Action: "update", Type: "api::chef.chef", DocumentID: "robotschef", Status: "draft", Data: json.RawMessage(`{"name":"Changed"}`)})
	them.want(403, "PUT", "/content/chefs/robotschef?status=draft", `{"data":{"name":"Changed"}}`)
	them.want(403, "POST", "/changes/"+id+"/reject", "")
	them.want(403, "POST", "/changes/"+id+"/approve", "")
	v.want(204, "POST", "/changes/"+id+"/approve", "")

	own := them.make("chefs?status=draft", `{"name":"Own"}`)
	rename := func(id, name string) changeset.Step {
		return changeset.Step{Action: "update", Type: "api::chef.chef", DocumentID: id, Status: "draft", Data: json.RawMessage(`{"name":"` + name + `"}`)}
	}
	id = o.propose("", rename(own, "Better"),
		changeset.Step{Action: "create", Type: "api::chef.chef", DocumentID: "robotsother", Status: "draft", Data: json.RawMessage(`{"name":"Other"}`)}, rename("robotsother", "New"))
	them.want(204, "POST", "/changes/"+id+"/approve", "")
	if a := them.want(200, "GET", "/content/chefs/"+own+"?status=draft", ""); a.text("data.name") != "Better" {
		t.Errorf("their own document: %s", a.body)
	}
	for _, of := range []string{own, "robotsother"} {
		if a := v.want(200, "GET", "/content/chefs/"+of+"/history?status=draft", ""); !strings.Contains(a.body, `"name":"robot"`) {
			t.Errorf("the history does not name who proposed it: %s", a.body)
		}
	}
	them.want(403, "PUT", "/content/chefs/robotsother?status=draft", `{"data":{"name":"Changed"}}`)
	them.want(204, "POST", "/changes/"+o.propose("", rename(own, "Worse"))+"/reject", "")

	both := o.propose("", rename(own, "Best"), rename("robotschef", "Best"))
	them.want(403, "POST", "/changes/"+both+"/approve", "")
	them.want(200, "PUT", "/content/chefs/"+own+"?status=draft", `{"data":{"name":"Changed"}}`) // so that it cannot be done any more
	them.want(403, "POST", "/changes/"+both+"/reject", "")
	them.want(412, "POST", "/changes/"+both+"/approve", "")
	if a := them.want(200, "GET", "/content/chefs/robotschef?status=draft", ""); a.text("data.name") != "Changed" {
		t.Errorf("half of it was done: %s", a.body)
	}
	v.want(204, "POST", "/changes/"+both+"/reject", "")
}
