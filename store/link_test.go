package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// linked is a link to the path of a data file in another folder.
func linked(t *testing.T, to string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "quire.db")
	if err := os.Symlink(to, path); err != nil {
		t.Skip("no links here:", err)
	}
	return path
}

// requireLink holds that a link still leads to a file, and nothing lies beside it.
func requireLink(t *testing.T, path, to string) {
	t.Helper()
	if leads, err := os.Readlink(path); err != nil || leads != to {
		t.Errorf("the link is gone: %q, %v", leads, err)
	}
	requireAlone(t, path)
}

// What replaces the data file replaces what a link leads to, and not the link.
func TestLinkedFile(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, db *DB) error{
		"compact": func(t *testing.T, db *DB) error {
			_, err := db.Compact(t.Context())
			return err
		},
		"exchange": func(_ *testing.T, db *DB) error {
			return db.Exchange(func(path string) error {
				f, err := os.Create(path + ".work")
				if err == nil {
					_, err = db.Backup(f)
				}
				return errors.Join(err, f.Close(), Replace(path+".work", path))
			})
		},
		"nothing": func(*testing.T, *DB) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			real := filepath.Join(t.TempDir(), "real.db")
			loose(t, real).Close()
			path := linked(t, real)
			db := open(t, path, Options{})
			content := must(content(db))
			noError(t, errors.Join(replace(t, db), db.Reopen()))
			requireContent(t, db, content)
			requireLink(t, path, real)
			requireAlone(t, real)
		})
	}
}

func TestMigrateThroughALink(t *testing.T) {
	real := oldFile(t)
	path := linked(t, real)
	if done, err := Migrate(t.Context(), path); err != nil || done.From != done.To {
		t.Errorf("%+v, %v", done, err)
	}
	followed, err := followLink(path)
	noError(t, err)
	done, err := migrator{followed, FileFormat + 2, inventedMigrations()}.run(t.Context())
	if err != nil || filepath.Dir(done.Kept) != filepath.Dir(followed) {
		t.Errorf("%+v, %v", done, err)
	}
	requireLink(t, path, real)
}

// Where a link leads nowhere, a disk may be missing: no new file is made.
func TestLinkToNothing(t *testing.T) {
	to := filepath.Join(t.TempDir(), "missing.db")
	path := linked(t, to)
	if _, err := Open(path, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	if _, err := os.Lstat(to); err == nil {
		t.Error("a file was made")
	}
	requireLink(t, path, to)
}
