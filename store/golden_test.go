package store

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

var writeGolden = flag.Bool("golden", false, "write the fixtures of a new file format; those of released formats must stay as they are")

// goldenEntry is the example of doc.go.
func goldenEntry() *Entry {
	return &Entry{
		ID:         7,
		DocumentID: "k4hxw0ou2mv3ta9c1b8dzqeg",
		Locale:     "en",
		Status:     Draft,
		CreatedAt:  1750000000000,
		UpdatedAt:  1750000360000,
		Fields: []Field{
			{"address", Value{Kind: Instances, Instances: []Instance{{ID: 3, Component: "place.address", Fields: []Field{
				{"city", Value{Kind: Text, Text: "Tartu"}},
			}}}}},
			{"age", Value{Kind: Int, Num: 4}},
			{"good", Value{Kind: Bool, Num: 1}},
			{"name", Value{Kind: Text, Text: "Rex"}},
			{"owners", Value{Kind: Edges, Edges: []Edge{
				{Target: "ada", Place: 1024},
				{Target: "tom", Type: "api::person.person", Locale: "en", Place: 2048},
			}}},
			{"tags", Value{Kind: JSON, Text: `["a"]`}},
			{"weight", Value{Kind: Float, Real: 30.5}},
		},
	}
}

// goldenContent is what testdata/format-1.db holds.
func goldenContent() map[string][]*Entry {
	draft := goldenEntry()
	published := *draft
	published.ID, published.Status, published.PublishedAt = 8, Published, 1750000360000
	return map[string][]*Entry{
		dogs:                 {draft, &published},
		"api::person.person": {text(1, "ada", "", Published, "Ada")},
	}
}

func goldenFile(format int) string {
	return filepath.Join("testdata", fmt.Sprintf("format-%d.db", format))
}

// The bytes of an entry are what its format says, whatever becomes of the code.
func TestGoldenEntries(t *testing.T) {
	stamped := goldenEntry()
	stamped.Stamp = Stamp{Version: 12, Action: ActionUpdate, CreatedBy: ActorOf(ByUser, "ada"), UpdatedBy: ActorOf(ByToken, "3")}
	for format, e := range map[int]*Entry{plainFormat: goldenEntry(), stampedFormat: stamped} {
		p, key, value := stored(t, dogs, e)
		got := "key\n" + hex.Dump(key) + "value\n" + hex.Dump(value)
		path := filepath.Join("testdata", fmt.Sprintf("entry-%d.hex", format))
		if *writeGolden {
			writeFile(t, path, []byte(got))
		}
		if want := string(readFile(t, path)); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
		if back, err := newDecoder().entry(p, key, value); err != nil || !reflect.DeepEqual(back, e) {
			t.Errorf("%+v, %v", back, err)
		}
	}
}

// A published version beside the draft of the first example, as it is stored and read.
func TestGoldenShortEntry(t *testing.T) {
	_, _, draft := stored(t, dogs, goldenEntry())
	e := goldenEntry()
	e.ID, e.Status, e.PublishedAt = 8, Published, e.UpdatedAt
	_, key, whole := stored(t, dogs, e)
	value := shorten(whole, draft)
	got := "key\n" + hex.Dump(key) + "value\n" + hex.Dump(value)
	path := filepath.Join("testdata", "entry-3.hex")
	if *writeGolden {
		writeFile(t, path, []byte(got))
	}
	if want := string(readFile(t, path)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if back, err := lengthen(value, draft); err != nil || !bytes.Equal(back, whole) {
		t.Errorf("%x, %v", back, err)
	}
}

// Files of every format that there ever was can be read, and written to.
func TestFilesOfEveryFormat(t *testing.T) {
	if *writeGolden {
		makeGoldenFile(t)
	}
	for format := 1; format <= FileFormat; format++ {
		old := open(t, goldenFile(format), Options{ReadOnly: true})
		requireGolden(t, old)

		path := filepath.Join(t.TempDir(), "quire.db")
		writeFile(t, path, readFile(t, goldenFile(format)))
		db := open(t, path, Options{})
		requireGolden(t, db)
		put(t, db, dogs, text(9, "new", "en", Draft, "New"))
		if got := revision(t, db); got != 3 {
			t.Errorf("format %d: revision %d after one more commit", format, got)
		}
	}
}

func requireGolden(t *testing.T, db *DB) {
	t.Helper()
	requireContent(t, db, goldenContent())
	view(t, db, func(tx *Tx) error {
		token, err := tx.Record("tokens", "reader")
		if string(token) != "secret" || err != nil || tx.Sequence(dogs) != 8 || tx.Revision() != 2 {
			t.Errorf("record %q, %v, sequence %d, revision %d", token, err, tx.Sequence(dogs), tx.Revision())
		}
		return nil
	})
}

func makeGoldenFile(t *testing.T) {
	db := newDB(t)
	update(t, db, func(tx *Tx) error {
		return errors.Join(tx.SetSequence(dogs, 8), tx.PutRecord("tokens", "reader", []byte("secret")))
	})
	update(t, db, func(tx *Tx) error {
		for uid, entries := range goldenContent() {
			for _, e := range entries {
				if err := tx.Apply(Change{Type: uid, After: e}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f, err := os.Create(goldenFile(FileFormat))
	noError(t, err)
	if _, err := db.Backup(f); err != nil {
		t.Fatal(err)
	}
	noError(t, f.Close())
}
