package store

import (
	"bytes"

	"go.etcd.io/bbolt"
)

// What entries were before is kept by another package, which decides about keys and
// values. They are ordered by key within a type.

// StoredFields returns the bytes in which the fields of an entry are stored, nil when
// there is no such entry. The error is a *CorruptError.
func (tx *Tx) StoredFields(uid string, k Key) (fields []byte, err error) {
	p := entryBucketOf(uid, k.Locale)
	err = tx.guard(p.String(), func() error {
		b := tx.bucket(p.path()...)
		if b == nil {
			return nil
		}
		key := storedKey(k)
		value := b.Get(key)
		if value == nil {
			return nil
		}
		if err := checkValue(p, key, value); err != nil {
			return tx.corrupt(p.String(), k.String(), err)
		}
		stored := value[momentsEnd:]
		if value[0] == stampedFormat {
			if _, stored, err = tx.decoder.stamp(stored); err != nil {
				return tx.corrupt(p.String(), k.String(), err)
			}
		}
		fields = append(make([]byte, 0, len(stored)), stored...)
		return nil
	})
	return fields, err
}

// EncodedFields returns the bytes in which the transaction will store the fields. They
// are valid until its next change.
func (tx *Tx) EncodedFields(fields Fields) ([]byte, error) {
	if !tx.writable {
		return nil, ErrReadOnly
	}
	err := tx.encoder.encode(fields)
	return tx.encoder.buf.Bytes(), err
}

// DecodeFields reads the bytes in which fields are stored.
func DecodeFields(stored []byte) (Fields, error) {
	d := newDecoder()
	e := &Entry{Status: Published}
	if err := d.body(e, nil, stored); err != nil {
		return nil, err
	}
	return e.Fields, nil
}

// PutHistory stores a value in the history of a type.
func (tx *Tx) PutHistory(uid string, key, value []byte) error {
	return tx.set(value, string(key), historyBucket, uid)
}

// DeleteHistory removes a value from the history of a type; none of that key is no
// error.
func (tx *Tx) DeleteHistory(uid string, key []byte) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(historyBucket, func() error {
		b := tx.bucket(historyBucket, uid)
		if b == nil || b.Get(key) == nil {
			return nil
		}
		tx.recordOp(key, nil, []string{historyBucket, uid})
		tx.dirty = true
		return b.Delete(key)
	})
}

// Kept is a value of the history. It is the caller's.
type Kept struct{ Key, Value []byte }

// HistoryFrom returns the values of the history of a type whose keys are not below
// from and begin with prefix, in order, at most so many, and so many bytes of each.
func (tx *Tx) HistoryFrom(uid string, from, prefix []byte, most, bytesOfEach int) (found []Kept, err error) {
	err = tx.inHistory(uid, func(c *bbolt.Cursor) {
		for k, v := c.Seek(from); k != nil && bytes.HasPrefix(k, prefix) && len(found) < most; k, v = c.Next() {
			found = append(found, Kept{bytes.Clone(k), bytes.Clone(v[:min(bytesOfEach, len(v))])})
		}
	})
	return found, err
}

// HistoryBefore returns the last value of the history of a type whose key is below end
// and begins with prefix. It is empty when there is none.
func (tx *Tx) HistoryBefore(uid string, end, prefix []byte) (found Kept, err error) {
	err = tx.inHistory(uid, func(c *bbolt.Cursor) {
		if k, v := before(c, end); k != nil && bytes.HasPrefix(k, prefix) {
			found = Kept{bytes.Clone(k), bytes.Clone(v)}
		}
	})
	return found, err
}

// HistoryEnds returns the first and the last value of the history of a type whose keys
// begin with prefix and end with suffix, as far as most bytes of each. They are empty
// when there is none.
func (tx *Tx) HistoryEnds(uid string, prefix []byte, suffix byte, most int) (first, last Kept, err error) {
	fits := func(k []byte) bool { return k[len(k)-1] == suffix }
	within := func(k []byte) bool { return k != nil && bytes.HasPrefix(k, prefix) }
	err = tx.inHistory(uid, func(c *bbolt.Cursor) {
		k, v := c.Seek(prefix)
		for within(k) && !fits(k) {
			k, v = c.Next()
		}
		if !within(k) {
			return
		}
		first = Kept{bytes.Clone(k), bytes.Clone(v[:min(most, len(v))])}
		for k, v = before(c, After(prefix)); !fits(k); {
			k, v = c.Prev()
		}
		last = Kept{bytes.Clone(k), bytes.Clone(v[:min(most, len(v))])}
	})
	return first, last, err
}

// before moves a cursor to the last key that is below end.
func before(c *bbolt.Cursor, end []byte) (k, v []byte) {
	if k, _ = c.Seek(end); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// After returns the lowest key that comes after all that begin with prefix, which is
// not all 0xff.
func After(prefix []byte) []byte {
	next := bytes.Clone(prefix)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return next[:i+1]
		}
	}
	return next
}

// inHistory calls fn with a cursor over the history of a type, if there is any.
func (tx *Tx) inHistory(uid string, fn func(*bbolt.Cursor)) error {
	return tx.guard(historyBucket, func() error {
		if b := tx.historyOf(uid); b != nil {
			fn(b.Cursor())
		}
		return nil
	})
}

func (tx *Tx) historyOf(uid string) *bbolt.Bucket {
	if uid == "" {
		return nil
	}
	return tx.bucket(historyBucket, uid)
}

// HistoryTypes returns the uids of the types that have a history, sorted.
func (tx *Tx) HistoryTypes() (uids []string) {
	tx.guardOrDamage(historyBucket, func() error {
		b := tx.bucket(historyBucket)
		if b == nil {
			return nil
		}
		return b.ForEachBucket(func(uid []byte) error {
			uids = append(uids, string(uid))
			return nil
		})
	})
	return uids
}

// clearHistory deletes the history of a type.
func (tx *Tx) clearHistory(uid string) error {
	if tx.historyOf(uid) == nil {
		return nil
	}
	return tx.bucket(historyBucket).DeleteBucket([]byte(uid))
}

// applyHistoryOp stores or deletes a value of the history by its bytes.
func (tx *Tx) applyHistoryOp(o Op) error {
	if o.Value == nil {
		return tx.DeleteHistory(o.Path[1], o.Key)
	}
	return tx.PutHistory(o.Path[1], o.Key, o.Value)
}
