package store

import (
	"context"
	"errors"
	"slices"

	"go.etcd.io/bbolt"
)

// copier writes all buckets of one bbolt file into another, in order, so that
// every page of it is filled. bbolt has such a thing too; that one cannot be
// stopped, and has all of both files in memory at the end.
type copier struct {
	ctx  context.Context
	from *bbolt.Tx
	to   *bbolt.DB

	tx      *bbolt.Tx
	pending int // bytes of keys and values in tx
}

// copyBatch is how many bytes of keys and values make one transaction.
const copyBatch = 8 << 20

func (c *copier) run() (err error) {
	if c.tx, err = c.to.Begin(true); err != nil {
		return err
	}
	defer func() { _ = c.tx.Rollback() }() // of a committed transaction it does nothing
	err = c.from.ForEach(func(name []byte, b *bbolt.Bucket) error {
		if _, err := c.tx.CreateBucket(name); err != nil {
			return err
		}
		return c.bucket([][]byte{name}, b)
	})
	if err != nil {
		return err
	}
	return c.tx.Commit()
}

// bucket copies what is in the bucket at that path. What a commit on the way has
// ended is looked up anew, which bbolt remembers within a transaction.
func (c *copier) bucket(path [][]byte, from *bbolt.Bucket) error {
	return from.ForEach(func(key, value []byte) error {
		if value != nil {
			return c.put(path, key, c.form(path, from, key, value))
		}
		if _, err := c.at(path).CreateBucket(key); err != nil {
			return err
		}
		return c.bucket(append(slices.Clip(path), key), from.Bucket(key))
	})
}

// form is how the copy stores a value. Files of earlier programs have no short versions.
func (c *copier) form(path [][]byte, from *bbolt.Bucket, key, value []byte) []byte {
	if string(path[0]) != contentBucket || key[len(key)-1] != publishedKey || isShort(value) {
		return value
	}
	return shorten(value, from.Get(sibling(key, draftKey)))
}

func (c *copier) at(path [][]byte) *bbolt.Bucket {
	b := c.tx.Bucket(path[0])
	for _, name := range path[1:] {
		b = b.Bucket(name)
	}
	return b
}

func (c *copier) put(path [][]byte, key, value []byte) error {
	b := c.at(path)
	b.FillPercent = 1
	if err := b.Put(key, value); err != nil {
		return err
	}
	if c.pending += len(key) + len(value); c.pending < copyBatch {
		return nil
	}
	return c.commitSome()
}

// commitSome commits, and begins another transaction. Both files are read through the
// memory of the process, which need not keep what has been copied.
func (c *copier) commitSome() (err error) {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if err := c.tx.Commit(); err != nil {
		return err
	}
	c.pending = 0
	if c.tx, err = c.to.Begin(true); err != nil {
		return err
	}
	return errors.Join(forgetPages(c.from), forgetPages(c.tx))
}
