package store

import (
	"context"
	"errors"
	"slices"

	"go.etcd.io/bbolt"
)

// copier writes all buckets of one bbolt file into another, in order, so that every page is
// filled. bbolt has a function for this too, but it cannot be stopped, and has both files
// completely in memory at the end.
type copier struct {
	ctx  context.Context
	from *bbolt.Tx
	to   *bbolt.DB

	tx      *bbolt.Tx
	pending int // bytes of keys and values in tx
}

// copyBatch is the size of one transaction, in bytes of keys and values.
const copyBatch = 8 << 20

func (c *copier) run() (err error) {
	if c.tx, err = c.to.Begin(true); err != nil {
		return err
	}
	defer func() { _ = c.tx.Rollback() }() // it does nothing after a commit
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

// bucket copies the content of the bucket at that path. After a commit it looks up its
// buckets again, which bbolt caches within a transaction.
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

// form returns the form in which the copy stores a value. Files of earlier programs have no
// short versions.
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

// commitSome commits, and begins another transaction. Both files are mapped into memory,
// and it releases the memory of what has been copied.
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
