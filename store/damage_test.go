package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

// damageable makes a file with all that a file can have: branch pages, values
// longer than a page, buckets within a page and of their own, free pages. Its
// last two commits hold the same entries, so that losing one head loses none.
func damageable(t testing.TB, path string) map[string][]*Entry {
	db := open(t, path, Options{})
	r := rand.New(rand.NewPCG(5, 6))
	fill(t, db, 60, true)
	put(t, db, dogs, text(1, "rex", "en", Draft, strings.Repeat("long ", 2_000)), text(2, "rex", "", Published, "Rex"))
	put(t, db, "api::cat.cat", text(1, "tom", "", Published, "Tom"))
	gone := benchEntry(r, 1, Draft)
	gone.Locale = "fr"
	gone.Fields = []Field{{"blob", Value{Kind: Text, Text: strings.Repeat("x", 30_000)}}}
	put(t, db, benchType, gone)
	update(t, db, func(tx *Tx) error { return tx.Apply(Change{Type: benchType, Before: gone}) })
	update(t, db, func(tx *Tx) error { return tx.PutRecord("tokens", "a", []byte("secret")) })
	update(t, db, func(tx *Tx) error { return tx.SetSequence("dogs", 2) })
	all, err := content(db)
	noError(t, err)
	noError(t, db.Close())
	return all
}

// Wherever a bit flips, the entries are all as they were, or an error says what
// is wrong; nothing panics, and nothing is written.
func TestFlippedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.db")
	want := damageable(t, path)
	used := usedBytes(t, path)
	whole := readFile(t, path)[:used]
	r := newRand(t)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	refused, later, harmless := 0, 0, 0
	for at := r.IntN(3); at < used; at += 1 + r.IntN(2*flipEvery(at)) {
		b := bytes.Clone(whole)
		b[at] ^= 1 << r.IntN(8)
		opened, err := useDamaged(t, damaged, b, want)
		switch {
		case !opened:
			refused++
		case err != nil:
			later++
		default:
			harmless++
		}
		if t.Failed() {
			t.Fatalf("byte %d, page %d", at, at/os.Getpagesize())
		}
	}
	t.Logf("refused by Open %d, found by reading %d, harmless %d", refused, later, harmless)
	if refused == 0 || later == 0 || harmless == 0 {
		t.Error("the damage does not reach what it should test")
	}
}

// flipEvery is denser where a page describes itself.
func flipEvery(at int) int {
	if at%os.Getpagesize() < pageHead+4*elementSize {
		return 10
	}
	return 300
}

func usedBytes(t testing.TB, path string) int {
	bolt, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	noError(t, err)
	defer bolt.Close()
	size := 0
	_ = bolt.View(func(tx *bbolt.Tx) error { size = int(tx.Size()); return nil })
	return size
}

// useDamaged opens and reads a file of these bytes in every way there is.
func useDamaged(t *testing.T, path string, b []byte, want map[string][]*Entry) (opened bool, err error) {
	t.Helper()
	writeFile(t, path, b)
	problems, checkErr := CheckFile(t.Context(), path)
	requireTyped(t, checkErr)
	db, err := Open(path, Options{})
	requireTyped(t, err)
	if err == nil {
		opened = true
		var got map[string][]*Entry
		got, err = content(db)
		requireTyped(t, err)
		if err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("without a word, the file holds\n%s", listing(got))
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if err != nil && checkErr == nil && len(problems) == 0 {
		t.Errorf("CheckFile finds nothing, but: %v", err)
	}
	if !bytes.Equal(readFile(t, path), b) {
		t.Error("a damaged file was written to")
	}
	return opened, err
}

func requireTyped(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.As(err, new(*CorruptError)) && !errors.As(err, new(*FormatError)) {
		t.Errorf("%T: %v", err, err)
	}
}

func TestCutOffFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.db")
	want := damageable(t, path)
	used := usedBytes(t, path)
	whole := readFile(t, path)[:used]
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	for size := 0; size < used; size += os.Getpagesize() / 2 {
		if opened, _ := useDamaged(t, damaged, whole[:size], want); opened {
			t.Errorf("opened with %d of %d bytes", size, used)
		}
	}
	if _, err := useDamaged(t, damaged, whole, want); err != nil {
		t.Errorf("without the unused end: %v", err)
	}
}

// Pages that were replaced as a whole are the kind of damage that a disk does.
func TestReplacedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.db")
	want := damageable(t, path)
	page := os.Getpagesize()
	pages := usedBytes(t, path) / page
	whole := readFile(t, path)[:pages*page]
	r := newRand(t)
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	for i := range pages {
		random := make([]byte, page)
		for j := range random {
			random[j] = byte(r.Uint32())
		}
		other := 2 + r.IntN(pages-2)
		renamed := bytes.Clone(whole[other*page : (other+1)*page]) // another page that claims to be this one
		order.PutUint64(renamed, uint64(i))
		for _, replacement := range [][]byte{make([]byte, page), random, renamed} {
			b := bytes.Clone(whole)
			copy(b[i*page:], replacement)
			useDamaged(t, damaged, b, want)
			if t.Failed() {
				t.Fatalf("page %d of %d, by %d", i, pages, other)
			}
		}
	}
}

// A file that shrinks under a running program makes bbolt fault. That is an
// error for whoever reads, and the program goes on.
func TestAFileCutWhileItIsOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db, err := Open(path, Options{})
	noError(t, err)
	fill(t, db, 4*scanRun, true)
	whole := readFile(t, path)
	noError(t, os.Truncate(path, int64(8*os.Getpagesize())))
	var corrupt *CorruptError
	if _, err := content(db); !errors.As(err, &corrupt) {
		t.Errorf("a scan: %v", err)
	}
	problems, err := db.Check(t.Context())
	if err != nil || len(problems) == 0 {
		t.Errorf("Check: %v, %v", problems, err)
	}
	writeFile(t, path, whole)
	noError(t, db.Reopen())
	noError(t, db.Close())
	requireSound(t, path)
}
