package documents_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"quire/auth"
	"quire/content"
	"quire/content/changeset"
	"quire/content/contenttest"
	"quire/documents"
)

const homepage = "api::homepage.homepage"

func updateOf(uid, documentID, data string) changeset.Step {
	return changeset.Step{Action: "update", Type: uid, DocumentID: documentID, Data: json.RawMessage(data)}
}

// A single type is one document, whether or not a step has its id, so only the first step about
// it has a condition.
func TestAChangeSetNamesASingleTypeInTwoWays(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	ctx := context.Background()
	id := f.Create("homepage", `{"title": "One"}`, contenttest.AsDraft)
	set, err := ada.Propose(ctx, "", []changeset.Step{
		updateOf(homepage, "", `{"title": "Two"}`), updateOf(homepage, id, `{"title": "Three"}`), {Action: "publish", Type: homepage},
	})
	check(t, err)
	ada.Latest()
	check(t, ada.Approve(ctx, set.ID))
	if title := f.MustRead("homepage", contenttest.LiveOf(id, "en")).Value("title").Text; title != "Three" {
		t.Errorf("published: %q", title)
	}
}

// A single type that was not there when it was proposed is not written over.
func TestAChangeSetCreatesASingleTypeOnlyIfThereIsNone(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	ctx := context.Background()
	set, err := ada.Propose(ctx, "", []changeset.Step{updateOf(homepage, "", `{"title": "Robot"}`)})
	check(t, err)
	id := f.Create("homepage", `{"title": "Person"}`, contenttest.AsDraft)
	ada.Latest()
	var conflict *content.ConflictError
	if err := ada.Approve(ctx, set.ID); !errors.As(err, &conflict) {
		t.Errorf("approved: %v", err)
	}
	if title := f.MustRead("homepage", contenttest.DraftOf(id, "en")).Value("title").Text; title != "Person" {
		t.Errorf("the draft is %q", title)
	}
}

// To delete a document that is not there cannot be proposed: somebody could create it until the
// set is approved.
func TestDeletingNothingCannotBeProposed(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	for _, step := range []changeset.Step{
		{Action: "delete", Type: "api::category.category", DocumentID: "nothing"}, {Action: "delete", Type: homepage}, {Action: "publish", Type: homepage},
	} {
		_, err := ada.Propose(context.Background(), "", []changeset.Step{step})
		if p := documents.Explain(err); p == nil || p.Kind != documents.NotFound {
			t.Errorf("%s %s: %v", step.Action, step.Type, err)
		}
	}
	made := changeset.Step{Action: "create", Type: "api::category.category", DocumentID: "made", Data: json.RawMessage(`{"name": "A"}`)}
	if _, err := ada.Propose(context.Background(), "", []changeset.Step{made, {Action: "delete", Type: "api::category.category", DocumentID: "made"}}); err != nil {
		t.Errorf("what an earlier step creates: %v", err)
	}
}

// A change set says how each step is pinned when it is read again.
func TestStepsAreStoredWithTheirConditions(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	soup := f.Create("category", `{"name": "Soup"}`)
	set, err := ada.Propose(context.Background(), "", []changeset.Step{updateOf("api::category.category", soup, `{"name": "Stew"}`), updateOf(homepage, "", `{"title": "A"}`)})
	check(t, err)
	if set, err = ada.ChangeSet(set.ID); err != nil || set.Steps[0].Version != ada.Version(f.Kind("category"), soup) || set.Steps[0].Version == 0 || !set.Steps[1].Absent {
		t.Errorf("%+v, %v", set, err)
	}
}

// Who may not know who has changed something cannot find it out by taking it back.
func TestUndoTellsNobodyWhoDidIt(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	id := f.Create("category", `{"name": "Soup"}`)
	since := momentAfter(t, f)
	robotWrites(t, f, "category", id, "", `{"name": "Stew"}`)
	if undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since}); err != nil || len(undo.Steps) != 1 {
		t.Fatalf("the owner: %+v, %v", undo, err)
	}
	a, err := auth.Open(f.DB, f.Site, auth.Options{})
	check(t, err)
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	uid := f.Kind("category").UID
	token, err := a.CreateToken(context.Background(), auth.TokenSpec{Name: "blind", Kind: auth.Custom, Permissions: []string{uid + ".find", uid + ".update"}})
	check(t, err)
	identity, err := a.Authenticate(token, nil)
	check(t, err)
	call.Caller = identity.Caller
	if undo, err := call.Undo(context.Background(), documents.Period{By: string(robot), Since: since}); err != nil || len(undo.Steps)+len(undo.Left) != 0 {
		t.Errorf("somebody without the history: %+v, %v", undo, err)
	}
}
