package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"quire/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newDesk(t *testing.T) (*store.DB, *Desk) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	return db, New(db, nil)
}

// All accounts share one bound, and what goes with an account is free for others.
func TestMostForms(t *testing.T) {
	db, d := newDesk(t)
	large := AutosaveKey{UID: "api::dish.dish", DocumentID: "large", Locale: "en"}
	check(t, db.Update(func(tx *store.Tx) error {
		value, err := json.Marshal(&note{Bytes: MostForms - 10})
		check(t, err)
		return tx.PutRecord(AutosavesBucket, large.key("other"), value)
	}))
	small := Autosave{AutosaveKey: AutosaveKey{UID: "api::dish.dish", DocumentID: "small"}, Form: []byte(`"12345678"`)}
	if _, err := d.Save("ana", small); err != nil {
		t.Errorf("a form of 10 bytes: %v", err)
	}
	small.Form = []byte(`"123456789"`)
	var full *FullError
	if _, err := d.Save("ana", small); !errors.As(err, &full) {
		t.Errorf("a form of 11 bytes: %v", err)
	}
	if kept, err := d.Autosave("ana", small.AutosaveKey); err != nil || string(kept.Form) != `"12345678"` {
		t.Errorf("the one before is %v, %v", kept, err)
	}
	check(t, db.Update(func(tx *store.Tx) error { return Clear(tx, "other") }))
	if _, err := d.Save("ana", small); err != nil {
		t.Errorf("when the other account is gone: %v", err)
	}
}

// What a save costs does not depend on how many autosaves there are.
func TestASaveReadsNoOthers(t *testing.T) {
	db, d := newDesk(t)
	place := func(i int) AutosaveKey { return AutosaveKey{UID: "api::dish.dish", DocumentID: fmt.Sprint(i)} }
	const accounts = 1000
	value, err := json.Marshal(&note{Bytes: 10})
	check(t, err)
	for account := range accounts {
		check(t, db.Update(func(tx *store.Tx) (err error) {
			for i := range MostAutosaves {
				err = errors.Join(err, tx.PutRecord(AutosavesBucket, place(i).key(fmt.Sprint(account)), value))
			}
			return err
		}))
	}
	save := func() {
		_, err := d.Save("500", Autosave{AutosaveKey: place(7), Form: []byte(`"12345678"`)})
		check(t, err)
	}
	save() // which counts them
	if n := testing.AllocsPerRun(5, save); n > 2000 {
		t.Errorf("a save beside %d others takes %.0f allocations", accounts*MostAutosaves, n)
	}
}

// The tallies are what there is, whatever was done before, and when they are lost.
func TestTallies(t *testing.T) {
	db, d := newDesk(t)
	random := rand.New(rand.NewPCG(1, 2))
	accounts := []string{"ana", "bob", "eve"}
	for step := range 400 {
		account, p := accounts[random.IntN(3)], AutosaveKey{UID: "api::dish.dish", DocumentID: fmt.Sprint(random.IntN(5))}
		var err error
		switch random.IntN(12) {
		case 0:
			err = db.Update(func(tx *store.Tx) error { return Clear(tx, account) })
		case 1:
			err = db.Update(func(tx *store.Tx) error { return tx.DeleteRecord(TalliesBucket, account+divider) })
		case 2:
			err = db.Update(DropTallies)
		case 3, 4, 5:
			err = d.Discard(account, p)
		default:
			_, err = d.Save(account, Autosave{AutosaveKey: p, Form: []byte(strings.Repeat("1", 1+random.IntN(9)))})
		}
		check(t, err)
		check(t, db.View(func(tx *store.Tx) error {
			for _, key := range []string{ofAll, "ana/", "bob/", "eve/"} {
				prefix := strings.TrimPrefix(key, ofAll)
				kept, err := readTally(tx, key, prefix)
				check(t, err)
				if counted, err := readTally(tx, "none", prefix); err != nil || kept != counted {
					t.Fatalf("step %d: the tally of %q is %v, counted %v, %v", step, key, kept, counted, err)
				}
			}
			return nil
		}))
	}
}

func TestPlacesAreToldApart(t *testing.T) {
	places := []AutosaveKey{{"a::b", "c", ""}, {"a::b", "c", "en"}, {"a::b", "en", ""}, {"a::b", "c/d", "en"}, {"a::b", "", "c"}}
	seen := map[string]bool{}
	for _, p := range places {
		key := p.key("1")
		if got, ok := placeOf(key); !ok || got != p || seen[key] {
			t.Errorf("%v is read back as %v from %s", p, got, key)
		}
		seen[key] = true
	}
}
