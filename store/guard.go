package store

import (
	"fmt"
	"runtime/debug"
)

// guard runs fn, which reads the mapped file through bbolt. Open has checked
// the pages, but a file can be cut or a disk can fail under a running program:
// bbolt then panics, or the process receives SIGBUS, which without
// SetPanicOnFault would end it. Both come back as a *CorruptError.
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
