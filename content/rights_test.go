package content

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// limited is a caller with sights and reaches by uid.
type limited struct {
	sights  map[string]*schema.Sight
	reaches map[string]*schema.Reach
	filters map[string]*schema.Filter
	without map[string]bool // uids of types that it may not update
}

func (l *limited) Allows(t *schema.Type, a schema.Action) bool {
	return !l.without[t.UID] || a != schema.Update && a != schema.UpdateDraft
}

func (l *limited) Sight(t *schema.Type) *schema.Sight {
	if s := l.sights[t.UID]; s != nil {
		return s
	}
	return schema.WholeSight()
}

func (l *limited) Reach(t *schema.Type) *schema.Reach { return l.reaches[t.UID] }

func (l *limited) Filter(t *schema.Type) *schema.Filter { return l.filters[t.UID] }

const (
	restaurants = "api::restaurant.restaurant"
	chefs       = "api::chef.chef"
	categories  = "api::category.category"
	reviews     = "api::review.review"
)

// person is a caller who writes to a fixture.
type person struct {
	*fixture
	ctx    context.Context
	access *limited
}

func (f *fixture) as(actor store.Actor, l *limited) *person {
	return &person{f, For(By(context.Background(), actor), l), l}
}

// sees returns a caller who may not see or set the given paths of restaurants.
func (f *fixture) sees(hidden, readOnly []string) *limited {
	s, err := schema.NewSight(f.kind("restaurant"), hidden, readOnly)
	must(f, err)
	return &limited{sights: map[string]*schema.Sight{restaurants: s}}
}

func (p *person) request(kind, documentID, data string) (Request, error) {
	t := p.kind(kind)
	in, err := body.Decode(p.site, t, json.RawMessage(data), p.access)
	return Request{Type: t, DocumentID: documentID, Input: in}, err
}

func (p *person) put(kind, documentID, data string, options ...func(*Request)) error {
	r, err := p.request(kind, documentID, data)
	if err != nil {
		return err
	}
	for _, o := range options {
		o(&r)
	}
	if documentID == "" {
		_, err = p.writer.Create(p.ctx, r)
	} else {
		_, err = p.writer.Update(p.ctx, r)
	}
	return err
}

// denied requires a *ForbiddenError with a path and a locale.
func denied(t *testing.T, err error, path, locale string) {
	t.Helper()
	var e *ForbiddenError
	if !errors.As(err, &e) || e.Path != path || e.Locale != locale {
		t.Errorf("got %v, want a ForbiddenError about %q %q", err, path, locale)
	}
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// hours returns the opening hours of a draft: id, day and note of each.
func (f *fixture) hours(id string) (hours []store.Instance) {
	return f.mustRead("restaurant", draftOf(id, "en")).Value("opening_hours").Instances
}

func (f *fixture) hourNotes(id string) string {
	var notes []string
	for _, h := range f.hours(id) {
		notes = append(notes, h.Value("note").Text)
	}
	return strings.Join(notes, " ")
}

const twoHours = `"opening_hours": [{"day": "mon", "note": "one"}, {"day": "tue", "note": "two"}]`

// A hidden attribute is an unknown key in a body, and keeps its value when a body replaces
// what contains it.
func TestWritesKeepWhatIsHidden(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One", "rating": 3, `+twoHours+`, "location": {"street": "S", "geo": {"lat": 1, "lng": 2}}}`, asDraft)
	p := f.as("admin:1", f.sees([]string{"rating", "opening_hours.note", "location.geo.lng"}, nil))
	for _, data := range []string{`{"rating": 4}`, `{"opening_hours": [{"day": "mon", "note": "x"}]}`, `{"location": {"street": "S", "geo": {"lng": 3}}}`} {
		var key *body.KeyError
		if err := p.put("restaurant", id, data, asDraft); !errors.As(err, &key) || key.Fault != body.UnknownKey {
			t.Errorf("%s: %v", data, err)
		}
	}
	first := f.hours(id)[0].ID
	done(t, p.put("restaurant", id, `{"name": "Two", "opening_hours": [{"id": `+number(first+1)+`, "day": "wed"}, {"id": `+number(first)+`, "day": "sun"}, {"day": "sat"}]}`, asDraft))
	if got := f.hourNotes(id); got != "two one " {
		t.Errorf("notes: %q", got)
	}
	done(t, p.put("restaurant", id, `{"location": {"street": "T", "geo": {"lat": 9}}}`, asDraft))
	e := f.mustRead("restaurant", draftOf(id, "en"))
	geo := e.Value("location").Instances[0].Value("geo").Instances[0]
	if e.Value("rating").Real != 3 || geo.Value("lng").Real != 2 || geo.Value("lat").Real != 9 {
		t.Errorf("stored: %+v", e.Fields)
	}
	denied(t, p.put("restaurant", id, `{"opening_hours": []}`, asDraft), "opening_hours", "")
	denied(t, p.put("restaurant", id, `{"opening_hours": [{"day": "mon"}]}`, asDraft), "opening_hours", "")
	denied(t, p.put("restaurant", id, `{"location": null}`, asDraft), "location", "")
	done(t, p.put("restaurant", id, `{"opening_hours": [{"id": `+number(first)+`}, {"id": `+number(first+1)+`}]}`, asDraft)) // without the empty one
	if got := f.hourNotes(id); got != "one two" {
		t.Errorf("notes: %q", got)
	}
}

func number(n uint64) string { b, _ := json.Marshal(n); return string(b) }

// A form sends back what it has read: the same value counts as no change.
func TestWritesOfReadOnlyAttributes(t *testing.T) {
	f := newFixture(t, guide(t))
	chef, category := f.create("chef", `{"name": "Ada"}`), f.create("category", `{"name": "Soup"}`)
	review := f.create("review", `{"note": 1}`)
	id := f.create("restaurant", `{"name": "One", "stars": 3, "meta": {"b": 1, "a": 2}, "chef": "`+chef+`", "categories": ["`+category+`"], "reviews": ["`+review+`"], `+twoHours+`}`, asDraft)
	p := f.as("admin:1", f.sees(nil, []string{"name", "stars", "meta", "chef", "categories", "reviews", "opening_hours.note", "vegan", "tagline"}))
	first := f.hours(id)[0].ID
	same := []string{
		`{"name": "One", "tagline": null, "story": "new"}`, `{"stars": 3}`, `{"meta": {"b": 1, "a": 2}}`, `{"chef": "` + chef + `"}`, `{"chef": {"set": ["` + chef + `"]}}`,
		`{"categories": ["` + category + `"]}`, `{"categories": {"connect": ["` + category + `"]}}`, `{"reviews": ["` + review + `"]}`,
		`{"opening_hours": [{"id": ` + number(first) + `, "day": "fri", "note": "one"}, {"id": ` + number(first+1) + `, "note": "two"}]}`,
	}
	for _, data := range same {
		if err := p.put("restaurant", id, data, asDraft); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	for data, path := range map[string]string{
		`{"name": "Two"}`: "name", `{"stars": 4}`: "stars", `{"stars": null}`: "stars", `{"chef": null}`: "chef", `{"meta": {}}`: "meta",
		`{"categories": []}`: "categories", `{"categories": {"disconnect": ["` + category + `"]}}`: "categories", `{"reviews": []}`: "reviews",
		`{"opening_hours": [{"id": ` + number(first) + `, "note": "x"}, {"id": ` + number(first+1) + `}]}`: "opening_hours[0].note",
		`{"opening_hours": [{"id": ` + number(first) + `}]}`:                                               "opening_hours",
	} {
		before := f.mustRead("restaurant", draftOf(id, "en"))
		denied(t, p.put("restaurant", id, data, asDraft), path, "")
		if !f.mustRead("restaurant", draftOf(id, "en")).Fields.Equal(before.Fields) {
			t.Errorf("%s has changed something", data)
		}
	}
	p.access.sights[restaurants], _ = schema.NewSight(f.kind("restaurant"), nil, []string{"stars", "vegan"})
	done(t, p.put("restaurant", "", `{"name": "New", "vegan": false, "stars": null}`))
	done(t, p.put("restaurant", "", `{"name": "New", "vegan": null}`))
	denied(t, p.put("restaurant", "", `{"name": "New", "vegan": true}`), "vegan", "")
	denied(t, p.put("restaurant", "", `{"name": "New", "stars": 1}`), "stars", "")
	for _, e := range f.all("restaurant") {
		if e.Value("name").Text == "New" && (e.Value("vegan").Kind != store.Bool || e.Value("vegan").Num != 0) {
			t.Errorf("a new restaurant lacks the default: %+v", e.Value("vegan"))
		}
	}
}

// all returns the entries of a type.
func (f *fixture) all(kind string) (all []*store.Entry) {
	f.Helper()
	err := f.db.View(func(tx *store.Tx) error {
		return tx.Scan(f.kind(kind).UID, func(e *store.Entry) error { all = append(all, e); return nil })
	})
	must(f, err)
	return all
}

// Restoring, discarding and copying lose nothing that the caller may not set.
func TestStepsKeepWhatMayNotBeSet(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One", "rating": 3, "stars": 1, `+twoHours+`}`)
	then := f.mustRead("restaurant", draftOf(id, "en")).Stamp.Version
	first := f.hours(id)[0].ID
	f.update("restaurant", id, `{"name": "Two", "rating": 4, "stars": 2, "opening_hours": [{"id": `+number(first)+`, "day": "fri", "note": "ONE"}, {"id": `+number(first+1)+`, "day": "sat"}]}`, asDraft)
	p := f.as("admin:1", f.sees([]string{"rating", "opening_hours.note"}, []string{"stars"}))
	restaurant := f.kind("restaurant")
	check := func(what, name string) {
		t.Helper()
		e := f.mustRead("restaurant", draftOf(id, "en"))
		if e.Value("name").Text != name || e.Value("rating").Real != 4 || e.Value("stars").Num != 2 || f.hourNotes(id) != "ONE two" || f.hours(id)[0].Value("day").Text != "mon" {
			t.Errorf("%s: %+v, notes %q", what, e.Fields, f.hourNotes(id))
		}
	}
	step := Step{Type: restaurant, DocumentID: id, Access: p.access}
	_, err := f.writer.Together(p.ctx, []Write{ToDiscardDraft(step)})
	done(t, err)
	check("discard", "One")
	draft, live := f.mustRead("restaurant", draftOf(id, "en")), f.mustRead("restaurant", liveOf(id, "en"))
	if draft.UpdatedAt <= live.UpdatedAt {
		t.Error("a draft that differs from the published version counts as unmodified")
	}
	f.update("restaurant", id, `{"name": "Three"}`, asDraft)
	var dropped []Dropped
	_, err = f.writer.Together(p.ctx, []Write{ToRestore(Restoration{Step: step, Locale: "en", Status: store.Draft, Revision: then}, func() error { return nil }, &dropped)})
	done(t, err)
	check("restore", "One")
	copies, err := f.writer.Duplicate(p.ctx, step)
	done(t, err)
	if e := f.mustRead("restaurant", draftOf(copies[0].DocumentID, "en")); e.Value("rating").Real != 4 || e.Value("opening_hours").Instances[0].Value("note").Text != "ONE" {
		t.Errorf("copied: %+v", e.Fields)
	}
	f.delete("restaurant", id, AllLocales)
	_, err = f.writer.Together(p.ctx, []Write{ToRestore(Restoration{Step: step, Locale: "en", Status: store.Draft, Revision: then, Create: true}, func() error { return nil }, &dropped)})
	done(t, err)
	if e := f.mustRead("restaurant", draftOf(id, "en")); e.Value("rating").Real != 3 || e.Value("stars").Num != 1 || f.hourNotes(id) != "one two" {
		t.Errorf("what is made again is not as it was: %+v", e.Fields)
	}
}

// every does all kinds of writes to one document in one locale, or in AllLocales.
func (p *person) every(kind, id, locale string) map[string]error {
	t := p.kind(kind)
	step := Step{Type: t, DocumentID: id, Locales: []string{locale}, Access: p.access}
	try := func(w Write) error {
		refused, err := p.writer.Try(p.ctx, []Write{w})
		return errors.Join(append(refused, err)...)
	}
	tried := map[string]error{
		"publish": try(ToPublish(step)), "unpublish": try(ToUnpublish(step, false)), "unpublish with discard": try(ToUnpublish(step, true)), "discard": try(ToDiscardDraft(step)),
		"delete":  try(ToDelete(Request{Type: t, DocumentID: id, Locale: locale})),
		"planned": p.writer.MayChange(p.ctx, t, id, []string{locale}, schema.Publish),
	}
	if locale != AllLocales {
		for _, status := range []store.Status{store.Draft, store.Published} {
			r, err := p.request(kind, id, `{"name": "Else"}`)
			r.Locale, r.Status = locale, status
			tried["update "+status.String()] = errors.Join(err, try(ToUpdate(r)))
			if e := p.stored(kind, store.Key{DocumentID: id, Locale: locale, Status: status}); e != nil {
				var dropped []Dropped
				tried["restore "+status.String()] = try(ToRestore(Restoration{Step: step, Locale: locale, Status: status, Revision: e.Stamp.Version}, func() error { return nil }, &dropped))
			}
		}
	}
	return tried
}

func TestWritesOfOwnDocuments(t *testing.T) {
	f := newFixture(t, guide(t))
	own := &limited{reaches: map[string]*schema.Reach{restaurants: {Own: true}, chefs: {Own: true}}}
	ada, bob := f.as("admin:ada", own), f.as("admin:bob", own)
	r, err := ada.request("restaurant", "", `{"name": "Hers"}`)
	done(t, err)
	made, err := f.writer.Create(ada.ctx, r)
	done(t, err)
	id, nobodys := made.DocumentID, f.create("restaurant", `{"name": "Nobody's"}`)
	f.update("restaurant", id, `{"name": "Elle"}`, in("fr")) // somebody else writes; the document is still hers
	for _, locale := range []string{"en", "fr", AllLocales} {
		for what, err := range ada.every("restaurant", id, locale) {
			if err != nil {
				t.Errorf("%s of her own document in %s: %v", what, locale, err)
			}
		}
		for what, err := range bob.every("restaurant", id, locale) {
			t.Run(what, func(t *testing.T) { denied(t, err, "", "") })
		}
	}
	for what, err := range f.as("", own).every("restaurant", nobodys, "en") {
		t.Run(what, func(t *testing.T) { denied(t, err, "", "") })
	}
	denied(t, bob.put("restaurant", id, `{"name": "Lui"}`, in("it")), "", "") // a new locale
	denied(t, f.writer.MayChange(ada.ctx, f.kind("restaurant"), "to-come", nil, schema.Publish), "", "")
	copied, err := f.writer.Duplicate(bob.ctx, Step{Type: f.kind("restaurant"), DocumentID: id})
	done(t, err)
	done(t, bob.put("restaurant", copied[0].DocumentID, `{"name": "His"}`))
	then := f.mustRead("restaurant", draftOf(id, "en")).Stamp.Version
	f.delete("restaurant", id, AllLocales)
	var dropped []Dropped
	again := Restoration{Step: Step{Type: f.kind("restaurant"), DocumentID: id}, Locale: "en", Status: store.Draft, Revision: then, Create: true}
	_, err = f.writer.Together(bob.ctx, []Write{ToRestore(again, func() error { return nil }, &dropped)})
	denied(t, err, "", "")
	_, err = f.writer.Together(ada.ctx, []Write{ToRestore(again, func() error { return nil }, &dropped)})
	done(t, err)
	done(t, ada.put("restaurant", id, `{"name": "Hers again"}`))
}

// What one of several roles allows is allowed, and nothing that none of them allows by itself.
func TestWritesOfTwoRoles(t *testing.T) {
	f := newFixture(t, guide(t))
	every := []schema.Action{schema.Create, schema.Update, schema.Delete, schema.Publish, schema.Unpublish}
	author := schema.RoleReach{Actions: every, Own: true}
	translator := schema.RoleReach{Actions: []schema.Action{schema.Update}, Locales: []string{"fr"}, Fixed: []string{"tagline"}}
	publisher := schema.RoleReach{Actions: []schema.Action{schema.Publish}}
	l := f.sees(nil, nil)
	l.reaches = map[string]*schema.Reach{restaurants: {Ways: []schema.RoleReach{author, translator}}}
	ada := f.as("admin:ada", l)
	r, err := ada.request("restaurant", "", `{"name": "Hers", "tagline": "low"}`)
	done(t, err)
	made, err := f.writer.Create(ada.ctx, r)
	done(t, err)
	for what, err := range ada.every("restaurant", made.DocumentID, "en") {
		if err != nil {
			t.Errorf("%s of her own document: %v", what, err)
		}
	}
	id := f.create("restaurant", `{"name": "Theirs", "tagline": "low"}`)
	f.update("restaurant", id, `{"name": "Leur"}`, in("fr"))
	done(t, ada.put("restaurant", id, `{"name": "La leur"}`, in("fr"), asDraft))
	denied(t, ada.put("restaurant", id, `{"name": "La leur"}`, in("fr")), "", "") // this publishes, too
	denied(t, ada.put("restaurant", id, `{"name": "La leur", "tagline": "high"}`, in("fr"), asDraft), "tagline", "")
	denied(t, ada.put("restaurant", id, `{"name": "Theirs now"}`, asDraft), "", "en")
	done(t, ada.put("restaurant", made.DocumentID, `{"tagline": "high"}`, asDraft))
	for what, err := range ada.every("restaurant", id, "fr") {
		if what == "discard" || what == "restore draft" || what == "restore published" || what == "update draft" {
			done(t, err)
			continue
		}
		t.Run(what, func(t *testing.T) { denied(t, err, "", "") })
	}
	l.reaches[restaurants].Ways = append(l.reaches[restaurants].Ways, publisher)
	done(t, ada.put("restaurant", id, `{"name": "La leur"}`, in("fr")))
	l.reaches[restaurants].Ways[1].Actions = []schema.Action{schema.Unpublish}
	_, err = f.writer.Unpublish(ada.ctx, f.asks("restaurant", id, "fr"), true)
	denied(t, err, "", "") // this writes the draft, too
	l.reaches[restaurants].Ways[1].Actions = translator.Actions
	_, err = f.writer.Publish(ada.ctx, Step{Type: f.kind("restaurant"), DocumentID: id})
	done(t, err)
	denied(t, ada.put("restaurant", id, `{"name": "Theirs now"}`, asDraft), "", "en")
	done(t, f.writer.MayChange(ada.ctx, f.kind("restaurant"), id, []string{AllLocales}, schema.Publish))
	denied(t, f.writer.MayChange(ada.ctx, f.kind("restaurant"), id, []string{"fr"}, schema.Unpublish), "", "")
	then := f.mustRead("restaurant", draftOf(id, "en")).Stamp.Version
	f.delete("restaurant", id, AllLocales)
	var dropped []Dropped
	again := Restoration{Step: Step{Type: f.kind("restaurant"), DocumentID: id}, Locale: "en", Status: store.Draft, Revision: then, Create: true}
	_, err = f.writer.Together(ada.ctx, []Write{ToRestore(again, func() error { return nil }, &dropped)})
	denied(t, err, "", "en")
}

func TestWritesOfLocales(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One", "stars": 3}`)
	f.update("restaurant", id, `{"name": "Un"}`, in("fr"))
	p := f.as("admin:1", &limited{reaches: map[string]*schema.Reach{restaurants: {Locales: []string{"fr", "it"}}}})
	for locale, own := range map[string]bool{"en": false, "fr": true, "it": true, AllLocales: false} {
		for what, err := range p.every("restaurant", id, locale) {
			switch missing := (*NotFoundError)(nil); {
			case own && locale == "it" && errors.As(err, &missing): // nothing to act on yet
			case own:
				if err != nil {
					t.Errorf("%s in %s: %v", what, locale, err)
				}
			default:
				t.Run(what, func(t *testing.T) { denied(t, err, "", locale) })
			}
		}
	}
	denied(t, f.writer.MayChange(p.ctx, f.kind("restaurant"), "to-come", []string{"en"}, schema.Publish), "", "en")
	done(t, p.put("restaurant", id, `{"name": "Uno", "stars": 3}`, in("it")))
	denied(t, p.put("restaurant", id, `{"name": "Due", "stars": 4}`, in("it")), "stars", "en")
	denied(t, p.put("restaurant", "", `{"name": "Due"}`), "", "en")
	done(t, p.put("restaurant", "", `{"name": "Due"}`, in("it")))
	_, err := f.writer.Duplicate(p.ctx, Step{Type: f.kind("restaurant"), DocumentID: id})
	denied(t, err, "", "en")
	f.update("restaurant", id, `{"stars": 5}`, asDraft) // in the drafts of all locales
	_, err = f.writer.Publish(p.ctx, Step{Type: f.kind("restaurant"), DocumentID: id, Locales: []string{"fr"}})
	denied(t, err, "stars", "en")
	_, err = f.writer.DiscardDraft(p.ctx, Step{Type: f.kind("restaurant"), DocumentID: id, Locales: []string{"fr"}})
	done(t, err)
	for _, locale := range []string{"en", "fr", "it"} {
		if got := f.mustRead("restaurant", draftOf(id, locale)).Value("stars").Num; got != 5 {
			t.Errorf("stars of the draft in %s: %d", locale, got)
		}
	}
	all := f.as("admin:2", &limited{reaches: map[string]*schema.Reach{restaurants: {Locales: []string{"en", "fr", "it"}}}})
	for what, err := range all.every("restaurant", id, AllLocales) {
		if err != nil {
			t.Errorf("%s in all locales: %v", what, err)
		}
	}
}

// Links that are written from the other side belong to the content of their owners.
func TestWritesOfLinksOfOthers(t *testing.T) {
	f := newFixture(t, guide(t))
	chef, other := f.create("chef", `{"name": "Ada"}`), f.create("chef", `{"name": "Bob"}`)
	id := f.create("restaurant", `{"name": "One", "chef": "`+chef+`"}`)
	fixed, err := schema.NewSight(f.kind("restaurant"), nil, []string{"chef"})
	done(t, err)
	for _, l := range []*limited{
		{reaches: map[string]*schema.Reach{restaurants: {Own: true}}},
		{reaches: map[string]*schema.Reach{restaurants: {Locales: []string{"fr"}}}},
		{without: map[string]bool{restaurants: true}},
		{sights: map[string]*schema.Sight{restaurants: fixed}},
	} {
		p := f.as("admin:1", l)
		for _, data := range []string{`{"restaurants": ["` + id + `"]}`, `{"restaurants": {"connect": ["` + id + `"]}}`} {
			err := p.put("chef", other, data, asDraft)
			if forbidden := (*ForbiddenError)(nil); !errors.As(err, &forbidden) {
				t.Errorf("%+v, %s: %v", l, data, err)
			}
		}
		err := p.put("chef", chef, `{"restaurants": []}`, asDraft)
		if forbidden := (*ForbiddenError)(nil); !errors.As(err, &forbidden) {
			t.Errorf("%+v: %v", l, err)
		}
		done(t, p.put("chef", chef, `{"restaurants": ["`+id+`"], "name": "Ada"}`, asDraft)) // unchanged
		_, err = f.writer.Publish(p.ctx, Step{Type: f.kind("chef"), DocumentID: chef})
		done(t, err)
	}
	if got := f.links("restaurant", draftOf(id, "en"), "chef"); got != chef {
		t.Errorf("the restaurant's chef is %s", got)
	}
}

// An attached file is a value like any other.
func TestAttachmentsOfLimitedCallers(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One"}`)
	attach := func(l *limited) error {
		p := f.as("admin:1", l)
		_, err := f.writer.CreateAll(p.ctx, nil, &Attachment{Attribute: f.kind("restaurant").Attribute("cover"), DocumentID: id})
		return err
	}
	denied(t, attach(f.sees(nil, []string{"cover"})), "cover", "")
	denied(t, attach(&limited{reaches: map[string]*schema.Reach{restaurants: {Own: true}}}), "", "")
	denied(t, attach(&limited{reaches: map[string]*schema.Reach{restaurants: {Locales: []string{"fr"}}}}), "", "en")
	done(t, attach(&limited{}))
}

// Each of several writes is checked against the result of those before it.
func TestSeveralWritesOfALimitedCaller(t *testing.T) {
	f := newFixture(t, guide(t))
	foreign := f.create("restaurant", `{"name": "Foreign"}`)
	p := f.as("admin:1", &limited{reaches: map[string]*schema.Reach{restaurants: {Own: true}}})
	mine, _ := p.request("restaurant", "mine", `{"name": "Mine"}`)
	change, _ := p.request("restaurant", "mine", `{"name": "Changed"}`)
	alien, _ := p.request("restaurant", foreign, `{"name": "Changed"}`)
	_, err := f.writer.Together(p.ctx, []Write{ToCreate(mine), ToUpdate(change), ToUpdate(alien)})
	var part *PartError
	if denied(t, err, "", ""); !errors.As(err, &part) || part.Part != 2 || f.stored("restaurant", draftOf("mine", "en")) != nil {
		t.Errorf("%v", err)
	}
	_, err = f.writer.Together(p.ctx, []Write{ToCreate(mine), ToUpdate(change)})
	done(t, err)
}

// A caller who publishes may not see what prevents the publication.
func TestRefusalsNameNothingHidden(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "One", "seo": {"meta_description": "x"}, "slug": "?"}`, asDraft)
	for _, one := range []struct {
		hidden []string
		paths  string
	}{
		{nil, "seo.meta_title slug"},
		{[]string{"seo.meta_title"}, " slug"},
		{[]string{"seo"}, " slug"},
		{[]string{"slug", "seo"}, ""},
	} {
		p := f.as("admin:1", f.sees(one.hidden, nil))
		_, err := f.writer.Publish(p.ctx, Step{Type: f.kind("restaurant"), DocumentID: id, Access: p.access})
		paths := pathsOf(t, err)
		slices.Sort(paths)
		if got := strings.Join(paths, " "); got != one.paths {
			t.Errorf("%v hidden: %q", one.hidden, got)
		}
		for _, name := range one.hidden {
			if text, _ := json.Marshal(err); strings.Contains(string(text), name) {
				t.Errorf("%v hidden: %s", one.hidden, text)
			}
		}
	}
}
