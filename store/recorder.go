package store

import (
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// Recorder gets every commit of a DB, to keep a copy elsewhere.
type Recorder interface {
	// Begin gets the last commit in the file before the first one that is recorded.
	Begin(last CommitID)

	// Record gets a commit before it is written to the file, so that none is in the file
	// without having been recorded. If the write fails, the next commit follows the same
	// one. Record runs within the Update: it must be fast, and must not use the DB. It may
	// keep the operations.
	Record(c Recorded)
}

// Recorded is a commit with everything that it writes.
type Recorded struct {
	Before CommitID // the commit that it follows
	CommitID
	Time int64 // milliseconds since 1970, by this machine's clock
	Ops  []Op  // in the order in which they were done

	// Partial says that Ops is not all: the commit wrote more than MaxRecorded bytes, or
	// removed all entries of a type at once. Only a copy of the file shows it.
	Partial bool
}

// MaxRecorded limits the operations of one commit that are in memory for the Recorder and the
// Tail, in bytes of keys and values.
const MaxRecorded = 64 << 20

// SetRecorder makes r get every commit from now on; nil for nobody. It waits for an Update in
// progress. With a journal, nothing can be recorded.
func (db *DB) SetRecorder(r Recorder) error {
	if db.options.Journal != nil {
		return errors.New("store: the commits of a journal cannot be recorded")
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	if r != nil {
		last, err := db.LastCommit()
		if err != nil {
			return err
		}
		r.Begin(last)
	}
	db.recorder = r
	return nil
}

// LastCommit returns the last commit in the file. It is zero if there was none: a new file
// has no lineage yet.
func (db *DB) LastCommit() (id CommitID, err error) {
	err = db.View(func(tx *Tx) error {
		id = tx.recorded()
		return nil
	})
	return id, err
}

func (tx *Tx) recorded() CommitID {
	if id := tx.lastCommit(); id.Revision > 0 {
		return id
	}
	return CommitID{}
}

// passOn passes the transaction to the recorder, before it is committed.
func (tx *Tx) passOn() {
	if tx.db.recorder == nil || !tx.recording {
		return
	}
	c := Recorded{Before: tx.recorded(), CommitID: tx.CommitID(), Time: time.Now().UnixMilli(), Ops: tx.ops, Partial: tx.partial || tx.size > MaxRecorded}
	if c.Partial {
		c.Ops = nil
	}
	tx.db.recorder.Record(c)
}

// Replay writes recorded commits to the file as one transaction. The file is then at the last
// of them. The caller ensures that they follow each other and the last commit in the file,
// which nobody else uses. An operation that belongs to no place of a data file is refused.
func (db *DB) Replay(commits []Recorded) error {
	if len(commits) == 0 {
		return nil
	}
	last := commits[len(commits)-1].CommitID
	return db.raw(func(bolt *bbolt.Tx) error {
		tx := &Tx{db: db, bolt: bolt, writable: true, encoder: newEncoder(), decoder: newDecoder()}
		if !tx.knowsChanges() {
			if err := tx.notChangedSince(tx.lastCommit()); err != nil {
				return err
			}
		}
		for _, c := range commits {
			for _, o := range c.Ops {
				if err := tx.replay(o); err != nil {
					return err
				}
			}
			tx.changes, tx.records = nil, nil
		}
		meta := bolt.Bucket([]byte(metaBucket))
		return errors.Join(signMeta(meta, last.Lineage), meta.Put([]byte(revisionKey), storedNumber(last.Revision)), tx.damage)
	})
}

func (tx *Tx) replay(o Op) error {
	if !o.Recordable() {
		return fmt.Errorf("store: a recorded commit writes %q to %q, where nothing belongs", o.Key, o.Path)
	}
	if o.Path[0] == recordsBucket && o.Path[1] == logBucket {
		return tx.applyLogOp(o)
	}
	b, err := tx.makeBucket(o.Path...)
	if err != nil {
		return err
	}
	return o.putIn(b)
}

// Recordable reports whether an operation can be part of a Recorded: it has a key, in a place of
// a data file.
func (o Op) Recordable() bool { return len(o.Key) > 0 && isRecorded(o.Path) }

// isRecorded reports whether the buckets of that path hold values that can be recorded.
func isRecorded(path []string) bool {
	if len(path) == 0 {
		return false
	}
	switch path[0] {
	case contentBucket, recordsBucket, sequenceBucket, replacedBucket, removedBucket:
		return hasValues(path)
	case changedBucket:
		return len(path) == 1
	}
	return false
}

// Entry returns the entry that the operation stores, and its type. It is nil if the operation
// stores none.
func (o Op) Entry() (uid string, e *Entry, err error) {
	if len(o.Path) != 3 || o.Path[0] != contentBucket || o.Value == nil {
		return "", nil, nil
	}
	p := entryBucketAt(o.Path[1], o.Path[2])
	e, err = newDecoder().entry(p, o.Key, o.Value)
	return p.uid, e, err
}
