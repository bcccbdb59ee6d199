package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

// inFile changes a file that is not open, as another program would.
func inFile(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	bolt, err := bbolt.Open(path, 0o600, nil)
	noError(t, err)
	noError(t, errors.Join(bolt.Update(fn), bolt.Close()))
}

// logOf is the floor of the log and what it has after that.
func logOf(t *testing.T, db *DB) (floor uint64, values []string) {
	t.Helper()
	view(t, db, func(tx *Tx) (err error) {
		if floor, err = tx.LogFloor(); err != nil {
			return err
		}
		return tx.Log(floor, func(revision uint64, value []byte) bool {
			values = append(values, fmt.Sprint(revision, " ", string(value)))
			return true
		})
	})
	return floor, values
}

// What a program stored that knows no fresh records is read on from.
func TestALogWithoutFreshRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	commits(t, path, 4)
	inFile(t, path, func(tx *bbolt.Tx) error {
		fresh, meta := tx.Bucket([]byte(freshBucket)), tx.Bucket([]byte(metaBucket))
		log := tx.Bucket([]byte(recordsBucket)).Bucket([]byte(logBucket))
		return errors.Join(
			fresh.ForEach(func(k, v []byte) error { return log.Put(k, bytes.Clone(v)) }),
			tx.DeleteBucket([]byte(freshBucket)),
			meta.Put([]byte(loggedKey), meta.Get([]byte(lineageKey))),
			meta.Delete([]byte(freshKey)),
		)
	})
	want := []string{"1 log", "2 log", "3 log", "4 log"}
	db := open(t, path, Options{})
	if floor, values := logOf(t, db); floor != 0 || !slices.Equal(values, want) {
		t.Errorf("from %d on %q", floor, values)
	}
	update(t, db, func(tx *Tx) error { return tx.PutLog([]byte("more")) })
	if floor, values := logOf(t, db); floor != 0 || !slices.Equal(values, append(want, "5 more")) {
		t.Errorf("then from %d on %q", floor, values)
	}
}

// A program that knows no fresh records does not see them. It finds that the log is not
// one of its own, and has it begin anew; from there on this one reads.
func TestAProgramThatKnowsNoFreshRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	commits(t, path, 4)
	inFile(t, path, func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte(metaBucket))
		if bytes.Equal(meta.Get([]byte(loggedKey)), meta.Get([]byte(lineageKey))) {
			t.Error("it would take the log for whole")
		}
		log := tx.Bucket([]byte(recordsBucket)).Bucket([]byte(logBucket))
		return errors.Join(
			log.Put([]byte(floorKey), storedNumber(4)),
			log.Put([]byte(logKey(5)), []byte("its own")),
			meta.Put([]byte(revisionKey), storedNumber(5)),
			meta.Put([]byte(lineageKey), storedNumber(77)),
			meta.Put([]byte(coveredKey), storedNumber(77)),
			meta.Put([]byte(loggedKey), storedNumber(77)),
		)
	})
	db := open(t, path, Options{})
	for range 12 {
		update(t, db, func(tx *Tx) error { return tx.PutLog(bytes.Repeat([]byte("x"), 100)) })
	}
	floor, values := logOf(t, db)
	if floor != 4 || len(values) != 13 || values[0] != "5 its own" || values[12][:3] != "17 " {
		t.Errorf("from %d on %q", floor, values)
	}
	var order []uint64
	view(t, db, func(tx *Tx) error {
		return tx.Log(0, func(revision uint64, _ []byte) bool { order = append(order, revision); return true })
	})
	if len(order) != 17 || !slices.IsSorted(order) {
		t.Errorf("in all %d", order)
	}
}

// A key that is in both places is that of the fresh record, and goes from both.
func TestAFreshRecordIsTheNewerOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	commits(t, path, 3)
	inFile(t, path, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(recordsBucket)).Bucket([]byte(logBucket)).Put([]byte(logKey(2)), []byte("former"))
	})
	db := open(t, path, Options{})
	if _, values := logOf(t, db); !slices.Equal(values, []string{"1 log", "2 log", "3 log"}) {
		t.Errorf("%q", values)
	}
	update(t, db, func(tx *Tx) error { _, err := tx.TrimLog(2, 10); return err })
	if _, values := logOf(t, db); !slices.Equal(values, []string{"3 log"}) {
		t.Errorf("after trimming %q", values)
	}
}

// What a small record adds to a commit is mostly on a page that it writes anyway.
func TestARecordOfTheLogCostsNoPage(t *testing.T) {
	const commits = 200
	var pages [2]int
	for i := range pages {
		db := newDB(t)
		db.commit = func(tx *bbolt.Tx) error {
			err := tx.Commit()
			stats := tx.Stats()
			pages[i] += int(stats.GetPageCount())
			return err
		}
		for n := range commits {
			update(t, db, func(tx *Tx) error {
				if i == 1 {
					if err := tx.PutLog(make([]byte, 80)); err != nil {
						return err
					}
				}
				return tx.PutRecord("tokens", fmt.Sprint(n), make([]byte, 80))
			})
		}
	}
	if more := pages[1] - pages[0]; more > commits {
		t.Errorf("%d commits write %d pages, and %d more with a log", commits, pages[0], more)
	} else {
		t.Logf("%d commits write %d pages, and %d more with a log", commits, pages[0], more)
	}
}
