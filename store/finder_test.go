package store

import (
	"strings"
	"testing"
)

// A Finder knows what Entry does, of entries that are there and of others, when it is asked
// again, too, and for names that change after the question.
func TestAFinderFindsWhatEntryDoes(t *testing.T) {
	r := newRand(t)
	db := manyEntries(t, r, 3*scanRun)
	view(t, db, func(tx *Tx) error {
		var keys []Key
		if err := tx.Scan(dogs, func(e *Entry) error {
			keys = append(keys, e.Key(), e.Key().WithStatus(Draft), Key{DocumentID: e.DocumentID, Locale: "tlh", Status: Draft}, Key{DocumentID: e.DocumentID + "x", Locale: e.Locale, Status: Draft})
			return nil
		}); err != nil {
			return err
		}
		f := tx.Finder()
		for range 4 * len(keys) {
			k := keys[r.IntN(len(keys))]
			e, err := tx.Entry(dogs, k)
			if err != nil {
				return err
			}
			lent := []byte(k.DocumentID)
			id, found := f.ID(dogs, Key{string(lent), k.Locale, k.Status})
			if found != (e != nil) || e != nil && id != e.ID {
				t.Fatalf("%s: %d, %t, want %+v", k, id, found, e)
			}
			if again, err := f.Entry(dogs, k); err != nil || (again == nil) != (e == nil) {
				t.Fatalf("%s: %+v, %v", k, again, err)
			}
		}
		for uid, k := range map[string]Key{"": keys[0], "no::such.type": keys[0], dogs: {DocumentID: strings.Repeat("x", maxName+1), Status: Draft}} {
			if id, found := f.ID(uid, k); found {
				t.Errorf("%q %s has the id %d", uid, k, id)
			}
		}
		return nil
	})
}

// What a Finder remembers does not grow with what it is asked.
func TestAFinderForgets(t *testing.T) {
	db := newDB(t)
	put(t, db, dogs, text(7, "rex", "", Draft, "Rex"))
	view(t, db, func(tx *Tx) error {
		f := tx.Finder()
		for i := range 3 * mostRecent {
			f.ID(dogs, Key{DocumentID: "a" + strings.Repeat("b", i%200) + string(rune('a'+i%26)) + string(rune(0x100+i)), Status: Draft})
			if len(f.recent) > mostRecent {
				t.Fatalf("it remembers %d names", len(f.recent))
			}
		}
		if id, found := f.ID(dogs, Key{DocumentID: "rex", Status: Draft}); id != 7 || !found {
			t.Errorf("rex is %d, %t", id, found)
		}
		return nil
	})
}
