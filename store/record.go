package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
)

// Record returns a small record of another package, or nil.
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

// PutRecord stores a small record for another package: a token, a secret. bucket is the
// package's own name for this kind of record; it and key must not be empty.
func (tx *Tx) PutRecord(bucket, key string, value []byte) error {
	before, err := tx.Record(bucket, key)
	if err != nil {
		return err
	}
	if err := tx.set(value, key, recordsBucket, bucket); err != nil {
		return err
	}
	tx.records = append(tx.records, RecordChange{bucket, key, before, bytes.Clone(value)})
	return nil
}

// PutJSON is PutRecord of a value as JSON.
func (tx *Tx) PutJSON(bucket, key string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.PutRecord(bucket, key, value)
}

// DeleteRecord removes a record. A missing one is not an error.
func (tx *Tx) DeleteRecord(bucket, key string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(recordBucket(bucket), func() error {
		b := tx.bucket(recordsBucket, bucket)
		if b == nil || b.Get([]byte(key)) == nil {
			return nil
		}
		tx.records = append(tx.records, RecordChange{bucket, key, bytes.Clone(b.Get([]byte(key))), nil})
		tx.recordOp([]byte(key), nil, []string{recordsBucket, bucket})
		tx.dirty = true
		return b.Delete([]byte(key))
	})
}

// Records calls fn for each record of the bucket, ordered by key. It returns fn's error. fn
// may write; what it writes is not shown.
func (tx *Tx) Records(bucket string, fn func(key string, value []byte) error) error {
	records, err := tx.allRecords(bucket)
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

// RecordBuckets returns the buckets of records, except that of the log.
func (tx *Tx) RecordBuckets() (names []string) {
	tx.guardOrDamage(recordsBucket, func() error {
		b := tx.bucket(recordsBucket)
		if b == nil {
			return nil
		}
		return b.ForEachBucket(func(k []byte) error {
			if string(k) != logBucket {
				names = append(names, string(k))
			}
			return nil
		})
	})
	return names
}

// RecordsFrom calls fn for the records of the bucket whose keys begin with prefix and are
// not below from, ordered by key, as long as fn returns true. fn must not write, and the
// value is valid until it returns.
func (tx *Tx) RecordsFrom(bucket, prefix, from string, fn func(key string, value []byte) (more bool)) error {
	return tx.guard(recordBucket(bucket), func() error {
		b := tx.bucket(recordsBucket, bucket)
		if b == nil {
			return nil
		}
		c, begin := b.Cursor(), []byte(max(prefix, from))
		for k, v := c.Seek(begin); bytes.HasPrefix(k, []byte(prefix)) && k != nil; k, v = c.Next() {
			if !fn(string(k), v) {
				return nil
			}
		}
		return nil
	})
}

// CountRecords returns the number of records of the bucket whose keys begin with prefix.
func (tx *Tx) CountRecords(bucket, prefix string) (n int, err error) {
	err = tx.RecordsFrom(bucket, prefix, "", func(string, []byte) bool { n++; return true })
	return n, err
}

// DeleteRecords deletes the records of the bucket whose keys begin with prefix.
func (tx *Tx) DeleteRecords(bucket, prefix string) error {
	var keys []string
	err := tx.RecordsFrom(bucket, prefix, "", func(key string, _ []byte) bool {
		keys = append(keys, key)
		return true
	})
	for _, key := range keys {
		err = errors.Join(err, tx.DeleteRecord(bucket, key))
	}
	return err
}

// RecordVersion names the value of a record, for those who replace only what they have read. It
// is empty for a nil value, which is no record.
func RecordVersion(value []byte) string {
	if value == nil {
		return ""
	}
	sum := sha256.Sum256(value)
	return hex.EncodeToString(sum[:8])
}

// ErrRecordChanged refuses to replace a record that is no longer as it was read.
var ErrRecordChanged = errors.New("store: the record has been changed meanwhile")

// RequireRecord returns ErrRecordChanged unless a record has that version, see RecordVersion. Other
// errors are those of Record.
func (tx *Tx) RequireRecord(bucket, key, version string) error {
	value, err := tx.Record(bucket, key)
	if err == nil && RecordVersion(value) != version {
		err = ErrRecordChanged
	}
	return err
}

type smallRecord struct {
	key   string
	value []byte
}

func (tx *Tx) allRecords(bucket string) (all []smallRecord, err error) {
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
