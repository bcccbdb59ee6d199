package store

import (
	"errors"

	"go.etcd.io/bbolt"
)

// UnknownLead is how far the revisions of content that was put back go on from its own where
// nobody knows how far they had come: farther than any site does while a backup is kept.
const UnknownLead = 1 << 32

// LogAnew has the log begin after the commit of a revision: whoever has read it up to an
// earlier one reads the content instead.
func LogAnew(revision uint64) []Op {
	return []Op{{Path: logPlaces[0], Key: []byte(floorKey), Value: storedNumber(revision)}}
}

// Succeed makes the data file at path, which nobody has open, the successor of the one at
// former, whose place it is about to take. What follows the commits of that one, such as
// a copy that a client keeps, must not take a revision of the successor for one that it
// knows. So the successor goes on from the later revision of the two, and from far beyond
// its own where the other file is not there or cannot be read; its log begins anew, and
// all content counts as changed. A file in an earlier format stays as it is: its log does.
//
// The successor has no records in the buckets that are forgotten: what was removed from the
// former since the file was made is not to come back with it.
//
// Errors are those of Open, and *AccessError.
func Succeed(path, former string, forgotten ...string) error {
	last, known := lastRevision(former)
	db, err := Open(path, Options{Existing: true})
	var format *FormatError
	switch {
	case errors.As(err, &format) && format.Older:
		return nil
	case err != nil:
		return err
	}
	err = db.raw(func(bolt *bbolt.Tx) error {
		tx := &Tx{db: db, bolt: bolt, writable: true}
		next := max(last, tx.lastCommit().Revision) + 1
		if !known {
			next += UnknownLead
		}
		for _, bucket := range forgotten {
			err := tx.Records(bucket, func(key string, _ []byte) error { return tx.DeleteRecord(bucket, key) })
			if err != nil {
				return err
			}
		}
		return errors.Join(
			tx.notChangedSince(CommitID{db.lineage, next}),
			tx.set(storedNumber(next), revisionKey, metaBucket),
			tx.sign(),
			tx.setFloor(next),
			tx.damage,
		)
	})
	return errors.Join(err, db.Close())
}

// lastRevision is that of the last commit of a file, if it can be read.
func lastRevision(path string) (revision uint64, known bool) {
	db, err := Open(path, Options{Existing: true, ReadOnly: true})
	if err != nil {
		return 0, false
	}
	err = db.View(func(tx *Tx) error {
		revision = tx.Revision()
		return nil
	})
	return revision, errors.Join(err, db.Close()) == nil
}
