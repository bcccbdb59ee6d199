package migrate_test

import (
	"errors"
	"fmt"
	"os"
	"quire/content"
	"quire/content/contenttest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content/migrate"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// bistro is a site whose dishes and front page may be localized. Guests never are,
// cards always are; both link to dishes, and dishes to them.
func bistro(t testing.TB, localized bool) *schema.Site {
	t.Helper()
	i18n := fmt.Sprintf(`"pluginOptions": {"i18n": {"localized": %t}}`, localized)
	return contenttest.LoadSite(t, fstest.MapFS{
		"site.json": contenttest.File(`{"i18n": {"defaultLocale": "en", "locales": [
			{"code": "en", "name": "English"}, {"code": "fr", "name": "French"}, {"code": "de", "name": "German"}]}}`),
		"src/components/part/step.json": contenttest.File(`{"info": {"displayName": "Step"}, "attributes": {
			"text": {"type": "string"}, "cards": {"type": "relation", "relation": "oneToMany", "target": "api::card.card"},
			"dishes": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish"}}}`),
		"src/api/dish/content-types/dish/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"},
			"options": {"draftAndPublish": true}, ` + i18n + `, "attributes": {
			"title": {"type": "string", "unique": true, ` + i18n + `},
			"price": {"type": "integer"},
			"steps": {"type": "component", "component": "part.step", "repeatable": true, ` + i18n + `},
			"next": {"type": "relation", "relation": "oneToOne", "target": "api::dish.dish"},
			"guests": {"type": "relation", "relation": "manyToMany", "target": "api::guest.guest", "inversedBy": "dishes"},
			"card": {"type": "relation", "relation": "oneToOne", "target": "api::card.card", "inversedBy": "best"},
			"fans": {"type": "relation", "relation": "oneToMany", "target": "api::guest.guest", "mappedBy": "favourite"}}}`),
		"src/api/guest/content-types/guest/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "guest", "pluralName": "guests", "displayName": "Guest"}, "attributes": {
			"name": {"type": "string"},
			"tastes": {"type": "component", "component": "part.step"},
			"favourite": {"type": "relation", "relation": "manyToOne", "target": "api::dish.dish", "inversedBy": "fans"},
			"about": {"type": "relation", "relation": "morphToMany"},
			"dishes": {"type": "relation", "relation": "manyToMany", "target": "api::dish.dish", "mappedBy": "guests"}}}`),
		"src/api/card/content-types/card/schema.json": contenttest.File(`{"kind": "collectionType",
			"info": {"singularName": "card", "pluralName": "cards", "displayName": "Card"},
			"pluginOptions": {"i18n": {"localized": true}}, "attributes": {
			"name": {"type": "string", "pluginOptions": {"i18n": {"localized": true}}},
			"dishes": {"type": "relation", "relation": "oneToMany", "target": "api::dish.dish"},
			"best": {"type": "relation", "relation": "oneToOne", "target": "api::dish.dish", "mappedBy": "card"}}}`),
		"src/api/front/content-types/front/schema.json": contenttest.File(`{"kind": "singleType",
			"info": {"singularName": "front", "pluralName": "fronts", "displayName": "Front"}, ` + i18n + `, "attributes": {
			"title": {"type": "string", ` + i18n + `}}}`),
	})
}

// served is a bistro with content, in the default locale or without locales.
func served(t *testing.T, localized bool) *contenttest.Fixture {
	f := contenttest.New(t, bistro(t, localized))
	f.Create("card", `{"name": "Lunch"}`, contenttest.Called("lunch"))
	f.Create("guest", `{"name": "Ada"}`, contenttest.Called("ada"))
	f.Create("dish", `{"title": "Stew", "price": 7}`, contenttest.Called("stew"))
	f.Create("dish", `{"title": "Soup", "price": 5, "next": "stew", "guests": ["ada"], "card": "lunch", "fans": ["ada"],
		"steps": [{"text": "boil", "cards": ["lunch"], "dishes": ["stew"]}]}`, contenttest.Called("soup"))
	f.Update("dish", "soup", `{"title": "Hot soup"}`, contenttest.AsDraft)
	f.Create("dish", `{"title": "Plan"}`, contenttest.Called("plan"), contenttest.AsDraft)
	f.Update("guest", "ada", `{"tastes": {"text": "salt", "cards": ["lunch"], "dishes": ["soup", "stew"]},
		"about": [{"__type": "api::dish.dish", "documentId": "soup"}, {"__type": "api::card.card", "documentId": "lunch"}]}`)
	f.Update("card", "lunch", `{"dishes": ["soup", "stew"]}`)
	f.Update("front", "front", `{"title": "Welcome"}`)
	return f
}

// adapt adapts the content to another version of the site, as the command does: on a
// copy that replaces the file. The fixture continues with it.
func adapt(f *contenttest.Fixture, site *schema.Site, l migrate.Localization) (*migrate.Localized, error) {
	f.Helper()
	f.Writer.Close()
	planned, err := l.Preview(f.Context(), f.DB, site)
	if err != nil {
		return nil, err
	}
	var done *migrate.Localized
	err = f.DB.Exchange(func(path string) error {
		work := path + ".work"
		out, err := os.Create(work)
		if err != nil {
			return err
		}
		if _, err = f.DB.Backup(out); errors.Join(err, out.Close()) != nil {
			return err
		}
		to, err := store.Open(work, store.Options{})
		if err != nil {
			return err
		}
		done, err = l.Migrate(f.Context(), f.DB, to, site)
		if err = errors.Join(err, to.Close()); err != nil {
			return err
		}
		return store.Replace(work, path)
	})
	if err != nil {
		return nil, err
	}
	if fmt.Sprint(done) != fmt.Sprint(planned) {
		f.Errorf("it does %+v, and planned %+v", done, planned)
	}
	f.Site, f.Index = site, contenttest.Build(f, site, f.DB)
	f.Writer = content.NewWriter(f.DB, f.Index, site, content.WriterOptions{Now: contenttest.Clock()})
	for _, fault := range contenttest.Audit(f, site, f.DB) {
		f.Errorf("it leaves a fault: %s: %s", fault.Place, fault.Message)
	}
	return done, nil
}

func mustAdapt(f *contenttest.Fixture, localized bool, l migrate.Localization) string {
	f.Helper()
	done, err := adapt(f, bistro(f, localized), l)
	check(f, err)
	var all []string
	for _, m := range done.Moves {
		to := m.To
		if m.Removed {
			to = "gone"
		}
		all = append(all, fmt.Sprintf("%s %s>%s %s %d", strings.Split(m.Type, ".")[1], m.From, to, m.Status, m.Count))
	}
	return strings.Join(all, ", ")
}

func view(f *contenttest.Fixture) (text string) { return listed(f.TB.(*testing.T), f.DB) }

// Content gets the default locale, and then equals content that was written in a
// localized type from the start; and back again.
func TestLocalizationOnAndOff(t *testing.T) {
	f, born := served(t, false), served(t, true)
	plain := view(f)
	if got, want := mustAdapt(f, true, migrate.Localization{}), "dish >en draft 3, dish >en published 2, front >en published 1, guest > published 1"; got != want {
		t.Errorf("on: %s, want %s", got, want)
	}
	if got, want := view(f), view(born); got != want {
		t.Errorf("on, it holds\n%s\nand content that was always localized is\n%s", got, want)
	}
	if got := f.List("dish", "card", "card", "lunch", store.Published); !strings.Contains(got, "soup") {
		t.Errorf("the card sees %q", got)
	}
	f.Update("dish", "soup", `{"price": 6}`) // one document, not two
	if n := f.Index.Snapshot().Table(f.Kind("dish"), store.Published).Len(); n != 2 {
		t.Errorf("after an update there are %d published dishes", n)
	}
	f.Update("dish", "soup", `{"price": 5}`)
	f = served(t, false)
	mustAdapt(f, true, migrate.Localization{})
	mustAdapt(f, false, migrate.Localization{})
	if got := view(f); got != plain {
		t.Errorf("there and back, it holds\n%s\nand held\n%s", got, plain)
	}
}

// polyglot is a localized bistro with documents in several locales, one of them only in
// French and German.
func polyglot(t *testing.T) *contenttest.Fixture {
	f := served(t, true)
	f.Update("dish", "soup", `{"title": "Soupe"}`, contenttest.In("fr"))
	f.Update("dish", "soup", `{"title": "Suppe"}`, contenttest.In("de"), contenttest.AsDraft)
	f.Create("dish", `{"title": "Torte", "price": 9}`, contenttest.Called("cake"), contenttest.In("de"))
	f.Update("dish", "cake", `{"title": "Tarte"}`, contenttest.In("fr"))
	f.Update("front", "front", `{"title": "Bienvenue"}`, contenttest.In("fr"))
	return f
}

// Versions in other locales are kept aside, and return unchanged.
func TestLocalizationKeepsOtherLocales(t *testing.T) {
	f := polyglot(t)
	before := view(f)
	want := "dish de>~de draft 2, dish de>~de published 1, dish en> draft 3, dish en> published 2, " +
		"dish fr> draft 1, dish fr>~fr draft 1, dish fr> published 1, dish fr>~fr published 1, " +
		"front en> published 1, front fr>~fr published 1, guest > published 1"
	got := strings.Split(mustAdapt(f, false, migrate.Localization{}), ", ")
	expected := strings.Split(want, ", ")
	slices.Sort(got)
	slices.Sort(expected)
	if !slices.Equal(got, expected) {
		t.Errorf("off: %s\nwant %s", got, expected)
	}
	if e := f.MustRead("dish", contenttest.LiveOf("cake", "")); e.Value("title").Text != "Tarte" {
		t.Errorf("of a document without the default locale, %q is kept", e.Value("title").Text)
	}
	if n := f.Index.Snapshot().Table(f.Kind("dish"), store.Published).Len(); n != 3 {
		t.Errorf("%d dishes are served", n)
	}
	mustAdapt(f, true, migrate.Localization{})
	if got := view(f); got != before {
		t.Errorf("there and back, it holds\n%s\nand held\n%s", got, before)
	}
}

// If a document is deleted meanwhile, its versions are removed. If another one is
// changed, its versions get the values that locales share.
func TestLocalizationAfterChanges(t *testing.T) {
	f := polyglot(t)
	mustAdapt(f, false, migrate.Localization{})
	f.Update("dish", "soup", `{"price": 6, "title": "Broth"}`)
	f.Delete("dish", "cake", "")
	if got := mustAdapt(f, true, migrate.Localization{}); !strings.Contains(got, "~de>gone draft 1") || !strings.Contains(got, "~de>gone published 1") {
		t.Errorf("on again: %s", got)
	}
	if e := f.MustRead("dish", contenttest.LiveOf("soup", "fr")); e.Value("title").Text != "Soupe" || e.Value("price").Num != 6 {
		t.Errorf("in French it is %+v", e.Fields)
	}
	if got := view(f); strings.Contains(got, "cake") {
		t.Errorf("the cake is back:\n%s", got)
	}
}

func TestRefusedLocalizations(t *testing.T) {
	refused := func(f *contenttest.Fixture, site *schema.Site, l migrate.Localization, want string) {
		t.Helper()
		before := view(f)
		_, err := adapt(f, site, l)
		if !errors.As(err, new(*migrate.MigrationError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %q", err, want)
		}
		if after := view(f); after != before {
			t.Errorf("it has changed\n%s\nto\n%s", before, after)
		}
	}
	f := polyglot(t)
	refused(f, bistro(t, false), migrate.Localization{Locale: "xx"}, `the site has no locale "xx"`)
	refused(f, bistro(t, false), migrate.Localization{Keep: "best"}, `not "best"`)
	f = polyglot(t)
	f.Create("dish", `{"title": "Tarte"}`, contenttest.Called("pie"))
	refused(f, bistro(t, false), migrate.Localization{}, `two documents would hold what one may, the first: api::dish.dish`)
}

// Content that was written with both schemas, which earlier versions of the program
// allowed, needs a choice.
func TestLocalizationOfMixedContent(t *testing.T) {
	for keep, want := range map[migrate.Kept]string{migrate.KeepOld: "Soup", migrate.KeepNew: "Newer"} {
		f := served(t, false)
		err := f.DB.Update(func(tx *store.Tx) error {
			e := *f.Stored("dish", contenttest.LiveOf("soup", ""))
			e.ID, e.Locale, e.Fields = tx.Sequence("api::dish.dish")+1, "en", e.Fields.With("title", store.Value{Kind: store.Text, Text: "Newer"})
			return errors.Join(tx.Apply(store.Change{Type: "api::dish.dish", After: &e}), tx.SetSequence("api::dish.dish", e.ID))
		})
		check(t, err)
		if _, err := adapt(f, bistro(t, true), migrate.Localization{}); err == nil || !strings.Contains(err.Error(), "1 version would take the place of another version of the document, the first: api::dish.dish soup (published)") {
			t.Errorf("%v", err)
		}
		if got := mustAdapt(f, true, migrate.Localization{Keep: keep}); !strings.Contains(got, "gone") {
			t.Errorf("--keep %s: %s", keep, got)
		}
		if e := f.MustRead("dish", contenttest.LiveOf("soup", "en")); e.Value("title").Text != want {
			t.Errorf("--keep %s leaves %q", keep, e.Value("title").Text)
		}
	}
}

// Until the localization is done, the check says what does not fit, and what to do.
func TestUnfitContentIsReported(t *testing.T) {
	for localized, want := range map[bool]string{
		true:  "api::dish.dish is localized, and content of it is stored without a locale",
		false: "api::dish.dish is not localized, and content of it is stored in de, en, fr",
	} {
		f := polyglot(t)
		if localized {
			f = served(t, false)
		}
		site := bistro(t, localized)
		err := f.DB.View(func(tx *store.Tx) error { return verify.CheckLocalization(site, tx) })
		if !errors.As(err, new(*verify.UnfitError)) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "quire migrate localization") {
			t.Errorf("%v\nwant %q", err, want)
		}
		faults := contenttest.Audit(t, site, f.DB)
		if i := slices.IndexFunc(faults, func(f verify.Fault) bool { return f.Message == want && f.Fix != "" && !f.Note }); i < 0 {
			t.Errorf("the audit finds %+v", faults)
		}
		if _, err := (migrate.Migration{Type: "api::dish.dish", From: "old", To: "title"}).Preview(t.Context(), f.DB, site); !errors.As(err, new(*verify.UnfitError)) {
			t.Errorf("a rename goes first: %v", err)
		}
	}
}
