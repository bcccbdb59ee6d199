//go:build !linux

package store

import (
	"errors"
	"os"

	"go.etcd.io/bbolt"
)

// ReleaseMemory does nothing here: only Linux can release pages.
func (db *DB) ReleaseMemory() error { return nil }

func forgetPages(*bbolt.Tx) error { return nil }

// forgetPart does nothing here, either.
func forgetPart([]byte) {}

// reserve allocates space on the disk for a part of a file, so that writing it does not
// fill the disk. Only on Linux does it check what the disk has left.
func reserve(f *os.File, from, n, _ int64) error { return occupy(f, from, n) }

// readAhead does nothing here: only Linux can read ahead.
func readAhead(*os.File, int64, int64) {}

// syncAndDropCache forces a closed file to the disk.
func syncAndDropCache(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return accessError(path, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return accessError(path, err)
	}
	return nil
}
