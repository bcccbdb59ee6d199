package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func TestScanOrder(t *testing.T) {
	db := newDB(t)
	put(t, db, dogs,
		text(1, "rex", "fr", Published, "Rex"),
		text(2, "rexa", "en", Draft, "Rexa"),
		text(3, "rex", "en", Published, "Rex"),
		text(4, "rex", "en", Draft, "Rex"),
		text(5, "rexa", "en", Published, "Rexa"),
		text(6, "ada", "en", Published, "Ada"),
		text(7, "rex-1", "en", Draft, "Rex"),
	)
	put(t, db, "api::cat.cat", text(1, "tom", "", Published, "Tom"))
	put(t, db, "api::ant.ant", text(1, "z", "", Draft, "Z"))
	update(t, db, func(tx *Tx) error { // a type without entries is none
		return tx.Apply(Change{Type: "api::ant.ant", Before: text(1, "z", "", Draft, "Z")})
	})
	in := func(one string) func(string) bool { return func(locale string) bool { return locale == one } }
	view(t, db, func(tx *Tx) error {
		if got, want := tx.Types(), []string{"api::cat.cat", dogs}; !slices.Equal(got, want) {
			t.Errorf("types %v, want %v", got, want)
		}
		if n, err := tx.Count(dogs, in("")); err != nil || n != (Count{Draft: 3, Published: 4}) {
			t.Errorf("%+v dogs, %v", n, err)
		}
		if n, err := tx.Count(dogs, in("en")); err != nil || n != (Count{Published: 1}) {
			t.Errorf("%+v dogs in other locales than en, %v", n, err)
		}
		if n, err := tx.Count("api::ant.ant", in("")); err != nil || n != (Count{}) {
			t.Errorf("%+v ants, %v", n, err)
		}
		var keys []string
		for _, uid := range []string{dogs, "api::cat.cat", "api::ant.ant", "api::bee.bee", ""} {
			err := tx.Scan(uid, func(e *Entry) error {
				keys = append(keys, e.Key().String())
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", uid, err)
			}
		}
		want := []string{
			"ada (published, en)",
			"rex (draft, en)", "rex (published, en)",
			"rex-1 (draft, en)",
			"rexa (draft, en)", "rexa (published, en)",
			"rex (published, fr)",
			"tom (published)",
		}
		if !slices.Equal(keys, want) {
			t.Errorf("order\n%q\nwant\n%q", keys, want)
		}
		return nil
	})
}

func TestScanSharesTheFieldsOfEqualVersions(t *testing.T) {
	db := newDB(t)
	var all []*Entry
	for i := range 3 * scanRun { // so that pairs lie across batches, too
		id := fmt.Sprintf("doc%05d", i)
		title := "published"
		if i%3 > 0 {
			title = "draft"
		}
		if i%5 > 0 {
			all = append(all, text(uint64(2*i), id, "en", Draft, "draft"))
		}
		all = append(all, text(uint64(2*i+1), id, "en", Published, title))
	}
	put(t, db, dogs, all...)
	got, err := content(db)
	noError(t, err)
	if !reflect.DeepEqual(got[dogs], all) {
		t.Fatal("the scan does not show what was stored")
	}
	for i, e := range got[dogs][1:] {
		draft := got[dogs][i]
		pair := draft.DocumentID == e.DocumentID
		equal := pair && draft.Value("title").Text == e.Value("title").Text
		if shared := &draft.Fields[0] == &e.Fields[0]; shared != equal {
			t.Errorf("%s and %s: fields shared: %t, want %t", draft.Key(), e.Key(), shared, equal)
		}
	}
	view(t, db, func(tx *Tx) error { // what Entry returns is the caller's alone
		draft, _ := tx.Entry(dogs, Key{"doc00001", "en", Draft})
		published, _ := tx.Entry(dogs, Key{"doc00001", "en", Published})
		if &draft.Fields[0] == &published.Fields[0] {
			t.Error("Entry shares the fields of two versions")
		}
		return nil
	})
}

// Entries outlive the transaction and the mapped file.
func TestEntriesAreCopies(t *testing.T) {
	db := newDB(t)
	e := randomEntry(newRand(t))
	put(t, db, dogs, e)
	update(t, db, func(tx *Tx) error { return tx.PutRecord("tokens", "key", []byte("value")) })
	var one *Entry
	var record []byte
	var types []string
	view(t, db, func(tx *Tx) (err error) {
		types = tx.Types()
		record, _ = tx.Record("tokens", "key")
		one, err = tx.Entry(dogs, e.Key())
		return err
	})
	all, err := content(db)
	noError(t, err)
	if err := db.Close(); err != nil { // unmaps it: a string of the file would now fault
		t.Fatal(err)
	}
	if !reflect.DeepEqual(one, e) || !reflect.DeepEqual(all[dogs], []*Entry{e}) || types[0] != dogs || string(record) != "value" {
		t.Error("what was read has changed")
	}
}

func TestScanStops(t *testing.T) {
	db := newDB(t)
	fill(t, db, 5*scanRun, false)
	for _, stopAt := range []int{1, scanRun, scanRun + 1, 3 * scanRun, 5 * scanRun} {
		seen := 0
		err := db.View(func(tx *Tx) error {
			return tx.Scan(benchType, func(*Entry) error {
				if seen++; seen == stopAt {
					return errTest
				}
				return nil
			})
		})
		if err != errTest || seen != stopAt {
			t.Errorf("stopped after %d of %d with %v", seen, stopAt, err)
		}
	}
	defer func() {
		if p := recover(); p != "out" {
			t.Errorf("recovered %v", p)
		}
	}()
	seen := 0
	_ = db.View(func(tx *Tx) error {
		return tx.Scan(benchType, func(*Entry) error {
			if seen++; seen > 2*scanRun {
				panic("out")
			}
			return nil
		})
	})
}

func TestEntriesMayChangeDuringAScanInAnUpdate(t *testing.T) {
	db := newDB(t)
	fill(t, db, 3*scanRun, false)
	update(t, db, func(tx *Tx) error {
		return tx.Scan(benchType, func(e *Entry) error {
			if e.ID%2 == 0 {
				return tx.Apply(Change{Type: benchType, Before: e})
			}
			after := *e
			after.Fields = []Field{{"name", Value{Kind: Text, Text: "changed"}}}
			return tx.Apply(Change{Type: benchType, Before: e, After: &after})
		})
	})
	all, err := content(db)
	noError(t, err)
	for _, e := range all[benchType] {
		if e.ID%2 == 0 || e.Value("name").Text != "changed" || len(e.Fields) != 1 {
			t.Fatalf("%s was missed", e.Key())
		}
	}
	if len(all[benchType]) != 3*scanRun/2 {
		t.Errorf("%d entries are left", len(all[benchType]))
	}
}

// Damage that only the checksum shows ends a scan after the entries before it.
func TestScanReportsADamagedEntry(t *testing.T) {
	db := newDB(t)
	put(t, db, dogs, text(1, "ada", "en", Draft, "Ada"), text(2, "rex", "en", Draft, "Rex"))
	update(t, db, func(tx *Tx) error {
		p, key, value := stored(t, dogs, text(2, "rex", "en", Draft, "Rex"))
		value[len(value)-1] ^= 1
		tx.dirty = true
		return tx.bucket(p.path()...).Put(key, value)
	})
	seen := 0
	err := db.View(func(tx *Tx) error {
		return tx.Scan(dogs, func(*Entry) error { seen++; return nil })
	})
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) || seen != 1 {
		t.Fatalf("after %d entries: %v", seen, err)
	}
	if corrupt.Bucket != "content/api::dog.dog/en" || corrupt.Key != "rex (draft, en)" || !errors.Is(err, errChecksum) {
		t.Errorf("the error says %v", err)
	}
	err = db.View(func(tx *Tx) error { _, err := tx.Entry(dogs, Key{"rex", "en", Draft}); return err })
	if !errors.As(err, &corrupt) {
		t.Errorf("Entry: %v", err)
	}
	problems, err := db.Check(t.Context())
	if err != nil || len(problems) != 1 || problems[0].Key != "rex (draft, en)" {
		t.Errorf("Check: %v, %v", problems, err)
	}
	update(t, db, func(tx *Tx) error { // fixed, for the check at the end
		p, key, value := stored(t, dogs, text(2, "rex", "en", Draft, "Rex"))
		tx.dirty = true
		return tx.bucket(p.path()...).Put(key, value)
	})
}
