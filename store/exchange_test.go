package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	put := func(db *DB, documentID string) {
		t.Helper()
		if err := db.Update(func(tx *Tx) error {
			return tx.Apply(Change{Type: "api::a.a", After: &Entry{DocumentID: documentID, Status: Published}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(documentID string) (found bool) {
		t.Helper()
		if err := db.View(func(tx *Tx) error {
			e, err := tx.Entry("api::a.a", Key{DocumentID: documentID, Status: Published})
			found = e != nil
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	put(db, "old")
	failure := errors.New("no")
	if err := db.Exchange(func(string) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if err := db.Exchange(func(at string) error {
		other, err := Open(at+".new", Options{})
		if err != nil {
			return err
		}
		put(other, "new")
		if !has("old") {
			t.Error("reads should go on meanwhile")
		}
		return errors.Join(other.Close(), os.Rename(at+".new", at))
	}); err != nil {
		t.Fatal(err)
	}
	if has("old") || !has("new") {
		t.Error("the other file should be in place")
	}
	put(db, "later")
	if !has("later") {
		t.Error("writes should go on")
	}
}
