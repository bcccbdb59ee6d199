package content

import (
	"context"
	"errors"
	"testing"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

func (f *fixture) asks(kind, id string, locales ...string) Step {
	return Step{Type: f.kind(kind), DocumentID: id, Locales: locales}
}

// done requires that a step succeeded.
func (f *fixture) done(results []Result, err error) []Result {
	f.Helper()
	must(f, err)
	return results
}

func TestPublishTheDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	ctx := context.Background()
	id := f.create("restaurant", `{"name": "Hello"}`, asDraft)
	f.update("restaurant", id, `{"name": "Bonjour"}`, in("fr"), asDraft)
	f.update("restaurant", id, `{"tagline": "nameless"}`, in("it"), asDraft)
	draft := f.mustRead("restaurant", draftOf(id, "en"))

	got := f.done(f.writer.Publish(ctx, f.asks("restaurant", id)))
	if len(got) != 1 || got[0].Locale != "en" || got[0].Status != store.Published {
		t.Errorf("%+v", got)
	}
	live := f.mustRead("restaurant", liveOf(id, "en"))
	if live.Value("name").Text != "Hello" || live.UpdatedAt != draft.UpdatedAt || live.PublishedAt == 0 || live.Stamp.Action != store.ActionPublish {
		t.Errorf("%+v", live)
	}
	if now := f.mustRead("restaurant", draftOf(id, "en")); now.UpdatedAt != draft.UpdatedAt || now.Stamp != draft.Stamp {
		t.Errorf("publishing changed the draft: %+v", now)
	}

	// If one locale cannot be published, none is.
	_, err := f.writer.Publish(ctx, f.asks("restaurant", id, AllLocales))
	var invalid *body.ValidationError
	if !errors.As(err, &invalid) || f.stored("restaurant", liveOf(id, "fr")) != nil {
		t.Errorf("%v", err)
	}
	got = f.done(f.writer.Publish(ctx, f.asks("restaurant", id, "fr", "en", "fr")))
	if len(got) != 2 || got[0].Locale != "fr" || got[1].Locale != "en" || got[0].Version != got[1].Version {
		t.Errorf("%+v", got)
	}
	for _, s := range []Step{f.asks("restaurant", "none"), f.asks("restaurant", id, "de"), f.asks("restaurant", id, "xx")} {
		if _, err := f.writer.Publish(ctx, s); err == nil {
			t.Errorf("published %v of %s", s.Locales, s.DocumentID)
		}
	}
}

func TestUnpublish(t *testing.T) {
	f := newFixture(t, guide(t))
	ctx := context.Background()
	id := f.create("restaurant", `{"name": "Hello"}`)
	f.update("restaurant", id, `{"name": "Hi"}`, asDraft)
	before := f.version("restaurant", id)
	f.done(f.writer.Unpublish(ctx, f.asks("restaurant", id), false))
	if f.stored("restaurant", liveOf(id, "en")) != nil || f.mustRead("restaurant", draftOf(id, "en")).Value("name").Text != "Hi" {
		t.Error("the draft was not all that is left")
	}
	if now := f.version("restaurant", id); now <= before {
		t.Errorf("the version is %d after %d", now, before)
	}
	before = f.version("restaurant", id)
	if got := f.done(f.writer.Unpublish(ctx, f.asks("restaurant", id), true)); got[0].Snapshot != f.index.Snapshot() {
		t.Error("what changes nothing is answered with nothing")
	}
	if f.mustRead("restaurant", draftOf(id, "en")).Value("name").Text != "Hi" || f.version("restaurant", id) != before {
		t.Error("what is not published was changed")
	}
	f.done(f.writer.Publish(ctx, f.asks("restaurant", id)))
	f.update("restaurant", id, `{"name": "Hey"}`, asDraft)
	f.done(f.writer.Unpublish(ctx, f.asks("restaurant", id), true))
	if got := f.mustRead("restaurant", draftOf(id, "en")).Value("name").Text; got != "Hi" {
		t.Errorf("the draft is %q, not what was published", got)
	}
}

// Discarding a draft restores the published links, whichever side owns them.
func TestDiscardDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	ctx := context.Background()
	ada, bo := f.create("chef", `{"name": "Ada"}`), f.create("chef", `{"name": "Bo"}`)
	one := f.create("restaurant", `{"name": "One", "chef": "`+ada+`"}`)
	two := f.create("restaurant", `{"name": "Two", "chef": "`+bo+`"}`)
	f.update("restaurant", one, `{"name": "Uno", "chef": "`+bo+`"}`, asDraft)
	f.done(f.writer.DiscardDraft(ctx, f.asks("restaurant", one)))
	draft, live := f.mustRead("restaurant", draftOf(one, "en")), f.mustRead("restaurant", liveOf(one, "en"))
	if draft.Value("name").Text != "One" || draft.Value("chef").Edges[0].Target != ada || draft.UpdatedAt != live.UpdatedAt {
		t.Errorf("%+v", draft)
	}
	f.update("chef", ada, `{"name": "Eva", "restaurants": ["`+two+`"]}`, asDraft)
	f.done(f.writer.DiscardDraft(ctx, f.asks("chef", ada)))
	chefOf := func(id string) string {
		return f.mustRead("restaurant", draftOf(id, "en")).Value("chef").Edges[0].Target
	}
	if chefOf(one) != ada {
		t.Errorf("the draft of one has the chef %s", chefOf(one))
	}
	if edges := f.mustRead("restaurant", draftOf(two, "en")).Value("chef").Edges; len(edges) > 0 && edges[0].Target == ada {
		t.Error("the draft of two still has the chef whose draft was discarded")
	}
	f.done(f.writer.Unpublish(ctx, f.asks("chef", bo), false))
	var refused *ApplicationError
	if _, err := f.writer.DiscardDraft(ctx, f.asks("chef", bo)); !errors.As(err, &refused) {
		t.Errorf("went back to nothing: %v", err)
	}
}

// A refusal reveals nothing about the draft to a caller who may not read it.
func TestPublishShowsNoDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "H"}`, asDraft)
	s := f.asks("restaurant", id)
	s.Access = noDrafts{}
	_, err := f.writer.Publish(context.Background(), s)
	var invalid *body.ValidationError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	for _, issue := range invalid.Issues {
		if issue.Value != nil {
			t.Errorf("%+v", issue)
		}
	}
}

// A caller who may not read drafts cannot find out with an action whether one exists.
func TestStepsAskForNoDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	ctx := context.Background()
	hidden := f.create("restaurant", `{"name": "Hidden"}`, asDraft)
	half := f.create("restaurant", `{"name": "Half"}`)
	f.update("restaurant", half, `{"name": "Demi"}`, in("fr"), asDraft)
	ask := func(id string, locales ...string) Step {
		s := f.asks("restaurant", id, locales...)
		s.Access = noDrafts{}
		return s
	}
	for _, s := range []Step{ask("none"), ask(hidden), ask(hidden, AllLocales), ask(half, "fr"), ask(half, "it")} {
		var missing *NotFoundError
		if _, err := f.writer.Unpublish(ctx, s, false); !errors.As(err, &missing) {
			t.Errorf("unpublish %s %v: %v", s.DocumentID, s.Locales, err)
		}
		if _, err := f.writer.DiscardDraft(ctx, s); !errors.As(err, &missing) {
			t.Errorf("discard %s %v: %v", s.DocumentID, s.Locales, err)
		}
	}
	got := f.done(f.writer.Unpublish(ctx, ask(half, AllLocales), false))
	if len(got) != 1 || got[0].Locale != "en" {
		t.Errorf("%+v", got)
	}
}

// noDrafts may do everything except read drafts.
type noDrafts struct{ schema.Unlimited }

func (noDrafts) Allows(_ *schema.Type, a schema.Action) bool { return a != schema.ReadDraft }

func TestDuplicate(t *testing.T) {
	f := newFixture(t, guide(t))
	chef := f.create("chef", `{"name": "Ada"}`)
	category := f.create("category", `{"name": "Soup"}`)
	id := f.create("restaurant", `{"name": "One", "slug": "one", "chef": "`+chef+`", "categories": ["`+category+`"], "opening_hours": [{"day": "mon"}]}`)
	f.update("restaurant", id, `{"name": "Un"}`, in("fr"))
	f.update("restaurant", id, `{"name": "Uno"}`, asDraft)
	got := f.done(f.writer.Duplicate(context.Background(), f.asks("restaurant", id)))
	if len(got) != 2 || got[0].Locale != "en" || got[1].Locale != "fr" || got[0].Status != store.Draft {
		t.Fatalf("%+v", got)
	}
	copied := got[0].DocumentID
	en, fr := f.mustRead("restaurant", draftOf(copied, "en")), f.mustRead("restaurant", draftOf(copied, "fr"))
	if en.Value("name").Text != "Uno" || fr.Value("name").Text != "Un" || en.Value("slug").Text != "one-2" {
		t.Errorf("%+v", en.Fields)
	}
	if en.Value("chef").Edges[0].Target != chef || en.Value("categories").Edges[0].Target != category {
		t.Errorf("%+v", en.Fields)
	}
	if original := f.mustRead("restaurant", draftOf(id, "en")); original.Value("opening_hours").Instances[0].ID == en.Value("opening_hours").Instances[0].ID || original.Value("slug").Text != "one" {
		t.Error("the copy and the original share a component")
	}
	if !en.Value("opening_hours").Equal(fr.Value("opening_hours")) {
		t.Errorf("the locales of the copy do not share what they should: %+v, %+v", en.Fields, fr.Fields)
	}
	if f.stored("restaurant", liveOf(copied, "en")) != nil {
		t.Error("the copy is published")
	}
	again := f.done(f.writer.Duplicate(context.Background(), f.asks("restaurant", id)))
	if slug := f.mustRead("restaurant", draftOf(again[0].DocumentID, "en")).Value("slug").Text; slug != "one-3" {
		t.Errorf("the second copy has the slug %q", slug)
	}
	f.done(f.writer.Publish(context.Background(), f.asks("restaurant", copied, AllLocales)))
	if _, err := f.writer.Duplicate(context.Background(), f.asks("restaurant", "none")); err == nil {
		t.Error("a copy of nothing")
	}
}
