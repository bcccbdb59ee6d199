package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// pair is a draft and a published version with that title.
func pair(documentID, title string) (draft, published *Entry) {
	return text(1, documentID, "en", Draft, title), text(2, documentID, "en", Published, title)
}

// requireShort demands that published versions are stored without fields where, and only
// where, their draft has the same, and that all are read whole.
func requireShort(t *testing.T, db *DB) {
	t.Helper()
	view(t, db, func(tx *Tx) error {
		for _, uid := range tx.Types() {
			err := tx.Scan(uid, func(e *Entry) error {
				b, key := tx.bucket(entryBucketOf(uid, e.Locale).path()...), storedKey(e.Key())
				_, fields, err := tx.Stored(uid, e.Key())
				if err != nil || e.Status == Draft {
					return err
				}
				_, ofDraft, err := tx.Stored(uid, e.Key().WithStatus(Draft))
				if short := isShort(b.Get(key)); short != bytes.Equal(fields, ofDraft) {
					t.Errorf("%s %s is stored short: %v; fields %x, of the draft %x", uid, e.Key(), short, fields, ofDraft)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// requireFieldsOfDraft demands that what is decoded as a short version beside a draft has
// the fields of that draft, or is refused.
func requireFieldsOfDraft(t *testing.T, p entryBucket, e *Entry, data []byte) {
	t.Helper()
	draft := *e
	draft.Status = Draft
	key := storedKey(draft.Key())
	value, err := newEncoder().entry(p, key, &draft)
	noError(t, err)
	d := newDecoder()
	if _, err := d.entry(p, key, value); err != nil {
		return // not a key that a documentId gives
	}
	d.keep()
	short := bytes.Clone(data)
	if len(short) > 0 {
		short[0] = plainFormat + shortBy
	}
	if got, err := d.entry(p, sibling(key, publishedKey), short); err == nil && !got.Fields.Equal(draft.Fields) {
		t.Fatalf("%+v beside %+v", got, draft)
	}
}

// The fields of both versions take the space of one, in whatever order they come.
func TestFieldsOfBothVersionsAreStoredOnce(t *testing.T) {
	db := newDB(t)
	long := strings.Repeat("x", 3000)
	rex, rexLive := pair("rex", long)
	ada, adaLive := pair("ada", long)
	put(t, db, dogs, rex, rexLive, adaLive, ada)
	requireContent(t, db, map[string][]*Entry{dogs: {ada, adaLive, rex, rexLive}})
	requireShort(t, db)
	view(t, db, func(tx *Tx) error {
		size := 0
		err := tx.bucket(contentBucket, dogs, "en").ForEach(func(_, v []byte) error { size += len(v); return nil })
		if size > 2*len(long)+1000 {
			t.Errorf("four versions of two texts of %d bytes take %d", len(long), size)
		}
		e, entryErr := tx.Entry(dogs, rexLive.Key())
		if entryErr != nil || e.Value("title").Text != long {
			t.Errorf("%v, %v", e, entryErr)
		}
		return err
	})
}

// What becomes of a draft does not touch what is published.
func TestAPublishedVersionOutlivesItsDraft(t *testing.T) {
	db := newDB(t)
	rex, rexLive := pair("rex", "Rex")
	ada, adaLive := pair("ada", "Ada")
	put(t, db, dogs, rex, rexLive, ada, adaLive)
	changed := text(1, "rex", "en", Draft, "Rex the second")
	update(t, db, func(tx *Tx) error {
		if err := tx.Apply(Change{Type: dogs, Before: rex, After: changed}); err != nil {
			return err
		}
		return tx.Apply(Change{Type: dogs, Before: ada})
	})
	requireContent(t, db, map[string][]*Entry{dogs: {adaLive, changed, rexLive}})
	update(t, db, func(tx *Tx) error {
		if err := tx.Apply(Change{Type: dogs, Before: changed, After: rex}); err != nil {
			return err
		}
		before, after := tx.Applied()
		if bytes.Equal(before, after) || len(after) == 0 {
			t.Errorf("%x became %x", before, after)
		}
		return nil
	})
	requireContent(t, db, map[string][]*Entry{dogs: {adaLive, rex, rexLive}})
	requireShort(t, db)
}

// A scan goes on where the versions that it has not come to are stored anew meanwhile.
func TestScanWhileVersionsGetTheSameFields(t *testing.T) {
	db := newDB(t)
	var drafts, published []*Entry
	for i := range scanRun {
		id := fmt.Sprintf("dog%04d", i)
		drafts = append(drafts, text(uint64(2*i+1), id, "en", Draft, "before"))
		published = append(published, text(uint64(2*i+2), id, "en", Published, "after"))
	}
	put(t, db, dogs, append(append([]*Entry{text(9999, "a", "en", Draft, "first")}, drafts...), published...)...)
	seen := 0
	update(t, db, func(tx *Tx) error {
		return tx.Scan(dogs, func(e *Entry) error {
			if seen++; e.Value("title").Text != "before" {
				return nil
			}
			return tx.Apply(Change{Type: dogs, Before: e, After: text(e.ID, e.DocumentID, "en", Draft, "after")})
		})
	})
	if seen != 2*scanRun+1 {
		t.Errorf("the scan came to %d entries of %d", seen, 2*scanRun+1)
	}
	requireShort(t, db)
}

// A short version whose draft is not there is damage, which is found and not served, and
// the other documents can be saved.
func TestAShortVersionWithoutItsDraft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	rex, rexLive := pair("rex", "Rex")
	ada, adaLive := pair("ada", "Ada")
	put(t, db, dogs, rex, rexLive, ada, adaLive)
	err = db.bolt.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(contentBucket)).Bucket([]byte(dogs)).Bucket([]byte("en")).Delete(storedKey(rex.Key()))
	})
	noError(t, err)
	if problems, err := db.Check(t.Context()); err != nil || len(problems) != 1 || problems[0].Key != rexLive.Key().String() {
		t.Errorf("%v, %v", problems, err)
	}
	if _, err := content(db); err == nil {
		t.Error("it was read")
	}
	err = db.Update(func(tx *Tx) error { return tx.Apply(Change{Type: dogs, Before: rexLive}) })
	if err == nil {
		t.Error("it was written over")
	}
	noError(t, db.Close())
	saved := filepath.Join(t.TempDir(), "saved.db")
	if s, err := Salvage(t.Context(), path, saved); err != nil || s.Entries != 2 || len(s.Lost) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	requireContent(t, open(t, saved, Options{}), map[string][]*Entry{dogs: {ada, adaLive}})
}

// A file of a program that knew no short versions is read, and gets them when it is compacted.
func TestWholeVersionsBecomeShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	writeFile(t, path, readFile(t, goldenFile(1)))
	db := open(t, path, Options{})
	requireGolden(t, db)
	if _, err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireGolden(t, db)
	requireShort(t, db)
}
