package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// Tx is one moment of the file, and in an Update also the writer of the next. Only one
// goroutine may use it, and it ends with the function it was passed to. Nothing it returns
// refers to the file: values may be kept.
type Tx struct {
	db       *DB
	bolt     *bbolt.Tx
	writable bool

	changes            []Change
	touched            map[string]bool // keys of the bucket "changed"
	records            []RecordChange
	ops                []Op           // for the journal, or the recorder
	numbers            map[string]int // index in ops of each sequence
	size               int            // of what was written, in bytes
	time               int64          // see Time; 0 before the first call
	dirty              bool           // there is something to commit
	logged             bool           // see PutLog
	recording, partial bool           // see Recorder
	atEnd              func(committed bool)
	ended              bool
	encoder            *encoder
	decoder            *decoder

	was, is []byte // stored form of the last applied entry, before and after

	// damage is the first damage found by a method without an error result. It fails the
	// whole transaction.
	damage error
}

// Revision counts the commits in the life of the file: in a View those so far, in an Update
// including the current one.
func (tx *Tx) Revision() uint64 {
	revision := tx.number(metaBucket, revisionKey)
	if tx.writable {
		revision++
	}
	return revision
}

// AtEnd calls fn when the Update's transaction has ended, before the next one begins, so
// that memory changes in the order of commits. committed is false if nothing was stored and
// if it is unknown whether it was. fn must not use the DB.
func (tx *Tx) AtEnd(fn func(committed bool)) { tx.atEnd = fn }

// Entry returns the entry with that name, or nil. The error is a *CorruptError.
func (tx *Tx) Entry(uid string, k Key) (*Entry, error) {
	if checkKey(uid, k) != nil {
		return nil, nil // nothing can be stored under such a name
	}
	var e *Entry
	key := storedKey(k)
	p := entryBucketOf(uid, k.Locale)
	err := tx.guard(p.String(), func() error {
		b := tx.bucket(p.path()...)
		if b == nil {
			return nil
		}
		value, err := getVersion(b, key)
		if err == nil && value != nil {
			e, err = tx.decoder.entry(p, key, value)
		}
		if err != nil {
			return tx.corrupt(p.String(), k.String(), err)
		}
		tx.decoder.forget() // this entry belongs to the caller
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Apply stores After, or deletes Before if After is nil, and records the change for the
// feed. A change that contradicts the file (a Before that is not stored, no Before for an
// entry that is) or that cannot be stored is refused with an *EntryError and does not
// change the transaction.
func (tx *Tx) Apply(c Change) error {
	if !tx.writable {
		return ErrReadOnly
	}
	k, err := changeKey(c)
	if err == nil {
		err = checkKey(c.Type, k)
	}
	p := entryBucketOf(c.Type, k.Locale)
	key := storedKey(k)
	var value []byte
	if err == nil && c.After != nil {
		value, err = tx.encoder.entry(p, key, c.After)
	}
	if err == nil {
		err = tx.guard(p.String(), func() error { return tx.put(c, p, key, value) })
	}
	if err != nil {
		if errors.As(err, new(*CorruptError)) {
			return err
		}
		return &EntryError{Type: c.Type, Key: k, Err: err}
	}
	tx.changes = append(tx.changes, c)
	tx.touch(c.Type, k.Status)
	tx.dirty = true
	return nil
}

// changeKey returns the key of the changed entry.
func changeKey(c Change) (Key, error) {
	switch {
	case c.Before == nil && c.After == nil:
		return Key{}, errors.New("it has neither a before nor an after")
	case c.Before == nil:
		return c.After.Key(), nil
	case c.After == nil:
		return c.Before.Key(), nil
	case c.Before.Key() != c.After.Key():
		return c.After.Key(), fmt.Errorf("it would rename %s", c.Before.Key())
	}
	return c.After.Key(), nil
}

// put stores value under key, or deletes the key if value is nil.
func (tx *Tx) put(c Change, p entryBucket, key, value []byte) (err error) {
	b := tx.bucket(p.path()...)
	if tx.was, tx.is = nil, value; b != nil {
		tx.was, err = getVersion(b, key)
	}
	if err != nil {
		return tx.corrupt(p.String(), p.readableKey(key), err)
	}
	stored := tx.was != nil
	switch {
	case c.Before == nil && stored:
		return errors.New("it says that the entry is new, but it is stored already")
	case c.Before != nil && !stored:
		return errors.New("it says that the entry is stored, but it is not")
	case value == nil:
		tx.recordOp(key, nil, p.path())
		return putVersion(b, key, nil)
	}
	if b, err = tx.makeBucket(p.path()...); err != nil {
		return err
	}
	tx.recordOp(key, value, p.path())
	return putVersion(b, key, value)
}

// Types returns the uids that have entries in the file, sorted.
func (tx *Tx) Types() []string {
	var uids []string
	tx.guardOrDamage(contentBucket, func() error {
		content := tx.bucket(contentBucket)
		return content.ForEachBucket(func(uid []byte) error {
			if hasEntries(content.Bucket(uid)) {
				uids = append(uids, string(uid))
			}
			return nil
		})
	})
	return uids
}

func hasEntries(locales *bbolt.Bucket) bool {
	found := false
	_ = locales.ForEachBucket(func(name []byte) error { // the function never fails
		key, _ := locales.Bucket(name).Cursor().First()
		found = found || key != nil
		return nil
	})
	return found
}

// Locales returns the locales in which a type has entries, sorted; the empty one comes
// first and is for entries without a locale.
func (tx *Tx) Locales(uid string) []string {
	var locales []string
	tx.guardOrDamage(contentBucket+"/"+uid, func() error {
		if uid == "" {
			return nil
		}
		b := tx.bucket(contentBucket, uid)
		if b == nil {
			return nil
		}
		return b.ForEachBucket(func(name []byte) error {
			if key, _ := b.Bucket(name).Cursor().First(); key != nil {
				locales = append(locales, entryBucketAt(uid, string(name)).locale)
			}
			return nil
		})
	})
	slices.Sort(locales)
	return locales
}

// Has reports whether an entry with that name exists. It does not decode it.
func (tx *Tx) Has(uid string, k Key) (found bool) {
	if checkKey(uid, k) != nil {
		return false
	}
	p := entryBucketOf(uid, k.Locale)
	tx.guardOrDamage(p.String(), func() error {
		b := tx.bucket(p.path()...)
		found = b != nil && b.Get(storedKey(k)) != nil
		return nil
	})
	return found
}

// Sequence returns the number last set under that name, 0 if there is none.
func (tx *Tx) Sequence(name string) uint64 { return tx.number(sequenceBucket, name) }

// SetSequence stores n under that name. The caller chooses names: one for each sequence of
// numbers that must not be used twice.
func (tx *Tx) SetSequence(name string, n uint64) error {
	return tx.set(storedNumber(n), name, sequenceBucket)
}

func (tx *Tx) number(bucket, key string) (n uint64) {
	tx.guardOrDamage(bucket, func() (err error) {
		if n, err = parseNumber(tx.bucket(bucket).Get([]byte(key))); err != nil {
			err = tx.corrupt(bucket, key, err)
		}
		return err
	})
	return n
}

// set stores value under key in the bucket at path, which is created if it is missing.
func (tx *Tx) set(value []byte, key string, path ...string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	if value = bytes.Clone(value); value == nil {
		value = []byte{} // to a journal, nil would be a deletion
	}
	return tx.guard(path[0], func() error {
		b, err := tx.makeBucket(path...)
		if err == nil {
			err = b.Put([]byte(key), value)
		}
		if err != nil {
			return fmt.Errorf("store: %q cannot be stored in %v: %w", key, path, err)
		}
		tx.recordOp([]byte(key), value, path)
		tx.dirty = true
		return nil
	})
}

// bucket returns the bucket at that path, or nil.
func (tx *Tx) bucket(path ...string) *bbolt.Bucket {
	b := tx.bolt.Bucket([]byte(path[0]))
	for _, name := range path[1:] {
		if b == nil {
			return nil
		}
		b = b.Bucket([]byte(name))
	}
	return b
}

func (tx *Tx) makeBucket(path ...string) (*bbolt.Bucket, error) {
	b, err := tx.bolt.CreateBucketIfNotExists([]byte(path[0]))
	for _, name := range path[1:] {
		if err != nil {
			return nil, err
		}
		b, err = b.CreateBucketIfNotExists([]byte(name))
	}
	return b, err
}

// Clear deletes every entry of a type at once. The feed does not get the changes: it is for
// a file that nobody follows, for example the copy that an import works on.
func (tx *Tx) Clear(uid string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	return tx.guard(contentBucket+"/"+uid, func() error {
		content := tx.bucket(contentBucket)
		if uid == "" || content == nil || content.Bucket([]byte(uid)) == nil {
			return nil
		}
		tx.touch(uid, Draft)
		tx.touch(uid, Published)
		tx.dirty, tx.partial = true, true
		return content.DeleteBucket([]byte(uid))
	})
}

// Forget removes sequences, and the last changes of a type that has no entries any more.
func (tx *Tx) Forget(uid string, sequences ...string) error {
	if !tx.writable {
		return ErrReadOnly
	}
	for _, s := range []Status{Draft, Published} {
		key := string(changedKey(uid, s))
		delete(tx.touched, key)
		if err := tx.remove(changedBucket, key); err != nil {
			return err
		}
	}
	for _, name := range sequences {
		if err := tx.remove(sequenceBucket, name); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a key of a bucket at the top of the file, if it exists.
func (tx *Tx) remove(bucket, key string) error {
	return tx.guard(bucket, func() error {
		b := tx.bucket(bucket)
		if b == nil || b.Get([]byte(key)) == nil {
			return nil
		}
		tx.recordOp([]byte(key), nil, []string{bucket})
		tx.dirty = true
		return b.Delete([]byte(key))
	})
}
