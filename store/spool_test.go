package store

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newSpool(t *testing.T, db *DB) *Spool {
	t.Helper()
	s, err := db.NewSpool()
	noError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// loadAll brings all of a spool into the file.
func loadAll(t *testing.T, db *DB, s *Spool) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		return s.All(func(one Spooled) error {
			if one.Gone() {
				return nil
			}
			return tx.Load(one)
		})
	})
}

// What is put into a spool at random, again and again, is found there as a map would have
// it, and comes into a file as that file has it, also where all names have few hashes.
func TestASpoolIsAMap(t *testing.T) {
	r := newRand(t)
	for _, hashes := range []uint64{1 << 63, 3} {
		db := newDB(t)
		s := newSpool(t, db)
		seed := maphash.MakeSeed()
		s.hash = func(name []byte) uint64 { return maphash.Bytes(seed, name) % hashes }
		m, named := model{}, map[Name]bool{}
		for range 20 {
			run := map[Name]*Entry{}
			for range r.IntN(60) {
				c := m.randomChange(r)
				m.apply(c)
				run[c.Name()], named[c.Name()] = c.After, true
			}
			noError(t, s.Put(run))
		}
		for n := range named {
			e, known, err := s.Entry(n)
			if want := m[n.Type][n.Key]; err != nil || !known || (e == nil) != (want == nil) || e != nil && (e.ID != want.ID || !e.Fields.Equal(want.Fields)) {
				t.Errorf("%s is %+v, %v, %v; want %+v", n, e, known, err, want)
			}
		}
		if e, known, err := s.Entry(Name{dogs, Key{"nobody", "", Draft}}); e != nil || known || err != nil {
			t.Errorf("nobody is %v, %v, %v", e, known, err)
		}
		loadAll(t, db, s)
		requireContent(t, db, m.content())
		requireShort(t, db)
		if t.Failed() {
			return
		}
	}
}

// Entries that come in no order fill the pages of the file as if they had come in order.
func TestWhatWasSpooledFillsItsPages(t *testing.T) {
	db := newDB(t)
	s := newSpool(t, db)
	total := 0
	for i := range 20 {
		run := map[Name]*Entry{}
		for j := range 100 {
			e := text(uint64(100*i+j+1), fmt.Sprintf("%d-dog", 7919*(100*i+j)%2000), "", Draft, strings.Repeat("x", 500))
			run[Name{dogs, e.Key()}] = e
			total += 600
		}
		noError(t, s.Put(run))
	}
	loadAll(t, db, s)
	view(t, db, func(tx *Tx) error {
		used := tx.bucket(entryBucketOf(dogs, "").path()...).Stats()
		if used.LeafAlloc > total*5/4 {
			t.Errorf("%d bytes of entries take pages of %d bytes", total, used.LeafAlloc)
		}
		return nil
	})
}

// A spool that cannot be written or read, and one that the disk has changed, says so.
func TestASpoolThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	run := map[Name]*Entry{{dogs, Key{"rex", "", Draft}}: text(1, "rex", "", Draft, "Rex")}

	changed := newSpool(t, db)
	noError(t, changed.Put(run))
	if _, err := changed.file.WriteAt([]byte("M"), changed.size.Load()-1); err != nil {
		t.Fatal(err)
	}
	err := db.Update(func(tx *Tx) error { return changed.All(tx.Load) })
	if !errors.Is(err, errChecksum) {
		t.Errorf("what has been changed: %v", err)
	}

	for name, spoil := range map[string]func(*Spool) error{
		"closed":  func(s *Spool) error { return s.file.Close() },
		"cut off": func(s *Spool) error { return s.file.Truncate(s.size.Load() - 3) },
	} {
		s := newSpool(t, db)
		noError(t, errors.Join(s.Put(run), spoil(s)))
		if err := s.All(func(Spooled) error { return nil }); !errors.As(err, new(*WriteError)) {
			t.Errorf("%s: reading it gives %v", name, err)
		}
		if err := s.Put(run); name == "closed" && !errors.As(err, new(*WriteError)) {
			t.Errorf("%s: writing to it gives %v", name, err)
		}
	}
	if err := newSpool(t, db).Put(map[Name]*Entry{{dogs, Key{"", "", Draft}}: text(1, "", "", Draft, "Rex")}); !errors.As(err, new(*EntryError)) {
		t.Errorf("an entry without a name: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside the data file there are %v, %v", left, err)
	}
}
