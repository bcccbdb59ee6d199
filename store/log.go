package store

import (
	"encoding/binary"
	"fmt"
	"strconv"
)

// The log has a record for each commit that changed content, under its revision: what
// the commit was about, in the words of another package. It reaches back to its floor:
// what was committed after that revision is in the log, all of it. A commit that changes
// content and logs nothing, such as an import, raises the floor to its own revision. So does
// the first commit of a program that keeps a log in a file that another one has written to:
// in meta that one stores its lineage once, as with the bucket "changed". So nobody who
// reads on from a revision misses a change without being told. Where the records are is
// in fresh.go alone.

// logBucket holds the floor of the log and all but the newest records.
const logBucket = "log"

// floorKey is before the keys of all revisions.
const floorKey = "-"

// logKey is the key of a revision; keys are in the order of revisions.
func logKey(revision uint64) string { return fmt.Sprintf("%016x", revision) }

// PutLog logs the commit to come. It is called once, in an Update that changes content. The
// value is the transaction's from then on.
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

// keepsLog reports whether all that the file holds was written by programs that keep a log,
// since the log began.
func (tx *Tx) keepsLog() bool {
	lineage := tx.number(metaBucket, lineageKey)
	return lineage != 0 && (tx.number(metaBucket, freshKey) == lineage || tx.number(metaBucket, loggedKey) == lineage)
}

// raiseFloor begins the log anew where the Update changes content without logging it, or
// another program has. A log that has no floor yet has not begun.
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

// ResetLog has the log begin after the commit to come: what was before cannot be read on
// from. The records go with the next TrimLog.
func (tx *Tx) ResetLog() error { return tx.setFloor(tx.Revision()) }

func (tx *Tx) setFloor(revision uint64) error {
	return tx.PutRecord(logBucket, floorKey, binary.BigEndian.AppendUint64(nil, revision))
}

// LogFloor returns the revision after which the log has every commit that changed
// content. The error is a *CorruptError.
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

// Log calls fn for the records of the log after a revision, in order, as long as it
// returns true. The value is good until fn returns. The caller asks LogFloor whether the
// log reaches back that far. The error is a *CorruptError.
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
// as it returns true. The value is good until fn returns. The error is a *CorruptError.
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

// TrimLog removes records up to a revision, the oldest first and at most so many, and
// raises the floor accordingly. It returns how many were removed.
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

// Logged returns what the commit has put into the log, nil for nothing, and whether the
// log begins anew after it.
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

// LogBytes is about how many bytes the log takes in the file.
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
