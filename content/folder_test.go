package content

import (
	"fmt"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

func folderFaults(t *testing.T, f *fixture) (faults map[string]string) {
	t.Helper()
	must(t, f.db.View(func(tx *store.Tx) (err error) {
		faults, err = FolderFaults(f.site.Type(schema.FolderUID), tx)
		return err
	}))
	return faults
}

// Faults that a damaged file or an import can contain are reported, and no write loops
// because of them.
func TestDamagedFolders(t *testing.T) {
	f := newFixture(t, guide(t))
	top := f.create("folder", `{"name":"top"}`)
	in := f.create("folder", `{"name":"in","parent":"`+top+`"}`)
	f.create("folder", `{"name":"below","parent":"`+in+`"}`)
	kind := f.site.Type(schema.FolderUID)
	if faults := folderFaults(t, f); len(faults) > 0 {
		t.Errorf("sound folders have %v", faults)
	}
	change := func(id string, with func(store.Fields) store.Fields) {
		before := f.mustRead("folder", liveOf(id, ""))
		after := *before
		after.Fields = with(after.Fields)
		must(t, f.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: kind.UID, Before: before, After: &after}) }))
	}
	change(top, func(fields store.Fields) store.Fields {
		return fields.With("parent", store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: in, Place: 1 << 40}}})
	})
	faults := folderFaults(t, f)
	if len(faults) < 2 || !strings.Contains(faults[top], "in itself") || !strings.Contains(faults[in], "in itself") {
		t.Errorf("a circle is %v", faults)
	}
	must(t, f.writer.Close())
	f.reopen(t)
	f.update("folder", top, `{"parent":null}`)
	if faults := folderFaults(t, f); len(faults) > 0 {
		t.Errorf("after the circle was cut there are %v", faults)
	}
}

// The number of folders is limited, and a folder with that many subfolders can be
// moved.
func TestManyFolders(t *testing.T) {
	f := newFixture(t, guide(t))
	kind := f.site.Type(schema.FolderUID)
	top, other := f.create("folder", `{"name":"top"}`), f.create("folder", `{"name":"other"}`)
	one := f.mustRead("folder", liveOf(top, ""))
	must(t, f.writer.Close())
	must(t, f.db.Update(func(tx *store.Tx) error {
		for i := 3; i <= MostFolders; i++ {
			e := *one
			e.ID, e.DocumentID = uint64(i), NewDocumentID()
			e.Fields = e.Fields.With("name", store.Value{Kind: store.Text, Text: fmt.Sprint(i)}).With("pathId", store.Value{Kind: store.Int, Num: int64(i)}).
				With("path", store.Value{Kind: store.Text, Text: fmt.Sprint("/1/", i)}).
				With("parent", store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: top, Place: uint64(i) * PlaceGap}}})
			if err := tx.Apply(store.Change{Type: kind.UID, After: &e}); err != nil {
				return err
			}
		}
		if err := tx.SetSequence(PlaceSequence(kind.UID), MostFolders); err != nil {
			return err
		}
		return tx.SetSequence(kind.UID, MostFolders)
	}))
	f.reopen(t)
	if _, err := f.tryCreate("folder", `{"name":"one more"}`); err == nil || !strings.Contains(err.Error(), "already 5000 folders") {
		t.Errorf("one more is %v", err)
	}
	f.update("folder", top, `{"parent":"`+other+`"}`)
	if faults := folderFaults(t, f); len(faults) > 0 {
		t.Errorf("after the move %d are wrong", len(faults))
	}
}

// Each of several changes of folders in one write sees the result of those before it.
func TestFoldersChangedTogether(t *testing.T) {
	f := newFixture(t, guide(t))
	a, b, c := f.create("folder", `{"name":"a"}`), f.create("folder", `{"name":"b"}`), f.create("folder", `{"name":"c"}`)
	below := f.create("folder", `{"name":"below","parent":"`+a+`"}`)
	change := func(id, data string) Write {
		r, err := f.ask("folder", data)
		must(t, err)
		r.DocumentID = id
		return ToUpdate(r)
	}
	remove := func(id string) Write { return ToDelete(Request{Type: f.kind("folder"), DocumentID: id}) }
	in := func(id string) string { return `{"parent":"` + id + `"}` }
	for want, writes := range map[string][]Write{
		"cannot stand in itself": {change(a, in(b)), change(b, in(c)), change(c, in(below))},
		"here already":           {change(a, `{"name":"d"}`), change(b, `{"name":"d"}`)},
		"holds other folders":    {change(a, in(b)), remove(b)},
	} {
		if _, err := f.writer.Together(t.Context(), writes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
	_, err := f.writer.Together(t.Context(), []Write{change(below, in(c)), remove(a), change(b, `{"name":"a"}`), change(c, in(b))})
	must(t, err)
	if faults := folderFaults(t, f); len(faults) > 0 {
		t.Errorf("wrong afterwards: %v", faults)
	}
	if path := f.mustRead("folder", liveOf(below, "")).Value("path").Text; path != "/2/3/4" {
		t.Errorf("the path is %s", path)
	}
}

// reopen makes the fixture read its file again.
func (f *fixture) reopen(t *testing.T) {
	f.index = build(t, f.site, f.db)
	f.writer = NewWriter(f.db, f.index, f.site, WriterOptions{})
	t.Cleanup(func() { f.writer.Close() })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
