package store

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestClearDeletesOneType(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "quire.db"), Options{Hasty: true})
	noError(t, err)
	put := func(tx *Tx) error {
		for _, c := range []Change{
			{Type: "api::a.a", After: &Entry{DocumentID: "x", Status: Draft}},
			{Type: "api::a.a", After: &Entry{DocumentID: "x", Locale: "en", Status: Published}},
			{Type: "api::b.b", After: &Entry{DocumentID: "x", Status: Published}},
		} {
			if err := tx.Apply(c); err != nil {
				return err
			}
		}
		return nil
	}
	noError(t, db.Update(put))
	clear := func(tx *Tx) error {
		for _, uid := range []string{"api::a.a", "api::none.none", ""} {
			if err := tx.Clear(uid); err != nil {
				return err
			}
		}
		return nil
	}
	noError(t, db.Update(clear))
	if err := db.Reopen(); err != nil { // a hasty file is whole once it is closed
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(func(tx *Tx) error {
		if got := tx.Types(); !slices.Equal(got, []string{"api::b.b"}) {
			t.Errorf("the file holds %q", got)
		}
		return tx.Clear("api::b.b")
	}); err != ErrReadOnly {
		t.Errorf("Clear in a View: %v, want ErrReadOnly", err)
	}
}
