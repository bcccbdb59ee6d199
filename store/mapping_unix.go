//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// deleteOnClose is not necessary: an open file can be removed.
const deleteOnClose = 0

// mapPart maps n bytes of a file, which must have them, for reading.
func mapPart(f *os.File, from, n int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), from, int(n), unix.PROT_READ, unix.MAP_SHARED)
}

func unmapPart(part []byte) { _ = unix.Munmap(part) }
