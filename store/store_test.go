package store

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 takes a new one")

// newRand returns a source whose seed a failing test shows.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", seed)
	return rand.New(rand.NewPCG(seed, seed))
}

// open opens a file that, when the test ends, has to be sound to this package
// and to bbolt.
func open(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(path, o)
	noError(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		requireSound(t, path)
	})
	return db
}

func newDB(t *testing.T) *DB {
	t.Helper()
	return open(t, filepath.Join(t.TempDir(), "quire.db"), Options{})
}

func requireSound(t testing.TB, path string) {
	t.Helper()
	problems, err := CheckFile(context.Background(), path)
	if err != nil || len(problems) > 0 {
		t.Errorf("the file is not sound: %v %v", problems, err)
	}
	bolt, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	noError(t, err)
	defer bolt.Close()
	_ = bolt.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt finds fault: %v", err)
		}
		return nil
	})
}

// update and view fail the test on any error.
func update(t testing.TB, db *DB, fn func(*Tx) error) {
	t.Helper()
	noError(t, db.Update(fn))
}

func view(t *testing.T, db *DB, fn func(*Tx) error) {
	t.Helper()
	noError(t, db.View(fn))
}

// text is an entry with one text field.
func text(id uint64, documentID, locale string, s Status, title string) *Entry {
	return &Entry{
		ID: id, DocumentID: documentID, Locale: locale, Status: s,
		Fields: []Field{{"title", Value{Kind: Text, Text: title}}},
	}
}

// put stores new entries in one update.
func put(t testing.TB, db *DB, uid string, entries ...*Entry) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		for _, e := range entries {
			if err := tx.Apply(Change{Type: uid, After: e}); err != nil {
				return err
			}
		}
		return nil
	})
}

// content returns all entries of the file as uid → entries in the order of Scan.
func content(db *DB) (map[string][]*Entry, error) {
	all := map[string][]*Entry{}
	err := db.View(func(tx *Tx) error {
		for _, uid := range tx.Types() {
			err := tx.Scan(uid, func(e *Entry) error {
				all[uid] = append(all[uid], e)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

func requireContent(t *testing.T, db *DB, want map[string][]*Entry) {
	t.Helper()
	got, err := content(db)
	noError(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the file holds\n%s\nand should hold\n%s", listing(got), listing(want))
	}
}

func listing(all map[string][]*Entry) string {
	s := ""
	for uid, entries := range all {
		for _, e := range entries {
			s += fmt.Sprintf("  %s %s #%d %d fields\n", uid, e.Key(), e.ID, len(e.Fields))
		}
	}
	return s
}

func revision(t *testing.T, db *DB) (n uint64) {
	t.Helper()
	view(t, db, func(tx *Tx) error {
		n = tx.Revision()
		return nil
	})
	return n
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	noError(t, err)
	return b
}

func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	noError(t, os.WriteFile(path, b, 0o600))
}

var errTest = errors.New("no, says the test")

func noError(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
