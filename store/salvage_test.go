package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// Of a damaged file every entry that can be read comes out whole, and what comes
// out is a sound file; the damaged one stays as it is.
func TestSalvage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "whole.db")
	want := damageable(t, path)
	all := 0
	for _, entries := range want {
		all += len(entries)
	}
	used := usedBytes(t, path)
	whole := readFile(t, path)[:used]
	r := newRand(t)
	some, none := 0, 0
	for range 150 {
		b := bytes.Clone(whole)
		switch r.IntN(3) {
		case 0:
			b = b[:os.Getpagesize()*2+r.IntN(used-os.Getpagesize()*2)]
		case 1:
			at := os.Getpagesize()*2 + r.IntN(used-os.Getpagesize()*3)
			clear(b[at : at+os.Getpagesize()])
		default:
			b[os.Getpagesize()*2+r.IntN(used-os.Getpagesize()*2)] ^= 1 << r.IntN(8)
		}
		found := requireSalvage(t, b, want)
		switch {
		case found == nil:
			none++
		case found.Entries < all && len(found.Lost) == 0:
			t.Errorf("%d of %d entries, and nothing is said to be lost", found.Entries, all)
		default:
			some++
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("something came out of %d files, nothing of %d", some, none)
	if some == 0 {
		t.Error("nothing is ever salvaged")
	}
}

func requireSalvage(t *testing.T, b []byte, want map[string][]*Entry) *Salvaged {
	t.Helper()
	folder := t.TempDir()
	from, to := filepath.Join(folder, "damaged.db"), filepath.Join(folder, "new.db")
	writeFile(t, from, b)
	found, err := Salvage(t.Context(), from, to)
	if !bytes.Equal(readFile(t, from), b) {
		t.Error("the damaged file was written to")
	}
	if err != nil {
		requireTyped(t, err)
		if files, _ := os.ReadDir(folder); len(files) != 1 {
			t.Errorf("it leaves %v", files)
		}
		return nil
	}
	requireSound(t, to)
	db := open(t, to, Options{})
	got, err := content(db)
	noError(t, err)
	n := 0
	for uid, entries := range got {
		n += len(entries)
		for _, e := range entries {
			if !contains(want[uid], e) {
				t.Errorf("%s %s came out, and was not there", uid, e.Key())
			}
		}
	}
	if n != found.Entries {
		t.Errorf("it says %d entries, and has %d", found.Entries, n)
	}
	return found
}

func contains(entries []*Entry, e *Entry) bool {
	for _, other := range entries {
		if reflect.DeepEqual(e, other) {
			return true
		}
	}
	return false
}

// A sound file comes out whole, and what is there is never replaced.
func TestSalvageOfASoundFile(t *testing.T) {
	folder := t.TempDir()
	path, to := filepath.Join(folder, "whole.db"), filepath.Join(folder, "new.db")
	want := damageable(t, path)
	found, err := Salvage(t.Context(), path, to)
	if err != nil || len(found.Lost) > 0 || found.Others < 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	db := open(t, to, Options{})
	got, err := content(db)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%s", err, listing(got))
	}
	if _, err := Salvage(t.Context(), path, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
}
