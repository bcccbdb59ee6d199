package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loose makes a file with many entries, of which most are deleted again, and
// with sequences and records.
func loose(t *testing.T, path string) *DB {
	t.Helper()
	db := open(t, path, Options{})
	for i := range 40 {
		update(t, db, func(tx *Tx) error {
			for j := range 50 {
				e := text(uint64(i*50+j+1), strings.Repeat(string(rune('a'+j%26)), 1+j/26)+string(rune('A'+i)), "", Draft, strings.Repeat("x", 2000))
				if err := tx.Apply(Change{Type: dogs, After: e}); err != nil {
					return err
				}
			}
			return errors.Join(tx.SetSequence("dogs", uint64(i)), tx.PutRecord("tokens", "t", []byte{byte(i)}))
		})
	}
	update(t, db, func(tx *Tx) error {
		n := 0
		return tx.Scan(dogs, func(e *Entry) error {
			if n++; n%8 == 0 {
				return nil
			}
			return tx.Apply(Change{Type: dogs, Before: e})
		})
	})
	return db
}

// A compacted file holds what it held and is as good, only smaller.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := loose(t, path)
	was, content, full := lastCommit(t, db), must(content(db)), readFile(t, path)

	c, err := db.Compact(t.Context())
	noError(t, err)
	if c.Before != int64(len(full)) || c.After >= c.Before/2 {
		t.Errorf("%+v of a file of %d bytes", c, len(full))
	}
	requireContent(t, db, content)
	if is := lastCommit(t, db); is != was {
		t.Errorf("the content is %v and was %v", is, was)
	}
	view(t, db, func(tx *Tx) error {
		record, err := tx.Record("tokens", "t")
		if tx.Sequence("dogs") != 39 || len(record) != 1 || record[0] != 39 {
			t.Errorf("sequence %d, record %v", tx.Sequence("dogs"), record)
		}
		return err
	})
	put(t, db, dogs, text(9999, "rex", "", Draft, "Rex"))
	if is := lastCommit(t, db); is != (CommitID{was.Lineage, was.Revision + 1}) {
		t.Errorf("the commit after %v is %v", was, is)
	}
	requireAlone(t, path)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// requireAlone demands that no half-made file lies beside the data file.
func requireAlone(t *testing.T, path string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("files were left behind: %v, %v", files, err)
	}
}

func TestCompactIsGivenUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	var long []*Entry // more of them than one transaction of the copy takes
	for i := range uint64(copyBatch>>20 + 2) {
		long = append(long, text(i+2, fmt.Sprint("long", i), "", Draft, strings.Repeat("x", 1<<20)))
	}
	put(t, db, dogs, long...)
	was := must(content(db))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Compact(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	requireAlone(t, path)
	noError(t, os.MkdirAll(path+".compact/x", 0o700))
	if _, err := db.Compact(t.Context()); !errors.As(err, new(*WriteError)) || !strings.Contains(err.Error(), path+".compact") {
		t.Errorf("where something is in the way: %v", err)
	}
	requireContent(t, db, was)
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
}

// A half-made copy of a process that died is overwritten.
func TestCompactOverWhatWasLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := loose(t, path)
	writeFile(t, path+".compact", []byte("half"))
	if _, err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	requireAlone(t, path)
}

// Whoever has renamed another file into place, and then failed, has left open
// which one is to be trusted: nothing is written until the file is reopened.
func TestAnExchangeThatFailsTooLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	rex, ada := text(1, "rex", "", Draft, "Rex"), text(2, "ada", "", Draft, "Ada")
	put(t, db, dogs, rex)
	err := db.Exchange(func(path string) error {
		noError(t, db.compactTo(t.Context(), path+".new"))
		return errors.Join(Replace(path+".new", path), errTest)
	})
	if !errors.As(err, new(*UncertainError)) || !errors.Is(err, errTest) {
		t.Errorf("%v, want an UncertainError", err)
	}
	if err := db.Update(func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: ada}) }); !errors.As(err, new(*SuspendedError)) {
		t.Errorf("a write into the file that has lost its name: %v", err)
	}
	noError(t, db.Reopen())
	put(t, db, dogs, ada)
	requireContent(t, db, map[string][]*Entry{dogs: {ada, rex}})
}
