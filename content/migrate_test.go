package content

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// menu is a site of dishes and cooks. Each pair replaces text in its schemas.
func menu(t *testing.T, pairs ...string) *schema.Site {
	r := strings.NewReplacer(pairs...)
	files := fstest.MapFS{
		"site.json": file(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "E"}, {"code": "fr", "name": "F"}]}}`),
		"src/components/part/step.json": file(`{"info": {"displayName": "Step"}, "attributes": {
			"text": {"type": "string"}, "minutes": {"type": "integer"},
			"inner": {"type": "component", "component": "part.note", "repeatable": true}}}`),
		"src/components/part/note.json": file(`{"info": {"displayName": "Note"}, "attributes": {"remark": {"type": "string"}}}`),
		"src/api/dish/content-types/dish/schema.json": file(`{"kind": "collectionType",
			"info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"},
			"options": {"draftAndPublish": true}, "pluginOptions": {"i18n": {"localized": true}}, "attributes": {
			"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}},
			"price": {"type": "integer"}, "day": {"type": "date"}, "spare": {"type": "string"},
			"cook": {"type": "relation", "relation": "manyToOne", "target": "api::cook.cook", "inversedBy": "dishes"},
			"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"},
			"photo": {"type": "media"},
			"steps": {"type": "component", "component": "part.step", "repeatable": true},
			"zone": {"type": "dynamiczone", "components": ["part.note"]}}}`),
		"src/api/cook/content-types/cook/schema.json": file(`{"kind": "collectionType",
			"info": {"singularName": "cook", "pluralName": "cooks", "displayName": "Cook"}, "attributes": {
			"name": {"type": "string"}, "word": {"type": "password"},
			"likes": {"type": "relation", "relation": "morphToMany"},
			"dishes": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish", "mappedBy": "cook"}}}`),
	}
	for _, f := range files {
		f.Data = []byte(r.Replace(string(f.Data)))
	}
	return loadSite(t, files)
}

// laid is a data file with a menu: a dish in two locales with a changed draft, and
// another one.
func laid(t *testing.T) *fixture {
	f := newFixtureWith(t, menu(t), WriterOptions{Now: clock(), HashPassword: func(s string) (string, error) { return "$argon2id$" + s, nil }})
	f.create("cook", `{"name": "Ada", "word": "secret1"}`, called("ada"))
	f.create("dish", `{"title": "Soup", "price": 5, "day": "2024-05-01", "cook": "ada", "also": ["ada"],
		"steps": [{"text": "boil", "minutes": 9, "inner": [{"remark": "hot"}]}], "zone": [{"__component": "part.note", "remark": "salt"}]}`, called("soup"))
	f.update("dish", "soup", `{"title": "Soupe"}`, in("fr"))
	f.update("dish", "soup", `{"title": "Hot soup"}`, asDraft)
	f.create("dish", `{"title": "Stew", "price": 7}`, called("stew"))
	f.update("cook", "ada", `{"likes": [{"__type": "api::dish.dish", "documentId": "soup"}]}`)
	f.writer.Close()
	return f
}

// listed is all content, with its numbers and dates.
func listed(t *testing.T, db *store.DB) string {
	t.Helper()
	var b strings.Builder
	err := db.View(func(tx *store.Tx) error {
		for _, uid := range tx.Types() {
			if err := tx.Scan(uid, func(e *store.Entry) error {
				fmt.Fprintf(&b, "%s %s %d %d %d %d", uid, e.Key(), e.ID, e.CreatedAt, e.UpdatedAt, e.PublishedAt)
				for _, f := range e.Fields { // sorted by name in the file
					fmt.Fprintf(&b, "\n  %s %+v", f.Name, f.Value)
				}
				b.WriteByte('\n')
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A rename moves the values of every kind in every version, and changes nothing
// else; renaming back restores the file as it was.
func TestRename(t *testing.T) {
	for _, c := range []struct {
		kind, from, to string
		want           string
	}{
		{"api::dish.dish", "title", "headline", "api::dish.dish/en/draft 2, api::dish.dish/en/published 2, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1"},
		{"api::dish.dish", "price", "cost", ""},
		{"api::dish.dish", "day", "since", ""},
		{"api::dish.dish", "cook", "chef", ""},
		{"api::dish.dish", "also", "others", ""},
		{"api::dish.dish", "steps", "method", ""},
		{"api::dish.dish", "zone", "extras", ""},
		{"api::cook.cook", "word", "phrase", "api::cook.cook//published 1"},
		{"api::cook.cook", "likes", "favours", ""},
		{"part.note", "remark", "comment", ""},
		{"part.step", "minutes", "took", ""},
	} {
		t.Run(c.kind+"."+c.from, func(t *testing.T) {
			f := laid(t)
			before := listed(t, f.db)
			site := menu(t, `"`+c.from+`": {`, `"`+c.to+`": {`, `"mappedBy": "`+c.from+`"`, `"mappedBy": "`+c.to+`"`)
			m := Migration{Type: c.kind, From: c.from, To: c.to}
			planned, err := m.Preview(t.Context(), f.db, site)
			if err != nil {
				t.Fatal(err)
			}
			if after := listed(t, f.db); after != before {
				t.Fatalf("a preview has changed\n%s\nto\n%s", before, after)
			}
			done, err := m.Migrate(t.Context(), f.db, site)
			if err != nil || fmt.Sprint(done) != fmt.Sprint(planned) || done.Total() == 0 {
				t.Fatalf("%+v, planned %+v, %v", done, planned, err)
			}
			if got := counted(done); c.want != "" && got != c.want {
				t.Errorf("it changes %s, want %s", got, c.want)
			}
			requireServed(t, f.db, site, c.kind, c.to)
			if again, err := m.Migrate(t.Context(), f.db, site); err != nil || again.Total() != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
			back := Migration{Type: c.kind, From: c.to, To: c.from}
			if _, err := back.Migrate(t.Context(), f.db, f.site); err != nil {
				t.Fatal(err)
			}
			if after := listed(t, f.db); after != before {
				t.Errorf("there and back, it holds\n%s\nand held\n%s", after, before)
			}
		})
	}
}

func counted(m *Migrated) string {
	var all []string
	for _, e := range m.Entries {
		all = append(all, fmt.Sprintf("%s/%s/%s %d", e.Type, e.Locale, e.Status, e.Count))
	}
	return strings.Join(all, ", ")
}

// requireServed looks at the content by the new schemas.
func requireServed(t *testing.T, db *store.DB, site *schema.Site, kind, attribute string) {
	t.Helper()
	for _, fault := range audit(t, site, db) {
		if !fault.Note {
			t.Errorf("%+v", fault)
		}
	}
	x := build(t, site, db)
	if uid := site.Type(kind); !uid.IsComponent() {
		tb := x.Snapshot().Table(uid, store.Published)
		a := uid.Attribute(attribute)
		held := false
		tb.Live().Each(func(r index.Row) bool {
			held = held || tb.Entry(r).Body.Slot(a.Slot) != nil
			return true
		})
		if !held {
			t.Errorf("no published %s has %s", kind, attribute)
		}
		if a.Relation != nil && a.Relation.Inverse != nil && len(x.Snapshot().Owners(a, a.Relation.Target, "ada", store.Published)) == 0 {
			t.Error("the other side does not see the links")
		}
	}
}

func TestRefusedMigrations(t *testing.T) {
	f := laid(t)
	becomes := func(from, to string) []string { return []string{from, to} }
	for _, c := range []struct {
		name string
		m    Migration
		site []string
		want string
	}{
		{"still there", Migration{Type: "api::dish.dish", From: "title", To: "spare"}, nil, `still has the attribute "title"`},
		{"not there yet", Migration{Type: "api::dish.dish", From: "old", To: "new"}, nil, `has no attribute "new"`},
		{"a system attribute", Migration{Type: "api::dish.dish", From: "old", To: "locale"}, nil, `has no attribute "locale"`},
		{"no such type", Migration{Type: "api::soup.soup", From: "a", To: "b"}, nil, "has no type api::soup.soup"},
		{"the other side", Migration{Type: "api::cook.cook", From: "old", To: "dishes"}, nil, "stored on its other side"},
		{"text to number", Migration{Type: "api::dish.dish", From: "title", To: "cost"}, becomes(`"title": {"type": "string"`, `"cost": {"type": "integer"`), "6 values of api::dish.dish.title cannot be of cost; the first: api::dish.dish soup (draft, en): title: it is no integer"},
		{"text to date", Migration{Type: "api::dish.dish", From: "title", To: "on"}, becomes(`"title": {"type": "string"`, `"on": {"type": "date"`), "cannot be of on"},
		{"text to choices", Migration{Type: "api::dish.dish", From: "title", To: "pick"}, becomes(`"title": {"type": "string"`, `"pick": {"type": "enumeration", "enum": ["Soup", "Stew"]`), "must be one of the following values"},
		{"text to password", Migration{Type: "api::dish.dish", From: "title", To: "word"}, becomes(`"title": {"type": "string"`, `"word": {"type": "password"`), "passwords can only move to passwords"},
		{"many to one", Migration{Type: "api::dish.dish", From: "steps", To: "step"}, becomes(`"steps": {"type": "component", "component": "part.step", "repeatable": true}`, `"step": {"type": "component", "component": "part.note"}`), "does not take the component part.step"},
		{"other links", Migration{Type: "api::dish.dish", From: "also", To: "files"}, becomes(`"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"}`, `"files": {"type": "media", "multiple": true}`), "none of the links of api::dish.dish.also leads to a document"},
		{"links of any type", Migration{Type: "api::cook.cook", From: "likes", To: "loves"}, becomes(`"likes": {"type": "relation", "relation": "morphToMany"}`, `"loves": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish"}`), "its links are not stored as those of a oneToMany"},
		{"type still there", Migration{Type: "api::dish.dish"}, nil, "still has the type api::dish.dish"},
		{"component still there", Migration{Type: "part.note"}, nil, "still has the type part.note"},
		{"dropped attribute still there", Migration{Type: "api::dish.dish", From: "title"}, nil, `still has the attribute "title"`},
		{"keep which", Migration{Type: "api::dish.dish", From: "a", To: "title", Keep: "best"}, nil, `not "best"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := listed(t, f.db)
			_, err := c.m.Migrate(t.Context(), f.db, menu(t, c.site...))
			if !errors.As(err, new(*MigrationError)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %q", err, c.want)
			}
			if after := listed(t, f.db); after != before {
				t.Errorf("it has changed\n%s\nto\n%s", before, after)
			}
		})
	}
}

// Where both values are stored, it is asked which one stays.
func TestRenameOntoAValue(t *testing.T) {
	for keep, want := range map[Kept]string{KeepOld: "Soup", KeepNew: "old name"} {
		f := laid(t)
		f.writer = NewWriter(f.db, f.index, f.site, WriterOptions{Now: clock()})
		f.update("dish", "soup", `{"spare": "old name"}`)
		f.writer.Close()
		// What was "title" is now called "spare", which the soup has too.
		site := menu(t, `"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}},`, ``)
		m := Migration{Type: "api::dish.dish", From: "title", To: "spare"}
		_, err := m.Migrate(t.Context(), f.db, site)
		if !errors.As(err, new(*MigrationError)) || !strings.Contains(err.Error(), "4 values of api::dish.dish.title would replace what is stored as spare") || !strings.Contains(err.Error(), "--keep") {
			t.Errorf("%v", err)
		}
		m.Keep = keep
		if _, err := m.Migrate(t.Context(), f.db, site); err != nil {
			t.Fatal(err)
		}
		e := f.mustRead("dish", liveOf("soup", "en"))
		if got := e.Value("spare").Text; keep == KeepNew && got != want || keep == KeepOld && !strings.Contains(got, "oup") || e.Value("title").Kind != store.Null {
			t.Errorf("--keep %s leaves %q and %q", keep, got, e.Value("title").Text)
		}
		if e := f.mustRead("dish", liveOf("stew", "en")); e.Value("spare").Text != "Stew" {
			t.Errorf("--keep %s: the stew has %q", keep, e.Value("spare").Text)
		}
		f.index = build(t, f.site, f.db)
	}
}

// A rename that was cut off in the middle is done to the end by another one.
func TestRenameAfterAHalfOne(t *testing.T) {
	whole, half := laid(t), laid(t)
	site := menu(t, `"title": {`, `"headline": {`)
	m := Migration{Type: "api::dish.dish", From: "title", To: "headline"}
	_, names, err := m.plan(t.Context(), half.db, site)
	if err != nil || len(names) != 6 {
		t.Fatalf("%v, %v", names, err)
	}
	if err := m.change(t.Context(), half.db, site, names[:4]); err != nil {
		t.Fatal(err)
	}
	if done, err := m.Migrate(t.Context(), half.db, site); err != nil || done.Total() != 2 {
		t.Errorf("the rest: %+v, %v", done, err)
	}
	if _, err := m.Migrate(t.Context(), whole.db, site); err != nil {
		t.Fatal(err)
	}
	titles := func(f *fixture) (all []string) {
		for _, k := range []store.Key{draftOf("soup", "en"), liveOf("soup", "en"), draftOf("soup", "fr"), liveOf("stew", "en")} {
			all = append(all, f.mustRead("dish", k).Value("headline").Text)
		}
		return all
	}
	if a, b := fmt.Sprint(titles(half)), fmt.Sprint(titles(whole)); a != b || a != "[Hot soup Soup Soupe Stew]" {
		t.Errorf("in halves it comes to %s, at once to %s", a, b)
	}
	for _, f := range []*fixture{whole, half} {
		f.index = build(t, f.site, f.db)
	}
}

func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name       string
		m          Migration
		site       []string
		want       string
		components int
		links      int
		gone, left string // in the listing
	}{
		{"an attribute", Migration{Type: "api::dish.dish", From: "price"}, []string{`"price": {"type": "integer"},`, ``},
			"api::dish.dish/en/draft 2, api::dish.dish/en/published 2, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1", 0, 0, "  price", "  title"},
		{"links", Migration{Type: "api::dish.dish", From: "also"}, []string{`"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"},`, ``},
			"api::dish.dish/en/draft 1, api::dish.dish/en/published 1", 0, 0, "  also", "  cook"},
		{"a component's attribute", Migration{Type: "part.step", From: "minutes"}, []string{`"minutes": {"type": "integer"},`, ``},
			"api::dish.dish/en/draft 1, api::dish.dish/en/published 1, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1", 4, 0, "minutes", "boil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := laid(t)
			done, err := c.m.Migrate(t.Context(), f.db, menu(t, c.site...))
			if err != nil {
				t.Fatal(err)
			}
			after := listed(t, f.db)
			if counted(done) != c.want || done.Components != c.components || done.Links != c.links {
				t.Errorf("%+v, want %s", done, c.want)
			}
			if strings.Contains(after, c.gone) || !strings.Contains(after, c.left) {
				t.Errorf("it leaves\n%s", after)
			}
			f.index = build(t, f.site, f.db)
		})
	}
}

// A type that is gone goes with the links to it, and a component with all its
// instances.
func TestDropWholeTypes(t *testing.T) {
	f := laid(t)
	bare := loadSite(t, fstest.MapFS{
		"src/api/cook/content-types/cook/schema.json": file(`{"kind": "collectionType",
			"info": {"singularName": "cook", "pluralName": "cooks", "displayName": "Cook"}, "attributes": {
			"name": {"type": "string"}, "likes": {"type": "relation", "relation": "morphToMany"}}}`),
	})
	done, err := Migration{Type: "part.note"}.Migrate(t.Context(), f.db, bare)
	if err != nil || done.Components != 8 || done.Total() != 4 {
		t.Errorf("%+v, %v", done, err)
	}
	done, err = Migration{Type: "api::dish.dish"}.Migrate(t.Context(), f.db, bare)
	if err != nil || done.Links != 1 || counted(done) != "api::cook.cook//published 1, api::dish.dish/en/draft 2, api::dish.dish/en/published 2, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1" {
		t.Errorf("%+v, %v", done, err)
	}
	if after := listed(t, f.db); strings.Contains(after, "dish") || strings.Contains(after, "soup") || !strings.Contains(after, "Ada") {
		t.Errorf("it leaves\n%s", after)
	}
	f.index = build(t, f.site, f.db)
}
