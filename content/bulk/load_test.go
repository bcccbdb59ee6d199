package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"quire/content"
	"quire/content/contenttest"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"quire/content/body"
	"quire/content/bulk"
	"quire/index"
	"quire/index/indextest"
	"quire/store"
)

// steady is a clock that stands still, so the same writes make the same entries.
func steady() time.Time { return time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC) }

// loader returns a Loader on an empty data file. Its transactions are small, so writes
// meet entries that are not in the file yet.
func loader(f *contenttest.Fixture) (*bulk.Loader, *store.DB) {
	f.Helper()
	db, err := store.Open(filepath.Join(f.TempDir(), "loaded.db"), store.Options{Hasty: true})
	check(f, err)
	f.Cleanup(func() { db.Close() })
	l, err := bulk.NewLoader(db, f.Site, content.WriterOptions{Now: steady, HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil }})
	check(f, err)
	bulk.SetTransaction(l, 3)
	f.Cleanup(l.Close)
	return l, db
}

// loadAll loads lines, and returns the error of each.
func loadAll(f *contenttest.Fixture, l *bulk.Loader, lines ...string) []error {
	f.Helper()
	loads := make([]*bulk.Load, len(lines))
	for i, line := range lines {
		loads[i] = bulk.DecodeLoad(f.Site, []byte(line))
		if loads[i].Err == nil {
			loads[i].Err = l.Prepare(f.Context(), loads[i].Request)
		}
		if _, err := l.Load(loads[i]); err != nil {
			f.Fatal(err)
		}
	}
	check(f, l.Finish())
	errs := make([]error, len(lines))
	for i, one := range loads {
		errs[i] = one.Err
	}
	return errs
}

// A Loader has the same result for many writes as a Writer for each of them.
func TestLoaderDoesWhatAWriterDoes(t *testing.T) {
	f := contenttest.NewWith(t, contenttest.Guide(t), content.WriterOptions{Now: steady, HashPassword: func(_ context.Context, s string) (string, error) { return "hash of " + s, nil }})
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
	l, db := loader(f)
	for i, err := range loadAll(f, l, lines...) {
		if err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	for i, line := range lines {
		one := bulk.DecodeLoad(f.Site, []byte(line))
		save := f.Writer.Update
		if len(f.Index.Snapshot().Versions(one.Type, one.DocumentID)) == 0 {
			save = f.Writer.Create
		}
		if _, err := save(t.Context(), one.Request); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
	}
	if d := indextest.Diff(f.Index.Snapshot(), contenttest.Build(t, f.Site, db).Snapshot()); d != "" {
		t.Errorf("the writer and the loader differ: %s", d)
	}
	var part *index.Index
	err := db.View(func(tx *store.Tx) (err error) {
		part, err = index.BuildPart(f.Site, tx, content.PlansReadValues)
		return err
	})
	check(t, err)
	if d := indextest.Diff(bulk.Planned(l), part.Snapshot()); d != "" {
		t.Errorf("what the loader goes by is not what it stored: %s", d)
	}
}

// A document at /api/chefs/_count could never be read.
func TestLoaderRefusesIdsThatAreWords(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	l, _ := loader(f)
	for i, err := range loadAll(f, l,
		`{"type":"api::chef.chef","documentId":"_count","data":{"name":"Ana"}}`,
		`{"type":"api::chef.chef","documentId":"a_count","data":{"name":"Ana"}}`,
	) {
		if refused := err != nil && strings.Contains(err.Error(), `"_count" cannot be a documentId`); refused != (i == 0) {
			t.Errorf("line %d: %v", i, err)
		}
	}
}

func TestLoaderWaitsForWhatIsToCome(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	l, db := loader(f)
	errs := loadAll(f, l,
		`{"type":"api::restaurant.restaurant","documentId":"a","data":{"name":"Early","nearby":["b"],"chef":"later"}}`,
		`{"type":"api::chef.chef","documentId":"later","data":{"name":"Later","restaurants":["b","a"]}}`,
		`{"type":"api::restaurant.restaurant","documentId":"b","data":{"name":"Late"}}`,
		`{"type":"api::restaurant.restaurant","documentId":"c","data":{"name":"Lost","nearby":["never"]}}`,
		`{"type":"api::chef.chef","documentId":"d","data":{"name":"Lost too","restaurants":["never"]}}`,
	)
	for i, err := range errs {
		var refused *body.ValidationError
		if i < 3 && err != nil || i >= 3 && (!errors.As(err, &refused) || !strings.Contains(err.Error(), `"never"`)) {
			t.Errorf("line %d: %v", i, err)
		}
	}
	s := contenttest.Build(t, f.Site, db).Snapshot()
	var order []string
	for _, o := range s.Owners(f.Kind("restaurant").Attribute("chef"), f.Kind("chef"), "later", store.Published) {
		order = append(order, o.Key.DocumentID)
	}
	if strings.Join(order, " ") != "b a" {
		t.Errorf("the chef's restaurants are %v, want those that the chef names, in that order", order)
	}
}

func TestLoaderRefusesOneWriteAlone(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	l, db := loader(f)
	errs := loadAll(f, l,
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
	if n := contenttest.Build(t, f.Site, db).Snapshot().Table(f.Kind("category"), store.Published).Len(); n != 2 {
		t.Errorf("there are %d categories, want 2", n)
	}
}

// An error of the store ends the load, wherever it happens.
func TestLoaderOnAFileThatFails(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	l, db := loader(f)
	check(t, db.Close())
	var err error
	for i := 0; err == nil && i < 100; i++ {
		_, err = l.Load(bulk.DecodeLoad(f.Site, fmt.Appendf(nil, `{"type":"api::chef.chef","data":{"name":"Chef %d"}}`, i)))
	}
	if !errors.Is(err, store.ErrClosed) || !errors.Is(l.Finish(), store.ErrClosed) {
		t.Errorf("loading gives %v, finishing %v", err, l.Finish())
	}
}

// If a sequence cannot be read, a load ends before anything is stored, because the ids
// that it would assign may be in use.
func TestLoaderStopsAtADamagedSequence(t *testing.T) {
	f := contenttest.New(t, contenttest.Guide(t))
	l, db := loader(f)
	line := `{"type":"api::category.category","locale":"en","data":{"name":"Cat"}}`
	if errs := loadAll(f, l, line); errs[0] != nil {
		t.Fatal(errs[0])
	}
	path := db.Path()
	damaged := spoilSequence(t, db, path, "api::category.category")
	again, err := bulk.NewLoader(damaged, f.Site, content.WriterOptions{Now: steady})
	check(t, err)
	bulk.SetTransaction(again, 1)
	corrupt := new(store.CorruptError)
	one := bulk.DecodeLoad(f.Site, []byte(strings.Replace(line, "Cat", "Dog", 1)))
	if _, err := again.Load(one); !errors.As(err, &corrupt) {
		t.Errorf("the write that needs the sequence: %v, %v", err, one.Err)
	}
	if err := again.Finish(); !errors.As(err, &corrupt) {
		t.Errorf("the end: %v", err)
	}
	if n := contenttest.Build(t, f.Site, damaged).Snapshot().Table(f.Site.Type("api::category.category"), store.Published).Len(); n != 1 {
		t.Errorf("%d entries are in the file, of which one was there", n)
	}
}

// spoilSequence damages a sequence in the file of a DB, and opens it again.
func spoilSequence(t *testing.T, db *store.DB, path, name string) *store.DB {
	t.Helper()
	check(t, db.Close())
	bolt, err := bbolt.Open(path, 0o600, nil)
	check(t, err)
	err = bolt.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("sequence")).Put([]byte(name), []byte("seven")) })
	check(t, errors.Join(err, bolt.Close()))
	damaged, err := store.Open(path, store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { damaged.Close() })
	return damaged
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
