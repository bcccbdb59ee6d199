package store

import (
	"bytes"
	"errors"
	"slices"

	"go.etcd.io/bbolt"
)

// Every commit that changes content adds a record to the log. In a large bucket that costs
// a commit about four pages, half of what a single create writes. So new records collect in
// the bucket "fresh" at the top of the file. While that is small, bbolt has it in the top
// page itself, which every commit writes anyway. The first record that no longer fits goes
// to records/log together with all collected ones.
//
// Outside this file there is one sequence of records, also in a journal: which of them are
// fresh is a matter of each file.
//
// A program that knows no fresh records must not treat a log with some as complete. So this
// one stores its lineage in meta under "fresh", and removes "logged", where the other
// expects it; that program's log begins again.

const (
	// freshBucket holds the newest records of the log, with the keys that they have in
	// records/log. If both have a key, this record counts.
	freshBucket = "fresh"

	// maxFresh is the maximum number of bytes of a page for fresh records: a quarter of the
	// smallest page of any system. Beyond that, bbolt gives a bucket its own page.
	maxFresh = 4096 / 4
)

// logPlaces are the places of the records of the log, the newest last.
var logPlaces = [...][]string{{recordsBucket, logBucket}, {freshBucket}}

// putLogged stores a record. The transaction owns the value from then on.
func (tx *Tx) putLogged(key string, value []byte) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(recordBucket(logBucket), func() error {
		if err := tx.placeLogged([]byte(key), value); err != nil {
			return err
		}
		tx.recordOp([]byte(key), value, logPlaces[0])
		tx.records = append(tx.records, RecordChange{logBucket, key, nil, value})
		tx.dirty = true
		return nil
	})
}

func (tx *Tx) placeLogged(key, value []byte) error {
	fresh := tx.bucket(freshBucket)
	if freshSize(fresh)+elementSize+len(key)+len(value) > maxFresh {
		log, err := tx.makeBucket(logPlaces[0]...)
		if err != nil {
			return err
		}
		log.FillPercent = 1 // records are added in the order of their keys
		return errors.Join(tx.moveFresh(fresh, log), log.Put(key, value))
	}
	fresh, err := tx.makeBucket(freshBucket)
	if err != nil {
		return err
	}
	return fresh.Put(key, value)
}

// freshSize returns the number of bytes of a page that the fresh records take.
func freshSize(fresh *bbolt.Bucket) int {
	size := pageHead
	if fresh == nil {
		return size
	}
	_ = fresh.ForEach(func(k, v []byte) error { // the function never fails
		size += elementSize + len(k) + len(v)
		return nil
	})
	return size
}

// moveFresh moves the fresh records, if there are any, to the others.
func (tx *Tx) moveFresh(fresh, log *bbolt.Bucket) error {
	if fresh == nil {
		return nil
	}
	err := fresh.ForEach(func(k, v []byte) error { return log.Put(k, bytes.Clone(v)) })
	if err != nil {
		return err
	}
	return tx.bolt.DeleteBucket([]byte(freshBucket))
}

// deleteLogged removes a record. A missing key is not an error.
func (tx *Tx) deleteLogged(key string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(recordBucket(logBucket), func() error {
		var before []byte
		for _, path := range logPlaces {
			b := tx.bucket(path...)
			if b == nil || b.Get([]byte(key)) == nil {
				continue
			}
			before = bytes.Clone(b.Get([]byte(key)))
			if err := b.Delete([]byte(key)); err != nil {
				return err
			}
		}
		if before == nil {
			return nil
		}
		tx.recordOp([]byte(key), nil, logPlaces[0])
		tx.records = append(tx.records, RecordChange{logBucket, key, before, nil})
		tx.dirty = true
		return nil
	})
}

// eachLogged calls fn for the records whose keys are not below from, ordered by key, as
// long as fn returns true. fn must not write, and the value is valid until it returns.
func (tx *Tx) eachLogged(from string, fn func(key string, value []byte) (more bool)) error {
	return tx.guard(recordBucket(logBucket), func() error {
		old, fresh := tx.rowFrom(from, logPlaces[0]), tx.rowFrom(from, logPlaces[1])
		for old.key != nil || fresh.key != nil {
			at := &fresh
			switch c := bytes.Compare(old.key, fresh.key); {
			case fresh.key == nil, old.key != nil && c < 0:
				at = &old
			case c == 0:
				old.next()
			}
			if !fn(string(at.key), at.value) {
				return nil
			}
			at.next()
		}
		return nil
	})
}

// eachLoggedBack calls fn for the records, the newest first, as long as fn returns true. fn
// must not write, and the value is valid until it returns.
func (tx *Tx) eachLoggedBack(fn func(key string, value []byte) (more bool)) error {
	return tx.guard(recordBucket(logBucket), func() error {
		var last []byte
		for _, path := range slices.Backward(logPlaces[:]) {
			b := tx.bucket(path...)
			if b == nil {
				continue
			}
			c := b.Cursor()
			for k, v := c.Last(); k != nil && string(k) != floorKey; k, v = c.Prev() {
				if last != nil && bytes.Compare(k, last) >= 0 {
					continue // it is a fresh one
				}
				if last = k; !fn(string(k), v) {
					return nil
				}
			}
		}
		return nil
	})
}

// row is a position in a bucket; key is nil at its end.
type row struct {
	cursor     *bbolt.Cursor
	key, value []byte
}

func (tx *Tx) rowFrom(from string, path []string) (r row) {
	if b := tx.bucket(path...); b != nil {
		r.cursor = b.Cursor()
		r.key, r.value = r.cursor.Seek([]byte(from))
	}
	return r
}

func (r *row) next() { r.key, r.value = r.cursor.Next() }

// applyLogOp stores or deletes a record by its bytes, or the floor.
func (tx *Tx) applyLogOp(o Op) error {
	key := string(o.Key)
	switch {
	case key == floorKey && o.Value == nil:
		return tx.DeleteRecord(logBucket, key)
	case key == floorKey:
		return tx.PutRecord(logBucket, key, o.Value)
	case o.Value == nil:
		return tx.deleteLogged(key)
	}
	return tx.putLogged(key, bytes.Clone(o.Value))
}
