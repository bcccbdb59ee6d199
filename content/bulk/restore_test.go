package bulk_test

import (
	"path/filepath"
	"quire/content/contenttest"
	"testing"

	"quire/content/bulk"
	"quire/schema"
	"quire/store"
)

// However a blocked user arrives, no former session of the user is valid afterwards.
func TestBlockedUsersOfAnArchiveHaveNoSessions(t *testing.T) {
	for _, merge := range []bool{false, true} {
		f := contenttest.New(t, contenttest.Guide(t))
		user := f.Kind(schema.UserUID)
		entry := func(blocked int64) *store.Entry {
			return &store.Entry{ID: 1, DocumentID: "ana", Status: store.Published, CreatedAt: 1, UpdatedAt: 2, PublishedAt: 2, Fields: store.Fields{
				{Name: "blocked", Value: store.Value{Kind: store.Bool, Num: blocked}}, {Name: "sessionEpoch", Value: store.Value{Kind: store.Text, Text: "before"}}}}
		}
		db, err := store.Open(filepath.Join(t.TempDir(), "restored.db"), store.Options{Hasty: true})
		check(t, err)
		t.Cleanup(func() { db.Close() })
		r := bulk.NewRestorer(db, f.Site, merge)
		if err := r.Put(user, entry(0)); err != nil || r.Finish() != nil {
			t.Fatal(err)
		}
		if !merge {
			check(t, db.Update(func(tx *store.Tx) error { return tx.Clear(schema.UserUID) }))
		}
		r = bulk.NewRestorer(db, f.Site, merge)
		if err := r.Put(user, entry(1)); err != nil || r.Finish() != nil {
			t.Fatal(err)
		}
		err = db.View(func(tx *store.Tx) error {
			e, err := tx.Entry(schema.UserUID, store.Key{DocumentID: "ana", Status: store.Published})
			if err == nil && e.Value("sessionEpoch").Text == "before" {
				t.Errorf("merging %v: the epoch goes on", merge)
			}
			return err
		})
		check(t, err)
	}
}
