package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// settleFile makes what can be read of a closed file what is on the disk. After
// a failed fsync the system's cache may hold pages that never got there and that
// no later fsync will write, since it takes them for clean: they are dropped, so
// that they are read from the disk again.
func settleFile(path string) error {
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
