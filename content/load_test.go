package content

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/index"
	"quire/store"
)

// steady is a clock that stands still, so that the same writes give the same entries.
func steady() time.Time { return time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC) }

// loader is a Loader on an empty data file of its own. Its transactions are
// small, so that writes meet entries that are on their way to the file.
func (f *fixture) loader() (*Loader, *store.DB) {
	f.Helper()
	db, err := store.Open(filepath.Join(f.TempDir(), "loaded.db"), store.Options{Hasty: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	l, err := NewLoader(db, f.site, WriterOptions{Now: steady, HashPassword: func(s string) (string, error) { return "hash of " + s, nil }})
	if err != nil {
		f.Fatal(err)
	}
	l.file.limit = 3
	f.Cleanup(l.Close)
	return l, db
}

// loadAll loads lines and returns what became of each.
func (f *fixture) loadAll(l *Loader, lines ...string) []error {
	f.Helper()
	loads := make([]*Load, len(lines))
	for i, line := range lines {
		loads[i] = DecodeLoad(f.site, []byte(line))
		if loads[i].Err == nil {
			loads[i].Err = l.Prepare(loads[i].Request)
		}
		if _, err := l.Load(loads[i]); err != nil {
			f.Fatal(err)
		}
	}
	if err := l.Finish(); err != nil {
		f.Fatal(err)
	}
	errs := make([]error, len(lines))
	for i, one := range loads {
		errs[i] = one.Err
	}
	return errs
}

// A Loader does with many writes what a Writer does with each.
func TestLoaderDoesWhatAWriterDoes(t *testing.T) {
	f := newFixtureWith(t, guide(t), WriterOptions{Now: steady, HashPassword: func(s string) (string, error) { return "hash of " + s, nil }})
	var lines []string
	add := func(kind, documentID, locale, status, data string) {
		lines = append(lines, fmt.Sprintf(`{"type":"api::%s.%s","documentId":%q,"locale":%q,"status":%q,"data":%s}`, kind, kind, documentID, locale, status, data))
	}
	for i := range 5 {
		add("category", fmt.Sprint("cat", i), "en", "published", fmt.Sprintf(`{"name":"Cat %d","code":%d}`, i, i))
		add("chef", fmt.Sprint("chef", i), "en", "published", fmt.Sprintf(`{"name":"Chef %d"}`, i))
		add("restaurant", fmt.Sprint("r", i), "en", "published", fmt.Sprintf(`{"name":"Place %d","door_code":"abc%d","categories":["cat%d","cat0"],"chef":"chef%d","location":{"street":"%d"}}`, i, i, i, i, i))
		add("restaurant", fmt.Sprint("r", i), "fr", "draft", fmt.Sprintf(`{"name":"Lieu %d","chef":"chef%d"}`, i, i))
		add("restaurant", fmt.Sprint("r", i), "en", "draft", `{"price_tier":"p4","categories":{"connect":["cat0"]}}`)
		add("chef", "chef0", "en", "published", fmt.Sprintf(`{"restaurants":{"connect":["r%d"]}}`, i))
	}
	add("category", "cat1", "", "published", `{"children":["cat2","cat3"]}`)
	add("homepage", "home", "en", "published", `{"title":"Home","sections":[{"__component":"section.cta","label":"x"}],"featured":["r3","r1"]}`)
	add("homepage", "home", "fr", "published", `{"title":"Accueil","sections":[{"__component":"section.cta","label":"x"}]}`)
	l, db := f.loader()
	for i, err := range f.loadAll(l, lines...) {
		if err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	for i, line := range lines {
		one := DecodeLoad(f.site, []byte(line))
		save := f.writer.Update
		if len(f.index.Snapshot().Versions(one.Type, one.DocumentID)) == 0 {
			save = f.writer.Create
		}
		if _, err := save(t.Context(), one.Request); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if d := index.Diff(f.index.Snapshot(), build(t, f.site, db).Snapshot()); d != "" {
		t.Errorf("the writer and the loader differ: %s", d)
	}
	if d := index.Diff(l.edit.Snapshot(), build(t, f.site, db).Snapshot()); d != "" {
		t.Errorf("what the loader goes by is not what it stored: %s", d)
	}
}

func TestLoaderWaitsForWhatIsToCome(t *testing.T) {
	f := newFixture(t, guide(t))
	l, db := f.loader()
	errs := f.loadAll(l,
		`{"type":"api::restaurant.restaurant","documentId":"a","data":{"name":"Early","nearby":["b"],"chef":"later"}}`,
		`{"type":"api::chef.chef","documentId":"later","data":{"name":"Later","restaurants":["b","a"]}}`,
		`{"type":"api::restaurant.restaurant","documentId":"b","data":{"name":"Late"}}`,
		`{"type":"api::restaurant.restaurant","documentId":"c","data":{"name":"Lost","nearby":["never"]}}`,
		`{"type":"api::chef.chef","documentId":"d","data":{"name":"Lost too","restaurants":["never"]}}`,
	)
	for i, err := range errs {
		var refused *ValidationError
		if i < 3 && err != nil || i >= 3 && (!errors.As(err, &refused) || !strings.Contains(err.Error(), `"never"`)) {
			t.Errorf("line %d: %v", i, err)
		}
	}
	s := build(t, f.site, db).Snapshot()
	var order []string
	for _, o := range s.Owners(f.kind("restaurant").Attribute("chef"), f.kind("chef"), "later", store.Published) {
		order = append(order, o.Key.DocumentID)
	}
	if strings.Join(order, " ") != "b a" {
		t.Errorf("the chef's restaurants are %v, want those that the chef names, in that order", order)
	}
}

func TestLoaderRefusesOneWriteAlone(t *testing.T) {
	f := newFixture(t, guide(t))
	l, db := f.loader()
	errs := f.loadAll(l,
		`{"type":"api::category.category","data":{"name":"One","code":1}}`,
		`{"type":"api::category.category","data":{"name":"Two","code":1}}`,
		`{"type":"api::category.category","data":{"code":3}}`,
		`{"type":"api::category.category","data":{"name":"Four","code":4}}`,
	)
	for i, refused := range []bool{false, true, true, false} {
		if (errs[i] != nil) != refused {
			t.Errorf("line %d: %v", i, errs[i])
		}
	}
	if n := build(t, f.site, db).Snapshot().Table(f.kind("category"), store.Published).Len(); n != 2 {
		t.Errorf("there are %d categories, want 2", n)
	}
}

// A store that fails ends the load, wherever it is.
func TestLoaderOnAFileThatFails(t *testing.T) {
	f := newFixture(t, guide(t))
	l, db := f.loader()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = l.Load(DecodeLoad(f.site, fmt.Appendf(nil, `{"type":"api::chef.chef","data":{"name":"Chef %d"}}`, i)))
	}
	if !errors.Is(err, store.ErrClosed) || !errors.Is(l.Finish(), store.ErrClosed) {
		t.Errorf("loading gives %v, finishing %v", err, l.Finish())
	}
}

func TestAloneExchangesTheIndex(t *testing.T) {
	f := newFixture(t, guide(t))
	f.create("category", `{"name": "before"}`)
	failure := errors.New("no")
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	var defect *PanicError
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { panic("x") }); !errors.As(err, &defect) {
		t.Errorf("the error is %v", err)
	}
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) {
		f.index = build(t, f.site, f.db)
		return f.index, nil
	}); err != nil {
		t.Fatal(err)
	}
	f.create("category", `{"name": "after"}`)
	if n := f.index.Snapshot().Table(f.kind("category"), store.Published).Len(); n != 2 {
		t.Errorf("the new index shows %d categories, want 2", n)
	}
	f.writer.Close()
	if err := f.writer.Alone(t.Context(), func() (*index.Index, error) { return nil, nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
