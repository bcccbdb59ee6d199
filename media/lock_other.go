//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package media

import "os"

// Elsewhere, only one process may have a folder open at a time.
func lockAlone(*os.File) bool { return true }

func lockShared(*os.File) {}
