package store

import (
	"errors"
	"os"
	"unsafe"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// ReleaseMemory releases the memory in which earlier reads have left parts of the file; a
// later read gets them from the system's cache. Call it after the whole file was read, if
// little of it will be read from then on. It may do nothing.
func (db *DB) ReleaseMemory() error {
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

// forgetPages is ReleaseMemory for a caller that has a transaction.
func forgetPages(tx *bbolt.Tx) error {
	at := tx.DB().Info().Data
	pages := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), tx.Size())
	return unix.Madvise(pages, unix.MADV_DONTNEED)
}

// forgetPart removes a mapped part of a file from the memory of this process.
func forgetPart(part []byte) { _ = unix.Madvise(part, unix.MADV_DONTNEED) }

// reserve allocates space on the disk for a part of a file, so that writing it does not
// fill the disk. It leaves spare bytes free.
func reserve(f *os.File, from, n, spare int64) error {
	var disk unix.Statfs_t
	err := unix.Fstatfs(int(f.Fd()), &disk)
	if err == nil && disk.Blocks > 0 && int64(disk.Bavail)*int64(disk.Bsize) < n+spare {
		return unix.ENOSPC
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = unix.Fallocate(int(f.Fd()), 0, from, n)
	}
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return occupy(f, from, n)
	}
	return err
}

// readAhead asks the system to read a part of the file that is needed soon. It is a hint:
// what it does not read is read when it is needed.
func readAhead(f *os.File, offset, length int64) {
	_ = unix.Fadvise(int(f.Fd()), offset, length, unix.FADV_WILLNEED)
}

// syncAndDropCache makes later reads of a closed file show what is on the disk. After a
// failed fsync the system's cache may hold pages that never got there, and no later fsync
// writes them, because they count as clean. So all are dropped and read again.
func syncAndDropCache(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return accessError(path, err)
	}
	err = errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED), f.Close())
	if err != nil {
		return accessError(path, err)
	}
	return nil
}
