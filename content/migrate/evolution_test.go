package migrate_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/history"
	"quire/content/migrate"
	"quire/store"
)

// rich is the data file of laid with more items in each list.
func rich(t *testing.T) *contenttest.Fixture {
	f := laid(t)
	f.Index = contenttest.Build(t, f.Site, f.DB)
	f.Writer = content.NewWriter(f.DB, f.Index, f.Site, content.WriterOptions{Now: contenttest.Clock()})
	f.Create("cook", `{"name": "Bob"}`, contenttest.Called("bob"))
	f.Update("dish", "stew", `{"spare": "12", "also": ["bob", "ada"], "cook": "ada", "day": "2024-05-02",
		"steps": [{"text": "1", "minutes": 3}, {"text": "two", "minutes": 0}], "zone": [{"__component": "part.note", "remark": "7"}]}`)
	f.Writer.Close()
	return f
}

// Every conversion has the described result, refuses what it cannot do unless it may
// delete that, and leaves content that the new schemas can serve.
func TestConversions(t *testing.T) {
	const soups, stews = `"price": {"type": "integer"}`, `"spare": {"type": "string"}`
	for _, c := range []struct {
		name     string
		from, to string
		want     string // lines of the plan, without examples
		refused  string // part of the refusal; empty for none
		key      store.Key
		field    string
		holds    store.Value
	}{
		{"a number to text", soups, `"price": {"type": "string"}`,
			"api::dish.dish.price: 6 values in 2 documents converted, integer to string", "",
			contenttest.LiveOf("stew", "en"), "price", store.TextValue("7")},
		{"text to a number", stews, `"spare": {"type": "biginteger"}`,
			"api::dish.dish.spare: 2 values in 1 document converted, string to biginteger", "",
			contenttest.LiveOf("stew", "en"), "spare", store.Value{Kind: store.Int, Num: 12}},
		{"text to a number where there is none", `"title": {"type": "string"`, `"title": {"type": "float"`,
			"api::dish.dish.title: 6 values in 2 documents cannot be converted, string to float", `6 values of api::dish.dish.title cannot be converted; the first, of soup (draft, en) "Hot soup": it is not a number; --drop-unconvertible`,
			contenttest.LiveOf("stew", "en"), "title", store.Value{}},
		{"text to choices", `"title": {"type": "string"`, `"title": {"type": "enumeration", "enum": ["Stew", "Soup"]`,
			"api::dish.dish.title: 3 values in 1 document cannot be converted, string to enumeration", "it is none of Stew, Soup",
			contenttest.LiveOf("stew", "en"), "title", store.TextValue("Stew")},
		{"a date to a moment", `"day": {"type": "date"}`, `"day": {"type": "datetime"}`,
			"api::dish.dish.day: 6 values in 2 documents converted, date to datetime", "",
			contenttest.LiveOf("stew", "en"), "day", store.TextValue("2024-05-02T00:00:00.000Z")},
		{"many links to one", `"also": {"type": "relation", "relation": "oneToMany"`, `"also": {"type": "relation", "relation": "oneToOne"`,
			"api::dish.dish.also: 2 values in 1 document cannot be kept whole, oneToMany to oneToOne", `the first, of stew (draft, en) ada: it holds one link, the first`,
			contenttest.LiveOf("stew", "en"), "also", store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: "bob"}}}},
		{"a list of components to one", `"steps": {"type": "component", "component": "part.step", "repeatable": true}`, `"steps": {"type": "component", "component": "part.step"}`,
			"api::dish.dish.steps: 2 values in 1 document cannot be kept whole, a list of components to one component", "it holds one component, the first",
			contenttest.LiveOf("stew", "en"), "", store.Value{}},
		{"inside components", `"minutes": {"type": "integer"}`, `"minutes": {"type": "boolean"}`,
			"api::dish.dish.steps.minutes: 2 values in 1 document converted, integer to boolean\napi::dish.dish.steps.minutes: 6 values in 2 documents cannot be converted, integer to boolean", "neither true nor false",
			contenttest.LiveOf("stew", "en"), "", store.Value{}},
		{"inside zones and components in components", `"remark": {"type": "string"}`, `"remark": {"type": "integer"}`,
			"api::dish.dish.zone.remark: 2 values in 1 document converted, string to integer", "api::dish.dish.steps.inner.remark cannot be converted",
			contenttest.LiveOf("stew", "en"), "", store.Value{}},
		{"a component where there was a number", soups, `"price": {"type": "component", "component": "part.note"}`,
			"api::dish.dish.price: 6 values in 2 documents cannot be converted, integer to one component", "it is no component",
			contenttest.LiveOf("stew", "en"), "price", store.Value{}},
		{"links to another type", `"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"}`, `"also": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish"}`,
			"api::dish.dish.also: 6 values in 2 documents cannot be converted, oneToMany to oneToMany", "it leads to api::cook.cook",
			contenttest.LiveOf("stew", "en"), "also", store.Value{}},
		{"links to one type become links to any", `"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"}`, `"also": {"type": "relation", "relation": "morphToMany"}`,
			"api::dish.dish.also: 4 values in 2 documents converted, oneToMany to morphToMany", "",
			contenttest.LiveOf("soup", "en"), "", store.Value{}},
		{"a link of many that one may have", `"cook": {"type": "relation", "relation": "manyToOne", "target": "api::cook.cook", "inversedBy": "dishes"}`, `"cook": {"type": "relation", "relation": "oneToOne", "target": "api::cook.cook", "inversedBy": "dishes"}`,
			"api::dish.dish.cook: 2 values in 1 document cannot be kept whole, manyToOne to oneToOne", "soup has the link, and only one document may",
			contenttest.LiveOf("stew", "en"), "cook", store.Value{}},
		{"a password", `"word": {"type": "password"}`, `"word": {"type": "string"}`,
			"api::cook.cook.word: 1 value in 1 document cannot be converted, password to string", "of ada (published): a password is stored as a hash",
			contenttest.LiveOf("ada", ""), "word", store.Value{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := rich(t)
			before := listed(t, f.DB)
			pairs := []string{c.from, c.to}
			if strings.Contains(c.to, `"oneToOne", "target": "api::cook.cook", "inversedBy"`) {
				pairs = append(pairs, `"relation": "oneToMany", "target": "api::dish.dish", "mappedBy"`, `"relation": "oneToOne", "target": "api::dish.dish", "mappedBy"`)
			}
			e := migrate.Evolution{From: f.Site, To: menu(t, pairs...)}
			plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{Examples: -1})
			check(t, err)
			for line := range strings.Lines(c.want) {
				if !strings.Contains("\n"+plan.Text(), "\n"+strings.TrimSuffix(line, "\n")+"\n") {
					t.Errorf("the plan lacks %s and is\n%s", line, plan.Text())
				}
			}
			if c.refused != "" {
				_, err := e.Migrate(t.Context(), f.DB, nil)
				if !errors.As(err, new(*migrate.MigrationError)) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%v, want %q", err, c.refused)
				}
				if after := listed(t, f.DB); after != before {
					t.Errorf("what was refused has changed\n%s\nto\n%s", before, after)
				}
			}
			e.Lossy = true
			if _, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
				t.Fatal(err)
			}
			requireEvolved(t, f, e)
			kind, _, _ := strings.Cut(strings.TrimPrefix(c.want, "api::"), ".")
			if c.field == "" {
				return
			}
			got := f.Stored(kind, c.key).Value(c.field)
			for i := range got.Edges {
				got.Edges[i] = store.Edge{Target: got.Edges[i].Target, Type: got.Edges[i].Type}
			}
			if !got.Equal(c.holds) {
				t.Errorf("it holds %+v, want %+v", got, c.holds)
			}
		})
	}
}

// requireEvolved requires that the new schemas serve the stored content, and that nothing
// is left to convert.
func requireEvolved(t *testing.T, f *contenttest.Fixture, e migrate.Evolution) {
	t.Helper()
	for _, fault := range contenttest.Audit(t, e.To, f.DB) {
		if !fault.Note {
			t.Errorf("%+v", fault)
		}
	}
	err := f.DB.View(func(tx *store.Tx) error {
		lost, err := history.Check(t.Context(), tx)
		if len(lost) > 0 {
			t.Errorf("former versions are lost, the first: %v", lost[0].Err)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	f.Site, f.Index = e.To, contenttest.Build(t, e.To, f.DB)
	again, err := migrate.Evolution{To: e.To}.Plan(t.Context(), f.DB, migrate.Bounds{})
	if err != nil || again.Changes() {
		t.Errorf("there is something left: %s, %v", again.Text(), err)
	}
}

// A plan lists the new rules, and what is renamed, hidden, shown and deleted.
func TestPlan(t *testing.T) {
	f := rich(t)
	e := migrate.Evolution{
		From: f.Site,
		To: menu(t, `"title": {"type": "string"`, `"name": {"type": "string", "maxLength": 4, "unique": true`,
			`"day": {"type": "date"}, "spare": {"type": "string"}`, `"late": {"type": "time", "required": true}`,
			`"minutes": {"type": "integer"}`, `"minutes": {"type": "integer", "min": 5}`,
			`"repeatable": true}}}`, `"repeatable": true, "required": true, "min": 1}}}`),
		Attributes: []migrate.Rename{{Type: "api::dish.dish", Old: "title", New: "name"}},
		Drop:       []migrate.Removed{{Type: "api::dish.dish", Attribute: "spare"}},
	}
	plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{Examples: 1})
	check(t, err)
	for _, line := range []string{
		"api::dish.dish.name: 6 values in 2 documents, stored as title",
		"api::dish.dish.day: 6 values in 2 documents kept, and not served any more",
		"api::dish.dish.spare: 2 values in 1 document deleted\n    stew (draft, en) \"12\"",
		"api::dish.dish.name: 3 values in 1 document not valid any more: name must be at most 4 characters",
		"api::dish.dish.late: 3 values in 2 documents not valid any more: late must be defined.",
		"api::dish.dish.steps.minutes: 2 values in 1 document not valid any more: minutes must be greater than or equal to 5\n    stew (published, en) 3",
		"api::dish.dish.steps.inner: 2 values in 1 document not valid any more: inner field must have at least 1 items",
	} {
		if !strings.Contains("\n"+plan.Text(), "\n"+line+"\n") {
			t.Errorf("the plan lacks %q and is\n%s", line, plan.Text())
		}
	}
	if err := plan.Refused(); err != nil {
		t.Errorf("it is refused: %v", err)
	}
	if _, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatal(err)
	}
	requireEvolved(t, f, e)
	got := f.MustRead("dish", contenttest.LiveOf("stew", "en"))
	if got.Value("name").Text != "Stew" || !got.Value("spare").IsEmpty() || got.Value("day").Text != "2024-05-02" {
		t.Errorf("it holds %+v", got.Fields)
	}
	back := migrate.Evolution{From: e.To, To: menu(t)}
	if plan, err = back.Plan(t.Context(), f.DB, migrate.Bounds{}); err != nil || len(plan.Of(migrate.Shown)) != 1 || plan.Of(migrate.Shown)[0].Path != "day" {
		t.Errorf("back: %s, %v", plan.Text(), err)
	}
}

// A plan ends at its bounds, and says so.
func TestPlanWithinBounds(t *testing.T) {
	f := rich(t)
	e := migrate.Evolution{From: f.Site, To: menu(t, `"price": {"type": "integer"}`, `"price": {"type": "string"}`)}
	plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{Entries: 3})
	if err != nil || !plan.Partial || plan.Entries != 3 || !strings.HasSuffix(plan.Text(), "this is of the first 3 entries; there are more\n") {
		t.Errorf("%+v, %v", plan, err)
	}
	if plan, err = e.Plan(t.Context(), f.DB, migrate.Bounds{Time: 1}); err != nil || !plan.Partial {
		t.Errorf("%+v, %v", plan, err)
	}
}

// If ready fails when the copy is complete, the data stays unchanged.
func TestEvolutionThatIsNotReady(t *testing.T) {
	f := rich(t)
	before := listed(t, f.DB)
	e := migrate.Evolution{From: f.Site, To: menu(t, `"price": {"type": "integer"}`, `"price": {"type": "string"}`)}
	full := errors.New("the disk is full")
	if _, err := e.Migrate(t.Context(), f.DB, func() error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
	if after := listed(t, f.DB); after != before {
		t.Errorf("it has changed\n%s\nto\n%s", before, after)
	}
}

// If a type gets drafts, each document gets one. If it loses them, they are kept, and
// return when it has drafts again.
func TestDraftsOnAndOff(t *testing.T) {
	f := rich(t)
	before := listed(t, f.DB)
	with := menu(t, `"displayName": "Cook"}, `, `"displayName": "Cook"}, "options": {"draftAndPublish": true}, `)
	e := migrate.Evolution{From: f.Site, To: with}
	plan, err := e.Migrate(t.Context(), f.DB, nil)
	if err != nil || !strings.Contains(plan.Text(), "api::cook.cook: 2 entries published without a draft, which becomes what is published\n") {
		t.Fatalf("%v\n%s", err, plan.Text())
	}
	requireEvolved(t, f, e)
	draft, live := f.MustRead("cook", contenttest.DraftOf("ada", "")), f.MustRead("cook", contenttest.LiveOf("ada", ""))
	if !draft.Fields.Equal(live.Fields) || draft.ID == live.ID || draft.PublishedAt != 0 || draft.UpdatedAt != live.UpdatedAt {
		t.Errorf("the draft is %+v of %+v", draft, live)
	}
	without := migrate.Evolution{From: with, To: menu(t)}
	if plan, err = without.Migrate(t.Context(), f.DB, nil); err != nil || !strings.Contains(plan.Text(), "api::cook.cook: 2 entries (drafts) kept, and not served any more\n") {
		t.Fatalf("%v\n%s", err, plan.Text())
	}
	f.Site, f.Index = without.To, contenttest.Build(t, without.To, f.DB)
	if after := listed(t, f.DB); !strings.Contains(after, "ada (draft)") || strings.Count(after, "\n") <= strings.Count(before, "\n") {
		t.Errorf("the drafts are gone\n%s", after)
	}
}

// A type and its attributes are renamed and converted in one step.
func TestAllAtOnce(t *testing.T) {
	f := rich(t)
	to := renamedMenu(t, `"price": {"type": "integer"}`, `"cost": {"type": "string"}`, `"remark": {"type": "string"}`, `"text": {"type": "json"}`)
	e := migrate.Evolution{
		From: f.Site, To: to,
		Types:      []migrate.Rename{{Old: "api::dish.dish", New: "api::food.food"}, {Old: "part.note", New: "extra.remark"}},
		Attributes: []migrate.Rename{{Type: "api::food.food", Old: "price", New: "cost"}, {Type: "extra.remark", Old: "remark", New: "text"}},
	}
	plan, err := e.Migrate(t.Context(), f.DB, nil)
	check(t, err)
	for _, line := range []string{
		"api::food.food.cost: 6 values in 2 documents converted, integer to string",
		"api::food.food.cost: 6 values in 2 documents, stored as price",
		"api::food.food.zone.text: 6 values in 2 documents converted, string to json",
	} {
		if !strings.Contains("\n"+plan.Text(), "\n"+line+"\n") {
			t.Errorf("the plan lacks %s and is\n%s", line, plan.Text())
		}
	}
	requireEvolved(t, f, e)
	got := f.MustRead("food", contenttest.LiveOf("stew", "en"))
	if note := got.Value("zone").Instances[0]; got.Value("cost").Text != "7" || note.Component != "extra.remark" || note.Value("text").Text != `"7"` {
		t.Errorf("it holds %+v", got.Fields)
	}
}

// If locales share an attribute from now on, the plan lists where they differ.
func TestPlanOfSharedValues(t *testing.T) {
	f := rich(t)
	e := migrate.Evolution{From: f.Site, To: menu(t, `"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}}`, `"title": {"type": "string"}`)}
	plan, err := e.Plan(t.Context(), f.DB, migrate.Bounds{})
	const want = "api::dish.dish.title: 2 values in 1 document not valid any more: it differs from that in en, and locales share it: the next write in one of them carries its value to the others\n    soup (draft, fr) \"Soupe\"\n"
	if err != nil || !strings.HasPrefix(plan.Text(), want) || len(plan.Effects) != 1 {
		t.Errorf("%v\n%s\nwant\n%s", err, plan.Text(), want)
	}
}

// A dropped type is removed with the links to it, a dropped component with all its
// instances.
func TestDropTypesAtOnce(t *testing.T) {
	f := rich(t)
	to := contenttest.LoadSite(t, fstest.MapFS{
		"src/api/cook/content-types/cook/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "cook", "pluralName": "cooks", "displayName": "Cook"}, "attributes": {
			"name": {"type": "string"}, "word": {"type": "password"}, "likes": {"type": "relation", "relation": "morphToMany"}}}`),
	})
	kept := migrate.Evolution{From: f.Site, To: to, Drop: []migrate.Removed{{Type: "part.note"}}}
	if _, err := kept.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatal(err)
	}
	if after := listed(t, f.DB); strings.Contains(after, "part.note") || !strings.Contains(after, "part.step") {
		t.Errorf("without notes it holds\n%s", after)
	}
	gone := migrate.Evolution{From: f.Site, To: to, Drop: []migrate.Removed{{Type: "api::dish.dish"}}}
	plan, err := gone.Migrate(t.Context(), f.DB, nil)
	if err != nil || !strings.Contains(plan.Text(), "api::cook.cook.likes: 1 value in 1 document of api::dish.dish deleted\n") || !strings.Contains(plan.Text(), "api::dish.dish: 6 entries deleted\n") {
		t.Errorf("%v\n%s", err, plan.Text())
	}
	if after := listed(t, f.DB); strings.Contains(after, "dish") || !strings.Contains(after, "Ada") {
		t.Errorf("it leaves\n%s", after)
	}
	f.Site, f.Index = to, contenttest.Build(t, to, f.DB)
}
