package desk

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"quire/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// All accounts share one bound, and what goes with an account is free for others.
func TestMostForms(t *testing.T) {
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	d := New(db, nil)
	large := Place{UID: "api::dish.dish", DocumentID: "large", Locale: "en"}
	check(t, db.Update(func(tx *store.Tx) error {
		value, err := json.Marshal(&note{Bytes: MostForms - 10})
		check(t, err)
		return tx.PutRecord(AutosavesBucket, large.key("other"), value)
	}))
	small := Autosave{Place: Place{UID: "api::dish.dish", DocumentID: "small"}, Form: []byte(`"12345678"`)}
	if _, err := d.Save("ana", small); err != nil {
		t.Errorf("a form of 10 bytes: %v", err)
	}
	small.Form = []byte(`"123456789"`)
	var full *FullError
	if _, err := d.Save("ana", small); !errors.As(err, &full) {
		t.Errorf("a form of 11 bytes: %v", err)
	}
	if kept, err := d.Autosave("ana", small.Place); err != nil || string(kept.Form) != `"12345678"` {
		t.Errorf("the one before is %v, %v", kept, err)
	}
	check(t, db.Update(func(tx *store.Tx) error { return Clear(tx, "other") }))
	if _, err := d.Save("ana", small); err != nil {
		t.Errorf("when the other account is gone: %v", err)
	}
}

func TestPlacesAreToldApart(t *testing.T) {
	places := []Place{{"a::b", "c", ""}, {"a::b", "c", "en"}, {"a::b", "en", ""}, {"a::b", "c/d", "en"}, {"a::b", "", "c"}}
	seen := map[string]bool{}
	for _, p := range places {
		key := p.key("1")
		if got, ok := placeOf(key); !ok || got != p || seen[key] {
			t.Errorf("%v is read back as %v from %s", p, got, key)
		}
		seen[key] = true
	}
}
