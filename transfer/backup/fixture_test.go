package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"quire/store"
)

const files = "plugin::upload.file"

// record is the entry of an upload that lies under that name.
func record(id uint64, name string) *store.Entry {
	return &store.Entry{ID: id, DocumentID: fmt.Sprintf("doc%d", id), Status: store.Published, Fields: []store.Field{
		{Name: "hash", Value: store.Value{Kind: store.Text, Text: name}},
	}}
}

// named lists the uploads that records name.
func named(tx *store.Tx) (names []string, err error) {
	err = tx.Scan(files, func(e *store.Entry) error {
		names = append(names, e.Value("hash").Text)
		return nil
	})
	return names, err
}

// newFolder makes a data folder with those uploads, each with a record.
func newFolder(t testing.TB, uploads map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	db, err := store.Open(filepath.Join(folder, dataName), store.Options{})
	check(t, err)
	check(t, os.Mkdir(filepath.Join(folder, "uploads"), 0o700))
	id := uint64(0)
	for name, content := range uploads {
		id++
		check(t, os.WriteFile(filepath.Join(folder, "uploads", name), []byte(content), 0o600))
		check(t, db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: files, After: record(id, name)}) }))
	}
	check(t, db.Close())
	return folder
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// saveFolder makes a backup of a data folder.
func saveFolder(t testing.TB, folder string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "site.tar.zst")
	_, err := saveTo(t, folder, path, false)
	check(t, err)
	return path
}

func saveTo(t testing.TB, folder, path string, replace bool) (*Manifest, error) {
	s, err := Open(folder, named)
	check(t, err)
	defer s.Close()
	s.About.Program, s.About.Made, s.About.Schemas = "quire test", time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), "abc"
	return Save(t.Context(), path, s, replace)
}

// tree is every file below a folder with its content.
func tree(t testing.TB, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	check(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		all[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return all
}

// uploadsIn is the uploads of a data folder with their contents.
func uploadsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	return tree(t, filepath.Join(folder, "uploads"))
}

// requireWhole demands that a data folder is sound and that its records name just
// these uploads, which are there.
func requireWhole(t testing.TB, folder string, uploads map[string]string) {
	t.Helper()
	if got := uploadsIn(t, folder); !maps.Equal(got, uploads) {
		t.Errorf("the uploads are %v, want %v", got, uploads)
	}
	if damage, err := store.CheckFile(t.Context(), filepath.Join(folder, dataName)); err != nil || damage != nil {
		t.Errorf("the data file: %v %v", damage, err)
	}
	s, err := Open(folder, named)
	check(t, err)
	defer s.Close()
	if got := slices.Sorted(slices.Values(s.Names)); !slices.Equal(got, slices.Sorted(maps.Keys(uploads))) || s.About.Missing != nil {
		t.Errorf("the records name %v and, missing, %v", got, s.About.Missing)
	}
}

// part is a file of a made-up backup.
type part struct {
	name, content string
	header        *tar.Header // instead of the usual one
}

// pack makes a backup of whatever parts.
func pack(t testing.TB, parts ...part) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out)
	check(t, err)
	w := tar.NewWriter(z)
	for _, p := range parts {
		h := p.header
		if h == nil {
			h = &tar.Header{Typeflag: tar.TypeReg, Name: p.name, Size: int64(len(p.content))}
		}
		check(t, w.WriteHeader(h))
		if _, err := w.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close() // which complains of a file that is shorter than its header says
	check(t, z.Close())
	return out.Bytes()
}

const aboutText = `{"format": 1, "program": "quire test", "made": "2026-11-21T10:00:00Z", "revision": 3, "dataFormat": 1}`

// whole is the parts of a good backup, with a manifest of them.
func whole(t testing.TB, uploads ...part) []part {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(newFolder(t, nil), dataName))
	check(t, err)
	parts := append([]part{{name: dataName, content: string(data)}}, uploads...)
	return append([]part{{name: aboutName, content: aboutText}}, append(parts, manifestOf(parts))...)
}

func manifestOf(parts []part) part {
	list := []File{}
	for _, p := range parts {
		list = append(list, File{Name: p.name, Size: int64(len(p.content)), Sum: sha256.Sum256([]byte(p.content))})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return part{name: manifestName, content: string(text)}
}

func isFileError(err error) bool { return errors.As(err, new(*FileError)) }
