//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package pull

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file until it is closed. It reports false if another process has it locked.
func lock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK
}
