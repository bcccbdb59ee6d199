package store

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// Revisions count the commits of one history, and a file can have several: a copy of
// it goes its own way, or a backup takes its place and other content is written under
// revisions that were used before. So every commit also belongs to a lineage, a random
// number. A journal gives one lineage to all nodes, until its content is replaced.
// Without a journal, each time that a file is opened to be written to begins one, since
// nothing in a file shows that a backup was copied over it meanwhile.
//
// The bucket "changed" holds, for each content type and status, the commit that changed
// it last. So two files in which that is the same commit hold the same of it, whatever
// was written to others, and on every node, before and after restarts.
//
// A program from before that bucket leaves it as it was when it writes. It does store
// its lineage in meta, where this program stores it twice: where the two differ, or the
// second is missing, the bucket counts for nothing, and all types and statuses count as
// changed by the last commit. The next commit writes that down (see notChangedSince).

// CommitID names one commit for good, and all that the file holds after it.
type CommitID struct{ Lineage, Revision uint64 }

// newLineage returns a number that is not 0.
func newLineage() uint64 { return rand.Uint64() | 1 }

// changedBucket holds a CommitID for each type and status, under the uid and the byte
// of the status, and the one of those that have none under otherwiseKey.
const (
	changedBucket = "changed"
	otherwiseKey  = "-"
)

// CommitID returns that of the last commit, in an Update that of the one to come.
func (tx *Tx) CommitID() CommitID {
	if tx.writable {
		return CommitID{tx.db.lineage, tx.Revision()}
	}
	return tx.lastCommit()
}

// Lineage is that of the commits to come. It changes when what the file holds is replaced.
func (db *DB) Lineage() uint64 {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.lineage
}

// lastCommit is the last commit before this transaction. Where no lineage was ever
// stored it has the one of the commits to come.
func (tx *Tx) lastCommit() CommitID {
	id := CommitID{tx.number(metaBucket, lineageKey), tx.number(metaBucket, revisionKey)}
	if id.Lineage == 0 {
		id.Lineage = tx.db.lineage
	}
	return id
}

// LastChange returns the commit that last changed entries of a type that have this
// status. As long as it is the same, so are they, in this file and in every other. The
// zero CommitID means that there never were any. What this Update has changed is not
// shown.
func (tx *Tx) LastChange(uid string, s Status) (id CommitID) {
	if !tx.knowsChanges() {
		return tx.lastCommit()
	}
	tx.guardOrDamage(changedBucket, func() error {
		b := tx.bucket(changedBucket)
		if b == nil {
			return nil
		}
		key := changedKey(uid, s)
		stored := b.Get(key)
		if stored == nil {
			key = []byte(otherwiseKey)
			stored = b.Get(key)
		}
		var err error
		if id, err = commitID(stored); err != nil {
			return tx.corrupt(changedBucket, string(key), err)
		}
		return nil
	})
	return id
}

// knowsChanges reports whether the bucket "changed" covers the last commit.
func (tx *Tx) knowsChanges() bool {
	covered := tx.number(metaBucket, coveredKey)
	return covered != 0 && covered == tx.number(metaBucket, lineageKey)
}

// recordChanged stores that this commit changed the types and statuses of its changes.
func (tx *Tx) recordChanged() error {
	if !tx.knowsChanges() {
		if err := tx.notChangedSince(tx.lastCommit()); err != nil {
			return err
		}
	}
	id := tx.CommitID().stored()
	for key := range tx.touched {
		if err := tx.set(id, key, changedBucket); err != nil {
			return err
		}
	}
	return nil
}

// notChangedSince makes the bucket "changed" anew: all was last changed by that commit.
func (tx *Tx) notChangedSince(last CommitID) error {
	err := tx.guard(changedBucket, func() error {
		err := tx.bolt.DeleteBucket([]byte(changedBucket))
		if errors.Is(err, bbolterrors.ErrBucketNotFound) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return tx.set(last.stored(), otherwiseKey, changedBucket)
}

// coverChanges brings the bucket "changed" up to the last commit, for those who copy it.
func (db *DB) coverChanges() error {
	return db.raw(func(bolt *bbolt.Tx) error {
		tx := &Tx{db: db, bolt: bolt, writable: true}
		if tx.knowsChanges() {
			return tx.damage
		}
		return errors.Join(tx.notChangedSince(tx.lastCommit()), tx.damage)
	})
}

// sign stores the lineage of the commit to come, and that the bucket "changed" and the log
// cover it.
func (tx *Tx) sign() error {
	signed := tx.number(metaBucket, lineageKey) == tx.db.lineage && tx.number(metaBucket, freshKey) == tx.db.lineage
	if signed && tx.number(metaBucket, loggedKey) == 0 {
		return nil
	}
	return tx.guard(metaBucket, func() error { return signMeta(tx.bucket(metaBucket), tx.db.lineage) })
}

// signMeta stores a lineage, up to which the bucket "changed" and the log are complete.
func signMeta(meta *bbolt.Bucket, lineage uint64) error {
	number := storedNumber(lineage)
	return errors.Join(
		meta.Put([]byte(lineageKey), number),
		meta.Put([]byte(coveredKey), number),
		meta.Put([]byte(freshKey), number),
		meta.Delete([]byte(loggedKey)),
	)
}

// touch has recordChanged store that entries of a type and status changed.
func (tx *Tx) touch(uid string, s Status) {
	if tx.touched == nil {
		tx.touched = map[string]bool{}
	}
	tx.touched[string(changedKey(uid, s))] = true
}

func changedKey(uid string, s Status) []byte { return storedKey(Key{DocumentID: uid, Status: s}) }

func (id CommitID) stored() []byte {
	return binary.BigEndian.AppendUint64(storedNumber(id.Lineage), id.Revision)
}

var errCommitID = errors.New("it is not the 16 bytes of a lineage and a revision")

// commitID reads a stored CommitID; an absent one is zero.
func commitID(stored []byte) (CommitID, error) {
	switch len(stored) {
	case 0:
		return CommitID{}, nil
	case 16:
		return CommitID{binary.BigEndian.Uint64(stored), binary.BigEndian.Uint64(stored[8:])}, nil
	}
	return CommitID{}, errCommitID
}
