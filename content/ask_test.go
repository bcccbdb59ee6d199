package content

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/store"
)

// asker answers about a type as a test requires, and records what it is asked.
type asker struct {
	hooks []*hooked
}

type hooked struct {
	uid       string
	proposals []Proposal
	answer    func(*Proposal) (json.RawMessage, error)
}

func (a *asker) About(t *schema.Type) (all []Hook) {
	for _, h := range a.hooks {
		if h.uid == t.UID {
			all = append(all, h)
		}
	}
	return all
}

func (h *hooked) Name() string { return "test" }

func (h *hooked) Ask(_ context.Context, p *Proposal) (json.RawMessage, error) {
	h.proposals = append(h.proposals, *p)
	if h.answer == nil {
		return nil, nil
	}
	return h.answer(p)
}

// last returns the events of the last proposal, with its action.
func (h *hooked) last() string {
	if len(h.proposals) == 0 {
		return "nothing"
	}
	p := h.proposals[len(h.proposals)-1]
	return p.Action.String() + ": " + strings.Join(p.Events, " ")
}

// hookedFixture is a site with a hook for the type "one".
func hookedFixture(t *testing.T, attributes string) (*fixture, *hooked) {
	h := &hooked{uid: "api::one.one"}
	f := newFixtureWith(t, loadSite(t, mapSite(attributes)), WriterOptions{
		Now: clock(), Asker: &asker{[]*hooked{h}},
		HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil },
	})
	return f, h
}

// Every way to write a document asks the hooks of its type once, and says what the write
// does.
func TestEveryWriteIsAskedAbout(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "photo": {"type": "media"}`)
	ctx, id := context.Background(), ""
	step := func() Step { return Step{Type: f.kind("one"), DocumentID: id} }
	file := f.create("plugin::upload.file", `{"name": "a.png", "hash": "a", "ext": ".png", "mime": "image/png", "size": 1, "url": "/uploads/a.png", "provider": "local"}`)
	for _, write := range []struct {
		want string
		do   func() error
	}{
		{"create: create publish", func() error { id = f.create("one", `{"name": "a"}`); return nil }},
		{"update: update", func() error { f.update("one", id, `{"name": "b"}`, asDraft); return nil }},
		{"update: update publish", func() error { f.update("one", id, `{"name": "c"}`); return nil }},
		{"create: create", func() error { f.create("one", `{"name": "d"}`, asDraft); return nil }},
		{"publish: publish", func() error { _, err := f.writer.Publish(ctx, step()); return err }},
		{"discard-draft: update", func() error { _, err := f.writer.DiscardDraft(ctx, step()); return err }},
		{"unpublish: unpublish update", func() error { _, err := f.writer.Unpublish(ctx, step(), true); return err }},
		{"unpublish: unpublish", func() error { _, err := f.writer.Unpublish(ctx, step(), false); return err }},
		{"duplicate: create", func() error { _, err := f.writer.Duplicate(ctx, step()); return err }},
		{"update: update", func() error {
			_, err := f.writer.CreateAll(ctx, nil, &Attachment{Attribute: f.kind("one").Attribute("photo"), DocumentID: id, Status: store.Draft, Files: []string{file}})
			return err
		}},
		{"restore: update", func() error {
			var dropped []Dropped
			_, err := f.writer.Together(ctx, []Write{ToRestore(Restoration{Step: step(), Status: store.Draft, Revision: 1}, func() error { return nil }, &dropped)})
			if errors.As(err, new(*NotFoundError)) {
				return nil // there is no such version, but the hook was asked
			}
			return err
		}},
		{"delete: delete", func() error { f.delete("one", id, ""); return nil }},
	} {
		h.proposals = nil
		if err := write.do(); err != nil {
			t.Fatalf("%s: %v", write.want, err)
		}
		if got := h.last(); got != write.want || len(h.proposals) != 1 {
			t.Errorf("asked %d times, last %q, want once %q", len(h.proposals), got, write.want)
		}
	}
}

// If a hook refuses, no kind of write is done.
func TestARefusedWriteIsNotDone(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}`)
	id := f.create("one", `{"name": "a"}`)
	before := f.index.Snapshot()
	h.answer = func(*Proposal) (json.RawMessage, error) {
		return nil, &RefusedError{Hook: "test", Status: 409, Message: "no"}
	}
	ctx, one := context.Background(), f.kind("one")
	step, request := Step{Type: one, DocumentID: id}, Request{Type: one, DocumentID: id}
	made, _ := f.ask("one", `{"name": "b"}`)
	changed := made
	changed.DocumentID = id
	for name, write := range map[string]Write{
		"create": ToCreate(made), "update": ToUpdate(changed), "delete": ToDelete(request), "publish": ToPublish(step),
		"unpublish": ToUnpublish(step, false), "discard": ToDiscardDraft(step), "duplicate": ToDuplicate(step),
	} {
		var refused *RefusedError
		if _, err := f.writer.Together(ctx, []Write{write}); !errors.As(err, &refused) || refused.Message != "no" {
			t.Errorf("%s: %v, want the refusal", name, err)
		}
		record := ToRecord(func(*store.Tx) error { return nil })
		var part *PartError
		if _, err := f.writer.Together(ctx, []Write{record, write}); !errors.As(err, &part) || part.Part != 1 || !errors.As(err, &refused) {
			t.Errorf("%s as one of two: %v, want the refusal of part 1", name, err)
		}
	}
	if f.index.Snapshot() != before {
		t.Error("something was written")
	}
}

// The data that a hook returns is checked and written as if the caller had sent it.
func TestAHookChangesTheData(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "price": {"type": "integer"}, "big": {"type": "biginteger"}`)
	returns := func(data string) {
		h.answer = func(*Proposal) (json.RawMessage, error) { return json.RawMessage(data), nil }
	}
	returns(`{"name": "a", "price": 3}`)
	id := f.create("one", `{"name": "a", "price": 2}`)
	if e := f.mustRead("one", draftOf(id, "")); e.Value("price").Num != 3 {
		t.Errorf("price is %v, want what the hook returned", e.Value("price"))
	}
	returns(`{"price": "much"}`)
	if _, err := f.tryUpdate("one", id, `{"name": "b"}`); strings.Join(pathsOf(t, err), " ") != "price" {
		t.Errorf("got %v, want price refused", err)
	}
	returns(`{"prize": 1}`)
	if _, err := f.tryUpdate("one", id, `{"name": "b"}`); err == nil || !strings.Contains(err.Error(), "prize") {
		t.Errorf("got %v, want the unknown key refused", err)
	}
	// JavaScript cannot represent this number. A hook that returns it unchanged does not
	// change it.
	returns(`{"name": "c", "big": 9007199254740992}`)
	f.update("one", id, `{"name": "b", "big": 9007199254740993}`)
	if e := f.mustRead("one", draftOf(id, "")); e.Value("big").Num != 9007199254740993 || e.Value("name").Text != "c" {
		t.Errorf("big is %v, want it as it was sent", e.Value("big"))
	}
}

// A hook cannot set what the caller may not set.
func TestAHookHasNoMoreRightsThanTheCaller(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "price": {"type": "integer"}, "margin": {"type": "integer"}`)
	id := f.create("one", `{"name": "a", "price": 1}`)
	sight, err := schema.NewSight(f.kind("one"), []string{"margin"}, []string{"price"})
	must(t, err)
	p := f.as("user:1", &limited{sights: map[string]*schema.Sight{"api::one.one": sight}})
	for _, data := range []string{`{"name": "b", "price": 2}`, `{"name": "b", "margin": 2}`} {
		h.answer = func(*Proposal) (json.RawMessage, error) { return json.RawMessage(data), nil }
		if err := p.put("one", id, `{"name": "b"}`); err == nil {
			t.Errorf("%s is written", data)
		}
	}
	if e := f.mustRead("one", draftOf(id, "")); e.Value("name").Text != "a" || e.Value("price").Num != 1 {
		t.Errorf("stored are %v", e.Fields)
	}
}

// Hooks are asked one after the other, each about the result of the one before it.
func TestHooksAreAskedInTurn(t *testing.T) {
	add := func(what string) func(p *Proposal) (json.RawMessage, error) {
		return func(p *Proposal) (json.RawMessage, error) {
			var data map[string]string
			if err := json.Unmarshal(p.Data, &data); err != nil {
				return nil, err
			}
			data["name"] += what
			return json.Marshal(data)
		}
	}
	first, second := &hooked{uid: "api::one.one", answer: add("b")}, &hooked{uid: "api::one.one", answer: add("c")}
	f := newFixtureWith(t, loadSite(t, mapSite(`"name": {"type": "string"}`)), WriterOptions{Now: clock(), Asker: &asker{[]*hooked{first, second}}})
	id := f.create("one", `{"name": "a"}`)
	if got := f.mustRead("one", draftOf(id, "")).Value("name").Text; got != "abc" {
		t.Errorf("name is %q, want abc", got)
	}
}

// No hook sees a password. The passwords that were sent are stored, whatever a hook
// changes.
func TestHooksSeeNoPasswords(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "secret": {"type": "password"}`)
	h.answer = func(p *Proposal) (json.RawMessage, error) {
		if strings.Contains(string(p.Data), "marker") || strings.Contains(string(p.Data), "secret") {
			t.Errorf("the hook sees %s", p.Data)
		}
		return json.RawMessage(`{"name": "b"}`), nil
	}
	id := f.create("one", `{"name": "a", "secret": "marker"}`)
	e := f.mustRead("one", draftOf(id, ""))
	if e.Value("secret").Text != "hash of marker" || e.Value("name").Text != "b" {
		t.Errorf("stored are %v", e.Fields)
	}
	h.answer = func(p *Proposal) (json.RawMessage, error) { return json.RawMessage(`{"secret": "mine"}`), nil }
	if _, err := f.tryUpdate("one", id, `{"name": "c"}`); !errors.As(err, new(*UnaskedError)) {
		t.Errorf("a hook sets a password: %v", err)
	}
}

// A hook sees a number as a number, even if it was sent as a text, so a text cannot pass
// its checks.
func TestAHookSeesNumbersAsSuch(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "guests": {"type": "integer"}, "price": {"type": "decimal"}, "rating": {"type": "float"},
		"open": {"type": "boolean"}, "size": {"type": "enumeration", "enum": ["t1", "t2"]}, "big": {"type": "biginteger"}`)
	for sent, want := range map[string]string{
		`{"guests": "12", "price": " 1e1 ", "rating": "0.5", "open": "1", "size": "t1"}`: `{"guests":12,"price":10,"rating":0.5,"open":true,"size":"t1"}`,
		`{"guests": "1", "guests": "12"}`:                                                `{"guests":12}`,
		`{"guests": null, "name": "12", "big": "9007199254740993"}`:                      `{"guests":null,"name":"12","big":"9007199254740993"}`,
	} {
		h.answer = func(p *Proposal) (json.RawMessage, error) { return p.Data, nil }
		id := f.create("one", sent)
		if got := string(h.proposals[len(h.proposals)-1].Data); got != want {
			t.Errorf("the hook sees %s, want %s", got, want)
		}
		if e := f.mustRead("one", draftOf(id, "")); strings.Contains(want, ":12") && e.Value("guests").Num != 12 {
			t.Errorf("stored are %v", e.Fields)
		}
	}
}

// A hook cannot set a password in a component if the caller has sent none.
func TestHooksSetNoPasswordsOfComponents(t *testing.T) {
	login := `{"info": {"displayName": "Login"}, "attributes": {"name": {"type": "string"}, "secret": {"type": "password"}}}`
	files := mapSite(`"name": {"type": "string"}, "login": {"type": "component", "component": "shared.login"},
		"logins": {"type": "component", "component": "shared.login", "repeatable": true}, "zone": {"type": "dynamiczone", "components": ["shared.login"]}`).(fstest.MapFS)
	files["src/components/shared/login.json"] = &fstest.MapFile{Data: []byte(login)}
	h := &hooked{uid: "api::one.one"}
	f := newFixtureWith(t, loadSite(t, files), WriterOptions{
		Now: clock(), Asker: &asker{[]*hooked{h}},
		HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil },
	})
	for _, data := range []string{
		`{"login": {"secret": "mine"}}`, `{"logins": [{"name": "a"}, {"secret": "mine"}]}`, `{"zone": [{"__component": "shared.login", "secret": "mine"}]}`,
		`{"name": "a", "login": {"name": "b", "secret": null}}`,
	} {
		h.answer = func(*Proposal) (json.RawMessage, error) { return json.RawMessage(data), nil }
		if _, err := f.tryCreate("one", `{"name": "a", "login": {"name": "b"}}`); !errors.As(err, new(*UnaskedError)) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// If the document changes while a hook is asked, the hook is asked again. If that happens
// each time, the write is not done.
func TestAHookIsAskedAgainWhenTheDocumentChanges(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "secret": {"type": "password"}`)
	id := f.create("one", `{"name": "a"}`)
	h.proposals = nil
	overtake := 1
	inside := false
	h.answer = func(p *Proposal) (json.RawMessage, error) {
		if !inside && len(h.proposals) > 0 && overtake > 0 {
			overtake--
			inside = true
			f.update("one", id, `{"name": "meanwhile"}`, asDraft)
			inside = false
		}
		return nil, nil
	}
	f.update("one", id, `{"secret": "b"}`)
	e := f.mustRead("one", liveOf(id, ""))
	if e.Value("secret").Text != "hash of b" || e.Value("name").Text != "meanwhile" {
		t.Errorf("stored are %v", e.Fields)
	}
	overtake = 100
	var overtaken *OvertakenError
	if _, err := f.tryUpdate("one", id, `{"name": "c"}`); !errors.As(err, &overtaken) {
		t.Errorf("got %v, want it overtaken", err)
	}
	if got := f.mustRead("one", draftOf(id, "")).Value("name").Text; got != "meanwhile" {
		t.Errorf("name is %q", got)
	}
}

// No hook is asked about types without hooks.
func TestOtherTypesAskNobody(t *testing.T) {
	h := &hooked{uid: "api::chef.chef"}
	f := newFixtureWith(t, guide(t), WriterOptions{Now: clock(), Asker: &asker{[]*hooked{h}}})
	f.create("category", `{"name": "Breton"}`)
	if len(h.proposals) != 0 {
		t.Errorf("asked %v", h.proposals)
	}
	f.create("chef", `{"name": "Ada"}`)
	if len(h.proposals) != 1 || !slices.Contains(h.proposals[0].Events, "create") {
		t.Errorf("asked %v", h.proposals)
	}
}

// Whatever data a hook returns, it is refused, or is data that a caller could have sent.
func TestHostileDataOfHooks(t *testing.T) {
	f, h := hookedFixture(t, `"name": {"type": "string"}, "any": {"type": "json"}, "other": {"type": "relation", "relation": "manyToOne", "target": "api::one.one"}`)
	deep := func(n int) string { return `{"any": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, data := range []string{
		deep(9_000), deep(100_000), `{"any": [` + strings.Repeat("0,", 50_000) + `0]}`, `{"other": {"connect": [` + strings.Repeat(`"a",`, 30_000) + `"a"]}}`,
		`{"id": 1}`, `{"documentId": "x"}`, `{"createdAt": "2020-01-01"}`, `{"createdBy": 1}`, `{"publishedAt": null}`, `{"locale": "fr"}`, `{"status": "draft"}`,
		`{"other": "nothing"}`, `{"name": "a\u0000b"}`, `{"__proto__": {}}`, `{"name": "a", "name": {}}`,
	} {
		_, sent := f.tryCreate("one", data)
		h.answer = func(*Proposal) (json.RawMessage, error) { return json.RawMessage(data), nil }
		_, got := f.tryCreate("one", `{"name": "a"}`)
		h.answer = nil
		var unasked *UnaskedError
		if (sent == nil) != (got == nil) && !errors.As(got, &unasked) {
			t.Errorf("%.60s: a caller gets %v, a hook %v", data, sent, got)
		}
		if errors.As(got, new(*PanicError)) {
			t.Errorf("%.60s: %v", data, got)
		}
	}
}
