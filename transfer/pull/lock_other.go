//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package pull

import "os"

// lock does nothing here: two commands that write to one file damage it, which is found
// when it is checked.
func lock(*os.File) bool { return true }
