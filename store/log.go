package store

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// The log has a record for each commit that changed content, under its revision: a
// description of the commit by another package. It reaches back to its floor: every commit
// after that revision that changed content is in the log. A commit that changes content and
// logs nothing, for example an import, raises the floor to its own revision. So does the
// first commit of a program that keeps a log in a file that another one has written to:
// that one stores its lineage in meta only once, as with the bucket "changed". So a reader
// that continues from a revision never misses a change without noticing. Only fresh.go
// knows where the records are.

// logBucket holds the floor of the log and all except the newest records.
const logBucket = "log"

// floorKey sorts before the keys of all revisions.
const floorKey = "-"

// logKey returns the key of a revision; keys are in the order of revisions.
func logKey(revision uint64) string { return fmt.Sprintf("%016x", revision) }

// PutLog logs the current commit. It is called once, in an Update that changes content. The
// transaction owns the value from then on.
func (tx *Tx) PutLog(value []byte) error {
	tx.logged = true
	floor, err := tx.Record(logBucket, floorKey)
	if err == nil && (floor == nil || !tx.keepsLog()) {
		err = tx.setFloor(tx.Revision() - 1) // the log begins
	}
	if err != nil {
		return err
	}
	return tx.putLogged(logKey(tx.Revision()), value)
}

// keepsLog reports whether, since the log began, only programs that keep a log have written
// to the file.
func (tx *Tx) keepsLog() bool {
	lineage := tx.number(metaBucket, lineageKey)
	return lineage != 0 && (tx.number(metaBucket, freshKey) == lineage || tx.number(metaBucket, loggedKey) == lineage)
}

// raiseFloor begins the log again if the Update, or another program, has changed content
// without logging it. A log without a floor has not begun.
func (tx *Tx) raiseFloor() error {
	if tx.logged || len(tx.touched) == 0 && tx.keepsLog() {
		return nil
	}
	floor, err := tx.Record(logBucket, floorKey)
	if err != nil || floor == nil {
		return err
	}
	return tx.ResetLog()
}

// ResetLog makes the log begin after the current commit: reads from earlier positions are
// refused. The next TrimLog removes the records.
func (tx *Tx) ResetLog() error { return tx.setFloor(tx.Revision()) }

func (tx *Tx) setFloor(revision uint64) error {
	return tx.PutRecord(logBucket, floorKey, binary.BigEndian.AppendUint64(nil, revision))
}

// LogFloor returns the revision after which the log has every commit that changed content.
// The error is a *CorruptError.
func (tx *Tx) LogFloor() (uint64, error) {
	value, err := tx.Record(logBucket, floorKey)
	switch {
	case err != nil:
		return 0, err
	case value == nil || !tx.keepsLog():
		return tx.lastCommit().Revision, nil
	case len(value) != 8:
		return 0, tx.corrupt(recordBucket(logBucket), floorKey, fmt.Errorf("it has %d bytes instead of 8", len(value)))
	}
	return binary.BigEndian.Uint64(value), nil
}

// Log calls fn for the records of the log after a revision, in order, as long as fn returns
// true. The value is valid until fn returns. The caller must check LogFloor. The error is a
// *CorruptError.
func (tx *Tx) Log(after uint64, fn func(revision uint64, value []byte) (more bool)) error {
	if after++; after == 0 {
		return nil
	}
	var wrong error
	err := tx.eachLogged(logKey(after), func(key string, value []byte) bool {
		revision, err := strconv.ParseUint(key, 16, 64)
		if err != nil {
			wrong = tx.corrupt(recordBucket(logBucket), key, err)
			return false
		}
		return fn(revision, value)
	})
	if err == nil {
		err = wrong
	}
	return err
}

// LogBack calls fn for the records of the log down to its floor, the newest first, as long
// as fn returns true. The value is valid until fn returns. The error is a *CorruptError.
func (tx *Tx) LogBack(fn func(revision uint64, value []byte) (more bool)) error {
	floor, err := tx.LogFloor()
	if err != nil {
		return err
	}
	var wrong error
	err = tx.eachLoggedBack(func(key string, value []byte) bool {
		var revision uint64
		if revision, wrong = strconv.ParseUint(key, 16, 64); wrong != nil {
			wrong = tx.corrupt(recordBucket(logBucket), key, wrong)
			return false
		}
		return revision > floor && fn(revision, value)
	})
	if err == nil {
		err = wrong
	}
	return err
}

// TrimLog removes records up to a revision, the oldest first, up to a maximum number, and
// raises the floor accordingly. It returns the number of removed records.
func (tx *Tx) TrimLog(through uint64, most int) (removed int, err error) {
	floor, err := tx.LogFloor()
	if err != nil {
		return 0, err
	}
	var old []uint64
	err = tx.Log(0, func(revision uint64, _ []byte) bool {
		if revision > through || len(old) == most {
			return false
		}
		old = append(old, revision)
		return true
	})
	for _, revision := range old {
		if err == nil {
			err = tx.deleteLogged(logKey(revision))
		}
	}
	if err != nil || len(old) == 0 || old[len(old)-1] <= floor {
		return len(old), err
	}
	return len(old), tx.setFloor(old[len(old)-1])
}

// Logged returns what the commit has logged, nil for nothing, and whether the log begins
// again after it.
func (c Commit) Logged() (value []byte, reset bool) {
	for _, r := range c.RecordsOf(logBucket) {
		switch {
		case r.Key == logKey(c.Revision):
			value = r.After
		case r.Key == floorKey && len(r.After) == 8:
			reset = binary.BigEndian.Uint64(r.After) == c.Revision
		}
	}
	return value, reset
}

// LogBytes returns the approximate size of the log in the file.
func (tx *Tx) LogBytes() (n int64) {
	tx.guardOrDamage(recordBucket(logBucket), func() error {
		for _, path := range logPlaces {
			if b := tx.bucket(path...); b != nil {
				stats := b.Stats()
				n += int64(stats.LeafAlloc + stats.BranchAlloc + stats.InlineBucketInuse)
			}
		}
		return nil
	})
	return n
}
