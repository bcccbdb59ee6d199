package store

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/bbolt"
)

// recordOp counts an operation, and keeps it for the journal or the recorder if there is
// one: of a sequence that changes several times, only the last value. The value must not
// change any more.
func (tx *Tx) recordOp(key, value []byte, path []string) {
	if path[0] == metaBucket {
		return // meta is different in each file
	}
	tx.size += Op{path, key, value}.Size()
	switch {
	case (tx.recording || tx.db.tail != nil) && tx.size > MaxRecorded:
		// Drop the recorded operations, which are not all.
		tx.ops, tx.numbers, tx.partial = nil, nil, true
		return
	case tx.db.options.Journal == nil && !tx.recording && tx.db.tail == nil:
		return
	}
	o := Op{Path: path, Key: bytes.Clone(key), Value: value}
	if path[0] == sequenceBucket {
		if i, again := tx.numbers[string(key)]; again {
			tx.ops[i] = o
			return
		}
		if tx.numbers == nil {
			tx.numbers = map[string]int{}
		}
		tx.numbers[string(key)] = len(tx.ops)
	}
	tx.ops = append(tx.ops, o)
}

// Written returns how much this Update has written so far, in bytes of keys and values.
// Repeated writes count each time.
func (tx *Tx) Written() int { return tx.size }

// Fits returns a *TooLargeError if the Update has already written more than its journal
// accepts at once. Without a journal, everything fits.
func (tx *Tx) Fits() error {
	if tx.db.options.Journal == nil {
		return nil
	}
	ops, size := len(tx.ops)+1, tx.size
	for key := range tx.touched { // see recordChanged
		ops, size = ops+1, size+Op{[]string{changedBucket}, []byte(key), tx.CommitID().stored()}.Size()
	}
	return boundOps(ops, size)
}

func boundOps(ops, size int) error {
	if ops > MaxOps || size > MaxBytes {
		return &TooLargeError{Ops: ops, Bytes: size}
	}
	return nil
}

// Ops calls fn for the content of the file, in order, except what belongs only to this
// file. An error of fn ends it and is returned; damage is a *CorruptError.
func (tx *Tx) Ops(fn func(Op) error) error {
	for _, name := range [...]string{contentBucket, sequenceBucket, recordsBucket, replacedBucket, removedBucket, changedBucket} {
		if err := tx.opsBelow([]string{name}, fn); err != nil {
			return err
		}
	}
	return nil
}

// opsBelow yields the values of a bucket and of those in it.
func (tx *Tx) opsBelow(path []string, fn func(Op) error) error {
	var below [][]string
	for from, more := "", true; more; {
		ops, inner, err := tx.opsIn(path, from)
		if err != nil {
			return err
		}
		for _, o := range ops {
			if err := fn(o); err != nil {
				return err
			}
		}
		below = append(below, inner...)
		if more = len(ops) == opsAtOnce; more {
			from = string(ops[len(ops)-1].Key) + "\x00"
		}
	}
	for _, inner := range below {
		if err := tx.opsBelow(inner, fn); err != nil {
			return err
		}
	}
	return nil
}

// opsAtOnce limits how many values of a bucket are in memory at a time.
const opsAtOnce = 1000

// opsIn returns values of a bucket from a key on, at most opsAtOnce, and the paths of the
// buckets before the last of them.
func (tx *Tx) opsIn(path []string, from string) (ops []Op, below [][]string, err error) {
	if slices.Equal(path, logPlaces[0]) {
		err = tx.eachLogged(from, func(key string, value []byte) bool {
			ops = append(ops, Op{Path: path, Key: []byte(key), Value: bytes.Clone(value)})
			return len(ops) < opsAtOnce
		})
		return ops, nil, err
	}
	err = tx.guard(path[0], func() error {
		b := tx.bucket(path...)
		if b == nil {
			return nil
		}
		c := b.Cursor()
		for k, v := c.Seek([]byte(from)); k != nil && len(ops) < opsAtOnce; k, v = c.Next() {
			if v == nil {
				below = append(below, append(path[:len(path):len(path)], string(k)))
				continue
			}
			if v, err = tx.opValue(b, path, k, v); err != nil {
				return err
			}
			ops = append(ops, Op{Path: path, Key: bytes.Clone(k), Value: v})
		}
		return nil
	})
	return ops, below, err
}

// opValue returns the form of a stored value in a journal.
func (tx *Tx) opValue(b *bbolt.Bucket, path []string, key, stored []byte) (value []byte, err error) {
	if path[0] == contentBucket {
		if stored, err = getVersion(b, key); err != nil {
			return nil, tx.corrupt(strings.Join(path, "/"), string(key), err)
		}
	}
	return bytes.Clone(stored), nil
}

// OpValue returns the journal's form of the value under a key in those buckets, if the file
// agrees with the journal; nil if the file has none.
func (tx *Tx) OpValue(path []string, key []byte) (value []byte, err error) {
	if slices.Equal(path, logPlaces[0]) {
		err = tx.eachLogged(string(key), func(found string, stored []byte) bool {
			if found == string(key) {
				value = bytes.Clone(stored)
			}
			return false
		})
		return value, err
	}
	err = tx.guard(path[0], func() (err error) {
		b := tx.bucket(path...)
		if b == nil {
			return nil
		}
		if stored := b.Get(key); stored != nil {
			value, err = tx.opValue(b, path, key, stored)
		}
		return err
	})
	return value, err
}

// Position returns the position of a replica in its journal; 0 for a file that is not a
// replica.
func (tx *Tx) Position() uint64 { return tx.number(metaBucket, positionKey) }

// applyOp carries out an operation from elsewhere and records its change.
func (tx *Tx) applyOp(o Op) error {
	if len(o.Path) == 0 || !hasValues(o.Path) || o.Path[0] == metaBucket {
		return fmt.Errorf("store: the journal writes to %q, where nothing belongs", o.Path)
	}
	switch o.Path[0] {
	case contentBucket:
		return tx.applyEntryOp(o)
	case replacedBucket, removedBucket:
		return tx.applyHistoryOp(o)
	case recordsBucket:
		if o.Path[1] == logBucket {
			return tx.applyLogOp(o)
		}
		if o.Value == nil {
			return tx.DeleteRecord(o.Path[1], string(o.Key))
		}
		return tx.PutRecord(o.Path[1], string(o.Key), o.Value)
	}
	return tx.set(o.Value, string(o.Key), o.Path...)
}

// applyEntryOp stores or deletes an entry by its bytes.
func (tx *Tx) applyEntryOp(o Op) error {
	p := entryBucketAt(o.Path[1], o.Path[2])
	c := Change{Type: p.uid}
	err := tx.guard(p.String(), func() (err error) {
		b, err := tx.makeBucket(o.Path...)
		if err != nil {
			return err
		}
		before, err := getVersion(b, o.Key)
		if err != nil {
			return tx.corrupt(p.String(), p.readableKey(o.Key), err)
		}
		if c.Before, err = tx.stored(p, o.Key, before); err != nil {
			return err
		}
		if c.After, err = tx.stored(p, o.Key, o.Value); err != nil {
			return err
		}
		return o.putIn(b)
	})
	if err != nil {
		return err
	}
	tx.changes = append(tx.changes, c)
	tx.dirty = true
	return nil
}

// stored decodes an entry, nil if there is none.
func (tx *Tx) stored(p entryBucket, key, value []byte) (*Entry, error) {
	if value == nil {
		return nil, nil
	}
	e, err := tx.decoder.entry(p, key, value)
	if err != nil {
		return nil, tx.corrupt(p.String(), p.readableKey(key), err)
	}
	tx.decoder.forget()
	return e, nil
}

func (o Op) putIn(b *bbolt.Bucket) error {
	if o.Path[0] == contentBucket {
		return putVersion(b, o.Key, o.Value)
	}
	return putOrDelete(b, o.Key, o.Value)
}
