package media

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// folderIn creates a folder and returns its documentId.
func (l *library) folderIn(name, parent string, private bool) string {
	l.t.Helper()
	form := FolderForm{Name: &name, Private: &private}
	if parent != "" {
		form.Parent, _ = json.Marshal(parent)
	}
	made, err := l.SaveFolder(l.t.Context(), "", form)
	check(l.t, err)
	return made.DocumentID
}

// moveTo moves a file into a folder.
func (l *library) moveTo(folder, file string) {
	l.t.Helper()
	to, _ := json.Marshal(folder)
	from, _ := json.Marshal(file)
	check(l.t, l.Move(l.t.Context(), Moving{Selection: Selection{Files: []json.RawMessage{from}}, To: to}))
}

// addressed is a storage whose files anybody can fetch at an address.
type addressed struct{ Storage }

func (addressed) Address(context.Context, string, string) (string, error) {
	return "https://store.example.org/signed", nil
}

// Browsers are not sent elsewhere for private files, where their signature would not count.
func TestPrivateFilesInABucket(t *testing.T) {
	l := newLibrary(t)
	l.folder.SetPlaces(Storages{Use: addressed{Disk(l.path)}})
	file := l.keepOne("a.txt", []byte("text"))
	name := l.record(file).URL[len(urlPrefix):]
	for serve, want := range map[string]string{settings.ServeRedirect: "https://store.example.org/signed", "https://files.example.org": "https://files.example.org/" + name} {
		l.site.Settings.Upload.Serve = settings.ServeRedirect
		private := l.folderIn("Private", "", true)
		inside := l.folderIn("Inside", l.folderIn("Between", private, false), false)
		l.site.Settings.Upload.Serve = serve
		if address, err := l.Address(t.Context(), name); address != want || err != nil || l.IsPrivate(name) {
			t.Errorf("%s: %q, %v", serve, address, err)
		}
		l.moveTo(inside, file)
		if address, err := l.Address(t.Context(), name); address != "" || err != nil || !l.IsPrivate(name) {
			t.Errorf("%s: private, %q, %v", serve, address, err)
		}
		check(t, l.Move(t.Context(), Moving{Selection: Selection{Files: []json.RawMessage{json.RawMessage(`1`)}}, To: json.RawMessage(`null`)}))
		check(t, l.DeleteAll(t.Context(), Deleting{Selection: Selection{Folders: []json.RawMessage{json.RawMessage(`"` + private + `"`)}}, WithContent: true}))
	}
	l.site.Settings.Upload.Serve = "https://files.example.org"
	yes, folder := true, "Open to all"
	if _, err := l.SaveFolder(t.Context(), "", FolderForm{Name: &folder, Private: &yes}); !isRefused(err, "private") {
		t.Errorf("a private folder in a public bucket: %v", err)
	}
}

// isRefused reports whether an error is about a key.
func isRefused(err error, key string) bool {
	refused, ok := errors.AsType[*body.ValidationError](err)
	return ok && refused.Issues[0].Path[0] == key
}

// A file is private if an import has put its folder into one of its own subfolders.
func TestFoldersInACycleArePrivate(t *testing.T) {
	l := newLibrary(t)
	outer := l.folderIn("Outer", "", false)
	inner := l.folderIn("Inner", outer, false)
	l.folderIn("Other", "", true)
	file := l.keepOne("a.txt", []byte("text"))
	l.moveTo(inner, file)
	name := l.record(file).URL[len(urlPrefix):]
	if l.IsPrivate(name) {
		t.Error("a public file is private")
	}
	check(t, l.db.Update(func(tx *store.Tx) error {
		before, err := tx.Entry(schema.FolderUID, store.Key{DocumentID: outer, Status: store.Published})
		check(t, err)
		after := *before
		after.Fields = slices.Clone(before.Fields).Set("parent", store.Value{Kind: store.Edges, Edges: []store.Edge{{Target: inner}}})
		return tx.Apply(store.Change{Type: schema.FolderUID, Before: before, After: &after})
	}))
	var again *index.Index
	check(t, l.db.View(func(tx *store.Tx) (err error) {
		again, err = index.Build(l.site, tx)
		return err
	}))
	if !New(l.folder, l.site, again, l.writer).IsPrivate(name) {
		t.Error("a file in a cycle of folders is public")
	}
}

// An address lives for two thirds of the setting at least, whatever the time, and a setting
// that is too short divides nothing by zero.
func TestLifeOfAddresses(t *testing.T) {
	l := newLibrary(t)
	now := time.Unix(1_900_000_000, 0)
	key := func(string) []byte { return []byte("key") }
	for _, life := range []time.Duration{0, time.Second, 61 * time.Second, 15 * time.Minute, 7 * 24 * time.Hour} {
		l.site.Settings.Upload.PrivateLife = life
		a := NewPrivateFiles(l.site, key, func() time.Time { return now })
		for range 2000 {
			now = now.Add(life/700 + 3*time.Second)
			value := string(a.AppendAccess(nil, "/uploads/a.txt"))[len("?access="):]
			left := a.Left("a.txt", value)
			if whole := max(3, int64(life/time.Second)); left > whole || left < whole-whole/3 {
				t.Fatalf("%s: %d seconds are left", life, left)
			}
			if a.Left("b.txt", value) != 0 {
				t.Fatal("it opens another file")
			}
		}
	}
	if other := string(NewPrivateFiles(l.site, key, time.Now).AppendAccess(nil, "https://elsewhere.example.org/a.txt")); other != "" {
		t.Errorf("an address elsewhere gets %s", other)
	}
}
