package backup

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/store"
)

// What was there is kept, whole, and what takes its place is whole too, whatever
// the two share.
func TestRestoreReplaces(t *testing.T) {
	was := map[string]string{"a_1": "a", "b_2": "damaged since"}
	comes := map[string]string{"b_2": "b", "c_3": "c"}
	path := saveFolder(t, newFolder(t, comes))
	folder := newFolder(t, was)
	check(t, os.Mkdir(filepath.Join(folder, "backups"), 0o700))
	before := tree(t, folder)
	if _, err := Restore(t.Context(), path, folder, false, nil); !errors.As(err, new(*ExistsError)) {
		t.Errorf("unasked: %v", err)
	}
	if !maps.Equal(before, tree(t, folder)) {
		t.Error("unasked, it has changed")
	}
	done, err := Restore(t.Context(), path, folder, true, nil)
	check(t, err)
	requireWhole(t, folder, comes)
	if filepath.Dir(done.Kept) != folder || !maps.Equal(before, tree(t, done.Kept)) {
		t.Errorf("%s holds %v", done.Kept, slices.Sorted(maps.Keys(tree(t, done.Kept))))
	}
	requireWhole(t, done.Kept, was)
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 4 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// Whoever needs the data file alone gets it alone, and only from a backup that is whole.
func TestUnpackData(t *testing.T) {
	from := newFolder(t, map[string]string{"b_2": "b", "c_3": "c"})
	path, folder := saveFolder(t, from), t.TempDir()
	data, err := UnpackData(t.Context(), path, folder)
	check(t, err)
	if got := tree(t, folder); len(got) != 1 || got[dataName] == "" || data != filepath.Join(folder, dataName) {
		t.Errorf("%s, and the folder holds %v", data, slices.Sorted(maps.Keys(got)))
	}
	whole, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, whole[:len(whole)-20], 0o600))
	if _, err := UnpackData(t.Context(), path, t.TempDir()); !errors.As(err, new(*FileError)) {
		t.Errorf("cut off: %v", err)
	}
}

// Uploads that have lost their data file are worth keeping too.
func TestRestoreBesideUploads(t *testing.T) {
	path := saveFolder(t, newFolder(t, map[string]string{"b_2": "b"}))
	folder := newFolder(t, map[string]string{"a_1": "a"})
	check(t, os.Remove(filepath.Join(folder, dataName)))
	if _, err := Restore(t.Context(), path, folder, false, nil); !errors.As(err, new(*ExistsError)) {
		t.Errorf("unasked: %v", err)
	}
	done, err := Restore(t.Context(), path, folder, true, nil)
	check(t, err)
	requireWhole(t, folder, map[string]string{"b_2": "b"})
	if got := tree(t, done.Kept); !maps.Equal(got, map[string]string{"uploads/a_1": "a"}) {
		t.Errorf("kept: %v", got)
	}
}

// A damaged data file is what people restore a backup for.
func TestRestoreOverADamagedFile(t *testing.T) {
	path := saveFolder(t, newFolder(t, nil))
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, dataName), []byte("nonsense"), 0o600))
	done, err := Restore(t.Context(), path, folder, true, nil)
	check(t, err)
	requireWhole(t, folder, map[string]string{})
	if tree(t, done.Kept)[dataName] != "nonsense" {
		t.Errorf("kept: %v", tree(t, done.Kept))
	}
}

func TestRestoreRefuses(t *testing.T) {
	path := saveFolder(t, newFolder(t, map[string]string{"b_2": "b"}))
	folder := newFolder(t, map[string]string{"a_1": "a"})
	before := tree(t, folder)

	db, err := store.Open(filepath.Join(folder, dataName), store.Options{})
	check(t, err)
	if _, err := Restore(t.Context(), path, folder, true, nil); !errors.Is(err, store.ErrInUse) {
		t.Errorf("while a server runs: %v", err)
	}
	check(t, db.Close())
	if _, err := Restore(t.Context(), path+"x", folder, true, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such backup: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Restore(ctx, path, folder, true, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	cut, err := os.ReadFile(path)
	check(t, err)
	check(t, os.WriteFile(path, cut[:len(cut)-10], 0o600))
	if _, err := Restore(t.Context(), path, folder, true, nil); !isFileError(err) || !strings.Contains(err.Error(), path) {
		t.Errorf("cut off: %v", err)
	}
	if !maps.Equal(before, tree(t, folder)) {
		t.Errorf("the folder has changed; it holds %v", slices.Sorted(maps.Keys(tree(t, folder))))
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("something was left: %v", entries)
	}
	file := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(file, nil, 0o600))
	if _, err := Restore(t.Context(), path, filepath.Join(file, "data"), true, nil); err == nil {
		t.Error("a folder that cannot be made")
	}
}

// Who has followed the content that was replaced cannot take what comes after for it.
func TestRestoreUsesNoRevisionAgain(t *testing.T) {
	folder := newFolder(t, nil)
	path := saveFolder(t, folder)
	followed := revisionOf(t, folder, 5) // commits that the backup does not have
	_, err := Restore(t.Context(), path, folder, true, nil)
	check(t, err)
	db, err := store.Open(filepath.Join(folder, dataName), store.Options{})
	check(t, err)
	defer func() { check(t, db.Close()) }()
	check(t, db.View(func(tx *store.Tx) error {
		floor, err := tx.LogFloor()
		if floor <= followed || tx.Revision() <= followed {
			t.Errorf("revision %d, and the log reaches back to %d; %d was known", tx.Revision(), floor, followed)
		}
		return err
	}))
}

// revisionOf commits so often, and returns the last revision.
func revisionOf(t *testing.T, folder string, commits int) (last uint64) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, dataName), store.Options{})
	check(t, err)
	for range commits {
		check(t, db.Update(func(tx *store.Tx) error {
			last = tx.Revision()
			return tx.PutLog([]byte("a change"))
		}))
	}
	check(t, db.Close())
	return last
}
