package store

import (
	"fmt"
	"runtime/debug"
)

// guard runs fn, which reads the mapped file through bbolt. Open has checked the pages, but
// a file can be truncated or a disk can fail under a running program: bbolt then panics, or
// the process receives SIGBUS, which without SetPanicOnFault would end it. Both are
// returned as a *CorruptError.
//
// fn must not call anything of the caller's: a panic there is not damage.
func guard(path, bucket string, fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &CorruptError{Path: path, Bucket: bucket, Err: fmt.Errorf("reading it failed: %v", p)}
		}
	}()
	return fn()
}

// guard runs fn, which uses bbolt on that bucket.
func (tx *Tx) guard(bucket string, fn func() error) error {
	if tx.ended {
		panic("store: a transaction was used after its View or Update had returned")
	}
	return guard(tx.db.path, bucket, fn)
}

// guardOrDamage runs fn for a method that returns no error.
func (tx *Tx) guardOrDamage(bucket string, fn func() error) {
	if err := tx.guard(bucket, fn); err != nil && tx.damage == nil {
		tx.damage = err
	}
}

func (tx *Tx) corrupt(bucket, key string, err error) error {
	return &CorruptError{Path: tx.db.path, Bucket: bucket, Key: key, Err: err}
}
