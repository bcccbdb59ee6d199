package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

// openTail opens a new data file whose last batches are kept, in so many bytes.
func openTail(t *testing.T, limit int) (*DB, *Tail) {
	t.Helper()
	db, err := Open(filepath.Join(t.TempDir(), "quire.db"), Options{})
	noError(t, err)
	t.Cleanup(func() { db.Close() })
	tail, err := db.Tail(limit)
	noError(t, err)
	return db, tail
}

// record stores a value under a key.
func record(t *testing.T, db *DB, key string, size int) {
	t.Helper()
	noError(t, db.Update(func(tx *Tx) error { return tx.PutRecord("things", key, make([]byte, size)) }))
}

// A tail has what was committed after a commit that it knows by its whole name, and no more
// than its limit.
func TestATailHasTheLastBatches(t *testing.T) {
	db, tail := openTail(t, 10_000)
	begin := tail.Last()
	_, changed, err := tail.After(begin)
	noError(t, err)
	record(t, db, "a", 10)
	<-changed
	batches, _, err := tail.After(begin)
	if err != nil || len(batches) != 1 || string(batches[0].Ops[0].Key) != "a" || batches[0].Revision != begin.Revision+1 {
		t.Fatalf("%+v, %v", batches, err)
	}
	if _, _, err := tail.After(CommitID{begin.Lineage + 2, begin.Revision}); !errors.Is(err, ErrCompacted) {
		t.Errorf("a commit of another history is one of this: %v", err)
	}
	for n := range 50 {
		record(t, db, fmt.Sprint(n), 1000)
		if tail.size > 10_000 {
			t.Fatalf("the tail has %d bytes", tail.size)
		}
	}
	if _, _, err := tail.After(begin); !errors.Is(err, ErrCompacted) {
		t.Errorf("what was dropped is there: %v", err)
	}
	record(t, db, "huge", 20_000)
	if _, _, err := tail.After(tail.Last()); err != nil || len(tail.batches) != 0 {
		t.Errorf("after a batch beyond the limit: %d batches, %v", len(tail.batches), err)
	}
}

// A tail begins again after a commit that is not all in memory: whoever follows it loads the
// file.
func TestATailLacksNoOperations(t *testing.T) {
	db, tail := openTail(t, 2*MaxRecorded)
	put(t, db, "api::dog.dog", text(1, "ada", "", Draft, "Ada"))
	large := make([]byte, 1<<20)
	for name, write := range map[string]func(tx *Tx) error{
		"removes a type": func(tx *Tx) error { return tx.Clear("api::dog.dog") },
		"is too large": func(tx *Tx) error {
			for i := range MaxRecorded>>20 + 1 {
				if err := tx.PutRecord("token", string(rune('a'+i)), large); err != nil {
					return err
				}
			}
			if len(tx.ops) > 0 {
				t.Errorf("%d operations of a commit beyond the limit are in memory", len(tx.ops))
			}
			return nil
		},
	} {
		before := tail.Last()
		update(t, db, write)
		if _, _, err := tail.After(before); !errors.Is(err, ErrCompacted) {
			t.Errorf("a commit that %s is passed on in part: %v", name, err)
		}
		if batches, _, err := tail.After(tail.Last()); err != nil || len(batches) > 0 {
			t.Errorf("after one that %s: %d batches, %v", name, len(batches), err)
		}
	}
}

// A file that was compacted goes on with its tail; one whose content was replaced begins
// another.
func TestATailOfAReplacedFile(t *testing.T) {
	db, tail := openTail(t, 100_000)
	begin := tail.Last()
	record(t, db, "a", 10)
	if _, err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	record(t, db, "b", 10)
	if batches, _, err := tail.After(begin); err != nil || len(batches) != 2 {
		t.Errorf("after a compaction: %d batches, %v", len(batches), err)
	}
	last := tail.Last()
	err := db.Rework(func(work *DB) error {
		return work.Update(func(tx *Tx) error { return tx.PutRecord("things", "c", []byte("c")) })
	})
	noError(t, err)
	if _, _, err := tail.After(last); !errors.Is(err, ErrCompacted) {
		t.Errorf("a replacement is not noticed: %v", err)
	}
}

// A file that refuses updates does so whatever is reopened.
func TestRefusedForGood(t *testing.T) {
	db, _ := openTail(t, 1000)
	cause := errors.New("another server writes")
	db.Refuse(cause)
	for range 2 {
		err := db.Update(func(tx *Tx) error { return tx.PutRecord("things", "a", nil) })
		if refused := new(RefusedError); !errors.As(err, &refused) || !errors.Is(err, cause) {
			t.Errorf("an update: %v", err)
		}
		if err := db.Rework(func(*DB) error { return nil }); !errors.Is(err, cause) {
			t.Errorf("a replacement: %v", err)
		}
		noError(t, db.Reopen())
	}
}
