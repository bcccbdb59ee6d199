package store

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "run the tests that take minutes too")

// readable is all that can be read from a file. Only entries have a checksum of their own.
type readable struct {
	entries map[string][]*Entry
	others  map[string]string // records, sequences, the log and former versions
}

func readAll(db *DB) (r readable, err error) {
	if r.entries, err = content(db); err != nil {
		return r, err
	}
	r.others = map[string]string{}
	return r, db.View(func(tx *Tx) error {
		for _, name := range tx.RecordBuckets() {
			err := tx.Records(name, func(key string, value []byte) error {
				r.others["record "+name+"/"+key] = string(value)
				return nil
			})
			if err != nil {
				return err
			}
		}
		r.others["sequence"] = fmt.Sprint(tx.Sequence("dogs"))
		for _, h := range []History{Replaced, Removed} {
			former, err := tx.HistoryFrom(h, nil, nil, 100, 1<<20)
			if err != nil {
				return err
			}
			for _, v := range former {
				r.others[string(h)+" "+string(v.Key)] = string(v.Value)
			}
		}
		return tx.Log(0, func(revision uint64, value []byte) bool {
			r.others[fmt.Sprint("log ", revision)] = string(value)
			return true
		})
	})
}

// makeSmall makes a file of a few pages that has one of everything. Its last two commits hold
// the same, so that losing one head loses nothing.
func makeSmall(t *testing.T, path string) readable {
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "en", Draft, strings.Repeat("long ", 900)), text(2, "rex", "", Published, "Rex"))
	put(t, db, "api::cat.cat", text(1, "tom", "", Published, "Tom"))
	update(t, db, func(tx *Tx) error { return tx.PutRecord("tokens", "a", []byte("secret")) })
	update(t, db, func(tx *Tx) error { return tx.PutHistory(Replaced, []byte("rex"), []byte("Max")) })
	update(t, db, func(tx *Tx) error { return tx.PutLog([]byte("rex was created")) })
	update(t, db, func(tx *Tx) error { return tx.SetSequence("dogs", 2) })
	update(t, db, func(tx *Tx) error { return tx.SetSequence("dogs", 2) })
	all, err := readAll(db)
	noError(t, err)
	noError(t, db.Close())
	return all
}

// Whichever byte of a file has a flipped bit, Open, CheckFile or the read reports it, or all
// entries are as they were. Of what has no checksum, at most one value is another.
//
//	go test ./store -run TestEveryFlippedByte -long    flips a bit of each byte
func TestEveryFlippedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.db")
	want := makeSmall(t, path)
	whole := readFile(t, path)[:usedBytes(t, path)]
	damaged := filepath.Join(t.TempDir(), "damaged.db")
	r := newRand(t)
	reported, same, unnoticed := 0, 0, 0
	for at := 0; at < len(whole); at += step(r, at) {
		bit := r.IntN(8)
		b := bytes.Clone(whole)
		b[at] ^= 1 << bit
		changed, found := readDamaged(t, damaged, b, want)
		switch {
		case found:
			reported++
		case changed > 0:
			unnoticed++
		default:
			same++
		}
		if changed > 1 {
			t.Errorf("without a word, %d values are others", changed)
		}
		if t.Failed() {
			t.Fatalf("bit %d of byte %d, page %d", bit, at, at/os.Getpagesize())
		}
	}
	t.Logf("of %d bytes: %d flips were reported, %d changed nothing, %d changed a value without a checksum", len(whole), reported, same, unnoticed)
	if reported == 0 || same == 0 {
		t.Error("the flips do not reach what they should test")
	}
}

// step is the distance from a byte that is flipped to the next one.
func step(r *rand.Rand, at int) int {
	if *long {
		return 1
	}
	return 1 + r.IntN(2*flipEvery(at))
}

// readDamaged reports whether anything says that a file of these bytes is damaged, and
// otherwise how many values without a checksum differ. Entries must not.
func readDamaged(t *testing.T, path string, b []byte, want readable) (changed int, found bool) {
	t.Helper()
	writeFile(t, path, b)
	problems, err := CheckFile(t.Context(), path)
	requireTyped(t, err)
	found = len(problems) > 0 || err != nil
	db, err := Open(path, Options{})
	requireTyped(t, err)
	if err != nil {
		return 0, true
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(readFile(t, path), b) {
			t.Error("a damaged file was written to")
		}
	}()
	got, err := readAll(db)
	requireTyped(t, err)
	if err != nil || found {
		return 0, true
	}
	if !reflect.DeepEqual(got.entries, want.entries) {
		t.Errorf("without a word, the file holds\n%s", listing(got.entries))
	}
	return differing(got.others, want.others), false
}

// differing counts the values that differ. A value under another key counts once.
func differing(got, want map[string]string) int {
	missing, other := 0, 0
	for key := range want {
		switch value, there := got[key]; {
		case !there:
			missing++
		case value != want[key]:
			other++
		}
	}
	added := 0
	for key := range got {
		if _, there := want[key]; !there {
			added++
		}
	}
	return max(missing, added) + other
}
