package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The prefixes of the names of unfinished files and folders; digits follow. One that is
// found later was left by a process that died.
const (
	half     = ".quire-backup-" // written by Save, next to the final file
	staged   = ".backup-"       // filled by Stage, in the data folder
	unpacked = ".restore-"      // filled by Restore, in the data folder
)

// replaced is the beginning of the name of a folder with what a restore has replaced.
const replaced = "replaced-"

// Sweep removes from a data folder what was left behind there before that time. A
// folder that is missing is clean.
func Sweep(folder string, before time.Time) error {
	return removeLeft(folder, before, func(e fs.DirEntry) bool {
		return isHalf(e) || e.IsDir() && (isTemporary(e, staged) || isTemporary(e, unpacked))
	})
}

// SweepBackups removes unfinished backups that were begun before that time from a folder of
// backups. Other files may belong to somebody else.
func SweepBackups(folder string, before time.Time) error { return removeLeft(folder, before, isHalf) }

// replacedTime is the time in the name of a folder with what a restore has replaced.
const replacedTime = "20060102-150405.000"

// RemoveReplaced removes the folders in a data folder with what restores have replaced, but
// the newest ones: so many.
func RemoveReplaced(folder string, but int) error {
	entries, err := os.ReadDir(folder) // sorted by name, which is by time
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		made, ok := strings.CutPrefix(e.Name(), replaced)
		_, wrong := time.Parse(replacedTime, made)
		return !ok || wrong != nil || !e.IsDir()
	})
	for _, e := range entries[:max(0, len(entries)-but)] {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
	}
	return err
}

func isHalf(e fs.DirEntry) bool { return e.Type().IsRegular() && isTemporary(e, half) }

// isTemporary reports whether package os made the name, with that prefix.
func isTemporary(e fs.DirEntry, begin string) bool {
	number, ok := strings.CutPrefix(e.Name(), begin)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

func removeLeft(folder string, before time.Time, left func(fs.DirEntry) bool) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		info, gone := e.Info()
		if gone == nil && left(e) && info.ModTime().Before(before) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return err
}
