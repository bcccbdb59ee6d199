package documents_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/changeset"
	"quire/content/contenttest"
	"quire/documents"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

var robot = store.ActorOf(store.ByToken, "robot")

// robotWrites changes the draft or, if the type has none, the entry of a document.
func robotWrites(t *testing.T, f *contenttest.Fixture, kind, id, locale, data string) {
	t.Helper()
	in, err := body.Decode(f.Site, f.Kind(kind), json.RawMessage(data), nil)
	check(t, err)
	r := content.Request{Type: f.Kind(kind), DocumentID: id, Locale: locale, Status: store.Draft, Input: in}
	if !r.Type.DraftAndPublish {
		r.Status = store.Published
	}
	if _, err := f.Writer.Update(content.By(context.Background(), robot), r); err != nil {
		t.Fatal(err)
	}
}

// A deleted document that somebody else has created again in the meantime is not written over.
func TestUndoKeepsADocumentThatHasComeBack(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	id := f.Create("category", `{"name": "Soup"}`)
	since := momentAfter(t, f)
	check(t, f.Writer.Delete(content.By(context.Background(), robot), content.Request{Type: f.Kind("category"), DocumentID: id}))
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 1 {
		t.Fatalf("%+v, %v", undo, err)
	}
	f.Create("category", `{"name": "Stew"}`, contenttest.Called(id))
	var conflict *content.ConflictError
	if err := call.TakeBack(context.Background(), undo); !errors.As(err, &conflict) {
		t.Errorf("taken back: %v", err)
	}
	if name := f.MustRead("category", contenttest.LiveOf(id, "")).Value("name").Text; name != "Stew" {
		t.Errorf("the other's document is %q", name)
	}
}

// Commits have times in milliseconds, so a moment within one includes those of that millisecond.
func TestUndoSinceAMomentWithinAMillisecond(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	id := f.Create("category", `{"name": "Soup"}`)
	robotWrites(t, f, "category", id, "", `{"name": "Stew"}`)
	since := momentAfter(t, f).Add(-time.Millisecond / 2)
	undo, err := ownerOf(t, f).Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 1 {
		t.Errorf("%+v, %v", undo, err)
	}
}

// A draft that the author had written before stays, although what the author did since has given it
// a later number.
func TestUndoKeepsADraftThatWasPublishedAndUnpublished(t *testing.T) {
	site := contenttest.Guide(t)
	site.Settings.History.Age = 100 * 365 * 24 * time.Hour // the clock of the fixture is behind
	f := contenttest.New(t, site)
	ctx := content.By(context.Background(), robot)
	in, err := body.Decode(f.Site, f.Kind("restaurant"), json.RawMessage(`{"name": "Inn"}`), nil)
	check(t, err)
	made, err := f.Writer.Create(ctx, content.Request{Type: f.Kind("restaurant"), Locale: "en", Status: store.Draft, Input: in})
	check(t, err)
	since, step := momentAfter(t, f), content.Step{Type: f.Kind("restaurant"), DocumentID: made.DocumentID, Locales: []string{"en"}}
	if _, err := f.Writer.Publish(ctx, step); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Writer.Unpublish(ctx, step, false); err != nil {
		t.Fatal(err)
	}
	undo, err := ownerOf(t, f).Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) > 0 || len(undo.Left) > 0 {
		t.Errorf("what is as it was is changed: %+v, %v", undo, err)
	}
}

// One locale returns, another goes.
func TestUndoInSeveralLocales(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	id := f.Create("restaurant", `{"name": "Inn"}`, contenttest.AsDraft, contenttest.In("en"))
	since := momentAfter(t, f)
	robotWrites(t, f, "restaurant", id, "en", `{"name": "Robot's Inn"}`)
	robotWrites(t, f, "restaurant", id, "fr", `{"name": "Auberge"}`)
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	check(t, err)
	if err := call.TakeBack(context.Background(), undo); err != nil {
		t.Fatalf("%v after %+v", err, undo.Steps)
	}
	if name := f.MustRead("restaurant", contenttest.DraftOf(id, "en")).Value("name").Text; name != "Inn" || f.Stored("restaurant", contenttest.DraftOf(id, "fr")) != nil {
		t.Errorf("English is %q", name)
	}
}

// A document whose former version is too old for the history stays; it is not deleted.
func TestUndoLeavesWhatTheHistoryHasLost(t *testing.T) {
	site := contenttest.Guide(t)
	site.Settings.History = settings.History{Versions: 2, Age: time.Millisecond}
	f := contenttest.New(t, site)
	call := ownerOf(t, f)
	id := f.Create("category", `{"name": "Soup"}`)
	since := momentAfter(t, f)
	for _, name := range []string{"A", "B", "C", "D"} {
		robotWrites(t, f, "category", id, "", `{"name": "`+name+`"}`)
	}
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 0 || len(undo.Left) != 1 || undo.Left[0].Reason != documents.LeftUnknown {
		t.Errorf("%+v, %v", undo, err)
	}
}

// remembering is the guide with a history that forgets nothing, though the clock of the tests
// shows a time that is long past.
func remembering(t *testing.T) *schema.Site {
	site := contenttest.Guide(t)
	site.Settings.History = settings.History{Versions: 1000, Age: 100 * 365 * 24 * time.Hour}
	return site
}

// A file stays in the library, because its bytes are no part of the transaction, and a change of
// one does not delete it.
func TestUndoLeavesFiles(t *testing.T) {
	f := contenttest.New(t, remembering(t))
	call := ownerOf(t, f)
	files := f.Site.Type(schema.FileUID)
	in, err := body.Decode(f.Site, files, json.RawMessage(`{"name": "a.txt", "hash": "a", "mime": "text/plain", "size": 1, "url": "/uploads/a.txt", "provider": "local"}`), nil)
	check(t, err)
	since := momentAfter(t, f)
	if _, err := f.Writer.Create(content.By(context.Background(), robot), content.Request{Type: files, Status: store.Published, Input: in}); err != nil {
		t.Fatal(err)
	}
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 0 || len(undo.Left) != 1 || undo.Left[0].Reason != documents.LeftFile {
		t.Errorf("%+v, %v", undo, err)
	}
}

// What was written while there was no history stays: that something was there before shows in
// the log.
func TestUndoLeavesWhatWasWrittenWithoutAHistory(t *testing.T) {
	site := remembering(t)
	with := site.Settings.History
	site.Settings.History = settings.History{}
	f := contenttest.New(t, site)
	call := ownerOf(t, f)
	changed, deleted := f.Create("category", `{"name": "Soup"}`), f.Create("category", `{"name": "Stew"}`)
	since := momentAfter(t, f)
	robotWrites(t, f, "category", changed, "", `{"name": "Robot's soup"}`)
	check(t, f.Writer.Delete(content.By(context.Background(), robot), content.Request{Type: f.Kind("category"), DocumentID: deleted}))
	site.Settings.History = with
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 0 || len(undo.Left) != 2 {
		t.Errorf("%+v, %v", undo, err)
	}
}

// A change set that several people approve at once is done once.
func TestAChangeSetIsApprovedOnce(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	set, err := call.Propose(context.Background(), "", []changeset.Step{{Action: "create", Type: "api::chef.chef", DocumentID: "once", Status: "draft", Data: json.RawMessage(`{"name": "Ann"}`)}, {Action: "duplicate", Type: "api::chef.chef", DocumentID: "once"}})
	check(t, err)
	done := make(chan error)
	for range 8 {
		one := *call
		go func() { done <- one.Approve(context.Background(), set.ID) }()
	}
	approved := 0
	for range 8 {
		if err := <-done; err == nil {
			approved++
		}
	}
	chefs := 0
	(&contenttest.Gambler{Fixture: f}).Each("chef", func(*store.Entry) { chefs++ })
	if approved != 1 || chefs != 2 {
		t.Errorf("it was approved %d times and made %d chefs", approved, chefs)
	}
}

// The history has nothing of users: one that was changed stays, and is not deleted.
func TestUndoLeavesChangedUsers(t *testing.T) {
	f := contenttest.New(t, remembering(t))
	call := ownerOf(t, f)
	users := f.Site.Type("plugin::users-permissions.user")
	save := func(ctx context.Context, id, data string, do func(context.Context, content.Request) (content.Result, error)) string {
		in, err := body.Decode(f.Site, users, json.RawMessage(data), nil)
		check(t, err)
		r, err := do(ctx, content.Request{Type: users, DocumentID: id, Status: store.Published, Input: in})
		check(t, err)
		return r.DocumentID
	}
	id := save(context.Background(), "", `{"username": "ann", "email": "ann@example.org"}`, f.Writer.Create)
	since := momentAfter(t, f)
	save(content.By(context.Background(), robot), id, `{"username": "anna"}`, f.Writer.Update)
	undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since})
	if err != nil || len(undo.Steps) != 0 || len(undo.Left) != 1 || undo.Left[0].Reason != documents.LeftUnknown {
		t.Errorf("%+v, %v", undo, err)
	}
}

// A password is not stored while it would wait for a person.
func TestAPasswordDoesNotWait(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	_, err := ownerOf(t, f).Propose(context.Background(), "", []changeset.Step{{Action: "create", Type: "plugin::users-permissions.user", Data: json.RawMessage(`{"username": "ann", "email": "ann@example.org", "password": "secret-1"}`)}})
	if step, p := documents.ExplainStep(err); p == nil || step != 0 || p.Kind != documents.Invalid {
		t.Errorf("proposed: %v", err)
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
