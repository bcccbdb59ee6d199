package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// readAhead asks the system to read a part of the file that is needed soon. It is
// a hint: what does not come of it is read when it is needed.
func readAhead(f *os.File, offset, length int64) {
	_ = unix.Fadvise(int(f.Fd()), offset, length, unix.FADV_WILLNEED)
}
