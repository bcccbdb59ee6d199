package indextest

import (
	"os"
	"path/filepath"
	"testing"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Snapshots differ as soon as one value, one time or one edge does, and not before.
func TestDiff(t *testing.T) {
	entry := func(name, target string) *store.Entry {
		return &store.Entry{ID: 1, DocumentID: "one", Locale: "en", Status: store.Draft, CreatedAt: 1, UpdatedAt: 2, Fields: []store.Field{
			{Name: "name", Value: store.TextValue(name)},
			{Name: "chef", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: target, Place: 1}}}},
		}}
	}
	site, err := schema.Load(os.DirFS("../../testdata/site"))
	if err != nil {
		t.Fatal(err)
	}
	later := entry("Osteria", "ana")
	later.UpdatedAt++
	first := snapshotOf(t, site, entry("Osteria", "ana"))
	for name, c := range map[string]struct {
		entries []*store.Entry
		differ  bool
	}{
		"the same":       {[]*store.Entry{entry("Osteria", "ana")}, false},
		"another text":   {[]*store.Entry{entry("Trattoria", "ana")}, true},
		"another target": {[]*store.Entry{entry("Osteria", "bo")}, true},
		"another time":   {[]*store.Entry{later}, true},
		"nothing":        {nil, true},
	} {
		if d := Diff(first, snapshotOf(t, site, c.entries...)); (d != "") != c.differ {
			t.Errorf("%s: %q", name, d)
		}
	}
}

func snapshotOf(t *testing.T, site *schema.Site, restaurants ...*store.Entry) *index.Snapshot {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var x *index.Index
	if err := db.View(func(tx *store.Tx) (err error) { x, err = index.Build(site, tx); return }); err != nil {
		t.Fatal(err)
	}
	edit := x.Edit()
	for _, e := range restaurants {
		if err := edit.Apply(store.Change{Type: "api::restaurant.restaurant", After: e}); err != nil {
			t.Fatal(err)
		}
	}
	return edit.Publish(store.CommitID{Revision: 1})
}
