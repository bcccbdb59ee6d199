package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"
)

// A History is one of the two sequences of values in which another package keeps former
// versions of entries. That package decides about keys and values.
type History string

const (
	Replaced History = replacedBucket // for keys that grow from commit to commit
	Removed  History = removedBucket
)

// fillReplaced is how full pages become to which only the next commit is added.
const fillReplaced = 1.0

// Stored returns the stamp of an entry and its stored fields, nil if the entry does not
// exist. The error is a *CorruptError.
func (tx *Tx) Stored(uid string, k Key) (stamp Stamp, fields []byte, err error) {
	p := entryBucketOf(uid, k.Locale)
	err = tx.guard(p.String(), func() error {
		b := tx.bucket(p.path()...)
		if b == nil {
			return nil
		}
		key := storedKey(k)
		value, err := getVersion(b, key)
		if value == nil && err == nil {
			return nil
		}
		if err == nil {
			err = checkValue(p, key, value, nil)
		}
		if err != nil {
			return tx.corrupt(p.String(), k.String(), err)
		}
		stored := value[momentsEnd:]
		if isStamped(value) {
			if stamp, stored, err = tx.decoder.stamp(stored); err != nil {
				return tx.corrupt(p.String(), k.String(), err)
			}
		}
		fields = append(make([]byte, 0, len(stored)), stored...)
		return nil
	})
	return stamp, fields, err
}

// Applied returns the stored fields of the last applied entry before and after the change,
// nil if there was none or is none. They are valid until the transaction ends, and must not
// be modified.
func (tx *Tx) Applied() (before, after []byte) { return fieldsIn(tx.was), fieldsIn(tx.is) }

// fieldsIn returns the fields in a stored entry, nil if it is truncated.
func fieldsIn(value []byte) []byte {
	if len(value) < momentsEnd {
		return nil
	}
	fields := value[momentsEnd:]
	if !isStamped(value) {
		return fields
	}
	fields = fields[min(stampHead, len(fields)):]
	for range 2 { // actors
		if len(fields) < 2 {
			return nil
		}
		fields = fields[min(2+int(binary.BigEndian.Uint16(fields)), len(fields)):]
	}
	return fields
}

// DecodeFields decodes stored fields.
func DecodeFields(stored []byte) (Fields, error) {
	d := newDecoder()
	e := &Entry{Status: Published}
	if err := d.body(e, nil, stored); err != nil {
		return nil, err
	}
	return e.Fields, nil
}

// EncodeFields returns the stored form of fields: equal fields are equal bytes.
func EncodeFields(f Fields) ([]byte, error) {
	c := newEncoder()
	if err := c.encode(f); err != nil {
		return nil, err
	}
	return bytes.Clone(c.buf.Bytes()), nil
}

// PutHistory stores a value. The transaction owns it from then on.
func (tx *Tx) PutHistory(h History, key, value []byte) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(string(h), func() error {
		b, err := tx.makeBucket(string(h))
		if err != nil {
			return err
		}
		if h == Replaced {
			b.FillPercent = fillReplaced
		}
		if err := b.Put(key, value); err != nil {
			return fmt.Errorf("store: %q cannot be stored in %s: %w", key, h, err)
		}
		tx.recordOp(key, value, []string{string(h)})
		tx.dirty = true
		return nil
	})
}

// DeleteHistory removes a value. A missing key is not an error.
func (tx *Tx) DeleteHistory(h History, key []byte) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(string(h), func() error {
		b := tx.bucket(string(h))
		if b == nil || b.Get(key) == nil {
			return nil
		}
		tx.recordOp(key, nil, []string{string(h)})
		tx.dirty = true
		return b.Delete(key)
	})
}

// HistoryValue is a value of a History. It belongs to the caller.
type HistoryValue struct{ Key, Value []byte }

// HistoryFrom returns the values whose keys are not below from and begin with prefix, in
// order, up to a maximum number, and up to a maximum number of bytes of each.
func (tx *Tx) HistoryFrom(h History, from, prefix []byte, most, bytesOfEach int) (found []HistoryValue, err error) {
	err = tx.inHistory(h, func(c *bbolt.Cursor) {
		for k, v := c.Seek(from); k != nil && bytes.HasPrefix(k, prefix) && len(found) < most; k, v = c.Next() {
			found = append(found, HistoryValue{bytes.Clone(k), bytes.Clone(v[:min(bytesOfEach, len(v))])})
		}
	})
	return found, err
}

// HistoryFirst returns the first value whose key begins with prefix, and at most most bytes
// of it. It is empty if there is none.
func (tx *Tx) HistoryFirst(h History, prefix []byte, most int) (found HistoryValue, err error) {
	err = tx.inHistory(h, func(c *bbolt.Cursor) {
		if k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && k != nil {
			found = HistoryValue{bytes.Clone(k), bytes.Clone(v[:min(most, len(v))])}
		}
	})
	return found, err
}

// HistoryBefore returns the last value whose key is below end and begins with prefix, and
// at most most bytes of it. It is empty if there is none.
func (tx *Tx) HistoryBefore(h History, end, prefix []byte, most int) (found HistoryValue, err error) {
	err = tx.inHistory(h, func(c *bbolt.Cursor) {
		step := c.Prev
		if k, _ := c.Seek(end); k == nil {
			step = c.Last
		}
		k, v := step()
		if k != nil && bytes.HasPrefix(k, prefix) {
			found = HistoryValue{bytes.Clone(k), bytes.Clone(v[:min(most, len(v))])}
		}
	})
	return found, err
}

// inHistory calls fn with a cursor over the values, if there are any.
func (tx *Tx) inHistory(h History, fn func(*bbolt.Cursor)) error {
	return tx.guard(string(h), func() error {
		if b := tx.bucket(string(h)); b != nil {
			fn(b.Cursor())
		}
		return nil
	})
}

// applyHistoryOp stores or deletes a value of a History by its bytes.
func (tx *Tx) applyHistoryOp(o Op) error {
	if o.Value == nil {
		return tx.DeleteHistory(History(o.Path[0]), o.Key)
	}
	return tx.PutHistory(History(o.Path[0]), o.Key, bytes.Clone(o.Value))
}
