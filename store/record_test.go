package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestRecords(t *testing.T) {
	db := newDB(t)
	update(t, db, func(tx *Tx) error {
		for _, key := range []string{"b", "a", "c", "gone"} {
			if err := tx.PutRecord("tokens", key, []byte("token "+key)); err != nil {
				return err
			}
		}
		if err := tx.PutRecord("secrets", "a", []byte{}); err != nil {
			return err
		}
		if err := tx.PutRecord("tokens", "a", []byte("token a, again")); err != nil {
			return err
		}
		return tx.DeleteRecord("tokens", "gone")
	})
	view(t, db, func(tx *Tx) error {
		for _, c := range []struct{ bucket, key, want string }{
			{"tokens", "a", "token a, again"},
			{"tokens", "gone", "<nil>"},
			{"secrets", "a", ""},
			{"secrets", "b", "<nil>"},
			{"users", "a", "<nil>"},
		} {
			got, err := tx.Record(c.bucket, c.key)
			if got == nil {
				got = []byte("<nil>")
			}
			if err != nil || string(got) != c.want {
				t.Errorf("%s/%s: %q, %v, want %q", c.bucket, c.key, got, err, c.want)
			}
		}
		return nil
	})
	var seen []string
	collect := func(key string, value []byte) error {
		seen = append(seen, key+"="+string(value))
		return nil
	}
	update(t, db, func(tx *Tx) error {
		return errors.Join(tx.Records("users", collect), tx.Records("tokens", func(key string, value []byte) error {
			return errors.Join(collect(key, value), tx.DeleteRecord("tokens", key), tx.PutRecord("tokens", "z", nil))
		}))
	})
	if want := []string{"a=token a, again", "b=token b", "c=token c"}; !slices.Equal(seen, want) {
		t.Errorf("records %q, want %q", seen, want)
	}
	seen = nil
	view(t, db, func(tx *Tx) error { return tx.Records("tokens", collect) })
	if want := []string{"z="}; !slices.Equal(seen, want) {
		t.Errorf("after the deletes %q, want %q", seen, want)
	}
	if err := db.View(func(tx *Tx) error { return tx.Records("tokens", func(string, []byte) error { return errTest }) }); err != errTest {
		t.Errorf("Records returned %v, want the function's error", err)
	}
}

func TestARecordIsACopyOfItsValue(t *testing.T) {
	db := newDB(t)
	value := []byte("secret")
	update(t, db, func(tx *Tx) error {
		err := tx.PutRecord("tokens", "a", value)
		copy(value, "XXXXXX")
		return err
	})
	view(t, db, func(tx *Tx) error {
		if got, _ := tx.Record("tokens", "a"); string(got) != "secret" {
			t.Errorf("stored %q", got)
		}
		return nil
	})
}

func TestRecordsNeedNames(t *testing.T) {
	db := newDB(t)
	for _, c := range [][2]string{{"", "a"}, {"tokens", ""}, {"tokens", strings.Repeat("x", 40_000)}} {
		if err := db.Update(func(tx *Tx) error { return tx.PutRecord(c[0], c[1], nil) }); err == nil {
			t.Errorf("%q was taken", c)
		}
	}
	if revision(t, db) != 0 {
		t.Error("a refused record was committed")
	}
}

func TestRecordsFrom(t *testing.T) {
	db := newDB(t)
	update(t, db, func(tx *Tx) error {
		for _, key := range []string{"a/1", "a/2", "a/3", "b/1"} {
			if err := tx.PutRecord("things", key, []byte("of "+key)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, test := range []struct {
		bucket, prefix, from string
		most                 int
		want                 string
	}{
		{"things", "", "", 9, "a/1 a/2 a/3 b/1 "},
		{"things", "a/", "", 9, "a/1 a/2 a/3 "},
		{"things", "a/", "a/2", 9, "a/2 a/3 "},
		{"things", "a/", "b/1", 9, ""},
		{"things", "", "a/2", 1, "a/2 "},
		{"things", "c", "", 9, ""},
		{"none", "", "", 9, ""},
	} {
		view(t, db, func(tx *Tx) error {
			got, n := "", 0
			err := tx.RecordsFrom(test.bucket, test.prefix, test.from, func(key string, value []byte) bool {
				if string(value) != "of "+key {
					t.Errorf("%s is %q", key, value)
				}
				got, n = got+key+" ", n+1
				return n < test.most
			})
			if got != test.want {
				t.Errorf("%+v: %q", test, got)
			}
			return err
		})
	}
	view(t, db, func(tx *Tx) error {
		if n, err := tx.CountRecords("things", "a/"); n != 3 || err != nil {
			t.Errorf("there are %d, %v", n, err)
		}
		return nil
	})
}

func TestSequences(t *testing.T) {
	db := newDB(t)
	update(t, db, func(tx *Tx) error {
		if n := tx.Sequence("dogs"); n != 0 {
			t.Errorf("a new sequence is at %d", n)
		}
		if err := tx.SetSequence("dogs", 41); err != nil {
			return err
		}
		if err := tx.SetSequence("dogs", tx.Sequence("dogs")+1); err != nil {
			return err
		}
		return tx.SetSequence("cats", 1<<64-1)
	})
	noError(t, db.Reopen())
	view(t, db, func(tx *Tx) error {
		if d, c := tx.Sequence("dogs"), tx.Sequence("cats"); d != 42 || c != 1<<64-1 {
			t.Errorf("dogs %d, cats %d", d, c)
		}
		return nil
	})
	if err := db.Update(func(tx *Tx) error { return tx.SetSequence("", 1) }); err == nil {
		t.Error("a sequence without a name was taken")
	}
}

// A number that cannot be trusted fails the transaction: the id that would be
// given out next may be in use.
func TestADamagedSequenceFailsTheTransaction(t *testing.T) {
	db := newDB(t)
	spoil := func(value []byte) {
		update(t, db, func(tx *Tx) error { return tx.set(value, "dogs", sequenceBucket) })
	}
	spoil([]byte("seven"))
	use := func(tx *Tx) error { return tx.SetSequence("cats", tx.Sequence("dogs")+1) }
	var corrupt *CorruptError
	if err := db.Update(use); !errors.As(err, &corrupt) || corrupt.Key != "dogs" {
		t.Errorf("Update: %v", err)
	}
	if err := db.View(func(tx *Tx) error { tx.Sequence("dogs"); return nil }); !errors.As(err, &corrupt) {
		t.Errorf("View: %v", err)
	}
	spoil(storedNumber(7))
	update(t, db, use)
}
