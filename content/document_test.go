package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/content/body"
	"quire/store"
)

func TestPublishCopiesTheDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("chef", `{"name": "Ana"}`)
	draft, live := f.mustRead("chef", draftOf(id, "")), f.mustRead("chef", liveOf(id, ""))
	if draft.ID == live.ID || draft.ID == 0 {
		t.Errorf("the versions have the ids %d and %d", draft.ID, live.ID)
	}
	if draft.CreatedAt != live.CreatedAt || draft.UpdatedAt != live.UpdatedAt || draft.PublishedAt != 0 || live.PublishedAt == 0 {
		t.Errorf("wrong times: %+v and %+v", draft, live)
	}

	f.update("chef", id, `{"bio": "wip"}`, asDraft)
	if got := f.mustRead("chef", liveOf(id, "")); got.UpdatedAt != live.UpdatedAt || got.Value("bio").Kind != store.Null {
		t.Errorf("a draft write changed the published version: %+v", got)
	}
	edited := f.mustRead("chef", draftOf(id, ""))
	if edited.UpdatedAt <= draft.UpdatedAt || edited.CreatedAt != draft.CreatedAt || edited.Value("name").Text != "Ana" {
		t.Errorf("the draft is %+v", edited)
	}

	f.update("chef", id, `{}`)
	again, now := f.mustRead("chef", draftOf(id, "")), f.mustRead("chef", liveOf(id, ""))
	if now.ID != live.ID || again.ID != draft.ID {
		t.Error("publishing again gave new ids")
	}
	if now.Value("bio").Text != "wip" || now.UpdatedAt != again.UpdatedAt || now.UpdatedAt <= edited.UpdatedAt || now.PublishedAt <= live.PublishedAt {
		t.Errorf("published again: %+v, draft %+v", now, again)
	}
}

func TestRefusedPublishLeavesNothing(t *testing.T) {
	f := newFixture(t, guide(t))
	before := f.index.Snapshot()
	if _, err := f.tryCreate("restaurant", `{"stars": 3}`); err == nil {
		t.Fatal("published without a name")
	}
	if f.index.Snapshot() != before {
		t.Error("a refused write made a new snapshot")
	}
	id := f.create("restaurant", `{"stars": 3}`, asDraft)
	if _, err := f.tryUpdate("restaurant", id, `{"stars": 4}`); !slices.Equal(pathsOf(t, err), []string{"name"}) {
		t.Fatalf("got %v", err)
	}
	if got := f.mustRead("restaurant", draftOf(id, "en")).Value("stars").Num; got != 3 {
		t.Errorf("a refused publish left %d stars in the draft", got)
	}
}

func TestUpdateIsPartial(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One", "tagline": "t", "stars": 2}`)
	f.update("restaurant", id, `{"tagline": null}`)
	e := f.mustRead("restaurant", liveOf(id, "en"))
	if e.Value("name").Text != "One" || e.Value("tagline").Kind != store.Null || e.Value("stars").Num != 2 || e.Value("price_tier").Text != "p2" {
		t.Errorf("the entry is %+v", e.Fields)
	}
	f.update("restaurant", id, `{"price_tier": null}`)
	f.update("restaurant", id, `{}`)
	if e := f.mustRead("restaurant", liveOf(id, "en")); e.Value("price_tier").Kind != store.Null {
		t.Error("an update brought a default back")
	}
	other := f.create("restaurant", `{"name": "Two", "price_tier": null}`)
	if e := f.mustRead("restaurant", liveOf(other, "en")); e.Value("price_tier").Kind != store.Null || e.Value("vegan").Kind != store.Bool {
		t.Errorf("defaults of a create: %+v", e.Fields)
	}
}

// If an import brought a document without a draft, a write treats its published version
// as the draft.
func TestUpdateWithoutDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("chef", `{"name": "Ana", "bio": "b"}`)
	f.put("chef", f.mustRead("chef", draftOf(id, "")), nil)
	live := f.mustRead("chef", liveOf(id, ""))
	f.update("chef", id, `{"name": "Bo"}`, asDraft)
	draft := f.mustRead("chef", draftOf(id, ""))
	if draft.Value("bio").Text != "b" || draft.Value("name").Text != "Bo" || draft.ID == live.ID || draft.CreatedAt != live.CreatedAt || draft.PublishedAt != 0 {
		t.Errorf("the draft is %+v", draft)
	}
	if got := f.mustRead("chef", liveOf(id, "")).Value("name").Text; got != "Ana" {
		t.Errorf("the published version is now %s", got)
	}
}

func TestUnknownDocuments(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("chef", `{"name": "Ana"}`)
	var missing *NotFoundError
	for _, name := range []string{"", "nobody", fmt.Sprint(f.mustRead("chef", liveOf(id, "")).ID)} {
		if _, err := f.tryUpdate("chef", name, `{"name": 5}`); err == nil {
			t.Errorf("%q was updated", name)
		}
		if _, err := f.tryUpdate("chef", name, `{}`); !errors.As(err, &missing) || missing.DocumentID != name {
			t.Errorf("%q: got %v", name, err)
		}
		f.delete("chef", name, "")
	}
	f.mustRead("chef", liveOf(id, ""))
	f.delete("chef", id, "zz") // not localized: the locale has no effect
	if f.stored("chef", draftOf(id, "")) != nil || f.stored("chef", liveOf(id, "")) != nil {
		t.Error("the document was not deleted")
	}
}

func TestCreateWithDocumentID(t *testing.T) {
	f := newFixture(t, guide(t))
	if id := f.create("chef", `{"name": "Ana"}`, called("mine")); id != "mine" {
		t.Errorf("created %s", id)
	}
	for _, id := range []string{"mine", "a\nb", strings.Repeat("x", 256)} {
		if _, err := f.tryCreate("chef", `{"name": "Bo"}`, called(id)); err == nil {
			t.Errorf("created %q", id)
		}
	}
}

func TestSingleTypes(t *testing.T) {
	f := newFixture(t, guide(t))
	result, err := f.tryUpdate("homepage", "", `{"title": "Accueil"}`, in("fr"))
	if err != nil || !result.Created {
		t.Fatalf("got %+v, %v", result, err)
	}
	next, err := f.tryUpdate("homepage", "", `{"title": "Home"}`)
	if err != nil || next.Created || next.DocumentID != result.DocumentID {
		t.Fatalf("got %+v, %v", next, err)
	}
	if _, err := f.tryUpdate("homepage", "another", `{}`); err == nil {
		t.Error("a second document was made")
	}
	f.delete("homepage", "", AllLocales)
	if again, err := f.tryUpdate("homepage", "", `{"title": "New"}`); err != nil || !again.Created || again.DocumentID == result.DocumentID {
		t.Errorf("after a delete: %+v, %v", again, err)
	}
}

// Types without drafts publish every write. An update is checked only for the values
// that it has.
func TestWithoutDrafts(t *testing.T) {
	f := newFixture(t, guide(t))
	result, err := f.tryCreate("review", `{"note": 5}`, asDraft)
	if err != nil || result.Status != store.Published {
		t.Fatalf("got %+v, %v", result, err)
	}
	if e := f.mustRead("review", liveOf(result.DocumentID, "")); e.PublishedAt == 0 || f.stored("review", draftOf(result.DocumentID, "")) != nil {
		t.Errorf("stored %+v", e)
	}
	_, err = f.tryCreate("review", `{}`)
	if err == nil || err.Error() != "note must be defined." {
		t.Errorf("a missing note: %v", err)
	}
	_, err = f.tryCreate("review", `{"note": null}`)
	if err == nil || !strings.Contains(err.Error(), "`number` type") {
		t.Errorf("a null note: %v", err)
	}
	e := *f.mustRead("review", liveOf(result.DocumentID, ""))
	bare := e
	bare.Fields = nil
	f.put("review", &e, &bare) // as after a change of the schema
	f.update("review", result.DocumentID, `{"content": "fine"}`)
	if _, err := f.tryUpdate("review", result.DocumentID, `{"note": null}`); err == nil {
		t.Error("note became null")
	}
}

func TestPasswordsAreHashed(t *testing.T) {
	f := newFixture(t, kitchen(t))
	id := f.create("thing", `{"secret": "open sesame", "specs": [{}]}`)
	for _, k := range []store.Key{draftOf(id, ""), liveOf(id, "")} {
		if got := f.mustRead("thing", k).Value("secret").Text; got != "hash of open sesame" {
			t.Errorf("%s stores %q", k, got)
		}
	}
	f.update("thing", id, `{"name": "x"}`) // the hash is not checked and hashed again
	if got := f.mustRead("thing", liveOf(id, "")).Value("secret").Text; got != "hash of open sesame" {
		t.Errorf("after an update it stores %q", got)
	}
	_, err := f.tryUpdate("thing", id, `{"secret": "short"}`)
	if !slices.Equal(pathsOf(t, err), []string{"secret"}) || strings.Contains(fmt.Sprintf("%+v", err), "short\"") {
		t.Errorf("a short one: %+v", err)
	}
	f.writer.planner.hash = nil
	if _, err := f.tryUpdate("thing", id, `{"secret": "long enough"}`, asDraft); err == nil {
		t.Error("a password was stored without a hash")
	}
}

// Attributes that the schema no longer has stay in the file through every write.
func TestForgottenAttributesStay(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("chef", `{"name": "Ana"}`)
	for _, k := range []store.Key{draftOf(id, ""), liveOf(id, "")} {
		e := f.mustRead("chef", k)
		changed := *e
		changed.Fields = e.Fields.With("nickname", store.Value{Kind: store.Text, Text: "An"})
		f.put("chef", e, &changed)
	}
	f.update("chef", id, `{"bio": "b"}`)
	if got := f.mustRead("chef", liveOf(id, "")).Value("nickname").Text; got != "An" {
		t.Errorf("the nickname is %q", got)
	}
}

// put changes the file and the index without the writer.
func (f *fixture) put(kind string, before, after *store.Entry) {
	f.Helper()
	edit := f.index.Edit()
	c := store.Change{Type: f.kind(kind).UID, Before: before, After: after}
	err := f.db.Update(func(tx *store.Tx) error {
		if err := tx.Apply(c); err != nil {
			return err
		}
		return edit.Apply(c)
	})
	must(f, err)
	edit.Publish(store.CommitID{Revision: 0})
}

func TestUnique(t *testing.T) {
	f := newFixture(t, kitchen(t))
	id := f.create("note", `{"text": "a", "code": "1"}`)
	taken := func(want []string, kind, body string, options ...func(*Request)) {
		t.Helper()
		_, err := f.tryCreate(kind, body, options...)
		var got []string
		if err != nil {
			got = pathsOf(t, err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: taken at %q, want %q", body, got, want)
		}
	}
	taken([]string{"text"}, "note", `{"text": "a"}`)
	taken(nil, "note", `{"text": "A"}`)
	taken(nil, "note", `{"text": "a"}`, in("fr"))
	taken([]string{"text", "code"}, "note", `{"text": "a", "code": "1"}`)
	taken(nil, "note", `{"text": "no code"}`)
	taken(nil, "note", `{"text": "none either", "code": null}`)
	f.update("note", id, `{"text": "a", "code": "1"}`)

	// A shared value must be unique in every locale to which it is copied.
	f.create("note", `{"text": "c", "code": "2"}`, in("fr"))
	f.update("note", id, `{"text": "b"}`, in("fr"))
	if _, err := f.tryUpdate("note", id, `{"code": "2"}`); !slices.Equal(pathsOf(t, err), []string{"code"}) {
		t.Errorf("got %v", err)
	}

	taken(nil, "thing", `{"slug": "s", "specs": [{"code": "x", "parts": [{"code": "p"}]}]}`)
	taken([]string{"slug"}, "thing", `{"slug": "s", "specs": [{}]}`)
	taken([]string{"specs.0.code", "specs.1.code"}, "thing", `{"slug": "s1", "specs": [{"code": "x"}, {"code": "x"}]}`)
	taken([]string{"specs.1.code"}, "thing", `{"slug": "s2", "specs": [{"code": "y"}, {"code": "y"}]}`)
	taken([]string{"specs.1.parts.0.code"}, "thing", `{"slug": "s3", "specs": [{}, {"parts": [{"code": "p"}]}]}`)
	taken(nil, "thing", `{"slug": "s4", "specs": [{"code": "p"}]}`) // another path
	taken(nil, "thing", `{"slug": "s", "specs": [{"code": "x"}, {"code": "x"}]}`, asDraft)
}

func TestItemCounts(t *testing.T) {
	f := newFixture(t, kitchen(t))
	for specs, want := range map[string][]string{
		``:                            {"slug", "specs"}, // required, with min 1
		`, "specs": []`:               {"slug", "specs"},
		`, "specs": [{}]`:             {"slug"},
		`, "specs": [{}, {}, {}]`:     {"slug", "specs"},
		`, "specs": [{"note": null}]`: {"slug", "specs.0.note"},
	} {
		body := `{"slug": null` + specs + `}`
		if _, err := f.tryCreate("thing", body, asDraft); err != nil {
			t.Errorf("draft %s: %v", body, err)
		}
		_, err := f.tryCreate("thing", body)
		if got := pathsOf(t, err); !slices.Equal(got, want) {
			t.Errorf("%s: wrong at %q, want %q", body, got, want)
		}
	}
}

func TestRequestsMustFit(t *testing.T) {
	f := newFixture(t, guide(t))
	input, err := body.Decode(f.site, f.kind("chef"), json.RawMessage(`{"name": "x"}`), nil)
	must(t, err)
	if _, err := f.writer.Create(context.Background(), Request{Type: f.kind("dish"), Input: input}); err == nil {
		t.Error("a dish was made of a chef's input")
	}
	if _, err := f.tryUpdate("homepage", "", `{"title": "x"}`, in("*")); err == nil {
		t.Error("every locale was written at once")
	}
}

// A published version that equals its draft shares all values with it in memory,
// including the places of its links.
func TestPublishedLinksAreThoseOfTheDraft(t *testing.T) {
	f := newFixture(t, guide(t))
	x, c := f.create("chef", `{"name": "X"}`), f.create("category", `{"name": "C"}`)
	body := fmt.Sprintf(`{"name": "One more", "chef": %q, "categories": [%q]}`, x, c)
	id := f.create("restaurant", body)
	f.update("restaurant", id, `{"stars": 3}`)
	draft, live := f.mustRead("restaurant", draftOf(id, "en")), f.mustRead("restaurant", liveOf(id, "en"))
	if !draft.Fields.Equal(live.Fields) {
		t.Errorf("the draft has %v and the published version %v", draft.Fields, live.Fields)
	}
}

func TestDocumentIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := NewDocumentID()
		if len(id) != 24 || strings.Trim(id, alphanumeric) != "" || strings.IndexByte(letters, id[0]) < 0 || seen[id] {
			t.Fatalf("%q is not a fresh documentId", id)
		}
		seen[id] = true
	}
}
