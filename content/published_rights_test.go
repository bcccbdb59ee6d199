package content

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// author may find everything, and do what it lists with types by uid.
type author struct {
	schema.Unlimited
	may map[string][]schema.Action
}

func (a *author) Allows(t *schema.Type, action schema.Action) bool {
	return action == schema.Find || slices.Contains(a.may[t.UID], action)
}

// draftWriter is a caller who may write drafts.
type draftWriter struct {
	*fixture
	ctx    context.Context
	access *author
}

var writingDrafts = []schema.Action{schema.ReadDraft, schema.CreateDraft, schema.UpdateDraft}

// writesDrafts returns a caller who may write drafts of some types, and more.
func (f *fixture) writesDrafts(more map[string][]schema.Action, uids ...string) *draftWriter {
	a := &author{may: map[string][]schema.Action{}}
	for _, uid := range append(uids, restaurants, chefs) {
		a.may[uid] = writingDrafts
	}
	for uid, actions := range more {
		a.may[uid] = slices.Concat(a.may[uid], actions)
	}
	return &draftWriter{f, For(By(context.Background(), "token:1"), a), a}
}

// toPut returns the write of a draft, of a new document if it has no id.
func (w *draftWriter) toPut(kind, documentID, data string) Write {
	w.Helper()
	in, err := body.Decode(w.site, w.kind(kind), json.RawMessage(data), w.access)
	must(w, err)
	r := Request{Type: w.kind(kind), DocumentID: documentID, Input: in, Status: store.Draft}
	if documentID == "" {
		return ToCreate(r)
	}
	return ToUpdate(r)
}

// publish returns the write of a new document that is published.
func (w *draftWriter) publish(kind, data string) Write {
	w.Helper()
	in, err := body.Decode(w.site, w.kind(kind), json.RawMessage(data), w.access)
	must(w, err)
	return ToCreate(Request{Type: w.kind(kind), Input: in})
}

func (w *draftWriter) put(kind, documentID, data string) error {
	w.Helper()
	_, err := w.writer.Together(w.ctx, []Write{w.toPut(kind, documentID, data)})
	return err
}

// A published restaurant loses no review to a draft, unless the caller may publish one of
// the two.
func TestDraftsTakeNoPublishedLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	review, free := f.create("review", `{"note": 1}`), f.create("review", `{"note": 2}`)
	published := f.create("restaurant", `{"name": "AA", "reviews": ["`+review+`"]}`)
	draft := f.create("restaurant", `{"name": "BB"}`, asDraft)
	p := f.writesDrafts(nil)
	denied(t, p.put("restaurant", draft, `{"reviews": ["`+review+`"]}`), "", "")
	denied(t, p.put("restaurant", "", `{"name": "CC", "reviews": {"connect": ["`+review+`"]}}`), "", "")
	if got := f.list("review", "restaurant", "restaurant", published, store.Published); got != review {
		t.Errorf("the published restaurant has the reviews %q", got)
	}
	done(t, p.put("restaurant", draft, `{"reviews": ["`+free+`"]}`))
	done(t, p.put("restaurant", published, `{"reviews": []}`)) // the published version keeps it
	for _, more := range []map[string][]schema.Action{
		{restaurants: {schema.Update}}, {restaurants: {schema.Publish}}, {reviews: {schema.Update}},
	} {
		f.update("restaurant", published, `{"reviews": ["`+review+`"]}`)
		done(t, f.writesDrafts(more).put("restaurant", draft, `{"reviews": ["`+review+`"]}`))
		if got := f.list("review", "restaurant", "restaurant", published, store.Published); got != "" {
			t.Errorf("the published restaurant has the reviews %q", got)
		}
	}
}

// Who may create and not update takes no published link from another document, and may link
// to what is free.
func TestCreatesTakeNoPublishedLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	review, free := f.create("review", `{"note": 1}`), f.create("review", `{"note": 2}`)
	published := f.create("restaurant", `{"name": "AA", "reviews": ["`+review+`"]}`)
	creates := func(more ...schema.Action) *draftWriter {
		a := &author{may: map[string][]schema.Action{restaurants: append([]schema.Action{schema.Create}, more...)}}
		return &draftWriter{f, For(By(context.Background(), "token:1"), a), a}
	}
	post := func(p *draftWriter, data string) error {
		w := p.publish("restaurant", data)
		_, err := f.writer.Together(p.ctx, []Write{w})
		return err
	}
	p := creates()
	for _, reviews := range []string{`["` + review + `"]`, `{"set": ["` + review + `"]}`, `{"connect": [{"documentId": "` + review + `"}]}`, `["` + free + `", "` + review + `"]`} {
		denied(t, post(p, `{"name": "BB", "reviews": `+reviews+`}`), "", "")
		if got := f.list("review", "restaurant", "restaurant", published, store.Published); got != review {
			t.Errorf("after %s the published restaurant has the reviews %q", reviews, got)
		}
	}
	var part *PartError
	fine, takes := p.publish("restaurant", `{"name": "CC"}`), p.publish("restaurant", `{"name": "DD", "reviews": ["`+review+`"]}`)
	if _, err := f.writer.Together(p.ctx, []Write{fine, takes}); !errors.As(err, &part) || part.Part != 1 {
		t.Errorf("a batch: %v", err)
	}
	done(t, post(p, `{"name": "EE", "reviews": ["`+free+`"]}`))
	done(t, post(creates(schema.Update), `{"name": "FF", "reviews": ["`+review+`"]}`))
}

// The message names what is missing, and no document that the caller did not name.
func TestRefusalOfPublishedLinks(t *testing.T) {
	f := newFixture(t, guide(t))
	review := f.create("review", `{"note": 1}`)
	published := f.create("restaurant", `{"name": "AA", "reviews": ["`+review+`"]}`)
	err := f.writesDrafts(nil).put("restaurant", "", `{"name": "BB", "reviews": ["`+review+`"]}`)
	if err == nil || !strings.Contains(err.Error(), restaurants+".update or "+reviews+".update") || strings.Contains(err.Error(), published) {
		t.Errorf("got %v", err)
	}
}

// Links to documents that are deleted or not published are not published either.
func TestDraftsTakeLinksThatNobodySees(t *testing.T) {
	f := newFixture(t, guide(t))
	review := f.create("review", `{"note": 1}`)
	gone := f.create("restaurant", `{"name": "AA", "reviews": ["`+review+`"]}`)
	f.delete("restaurant", gone, "")
	draft, other := f.create("restaurant", `{"name": "BB"}`, asDraft), f.create("restaurant", `{"name": "CC"}`, asDraft)
	p := f.writesDrafts(nil)
	for _, id := range []string{draft, other, draft} {
		done(t, p.put("restaurant", id, `{"reviews": ["`+review+`"]}`))
	}
}

// An entry that was imported without a draft is published, so a draft on the other side
// does not change its links.
func TestDraftsLeaveOwnersWithoutDrafts(t *testing.T) {
	f := newFixture(t, guide(t))
	ana, bo := f.create("chef", `{"name": "Ana"}`), f.create("chef", `{"name": "Bo"}`)
	id := f.create("restaurant", `{"name": "AA", "chef": "`+ana+`"}`)
	f.put("restaurant", f.mustRead("restaurant", draftOf(id, "en")), nil)
	p := f.writesDrafts(nil)
	denied(t, p.put("chef", bo, `{"restaurants": ["`+id+`"]}`), "", "")
	denied(t, p.put("chef", ana, `{"restaurants": []}`), "", "")
	if got := f.list("restaurant", "chef", "chef", ana, store.Published); got != id {
		t.Errorf("the published chef has the restaurants %q", got)
	}
	done(t, f.writesDrafts(map[string][]schema.Action{restaurants: {schema.Update}}).put("chef", bo, `{"restaurants": ["`+id+`"]}`))
}

// A target that only one document may have stays with the published one, whichever write
// of a draft names it: also going back to a version of the history.
func TestDraftsTakeNoExclusiveTargets(t *testing.T) {
	one := `{"kind": "collectionType", "info": {"singularName": "one", "pluralName": "ones", "displayName": "One"}, "options": {"draftAndPublish": true},
		"attributes": {"name": {"type": "string"}, "seat": {"type": "relation", "relation": "oneToOne", "target": "api::seat.seat", "inversedBy": "one"}}}`
	seat := `{"kind": "collectionType", "info": {"singularName": "seat", "pluralName": "seats", "displayName": "Seat"},
		"attributes": {"name": {"type": "string"}, "one": {"type": "relation", "relation": "oneToOne", "target": "api::one.one", "mappedBy": "seat"}}}`
	f := newFixture(t, loadSite(t, fstest.MapFS{
		"src/api/one/content-types/one/schema.json":   {Data: []byte(one)},
		"src/api/seat/content-types/seat/schema.json": {Data: []byte(seat)},
	}))
	place := f.create("seat", `{"name": "s"}`)
	draft := f.create("one", `{"name": "BB", "seat": "`+place+`"}`, asDraft)
	then := f.mustRead("one", draftOf(draft, "")).Stamp.Version
	published := f.create("one", `{"name": "AA", "seat": "`+place+`"}`)
	p := f.writesDrafts(nil, "api::one.one")
	denied(t, p.put("one", draft, `{"seat": "`+place+`"}`), "", "")
	var dropped []Dropped
	restore := ToRestore(Restoration{Step: Step{Type: f.kind("one"), DocumentID: draft, Access: p.access}, Status: store.Draft, Revision: then}, func() error { return nil }, &dropped)
	_, err := f.writer.Together(p.ctx, []Write{restore})
	denied(t, err, "", "")
	var part *PartError
	if _, err = f.writer.Together(p.ctx, []Write{p.toPut("one", draft, `{"seat": "`+place+`"}`), restore}); !errors.As(err, &part) || part.Part != 0 {
		t.Errorf("a batch: %v", err)
	}
	if edges := f.mustRead("one", liveOf(published, "")).Value("seat").Edges; len(edges) != 1 || edges[0].Target != place {
		t.Errorf("the published one has the seats %v", edges)
	}
}
