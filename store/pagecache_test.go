package store

import (
	"path/filepath"
	"testing"
)

// What is not in memory any more can be read again.
func TestMemoryThatWasReleased(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "quire.db"), Options{})
	noError(t, err)
	e := &Entry{ID: 1, DocumentID: "one", Status: Published, CreatedAt: 1, UpdatedAt: 1, PublishedAt: 1}
	noError(t, db.Update(func(tx *Tx) error { return tx.Apply(Change{Type: "api::a.a", After: e}) }))
	noError(t, db.ReleaseMemory())
	err = db.View(func(tx *Tx) error {
		got, err := tx.Entry("api::a.a", e.Key())
		if err == nil && got == nil {
			t.Error("the entry is gone")
		}
		return err
	})
	noError(t, err)
	noError(t, db.Close())
	if err := db.ReleaseMemory(); err != ErrClosed {
		t.Errorf("of a closed file: %v, want ErrClosed", err)
	}
}
