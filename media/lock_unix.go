//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package media

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockAlone locks a folder for this Folder alone. It reports false where another one
// has it open, in any process, and where the file system has no such locks.
func lockAlone(folder *os.File) bool {
	return unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// lockShared locks a folder beside others, in the place of lockAlone. It waits for one
// who has it alone. Where there are no such locks it does nothing.
func lockShared(folder *os.File) { _ = unix.Flock(int(folder.Fd()), unix.LOCK_SH) }
