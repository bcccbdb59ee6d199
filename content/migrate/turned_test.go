package migrate_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/migrate"
	"quire/schema"
	"quire/store"
)

// pair is a site of two types with links to each other. owner says which of them stores
// the links, drafts which of them have drafts, and localized which have locales.
func pair(t *testing.T, owner string, drafts, localized [2]bool, forms [2]string) *schema.Site {
	side := map[bool]string{true: "inversedBy", false: "mappedBy"}
	file := func(name, other string, drafts, localized bool, form string) *fstest.MapFile {
		return contenttest.File(fmt.Sprintf(`{"kind": "collectionType",
			"info": {"singularName": %q, "pluralName": "%ss", "displayName": "T"}, "options": {"draftAndPublish": %t},
			"pluginOptions": {"i18n": {"localized": %t}}, "attributes": {
			"name": {"type": "string"},
			"to": {"type": "relation", "relation": %q, "target": "api::%s.%s", %q: "to"}}}`, name, name, drafts, localized, form, other, other, side[owner == name]))
	}
	return contenttest.LoadSite(t, fstest.MapFS{
		"src/api/cat/content-types/cat/schema.json": file("cat", "dog", drafts[0], localized[0], forms[0]),
		"src/api/dog/content-types/dog/schema.json": file("dog", "cat", drafts[1], localized[1], forms[1]),
		"site.json": contenttest.File(`{"i18n": {"locales": [{"code": "en", "name": "English"}, {"code": "fr", "name": "French"}], "defaultLocale": "en"}}`),
	})
}

// seen returns the documents that each version of one type shows of the other, from both
// sides.
func seen(t *testing.T, f *contenttest.Fixture, owner, other string) string {
	t.Helper()
	type placed struct {
		target string
		place  uint64
	}
	lists := map[string][]placed{}
	err := f.DB.View(func(tx *store.Tx) error {
		return tx.Scan(f.Kind(owner).UID, func(e *store.Entry) error {
			for i, edge := range e.Value("to").Edges {
				for _, status := range versionsAt(f, owner, other, e.Status, edge.Only) {
					locale := f.Site.LinkedLocale(f.Kind(other), e.Locale, edge.Locale)
					own, far := fmt.Sprint(e.DocumentID, " ", e.Locale, e.Status), fmt.Sprint(edge.Target, " ", locale, status)
					there := fmt.Sprintf("%s to %s%s", own, locale, status)
					lists[there] = append(lists[there], placed{edge.Target, uint64(i)})
					back := fmt.Sprintf("%s to %s%s", far, e.Locale, e.Status)
					lists[back] = append(lists[back], placed{e.DocumentID, edge.Place})
				}
			}
			return nil
		})
	})
	check(t, err)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lists)) {
		list := lists[key]
		slices.SortFunc(list, func(x, y placed) int { return cmp.Compare(x.place, y.place) })
		fmt.Fprintf(&b, "%s:", key)
		for _, one := range list {
			b.WriteString(" " + one.target)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// versionsAt returns the versions of its target to which a link leads.
func versionsAt(f *contenttest.Fixture, owner, other string, status, only store.Status) []store.Status {
	switch mine, theirs := f.Kind(owner).DraftAndPublish, f.Kind(other).DraftAndPublish; {
	case mine == theirs:
		return []store.Status{status}
	case mine:
		return []store.Status{store.Published}
	case only != 0:
		return []store.Status{only}
	}
	return []store.Status{store.Draft, store.Published}
}

// When the other side stores the links, both sides show the same links in the same order.
// Turned back, everything is as before.
func TestTurnedRelations(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range 16 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		drafts := [2]bool{round&1 > 0, round&2 > 0}
		forms := [2]string{"manyToMany", "manyToMany"}
		if round%3 == 0 {
			forms = [2]string{"oneToOne", "oneToOne"}
		}
		localized := [2]bool{round&4 > 0, round&8 > 0}
		f := contenttest.New(t, pair(t, "cat", drafts, localized, forms))
		for n := range 5 {
			for _, kind := range []string{"cat", "dog"} {
				f.Create(kind, `{"name": "x"}`, contenttest.Called(fmt.Sprint(kind, n)))
				if f.Kind(kind).Localized {
					f.Update(kind, fmt.Sprint(kind, n), `{"name": "y"}`, contenttest.In("fr"))
				}
			}
		}
		for range 12 {
			kind, other := "cat", "dog"
			if r.IntN(2) == 0 {
				kind, other = other, kind
			}
			var to []string
			for _, n := range r.Perm(5)[:r.IntN(4)] {
				to = append(to, fmt.Sprintf("%q", fmt.Sprint(other, n)))
			}
			if forms[0] == "oneToOne" && len(to) > 1 {
				to = to[:1]
			}
			options := []func(*content.Request){contenttest.AsDraft}
			if r.IntN(2) == 0 || !f.Kind(kind).DraftAndPublish {
				options = nil
			}
			if f.Kind(kind).Localized && r.IntN(2) == 0 {
				options = append(options, contenttest.In("fr"))
			}
			f.Update(kind, fmt.Sprint(kind, r.IntN(5)), `{"to": [`+strings.Join(to, ",")+`]}`, options...)
		}
		f.Update("cat", "cat0", `{"to": ["dog0"]}`) // one link at least
		f.Writer.Close()
		before, there := f.Site, pair(t, "dog", drafts, localized, forms)
		was := seen(t, f, "cat", "dog")
		if was == "" {
			t.Fatalf("round %d: there are no links", round)
		}
		turnTo(t, f, before, there)
		if is := seen(t, f, "dog", "cat"); is != was {
			t.Fatalf("round %d: turned, it shows\n%s\nand did\n%s", round, is, was)
		}
		turnTo(t, f, there, before)
		if is := seen(t, f, "cat", "dog"); is != was {
			t.Fatalf("round %d: there and back, it shows\n%s\nand did\n%s", round, is, was)
		}
	}
}

// turnTo carries out the change.
func turnTo(t *testing.T, f *contenttest.Fixture, from, to *schema.Site) {
	t.Helper()
	e := migrate.Evolution{From: from, To: to}
	if plan, err := e.Migrate(t.Context(), f.DB, nil); err != nil {
		t.Fatalf("%v\n%s", err, plan.Text())
	}
	requireEvolved(t, f, e)
}
