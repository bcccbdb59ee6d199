package store

import (
	"bytes"
	"strings"
)

// Record returns a small record of another room, nil when there is none.
func (tx *Tx) Record(bucket, key string) ([]byte, error) {
	var value []byte
	err := tx.guard(recordBucket(bucket), func() error {
		if b := tx.bucket(recordsBucket, bucket); b != nil {
			value = bytes.Clone(b.Get([]byte(key)))
		}
		return nil
	})
	return value, err
}

// PutRecord stores a small record for another room: a token, a secret. bucket
// is the room's own name for this kind of record; it and key must not be empty.
func (tx *Tx) PutRecord(bucket, key string, value []byte) error {
	return tx.set(value, key, recordsBucket, bucket)
}

// DeleteRecord removes a record; none of that name is no error.
func (tx *Tx) DeleteRecord(bucket, key string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(recordBucket(bucket), func() error {
		b := tx.bucket(recordsBucket, bucket)
		if b == nil || b.Get([]byte(key)) == nil {
			return nil
		}
		tx.dirty = true
		return b.Delete([]byte(key))
	})
}

// Records calls fn for each record of the bucket, ordered by key. It returns
// fn's error. fn may write; what it writes is not shown.
func (tx *Tx) Records(bucket string, fn func(key string, value []byte) error) error {
	records, err := tx.records(bucket)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := fn(r.key, r.value); err != nil {
			return err
		}
	}
	return nil
}

type smallRecord struct {
	key   string
	value []byte
}

func (tx *Tx) records(bucket string) (all []smallRecord, err error) {
	err = tx.guard(recordBucket(bucket), func() error {
		b := tx.bucket(recordsBucket, bucket)
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, v []byte) error {
			all = append(all, smallRecord{string(k), bytes.Clone(v)})
			return nil
		})
	})
	return all, err
}

func recordBucket(name string) string { return strings.Join([]string{recordsBucket, name}, "/") }
