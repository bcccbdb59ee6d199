package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// Two formats that were never published: the second has all titles in a bucket
// of notes, the third calls the first of them "best".
func inventedMigrations() []migration {
	notes := []byte("notes")
	return []migration{
		{to: FileFormat + 1, does: "notes are kept", run: func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucket(notes)
			if err != nil {
				return err
			}
			return b.Put([]byte("first"), []byte("Rex"))
		}},
		{to: FileFormat + 2, does: "the first note is the best", run: func(tx *bbolt.Tx) error {
			b := tx.Bucket(notes)
			return errors.Join(b.Put([]byte("best"), b.Get([]byte("first"))), b.Delete([]byte("first")))
		}},
	}
}

// oldFile is a file of the current format with one entry.
func oldFile(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
	noError(t, db.Close())
	return path
}

func bestNote(t *testing.T, path string) (best string, format uint64) {
	t.Helper()
	bolt, err := bbolt.Open(path, 0o600, nil)
	noError(t, err)
	defer bolt.Close()
	_ = bolt.View(func(tx *bbolt.Tx) error {
		if b := tx.Bucket([]byte("notes")); b != nil {
			best = string(b.Get([]byte("best")))
		}
		format, err = parseNumber(tx.Bucket([]byte(metaBucket)).Get([]byte(formatKey)))
		return err
	})
	return best, format
}

func TestMigrate(t *testing.T) {
	path := oldFile(t)
	was := readFile(t, path)
	m := migrator{path, FileFormat + 2, inventedMigrations()}
	done, err := m.run(t.Context())
	noError(t, err)
	if done.From != FileFormat || done.To != FileFormat+2 || strings.Join(done.Steps, ", ") != "notes are kept, the first note is the best" {
		t.Errorf("%+v", done)
	}
	if best, format := bestNote(t, path); best != "Rex" || format != FileFormat+2 {
		t.Errorf("the best note is %q, in format %d", best, format)
	}
	if done.Kept != path+".format-1" || string(readFile(t, done.Kept)) != string(was) {
		t.Errorf("the file as it was is not at %s", done.Kept)
	}
	again, err := m.run(t.Context())
	if err != nil || again.From != again.To || again.Steps != nil || again.Kept != "" {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "is in format 3, and this program knows formats up to 1") {
		t.Errorf("this program opens a file of a format that it does not know: %v", err)
	}
}

// From a format in the middle only the rest is done, and the revision goes on.
func TestMigrateTheRest(t *testing.T) {
	path := oldFile(t)
	steps := inventedMigrations()
	if _, err := (migrator{path, FileFormat + 1, steps[:1]}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	done, err := migrator{path, FileFormat + 2, steps}.run(t.Context())
	if err != nil || len(done.Steps) != 1 || done.From != FileFormat+1 {
		t.Errorf("%+v, %v", done, err)
	}
	bolt, err := bbolt.Open(path, 0o600, nil)
	noError(t, err)
	defer bolt.Close()
	_ = bolt.View(func(tx *bbolt.Tx) error {
		if n, err := parseNumber(tx.Bucket([]byte(metaBucket)).Get([]byte(revisionKey))); n != 3 || err != nil {
			t.Errorf("one write and two steps make revision %d, %v", n, err)
		}
		return nil
	})
}

// Whatever goes wrong, the file stays as it was and nothing lies beside it.
func TestMigrateLeavesTheFileAlone(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	steps := inventedMigrations()
	failing := func(run func(*bbolt.Tx) error) []migration {
		return append(steps[:1:1], migration{FileFormat + 2, "", run})
	}
	for _, c := range []struct {
		name  string
		steps []migration
		ctx   context.Context
		want  string
	}{
		{"a step that fails", failing(func(*bbolt.Tx) error { return errTest }), t.Context(), errTest.Error()},
		{"a step that panics", failing(func(*bbolt.Tx) error { panic("oh") }), t.Context(), "oh"},
		{"a step that breaks the file", failing(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte(contentBucket)) }), t.Context(), "it is missing"},
		{"no way there", steps[1:], t.Context(), "knows no way to format 3"},
		{"given up", steps, canceled, "context canceled"},
	} {
		path := oldFile(t)
		was := readFile(t, path)
		if _, err := (migrator{path, FileFormat + 2, c.steps}).run(c.ctx); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if string(readFile(t, path)) != string(was) {
			t.Errorf("%s: the file has changed", c.name)
		}
		requireAlone(t, path)
	}
}

// A process that was killed between the two names of a migration leaves the file
// with both of its own. Another migration does the rest.
func TestMigrateAfterAKillBeforeTheEnd(t *testing.T) {
	path := oldFile(t)
	was := readFile(t, path)
	if err := os.Link(path, path+".format-1"); err != nil {
		t.Skip("no hard links here:", err)
	}
	writeFile(t, path+".migrate", []byte("half"))
	done, err := migrator{path, FileFormat + 2, inventedMigrations()}.run(t.Context())
	noError(t, err)
	if best, format := bestNote(t, path); best != "Rex" || format != FileFormat+2 || string(readFile(t, done.Kept)) != string(was) {
		t.Errorf("the best note is %q, in format %d; kept is %s", best, format, done.Kept)
	}
}

func TestMigrateRefuses(t *testing.T) {
	path := oldFile(t)
	steps := inventedMigrations()
	db := open(t, path, Options{})
	if _, err := (migrator{path, FileFormat + 2, steps}).run(t.Context()); !errors.As(err, new(*LockedError)) {
		t.Errorf("a file that is open: %v", err)
	}
	noError(t, db.Close())
	if done, err := Migrate(t.Context(), path); err != nil || done.From != FileFormat || done.To != FileFormat || done.Kept != "" {
		t.Errorf("a file of the current format: %+v, %v", done, err)
	}
	writeFile(t, path+".format-1", nil)
	if _, err := (migrator{path, FileFormat + 2, steps}).run(t.Context()); !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), ".format-1") {
		t.Errorf("a kept file in the way: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 2 {
		t.Errorf("files were left behind: %v", files)
	}
}

// A program of a later format says of a file what is to be done with it.
func TestAnOlderFormatIsRefused(t *testing.T) {
	id := identity{format: FileFormat, buckets: []string{contentBucket, sequenceBucket, recordsBucket}}
	var format *FormatError
	err := id.judge("quire.db", FileFormat+1)
	if !errors.As(err, &format) || !format.Older || !strings.Contains(err.Error(), "is in format 1, and this program works with format 2; run `quire backup FILE SITE` with the program that wrote it, then `quire migrate format SITE` with this one") {
		t.Errorf("%v", err)
	}
	if err := id.judge("quire.db", FileFormat); err != nil {
		t.Error(err)
	}
}
