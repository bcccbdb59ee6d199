package content

import (
	"context"
	"slices"
	"testing"

	"quire/content/event"
	"quire/store"
)

// version returns the version of a document.
func (f *fixture) version(kind, documentID string) uint64 {
	f.Helper()
	return f.index.Snapshot().Version(f.kind(kind), documentID, true)
}

// A document's version grows with each write that changes it, through its own attributes
// or through links, and with no other write.
func TestVersionOfADocument(t *testing.T) {
	f := newFixture(t, guide(t))
	restaurant := f.create("restaurant", `{"name": "Hello"}`)
	f.update("restaurant", restaurant, `{"name": "Bonjour"}`, in("fr"))
	chef := f.create("chef", `{"name": "Ada"}`)
	other := f.create("chef", `{"name": "Bo"}`)
	before := map[string]uint64{}
	remember := func() {
		before[restaurant], before[chef], before[other] = f.version("restaurant", restaurant), f.version("chef", chef), f.version("chef", other)
	}
	for _, step := range []struct {
		name  string
		write func()
		moved []string
	}{
		{"an update", func() { f.update("chef", chef, `{"name": "Eva"}`) }, []string{chef}},
		{"a draft", func() { f.update("restaurant", restaurant, `{"name": "Hi"}`, asDraft) }, []string{restaurant}},
		{"a link from the inverse side", func() { f.update("chef", chef, `{"restaurants": ["`+restaurant+`"]}`) }, []string{chef, restaurant}},
		{"one locale is deleted", func() { f.delete("restaurant", restaurant, "fr") }, []string{restaurant}},
		{"a refused update", func() {
			if _, err := f.tryUpdate("chef", chef, `{"name": null}`); err == nil {
				t.Error("a chef without a name")
			}
		}, nil},
	} {
		remember()
		step.write()
		moved := map[string]bool{}
		for _, id := range step.moved {
			moved[id] = true
		}
		for kind, ids := range map[string][]string{"restaurant": {restaurant}, "chef": {chef, other}} {
			for _, id := range ids {
				if now := f.version(kind, id); now < before[id] || (now > before[id]) != moved[id] {
					t.Errorf("%s: the version of a %s went from %d to %d", step.name, kind, before[id], now)
				}
			}
		}
	}
}

// A caller who sees no drafts gets a version that depends only on published entries.
func TestVersionWithoutDrafts(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Hello"}`)
	f.update("restaurant", id, `{"name": "Bonjour"}`, in("fr"))
	version := func() uint64 { return f.index.Snapshot().Version(f.kind("restaurant"), id, false) }
	before := version()
	f.update("restaurant", id, `{"name": "Hi"}`, asDraft)
	f.update("restaurant", id, `{"name": "Ciao"}`, in("it"), asDraft)
	if version() != before {
		t.Error("a draft moved the version")
	}
	f.delete("restaurant", id, "it")
	if version() != before {
		t.Error("the end of a draft moved the version")
	}
	f.delete("restaurant", id, "fr")
	if version() == before {
		t.Error("a published entry went without a trace")
	}
}

// A caller who sees no drafts cannot notice that a locale is created again as a draft.
// Published entries lose their dead links to it, which nobody saw.
func TestVersionOfWhatHasDeadLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	target := f.create("restaurant", `{"name": "Near"}`)
	f.update("restaurant", target, `{"name": "Près"}`, in("fr"))
	owner := f.create("restaurant", `{"name": "One"}`)
	f.update("restaurant", owner, `{"name": "Un", "nearby": ["`+target+`"]}`, in("fr"))
	f.delete("restaurant", target, "fr")
	published := f.kind("restaurant")
	before, all := f.index.Snapshot().Version(published, owner, false), f.version("restaurant", owner)
	changed := f.index.Snapshot().Table(published, store.Published).LastChange()
	at := f.index.Snapshot().Revision()
	f.update("restaurant", target, `{"name": "Encore"}`, in("fr"), asDraft)
	if edges := f.mustRead("restaurant", liveOf(owner, "fr")).Value("nearby").Edges; len(edges) != 0 {
		t.Errorf("the link comes to life again: %v", edges)
	}
	if now := f.index.Snapshot().Version(published, owner, false); now != before || f.version("restaurant", owner) != all {
		t.Errorf("the version went from %d to %d, and with drafts from %d to %d", before, now, all, f.version("restaurant", owner))
	}
	if f.index.Snapshot().Table(published, store.Published).LastChange() != changed {
		t.Error("lists of what is published have new tags")
	}
	err := f.db.View(func(tx *store.Tx) error {
		return event.Read(tx, event.Position{Revision: at}, func(c event.Commit) bool {
			if slices.ContainsFunc(c.Events, func(e event.Event) bool { return e.DocumentID != target }) {
				t.Errorf("the log has %+v", c.Events)
			}
			return true
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// When the last draft is removed, and another locale is published without a draft, only
// callers who read drafts notice it.
func TestVersionAfterTheLastDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Hello", "nearby": []}`)
	f.update("restaurant", id, `{"name": "Bonjour"}`, in("fr"), asDraft)
	f.put("restaurant", f.mustRead("restaurant", draftOf(id, "en")), nil)
	version := func() uint64 { return f.index.Snapshot().Version(f.kind("restaurant"), id, false) }
	before, all := version(), f.version("restaurant", id)
	f.delete("restaurant", id, "fr")
	if version() != before {
		t.Errorf("without drafts the version went from %d to %d", before, version())
	}
	if f.version("restaurant", id) <= all {
		t.Error("the end of the draft left no trace")
	}
	if e := f.mustRead("restaurant", draftOf(id, "en")); e.Value("name").Text != "Hello" {
		t.Errorf("the draft is %v", e)
	}
}

// Discarding a draft that equals the published version does not change it.
func TestDiscardingWhatIsPublished(t *testing.T) {
	f := newFixture(t, guide(t))
	chef := f.create("chef", `{"name": "Ada"}`)
	id := f.create("restaurant", `{"name": "Hello", "chef": "`+chef+`", "sections": [{"__component": "section.quote", "text": "x"}]}`)
	discard := func() {
		t.Helper()
		if _, err := f.writer.DiscardDraft(context.Background(), Step{Type: f.kind("restaurant"), DocumentID: id}); err != nil {
			t.Fatal(err)
		}
	}
	before := f.version("restaurant", id)
	if discard(); f.version("restaurant", id) != before {
		t.Errorf("the version went from %d to %d", before, f.version("restaurant", id))
	}
	f.update("restaurant", id, `{"name": "Hi"}`, asDraft)
	changed := f.version("restaurant", id)
	if discard(); f.version("restaurant", id) <= changed {
		t.Error("a draft was discarded without a trace")
	}
	f.update("restaurant", id, `{}`, asDraft) // modified again, according to updatedAt
	changed = f.version("restaurant", id)
	if discard(); f.version("restaurant", id) <= changed {
		t.Error("the draft is no longer modified, and that left no trace")
	}
}

// An entry has its creator, its last author, and the action of the last write.
func TestStampOfAWrite(t *testing.T) {
	f := newFixture(t, guide(t))
	ada, bo := store.ActorOf(store.ByUser, "ada"), store.ActorOf(store.ByToken, "3")
	ask := func(body string, options ...func(*Request)) Request {
		r, err := f.ask("restaurant", body)
		must(t, err)
		for _, o := range options {
			o(&r)
		}
		return r
	}
	made, err := f.writer.Create(By(context.Background(), ada), ask(`{"name": "Hello"}`, asDraft))
	must(t, err)
	id := made.DocumentID
	draft, live := draftOf(id, "en"), liveOf(id, "en")
	stamp := func(k store.Key) store.Stamp { return f.mustRead("restaurant", k).Stamp }
	if got, want := stamp(draft), (store.Stamp{Version: made.Version, Action: store.ActionCreate, CreatedBy: ada, UpdatedBy: ada}); got != want {
		t.Errorf("the draft has %+v, not %+v", got, want)
	}
	saved, err := f.writer.Update(By(context.Background(), bo), ask(`{"name": "Hi"}`, func(r *Request) { r.DocumentID = id }))
	must(t, err)
	if got, want := stamp(draft), (store.Stamp{Version: saved.Version, Action: store.ActionUpdate, CreatedBy: ada, UpdatedBy: bo}); got != want {
		t.Errorf("the draft has %+v, not %+v", got, want)
	}
	if got, want := stamp(live), (store.Stamp{Version: saved.Version, Action: store.ActionPublish, CreatedBy: ada, UpdatedBy: bo}); got != want {
		t.Errorf("the published version has %+v, not %+v", got, want)
	}
	chef := f.create("chef", `{"name": "Ada", "restaurants": ["`+id+`"]}`)
	if got := stamp(live); got.Action != store.ActionLink || got.CreatedBy != ada || got.Version != f.version("chef", chef) {
		t.Errorf("after a link the published version has %+v", got)
	}
}
