//go:build !linux

package store

import "os"

// readAhead does nothing here: only Linux is asked to read ahead.
func readAhead(*os.File, int64, int64) {}
