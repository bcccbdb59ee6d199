//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package media

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockAlone locks a folder for this Folder only. It reports false if another one has it
// open, in any process, and if the file system has no such locks.
func lockAlone(folder *os.File) bool {
	return unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// lockShared locks a folder together with others, instead of lockAlone. It waits for a
// Folder that has it alone. Without such locks it does nothing.
func lockShared(folder *os.File) { _ = unix.Flock(int(folder.Fd()), unix.LOCK_SH) }
