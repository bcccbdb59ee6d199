package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The beginnings of names of what is on its way. Found later, it was left behind by
// a process that died.
const (
	half     = ".quire-backup-" // a file that Save writes, beside the one that it is to be
	staged   = ".backup-"       // a folder that Stage fills, in the data folder
	unpacked = ".restore-"      // one that Restore fills, in the data folder
)

// Sweep removes from a folder what was left behind there before that time. A folder
// that is missing is clean.
func Sweep(folder string, before time.Time) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		info, gone := e.Info()
		if gone == nil && isLeft(e.Name()) && info.ModTime().Before(before) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return err
}

func isLeft(name string) bool {
	return strings.HasPrefix(name, half) || strings.HasPrefix(name, staged) || strings.HasPrefix(name, unpacked)
}
