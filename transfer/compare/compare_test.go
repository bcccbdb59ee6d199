package compare

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/store"
)

const schemaOfNotes = `{"kind": "collectionType", "collectionName": "notes", "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
"options": {"draftAndPublish": true}, "attributes": {"title": {"type": "string"}, "key": {"type": "password"}, "inner": {"type": "string", "private": true}}}`

const notes = "api::note.note"

func siteOf(t *testing.T, text string) *schema.Site {
	t.Helper()
	site, err := schema.Load(fstest.MapFS{"src/api/note/content-types/note/schema.json": {Data: []byte(text)}})
	check(t, err)
	return site
}

// sideOf returns a data file with these entries.
func sideOf(t *testing.T, site *schema.Site, entries map[store.Key]store.Fields) DataFile {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	id := uint64(0)
	err = db.Update(func(tx *store.Tx) error {
		for _, k := range slices.SortedFunc(maps.Keys(entries), func(a, b store.Key) int { return strings.Compare(a.String(), b.String()) }) {
			id++
			e := &store.Entry{ID: id, DocumentID: k.DocumentID, Locale: k.Locale, Status: k.Status, CreatedAt: 1, UpdatedAt: 2, Fields: entries[k]}
			if k.Status == store.Published {
				e.PublishedAt = 3
			}
			if err := tx.Apply(store.Change{Type: notes, After: e}); err != nil {
				return err
			}
		}
		return nil
	})
	check(t, err)
	return DataFile{DB: db, Site: site}
}

// someEntries returns random entries of few documents, locales and values.
func someEntries(r *rand.Rand) map[store.Key]store.Fields {
	entries := map[store.Key]store.Fields{}
	for range r.IntN(30) {
		k := store.Key{DocumentID: fmt.Sprintf("d%d", r.IntN(12)), Locale: []string{"", "de", "en"}[r.IntN(3)], Status: []store.Status{store.Draft, store.Published}[r.IntN(2)]}
		entries[k] = store.Fields{{Name: "title", Value: store.TextValue(fmt.Sprint(r.IntN(3)))}}
	}
	return entries
}

// expected returns the differences, found without any order: a line for each version.
func expected(a, b map[store.Key]store.Fields) (lines []string) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for k := range keys {
		was, had := a[k]
		is, has := b[k]
		switch {
		case !had:
			lines = append(lines, fmt.Sprint(k, Added))
		case !has:
			lines = append(lines, fmt.Sprint(k, Removed))
		case !was.Equal(is):
			lines = append(lines, fmt.Sprint(k, Changed))
		}
	}
	slices.Sort(lines)
	return lines
}

// A walk finds the same differences as a comparison without any order.
func TestWalkFindsWhatDiffers(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := someEntries(r), someEntries(r)
		var lines []string
		counts, err := Walk(t.Context(), sideOf(t, nil, a), sideOf(t, nil, b), Options{}, func(c Change) error {
			for _, v := range c.Versions {
				status := store.Draft
				if v.Status == store.Published.String() {
					status = store.Published
				}
				lines = append(lines, fmt.Sprint(store.Key{DocumentID: c.DocumentID, Locale: c.Locale, Status: status}, v.Change))
			}
			return nil
		})
		slices.Sort(lines)
		if want := expected(a, b); err != nil || !slices.Equal(lines, want) {
			t.Fatalf("seed %d: %v\n%s\nwant\n%s", seed, err, strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
		for _, n := range counts {
			if n.Added+n.Removed+n.Changed+n.Same == 0 {
				t.Errorf("seed %d: an empty count %+v", seed, n)
			}
		}
	}
}

// Values are shown only if a schema has the attribute and none hides it.
func TestValuesThatAreHidden(t *testing.T) {
	fields := func(text string) store.Fields {
		list := store.Fields{}
		for _, name := range []string{"gone", "inner", "key", "title"} {
			list = append(list, store.Field{Name: name, Value: store.TextValue(text)})
		}
		return list
	}
	k := store.Key{DocumentID: "d", Status: store.Draft}
	open := siteOf(t, schemaOfNotes)
	private := siteOf(t, strings.Replace(schemaOfNotes, `"title": {`, `"title": {"private": true, `, 1))
	for _, test := range []struct {
		from, to *schema.Site
		want     string
	}{
		{open, nil, "gone inner key title=\"was\">\"is\""},
		{nil, open, "gone inner key title=\"was\">\"is\""},
		{open, private, "gone inner key title"},
		{private, open, "gone inner key title"},
		{nil, nil, "gone inner key title"},
	} {
		got := ""
		_, err := Walk(t.Context(), sideOf(t, test.from, map[store.Key]store.Fields{k: fields("was")}), sideOf(t, test.to, map[store.Key]store.Fields{k: fields("is")}),
			Options{Values: true}, func(c Change) error {
				for _, a := range c.Versions[0].Attributes {
					got += " " + a.Name
					if a.From != nil {
						got += "=" + string(a.From) + ">" + string(a.To)
					}
				}
				return nil
			})
		if err != nil || strings.TrimSpace(got) != test.want {
			t.Errorf("%q, %v, want %q", got, err, test.want)
		}
	}
}

// The places of links and the ids of instances belong to a data file, and are not
// content.
func TestPlacesAndIDsAreNoChange(t *testing.T) {
	k := store.Key{DocumentID: "d", Status: store.Draft}
	fields := func(target string, place, id uint64) store.Fields {
		links := store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: target, Place: place}}}
		parts := store.Value{Kind: store.Instances, Instances: []store.Instance{{ID: id, Component: "a.part", Fields: store.Fields{{Name: "links", Value: links}}}}}
		return store.Fields{{Name: "links", Value: links}, {Name: "parts", Value: parts}}
	}
	for _, test := range []struct {
		is   store.Fields
		want int
	}{{fields("one", 9, 9), 0}, {fields("two", 1, 1), 1}} {
		changes := 0
		_, err := Walk(t.Context(), sideOf(t, nil, map[store.Key]store.Fields{k: fields("one", 1, 1)}), sideOf(t, nil, map[store.Key]store.Fields{k: test.is}),
			Options{}, func(Change) error { changes++; return nil })
		if err != nil || changes != test.want {
			t.Errorf("%d changes, %v, want %d", changes, err, test.want)
		}
	}
}

// A walk ends when its reader or its context ends.
func TestWalkEnds(t *testing.T) {
	a := sideOf(t, nil, nil)
	b := sideOf(t, nil, map[store.Key]store.Fields{{DocumentID: "d", Status: store.Draft}: {}, {DocumentID: "e", Status: store.Draft}: {}})
	failed := errors.New("no more")
	if _, err := Walk(t.Context(), a, b, Options{}, func(Change) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Walk(ctx, a, b, Options{}, func(Change) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Schemas lists what was added, removed and changed.
func TestSchemas(t *testing.T) {
	from := siteOf(t, schemaOfNotes)
	to := siteOf(t, strings.NewReplacer(`"title": {"type": "string"}`, `"title": {"type": "text", "required": true}, "more": {"type": "integer"}`, `, "inner": {"type": "string", "private": true}`, "").Replace(schemaOfNotes))
	var got []string
	for _, c := range Schemas(from, to) {
		got = append(got, fmt.Sprintf("%s %s: %s", c.Change, c.Attribute, c.Detail))
	}
	want := []string{"removed inner: string, private", "added more: integer", "changed title: string, now text, required"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if list := Schemas(from, from); list != nil {
		t.Error(list)
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
