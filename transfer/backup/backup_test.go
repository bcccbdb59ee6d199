package backup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/media"
	"quire/store"
)

func TestThereAndBack(t *testing.T) {
	uploads := map[string]string{"b_2.jpg": "bee", "a_1.txt": "", "small_b_2.jpg": strings.Repeat("b", 100_000)}
	from := newFolder(t, uploads)
	check(t, os.WriteFile(filepath.Join(from, "uploads", "stray.txt"), []byte("of no record"), 0o600))
	path := filepath.Join(t.TempDir(), "site.tar.zst")
	m, err := saveTo(t, from, path, false)
	check(t, err)
	if m.Revision != 3 || m.Format != Format || m.DataFormat != store.FileFormat || !slices.Equal(m.Uploads(), slices.Sorted(maps.Keys(uploads))) {
		t.Errorf("%+v", m)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	verified, err := Verify(t.Context(), path)
	if err != nil || verified.Made != m.Made || !slices.Equal(verified.Files, m.Files) {
		t.Errorf("%+v, %v", verified, err)
	}
	requireOnly(t, path)

	to := filepath.Join(t.TempDir(), "new", "data")
	done, err := Restore(t.Context(), path, to, false, nil)
	if err != nil || done.Kept != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	requireWhole(t, to, uploads)
	if data := tree(t, to); len(data) != 1+len(uploads) {
		t.Errorf("the restored folder holds %v", slices.Sorted(maps.Keys(data)))
	}
}

// requireOnly demands that nothing lies beside a file.
func requireOnly(t *testing.T, path string) {
	t.Helper()
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("beside the backup lie %v, %v", files, err)
	}
}

func TestSaveReplacesNothingUnasked(t *testing.T) {
	from := newFolder(t, map[string]string{"a_1": "a"})
	path := filepath.Join(t.TempDir(), "x")
	check(t, os.WriteFile(path, []byte("mine"), 0o600))
	if _, err := saveTo(t, from, path, false); !errors.As(err, new(*ExistsError)) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if tree(t, filepath.Dir(path))["x"] != "mine" {
		t.Error("it is gone")
	}
	if _, err := saveTo(t, from, filepath.Dir(path), true); !errors.As(err, new(*ExistsError)) {
		t.Errorf("a folder in the way: %v", err)
	}
	_, err := saveTo(t, from, path, true)
	check(t, err)
	_, err = Verify(t.Context(), path)
	check(t, err)
	requireOnly(t, path)
}

// Whatever ends a backup before its time, no file of it stays.
func TestSaveThatIsGivenUp(t *testing.T) {
	from := newFolder(t, map[string]string{"a_1": strings.Repeat("a", 1000)})
	s, err := Open(from, named)
	check(t, err)
	defer s.Close()
	path := filepath.Join(t.TempDir(), "x")
	check(t, os.WriteFile(path, []byte("mine"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Save(ctx, path, s, true); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if tree(t, filepath.Dir(path))["x"] != "mine" {
		t.Error("what was there is gone")
	}
	requireOnly(t, path)
	if _, err := Save(t.Context(), filepath.Join(path, "none", "x"), s, false); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a folder that is none: %v", err)
	}
}

// A missing upload is reported, and everything else is saved.
func TestSaveWithoutAMissingUpload(t *testing.T) {
	from := newFolder(t, map[string]string{"a_1": "a", "b_2": "b"})
	check(t, os.Remove(filepath.Join(from, "uploads", "b_2")))
	path := filepath.Join(t.TempDir(), "x")
	m, err := saveTo(t, from, path, false)
	if err != nil || !slices.Equal(m.Missing, []string{"b_2"}) || !slices.Equal(m.Uploads(), []string{"a_1"}) {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := Verify(t.Context(), path); err != nil || !slices.Equal(m.Missing, []string{"b_2"}) {
		t.Errorf("%+v, %v", m, err)
	}
}

// While a server goes on, what is set aside is of one moment: what is deleted later
// is in it with its record, what comes later is not.
func TestStage(t *testing.T) {
	uploads := map[string]string{"a_1": "a", "b_2": "b"}
	from := newFolder(t, uploads)
	db, err := store.Open(filepath.Join(from, dataName), store.Options{})
	check(t, err)
	defer db.Close()
	folder, err := media.Open(filepath.Join(from, "uploads"))
	check(t, err)
	staged, err := Stage(db, folder, from, named)
	check(t, err)
	check(t, folder.Remove(t.Context(), "a_1"))
	check(t, folder.Put(t.Context(), "c_3", "", strings.NewReader("c")))
	check(t, db.Update(func(tx *store.Tx) error {
		return tx.Apply(store.Change{Type: files, After: record(9, "c_3")})
	}))
	requireWhole(t, staged, uploads)
	release := folder.Lock() // the folder is free again
	release()
	release()

	failure := errors.New("no")
	if _, err := Stage(db, folder, from, func(*store.Tx) ([]string, error) { return nil, failure }); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	left, err := filepath.Glob(filepath.Join(from, ".backup-*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	check(t, Sweep(from, time.Now().Add(time.Minute)))
	if got := slices.Sorted(maps.Keys(tree(t, from))); !slices.Equal(got, []string{dataName, "uploads/b_2", "uploads/c_3"}) {
		t.Errorf("after sweeping there are %v", got)
	}
}

func TestSweepTakesOnlyWhatIsOld(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{".quire-backup-1", "quire-backup-2", "site.tar.zst"} {
		check(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	check(t, Sweep(folder, time.Now().Add(-time.Hour)))
	if got := tree(t, folder); len(got) != 3 {
		t.Errorf("there are %v", got)
	}
	check(t, Sweep(folder, time.Now().Add(time.Hour)))
	if got := slices.Sorted(maps.Keys(tree(t, folder))); !slices.Equal(got, []string{"quire-backup-2", "site.tar.zst"}) {
		t.Errorf("there are %v", got)
	}
	check(t, Sweep(filepath.Join(folder, "none"), time.Now()))
}

// A folder of backups may be one in which others keep their things.
func TestSweepLeavesWhatIsOfOthers(t *testing.T) {
	data, backups := t.TempDir(), t.TempDir()
	for _, folder := range []string{data, backups} {
		for _, name := range []string{".backup-123", ".backup-old", ".restore-", ".quire-backup-7"} {
			check(t, os.Mkdir(filepath.Join(folder, name), 0o700))
			check(t, os.WriteFile(filepath.Join(folder, name, "a"), nil, 0o600))
		}
		check(t, os.WriteFile(filepath.Join(folder, ".quire-backup-mine"), nil, 0o600))
		check(t, os.WriteFile(filepath.Join(folder, ".quire-backup-42"), nil, 0o600))
	}
	check(t, Sweep(data, time.Now().Add(time.Hour)))
	check(t, SweepBackups(backups, time.Now().Add(time.Hour)))
	stays := []string{".backup-old/a", ".quire-backup-7/a", ".quire-backup-mine", ".restore-/a"}
	if got := slices.Sorted(maps.Keys(tree(t, data))); !slices.Equal(got, stays) {
		t.Errorf("in the data folder there are %v", got)
	}
	if got := slices.Sorted(maps.Keys(tree(t, backups))); !slices.Equal(got, append([]string{".backup-123/a"}, stays...)) {
		t.Errorf("in the folder of backups there are %v", got)
	}
}

// Where a backup comes from can be read without reading all of it. What is no
// backup is refused.
func TestReadAbout(t *testing.T) {
	path := saveFolder(t, newFolder(t, map[string]string{"a_1": strings.Repeat("a", 5000)}))
	about, err := ReadAbout(path)
	if err != nil || about.Program != "quire test" || about.Schemas != "abc" || about.Format != Format {
		t.Errorf("%+v, %v", about, err)
	}
	none := filepath.Join(t.TempDir(), "none")
	check(t, os.WriteFile(none, []byte("no backup"), 0o600))
	if _, err := ReadAbout(none); !isFileError(err) {
		t.Errorf("%v", err)
	}
	if _, err := ReadAbout(none + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// An error of the function that takes the files of a backup is not the backup's.
func TestErrorsOfOthersAreNotTheBackups(t *testing.T) {
	path := saveFolder(t, newFolder(t, map[string]string{"a_1": "a"}))
	failure := errors.New("no")
	if _, err := readBackup(t.Context(), path, func(File, io.Reader) error { return failure }); !errors.Is(err, failure) || isFileError(err) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, path); !errors.Is(err, context.Canceled) || isFileError(err) {
		t.Errorf("%v", err)
	}
	if _, err := Verify(t.Context(), path+"x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
