package store

import (
	"syscall"
	"unsafe"

	"go.etcd.io/bbolt"
)

// Forget gives the memory back that holds pages of the file which earlier reads
// have touched. Whoever reads one again gets it from the system's cache. It is
// for a program that has read the whole file once and will read little of it
// from then on.
func (db *DB) Forget() error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	if db.bolt == nil {
		return ErrClosed
	}
	tx, err := db.bolt.Begin(false) // keeps the mapping where it is
	if err != nil {
		return err
	}
	defer tx.Rollback()
	return forgetPages(tx)
}

// forgetPages is Forget for one who has a transaction.
func forgetPages(tx *bbolt.Tx) error {
	at := tx.DB().Info().Data
	pages := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), tx.Size())
	return syscall.Madvise(pages, syscall.MADV_DONTNEED)
}
