package store

import (
	"errors"

	"go.etcd.io/bbolt"
)

// UnknownLead is the distance between the revisions of restored content and its next ones
// if it is unknown how far they had come: more than any site commits while a backup is
// kept.
const UnknownLead = 1 << 32

// LogAnew returns operations that make the log begin after the commit of a revision:
// readers at an earlier position must read the content instead.
func LogAnew(revision uint64) []Op {
	return []Op{{Path: logPlaces[0], Key: []byte(floorKey), Value: storedNumber(revision)}}
}

// Succeed makes the data file at path, which nobody has open, the successor of the one at
// former, which it is about to replace. A client that has a copy of the former content must
// not mistake a revision of the successor for one that it knows. So the successor continues
// from the later revision of the two, and from far beyond its own if the other file is
// missing or cannot be read; its log begins again, and all content counts as changed. A
// file in an earlier format is not changed: its log is.
//
// The successor has no records in the forgotten buckets: what was removed from the former
// file since this one was made must not return with it.
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

// lastRevision returns the revision of the last commit of a file, if it can be read.
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
