package store

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// Revisions count the commits of one history, and a file can have several histories: a copy
// of it continues separately, or a backup replaces it and other content is written under
// revisions that were used before. So every commit also belongs to a lineage, a random
// number. A journal gives one lineage to all nodes, until its content is replaced. Without
// a journal, a new lineage begins each time a file is opened for writing, because nothing
// in a file shows that a backup was copied over it meanwhile.
//
// The bucket "changed" has, for each content type and status, the commit that changed it
// last. If two files have the same commit there, they have the same content for it,
// whatever was written to other types, and on every node, before and after restarts.
//
// A program from before that bucket does not change it when it writes. It does store its
// lineage in meta, where this program stores it twice: if the two differ, or the second is
// missing, the bucket is ignored, and all types and statuses count as changed by the last
// commit. The next commit stores that (see notChangedSince).

// CommitID identifies one commit permanently, and the content of the file after it.
type CommitID struct{ Lineage, Revision uint64 }

// newLineage returns a number that is not 0.
func newLineage() uint64 { return rand.Uint64() | 1 }

// changedBucket holds a CommitID for each type and status, under the uid and the byte of
// the status, and the one of all others under otherwiseKey.
const (
	changedBucket = "changed"
	otherwiseKey  = "-"
)

// CommitID returns the id of the last commit, in an Update that of the current one.
func (tx *Tx) CommitID() CommitID {
	if tx.writable {
		return CommitID{tx.db.lineage, tx.Revision()}
	}
	return tx.lastCommit()
}

// Lineage returns the lineage of the next commits. It changes when the content of the file
// is replaced.
func (db *DB) Lineage() uint64 {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return db.lineage
}

// lastCommit returns the last commit before this transaction. If no lineage was stored, it
// has that of the next commits.
func (tx *Tx) lastCommit() CommitID {
	id := CommitID{tx.number(metaBucket, lineageKey), tx.number(metaBucket, revisionKey)}
	if id.Lineage == 0 {
		id.Lineage = tx.db.lineage
	}
	return id
}

// LastChange returns the commit that last changed entries of a type with this status. If it
// is the same, so are the entries, in this file and in every other. The zero CommitID means
// that there never were any. Changes by this Update are not included.
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

// notChangedSince resets the bucket "changed": everything was last changed by that commit.
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

// coverChanges updates the bucket "changed" to the last commit, before a copy is made.
func (db *DB) coverChanges() error {
	return db.raw(func(bolt *bbolt.Tx) error {
		tx := &Tx{db: db, bolt: bolt, writable: true}
		if tx.knowsChanges() {
			return tx.damage
		}
		return errors.Join(tx.notChangedSince(tx.lastCommit()), tx.damage)
	})
}

// sign stores the lineage of the current commit, and that the bucket "changed" and the log
// cover it.
func (tx *Tx) sign() error {
	signed := tx.number(metaBucket, lineageKey) == tx.db.lineage && tx.number(metaBucket, freshKey) == tx.db.lineage
	if signed && tx.number(metaBucket, loggedKey) == 0 {
		return nil
	}
	return tx.guard(metaBucket, func() error { return signMeta(tx.bucket(metaBucket), tx.db.lineage) })
}

// signMeta stores the lineage up to which the bucket "changed" and the log are complete.
func signMeta(meta *bbolt.Bucket, lineage uint64) error {
	number := storedNumber(lineage)
	return errors.Join(
		meta.Put([]byte(lineageKey), number),
		meta.Put([]byte(coveredKey), number),
		meta.Put([]byte(freshKey), number),
		meta.Delete([]byte(loggedKey)),
	)
}

// touch makes recordChanged store that entries of a type and status changed.
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
