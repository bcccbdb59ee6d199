package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"quire/content"
	"quire/content/contenttest"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content/migrate"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// menu is a site of dishes and cooks. Each pair replaces text in its schemas.
func menu(t *testing.T, pairs ...string) *schema.Site {
	return contenttest.LoadSite(t, menuFiles(pairs...))
}

// renamedMenu is the menu with other names of dishes and notes, and with text replaced by
// pairs.
func renamedMenu(t *testing.T, pairs ...string) *schema.Site {
	files := menuFiles(append(pairs, "api::dish.dish", "api::food.food", `"singularName": "dish", "pluralName": "dishes"`, `"singularName": "food", "pluralName": "foods"`, "part.note", "extra.remark")...)
	for old, name := range map[string]string{"src/api/dish/content-types/dish/schema.json": "src/api/food/content-types/food/schema.json", "src/components/part/note.json": "src/components/extra/remark.json"} {
		files[name] = files[old]
		delete(files, old)
	}
	return contenttest.LoadSite(t, files)
}

func menuFiles(pairs ...string) fstest.MapFS {
	r := strings.NewReplacer(pairs...)
	files := fstest.MapFS{
		"site.json": contenttest.File(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "E"}, {"code": "fr", "name": "F"}]}}`),
		"src/components/part/step.json": contenttest.File(`{"info": {"displayName": "Step"}, "attributes": {
			"text": {"type": "string"}, "minutes": {"type": "integer"},
			"inner": {"type": "component", "component": "part.note", "repeatable": true}}}`),
		"src/components/part/note.json": contenttest.File(`{"info": {"displayName": "Note"}, "attributes": {"remark": {"type": "string"}}}`),
		"src/api/dish/content-types/dish/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"},
			"options": {"draftAndPublish": true}, "pluginOptions": {"i18n": {"localized": true}}, "attributes": {
			"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}},
			"price": {"type": "integer"}, "day": {"type": "date"}, "spare": {"type": "string"},
			"cook": {"type": "relation", "relation": "manyToOne", "target": "api::cook.cook", "inversedBy": "dishes"},
			"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"},
			"photo": {"type": "media"},
			"steps": {"type": "component", "component": "part.step", "repeatable": true},
			"zone": {"type": "dynamiczone", "components": ["part.note"]}}}`),
		"src/api/cook/content-types/cook/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "cook", "pluralName": "cooks", "displayName": "Cook"}, "attributes": {
			"name": {"type": "string"}, "word": {"type": "password"},
			"likes": {"type": "relation", "relation": "morphToMany"},
			"dishes": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish", "mappedBy": "cook"}}}`),
	}
	for _, f := range files {
		f.Data = []byte(r.Replace(string(f.Data)))
	}
	return files
}

// laid returns a data file with a menu: a dish in two locales with a changed draft, and
// another dish.
func laid(t *testing.T) *contenttest.Fixture {
	f := contenttest.NewWith(t, menu(t), content.WriterOptions{Now: contenttest.Clock(), HashPassword: func(_ context.Context, s string) (string, error) { return "$argon2id$" + s, nil }})
	f.Create("cook", `{"name": "Ada", "word": "secret1"}`, contenttest.Called("ada"))
	f.Create("dish", `{"title": "Soup", "price": 5, "day": "2024-05-01", "cook": "ada", "also": ["ada"],
		"steps": [{"text": "boil", "minutes": 9, "inner": [{"remark": "hot"}]}], "zone": [{"__component": "part.note", "remark": "salt"}]}`, contenttest.Called("soup"))
	f.Update("dish", "soup", `{"title": "Soupe"}`, contenttest.In("fr"))
	f.Update("dish", "soup", `{"title": "Hot soup"}`, contenttest.AsDraft)
	f.Create("dish", `{"title": "Stew", "price": 7}`, contenttest.Called("stew"))
	f.Update("cook", "ada", `{"likes": [{"__type": "api::dish.dish", "documentId": "soup"}]}`)
	f.Writer.Close()
	return f
}

// listed returns all content, with its ids and times.
func listed(t *testing.T, db *store.DB) string {
	t.Helper()
	var b strings.Builder
	err := db.View(func(tx *store.Tx) error {
		for _, uid := range tx.Types() {
			if err := tx.Scan(uid, func(e *store.Entry) error {
				fmt.Fprintf(&b, "%s %s %d %d %d %d", uid, e.Key(), e.ID, e.CreatedAt, e.UpdatedAt, e.PublishedAt)
				for _, f := range e.Fields { // sorted by name, as in the file
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
	check(t, err)
	return b.String()
}

// A rename moves the values of every kind in every version, and changes nothing else.
// Renaming back restores the file.
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
			before := listed(t, f.DB)
			site := menu(t, `"`+c.from+`": {`, `"`+c.to+`": {`, `"mappedBy": "`+c.from+`"`, `"mappedBy": "`+c.to+`"`)
			m := migrate.Migration{Type: c.kind, From: c.from, To: c.to}
			planned, err := m.Preview(t.Context(), f.DB, site)
			check(t, err)
			if after := listed(t, f.DB); after != before {
				t.Fatalf("a preview has changed\n%s\nto\n%s", before, after)
			}
			done, err := m.Migrate(t.Context(), f.DB, site)
			if err != nil || fmt.Sprint(done) != fmt.Sprint(planned) || done.Total() == 0 {
				t.Fatalf("%+v, planned %+v, %v", done, planned, err)
			}
			if got := counted(done); c.want != "" && got != c.want {
				t.Errorf("it changes %s, want %s", got, c.want)
			}
			requireServed(t, f.DB, site, c.kind, c.to)
			if again, err := m.Migrate(t.Context(), f.DB, site); err != nil || again.Total() != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
			back := migrate.Migration{Type: c.kind, From: c.to, To: c.from}
			if _, err := back.Migrate(t.Context(), f.DB, f.Site); err != nil {
				t.Fatal(err)
			}
			if after := listed(t, f.DB); after != before {
				t.Errorf("there and back, it holds\n%s\nand held\n%s", after, before)
			}
		})
	}
}

func counted(m *migrate.Migrated) string {
	var all []string
	for _, e := range m.Entries {
		all = append(all, fmt.Sprintf("%s/%s/%s %d", e.Type, e.Locale, e.Status, e.Count))
	}
	return strings.Join(all, ", ")
}

// requireServed reads the content with the new schemas.
func requireServed(t *testing.T, db *store.DB, site *schema.Site, kind, attribute string) {
	t.Helper()
	for _, fault := range contenttest.Audit(t, site, db) {
		if !fault.Note {
			t.Errorf("%+v", fault)
		}
	}
	x := contenttest.Build(t, site, db)
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
		m    migrate.Migration
		site []string
		want string
	}{
		{"still there", migrate.Migration{Type: "api::dish.dish", From: "title", To: "spare"}, nil, `still has the attribute "title"`},
		{"not there yet", migrate.Migration{Type: "api::dish.dish", From: "old", To: "new"}, nil, `has no attribute "new"`},
		{"a system attribute", migrate.Migration{Type: "api::dish.dish", From: "old", To: "locale"}, nil, `has no attribute "locale"`},
		{"no such type", migrate.Migration{Type: "api::soup.soup", From: "a", To: "b"}, nil, "has no type api::soup.soup"},
		{"the other side", migrate.Migration{Type: "api::cook.cook", From: "old", To: "dishes"}, nil, "stored on its other side"},
		{"text to number", migrate.Migration{Type: "api::dish.dish", From: "title", To: "cost"}, becomes(`"title": {"type": "string"`, `"cost": {"type": "integer"`), "6 values of api::dish.dish.title cannot be of cost; the first: api::dish.dish soup (draft, en): title: it is no integer"},
		{"text to date", migrate.Migration{Type: "api::dish.dish", From: "title", To: "on"}, becomes(`"title": {"type": "string"`, `"on": {"type": "date"`), "cannot be of on"},
		{"text to choices", migrate.Migration{Type: "api::dish.dish", From: "title", To: "pick"}, becomes(`"title": {"type": "string"`, `"pick": {"type": "enumeration", "enum": ["Soup", "Stew"]`), "must be one of the following values"},
		{"text to password", migrate.Migration{Type: "api::dish.dish", From: "title", To: "word"}, becomes(`"title": {"type": "string"`, `"word": {"type": "password"`), "passwords can only move to passwords"},
		{"many to one", migrate.Migration{Type: "api::dish.dish", From: "steps", To: "step"}, becomes(`"steps": {"type": "component", "component": "part.step", "repeatable": true}`, `"step": {"type": "component", "component": "part.note"}`), "does not take the component part.step"},
		{"other links", migrate.Migration{Type: "api::dish.dish", From: "also", To: "files"}, becomes(`"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"}`, `"files": {"type": "media", "multiple": true}`), "none of the links of api::dish.dish.also leads to a document"},
		{"links of any type", migrate.Migration{Type: "api::cook.cook", From: "likes", To: "loves"}, becomes(`"likes": {"type": "relation", "relation": "morphToMany"}`, `"loves": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish"}`), "its links are not stored as those of a oneToMany"},
		{"type still there", migrate.Migration{Type: "api::dish.dish"}, nil, "still has the type api::dish.dish"},
		{"component still there", migrate.Migration{Type: "part.note"}, nil, "still has the type part.note"},
		{"dropped attribute still there", migrate.Migration{Type: "api::dish.dish", From: "title"}, nil, `still has the attribute "title"`},
		{"keep which", migrate.Migration{Type: "api::dish.dish", From: "a", To: "title", Keep: "best"}, nil, `not "best"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := listed(t, f.DB)
			_, err := c.m.Migrate(t.Context(), f.DB, menu(t, c.site...))
			if !errors.As(err, new(*migrate.MigrationError)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %q", err, c.want)
			}
			if after := listed(t, f.DB); after != before {
				t.Errorf("it has changed\n%s\nto\n%s", before, after)
			}
		})
	}
}

// If both values are stored, the command must say which one stays.
func TestRenameOntoAValue(t *testing.T) {
	for keep, want := range map[migrate.Kept]string{migrate.KeepOld: "Soup", migrate.KeepNew: "old name"} {
		f := laid(t)
		f.Writer = content.NewWriter(f.DB, f.Index, f.Site, content.WriterOptions{Now: contenttest.Clock()})
		f.Update("dish", "soup", `{"spare": "old name"}`)
		f.Writer.Close()
		// "title" has now the name "spare", which the soup has too.
		site := menu(t, `"title": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}},`, ``)
		m := migrate.Migration{Type: "api::dish.dish", From: "title", To: "spare"}
		_, err := m.Migrate(t.Context(), f.DB, site)
		if !errors.As(err, new(*migrate.MigrationError)) || !strings.Contains(err.Error(), "4 values of api::dish.dish.title would replace what is stored as spare") || !strings.Contains(err.Error(), "--keep") {
			t.Errorf("%v", err)
		}
		m.Keep = keep
		if _, err := m.Migrate(t.Context(), f.DB, site); err != nil {
			t.Fatal(err)
		}
		e := f.MustRead("dish", contenttest.LiveOf("soup", "en"))
		if got := e.Value("spare").Text; keep == migrate.KeepNew && got != want || keep == migrate.KeepOld && !strings.Contains(got, "oup") || e.Value("title").Kind != store.Null {
			t.Errorf("--keep %s leaves %q and %q", keep, got, e.Value("title").Text)
		}
		if e := f.MustRead("dish", contenttest.LiveOf("stew", "en")); e.Value("spare").Text != "Stew" {
			t.Errorf("--keep %s: the stew has %q", keep, e.Value("spare").Text)
		}
		f.Index = contenttest.Build(t, f.Site, f.DB)
	}
}

// Another run completes an interrupted rename.
func TestRenameAfterAHalfOne(t *testing.T) {
	whole, half := laid(t), laid(t)
	site := menu(t, `"title": {`, `"headline": {`)
	m := migrate.Migration{Type: "api::dish.dish", From: "title", To: "headline"}
	if n, err := migrate.MigrateSome(t.Context(), m, half.DB, site, 4); err != nil || n != 6 {
		t.Fatalf("%d, %v", n, err)
	}
	if done, err := m.Migrate(t.Context(), half.DB, site); err != nil || done.Total() != 2 {
		t.Errorf("the rest: %+v, %v", done, err)
	}
	if _, err := m.Migrate(t.Context(), whole.DB, site); err != nil {
		t.Fatal(err)
	}
	titles := func(f *contenttest.Fixture) (all []string) {
		for _, k := range []store.Key{contenttest.DraftOf("soup", "en"), contenttest.LiveOf("soup", "en"), contenttest.DraftOf("soup", "fr"), contenttest.LiveOf("stew", "en")} {
			all = append(all, f.MustRead("dish", k).Value("headline").Text)
		}
		return all
	}
	if a, b := fmt.Sprint(titles(half)), fmt.Sprint(titles(whole)); a != b || a != "[Hot soup Soup Soupe Stew]" {
		t.Errorf("in halves it comes to %s, at once to %s", a, b)
	}
	for _, f := range []*contenttest.Fixture{whole, half} {
		f.Index = contenttest.Build(t, f.Site, f.DB)
	}
}

func TestDrop(t *testing.T) {
	for _, c := range []struct {
		name       string
		m          migrate.Migration
		site       []string
		want       string
		components int
		links      int
		gone, left string // in the listing
	}{
		{"an attribute", migrate.Migration{Type: "api::dish.dish", From: "price"}, []string{`"price": {"type": "integer"},`, ``},
			"api::dish.dish/en/draft 2, api::dish.dish/en/published 2, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1", 0, 0, "  price", "  title"},
		{"links", migrate.Migration{Type: "api::dish.dish", From: "also"}, []string{`"also": {"type": "relation", "relation": "oneToMany", "target": "api::cook.cook"},`, ``},
			"api::dish.dish/en/draft 1, api::dish.dish/en/published 1", 0, 0, "  also", "  cook"},
		{"a component's attribute", migrate.Migration{Type: "part.step", From: "minutes"}, []string{`"minutes": {"type": "integer"},`, ``},
			"api::dish.dish/en/draft 1, api::dish.dish/en/published 1, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1", 4, 0, "minutes", "boil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := laid(t)
			done, err := c.m.Migrate(t.Context(), f.DB, menu(t, c.site...))
			check(t, err)
			after := listed(t, f.DB)
			if counted(done) != c.want || done.Components != c.components || done.Links != c.links {
				t.Errorf("%+v, want %s", done, c.want)
			}
			if strings.Contains(after, c.gone) || !strings.Contains(after, c.left) {
				t.Errorf("it leaves\n%s", after)
			}
			f.Index = contenttest.Build(t, f.Site, f.DB)
		})
	}
}

// A type that no longer exists is dropped with the links to it, and a component with all
// its instances.
func TestDropWholeTypes(t *testing.T) {
	f := laid(t)
	bare := contenttest.LoadSite(t, fstest.MapFS{
		"src/api/cook/content-types/cook/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "cook", "pluralName": "cooks", "displayName": "Cook"}, "attributes": {
			"name": {"type": "string"}, "likes": {"type": "relation", "relation": "morphToMany"}}}`),
	})
	done, err := migrate.Migration{Type: "part.note"}.Migrate(t.Context(), f.DB, bare)
	if err != nil || done.Components != 8 || done.Total() != 4 {
		t.Errorf("%+v, %v", done, err)
	}
	done, err = migrate.Migration{Type: "api::dish.dish"}.Migrate(t.Context(), f.DB, bare)
	if err != nil || done.Links != 1 || counted(done) != "api::cook.cook//published 1, api::dish.dish/en/draft 2, api::dish.dish/en/published 2, api::dish.dish/fr/draft 1, api::dish.dish/fr/published 1" {
		t.Errorf("%+v, %v", done, err)
	}
	if after := listed(t, f.DB); strings.Contains(after, "dish") || strings.Contains(after, "soup") || !strings.Contains(after, "Ada") {
		t.Errorf("it leaves\n%s", after)
	}
	f.Index = contenttest.Build(t, f.Site, f.DB)
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
