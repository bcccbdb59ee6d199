//go:build !linux

package store

import (
	"errors"
	"os"
)

// settleFile forces what was written to a closed file to the disk.
func settleFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return accessError(path, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return accessError(path, err)
	}
	return nil
}
