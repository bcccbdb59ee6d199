package documents_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"quire/content"
	"quire/content/changeset"
	"quire/content/contenttest"
	"quire/documents"
	"quire/store"
)

// A change set is done when it is approved, all of it, in the name of who proposed it.
func TestAnApprovedChangeSetIsDone(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	bot := ownerOf(t, f)
	bot.Actor = store.ActorOf(store.ByToken, "bot")
	chef := f.Create("chef", `{"name": "Ann"}`, contenttest.AsDraft)
	soup := f.Create("category", `{"name": "Soup"}`)
	ctx := context.Background()
	set, err := bot.Propose(ctx, "Publish Ann", []changeset.Step{
		{Action: "update", Type: "api::chef.chef", DocumentID: chef, Status: "draft", Data: json.RawMessage(`{"name": "Anna"}`)},
		{Action: "publish", Type: "api::chef.chef", DocumentID: chef},
		{Action: "delete", Type: "api::category.category", DocumentID: soup},
		{Action: "create", Type: "api::category.category", Data: json.RawMessage(`{"name": "Stew"}`)},
	})
	check(t, err)
	if f.Stored("chef", contenttest.LiveOf(chef, "")) != nil || f.Stored("category", contenttest.LiveOf(soup, "")) == nil {
		t.Error("something was done before it was approved")
	}
	list, err := ada.ChangeSets()
	if err != nil || len(list) != 1 || list[0].State != changeset.Waiting || list[0].Count != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	set, err = ada.ChangeSet(set.ID)
	check(t, err)
	effects, err := ada.Effects(ctx, set.Steps)
	check(t, err)
	got := ""
	for _, e := range effects {
		got += e.Action.String() + " " + e.Status.String() + " " + e.Title + "; "
	}
	if want := "update draft Anna; create published Anna; delete published Soup; create published Stew; "; got != want {
		t.Errorf("it would do %s, want %s", got, want)
	}
	check(t, ada.Approve(ctx, set.ID))
	if e := f.MustRead("chef", contenttest.LiveOf(chef, "")); e.Value("name").Text != "Anna" || e.Stamp.UpdatedBy != bot.Actor {
		t.Errorf("published: %+v", e)
	}
	if f.Stored("category", contenttest.LiveOf(soup, "")) != nil {
		t.Error("the category was not deleted")
	}
	if err := ada.Approve(ctx, set.ID); !errors.Is(err, changeset.ErrDecided) {
		t.Errorf("approved again: %v", err)
	}
	if err := ada.Reject(ctx, set.ID); !errors.Is(err, changeset.ErrDecided) {
		t.Errorf("rejected after it was approved: %v", err)
	}
	if set, err = bot.ChangeSet(set.ID); err != nil || set.State != changeset.Approved || set.DecidedBy != ada.Actor || set.Steps != nil {
		t.Errorf("%+v, %v", set, err)
	}
}

// What was changed since it was proposed is not written over, and nothing else is done.
func TestAChangeSetOfAChangedDocumentIsNotDone(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	ctx := context.Background()
	one, other := f.Create("category", `{"name": "Soup"}`), f.Create("category", `{"name": "Stew"}`)
	set, err := ada.Propose(ctx, "", []changeset.Step{
		{Action: "update", Type: "api::category.category", DocumentID: one, Data: json.RawMessage(`{"name": "Soups"}`)},
		{Action: "update", Type: "api::category.category", DocumentID: other, Data: json.RawMessage(`{"name": "Stews"}`)},
	})
	check(t, err)
	f.Update("category", other, `{"name": "Ragout"}`)
	var conflict *content.ConflictError
	if err := ada.Approve(ctx, set.ID); !errors.As(err, &conflict) || conflict.DocumentID != other {
		t.Errorf("approved: %v", err)
	}
	if name := f.MustRead("category", contenttest.LiveOf(one, "")).Value("name").Text; name != "Soup" {
		t.Errorf("half of it was done: %s", name)
	}
	if err := ada.Reject(ctx, set.ID); err != nil {
		t.Error(err)
	}
	if set, err = ada.ChangeSet(set.ID); err != nil || set.State != changeset.Rejected {
		t.Errorf("%+v, %v", set, err)
	}
}

// What cannot be done cannot be proposed: the error says which step it is.
func TestAChangeSetThatCannotBeDoneIsRefused(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	ada := ownerOf(t, f)
	f.Create("category", `{"name": "Soup"}`)
	fine := changeset.Step{Action: "create", Type: "api::category.category", Data: json.RawMessage(`{"name": "Stew"}`)}
	for name, wrong := range map[string]changeset.Step{
		"value taken":      {Action: "create", Type: "api::category.category", Data: json.RawMessage(`{"name": "Soup"}`)},
		"unknown key":      {Action: "create", Type: "api::category.category", Data: json.RawMessage(`{"nome": "Soup"}`)},
		"no such document": {Action: "publish", Type: "api::chef.chef", DocumentID: "nothing"},
		"unknown type":     {Action: "create", Type: "api::none.none", Data: json.RawMessage(`{}`)},
		"component":        {Action: "create", Type: "place.address", Data: json.RawMessage(`{}`)},
		"unknown action":   {Action: "burn", Type: "api::chef.chef", DocumentID: "nothing"},
		"unknown locale":   {Action: "create", Type: "api::restaurant.restaurant", Locale: "xx", Data: json.RawMessage(`{"name": "A"}`)},
	} {
		var part *content.PartError
		if _, err := ada.Propose(context.Background(), "", []changeset.Step{fine, wrong}); !errors.As(err, &part) || part.Part != 1 || documents.Explain(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	many := make([]changeset.Step, changeset.MostSteps+1)
	for i := range many {
		many[i] = changeset.Step{Action: "delete", Type: "api::category.category", DocumentID: "nothing"}
	}
	if _, err := ada.Propose(context.Background(), "", many); !errors.As(err, new(*changeset.LimitError)) || documents.Explain(err) == nil {
		t.Errorf("too many: %v", err)
	}
	if list, err := ada.ChangeSets(); err != nil || len(list) != 0 {
		t.Errorf("stored: %v, %v", list, err)
	}
}

// Documents that others have changed since stay as they are, and are named.
func TestUndoLeavesWhatOthersHaveChanged(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	call := ownerOf(t, f)
	bot := store.ActorOf(store.ByToken, "bot")
	ours, theirs := f.Create("category", `{"name": "Soup"}`), f.Create("category", `{"name": "Stew"}`)
	since := momentAfter(t, f)
	ctx := content.By(context.Background(), bot)
	for _, id := range []string{ours, theirs} {
		r := content.Request{Type: f.Kind("category"), DocumentID: id}
		check(t, f.Writer.Delete(ctx, r))
	}
	again := f.Create("category", `{"name": "Stew"}`, contenttest.Called(theirs))
	undo, err := call.Undo(context.Background(), documents.Period{By: string(bot), Since: since})
	check(t, err)
	if len(undo.Left) != 1 || undo.Left[0].DocumentID != again || undo.Left[0].Reason != documents.LeftChanged {
		t.Errorf("left: %+v", undo.Left)
	}
	if len(undo.Steps) != 1 || undo.Steps[0].DocumentID != ours {
		t.Errorf("steps: %+v", undo.Steps)
	}
}
