package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
)

// manyEntries puts so many random documents into a new file, some of them drafts alone,
// some published, some published as they are drafted. Each has an id of its own, at a random
// place in the order.
func manyEntries(t *testing.T, r *rand.Rand, n int) *DB {
	db := newDB(t)
	update(t, db, func(tx *Tx) error {
		for i := range n {
			e := randomEntry(r)
			e.ID, e.DocumentID = uint64(3*i+1), fmt.Sprintf("doc%05d-%d", r.IntN(1<<30), i)
			equal, other := *e, *randomEntry(r)
			equal.ID, equal.Status = e.ID+1, Published
			other.ID, other.DocumentID, other.Locale, other.Status = e.ID+2, e.DocumentID, e.Locale, Published
			versions := [][]*Entry{{e}, {e, &equal}, {e, &other}, {&other}}[r.IntN(4)]
			for _, one := range versions {
				if err := tx.Apply(Change{Type: dogs, After: one}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return db
}

// What is lent is what Scan shows, as long as it is lent: memory is used again, but never
// too early.
func TestLendShowsWhatScanShows(t *testing.T) {
	db := manyEntries(t, newRand(t), 9*scanRun)
	shown := func(scan func(*Tx, string, func(*Entry) error) error) map[Key]string {
		all := map[Key]string{}
		var before *Field // of the entry that came last; where it is, not what
		view(t, db, func(tx *Tx) error {
			return scan(tx, dogs, func(e *Entry) error {
				_, key, value := stored(t, dogs, e)
				var first *Field
				if len(e.Fields) > 0 {
					first = &e.Fields[0]
				}
				shared := first != nil && first == before
				own := e.Key()
				own.DocumentID = string([]byte(own.DocumentID))
				all[own] = fmt.Sprintf("%x %x %t", key, value, shared)
				before = first
				return nil
			})
		})
		return all
	}
	if scanned, lent := shown((*Tx).Scan), shown((*Tx).Lend); len(lent) == 0 || !maps.Equal(scanned, lent) {
		t.Errorf("%d entries are scanned, %d lent, and they are not the same", len(scanned), len(lent))
	}
}

// Whoever stops early leaves nothing behind that waits.
func TestLendEndsWithTheCaller(t *testing.T) {
	db := manyEntries(t, newRand(t), 9*scanRun)
	enough := errors.New("enough")
	for _, most := range []int{0, 1, scanRun, 5 * scanRun} {
		n := 0
		view(t, db, func(tx *Tx) error {
			err := tx.Lend(dogs, func(*Entry) error {
				if n++; n > most {
					return enough
				}
				return nil
			})
			if err != enough || n != most+1 {
				t.Errorf("after %d of %d entries: %v", n, most, err)
			}
			return nil
		})
	}
}
