package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quire/server"
	"quire/transfer/backup"
)

// requestedMark is in the name of a backup that was made on request, between the id of the
// data folder and the time.
const requestedMark = "by-hand-"

// requestedAt reads the time from the name of a backup of that data folder, if it was made
// on request.
func requestedAt(name, id string) (made time.Time, ok bool) {
	before, after, ok := strings.Cut(name, "-"+id+"-"+requestedMark)
	if !ok || id == "" || before == "" {
		return made, false
	}
	made, err := time.Parse(scheduledTime+scheduledEnd, after)
	return made, err == nil
}

// requestedBackups lists the backups of a data folder that were made on request.
func requestedBackups(folder, id string) (all []BackedUp, err error) {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		made, ours := requestedAt(e.Name(), id)
		if info, gone := e.Info(); ours && gone == nil && info.Mode().IsRegular() {
			all = append(all, BackedUp{File: filepath.Join(folder, e.Name()), Made: made, Size: info.Size(), Folder: id})
		}
	}
	return all, err
}

// newestBackup opens the newest finished backup of this data folder, scheduled or made on
// request. It returns nil if there is none.
func (a *App) newestBackup() (*server.StoredBackup, error) {
	settings, _ := a.backupSettings()
	id, err := a.at.id()
	if err != nil || id == "" { // the first backup assigns one
		return nil, err
	}
	folder, err := a.backupFolder(settings)
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledBackups(folder, id)
	if err != nil {
		return nil, err
	}
	all, err := requestedBackups(folder, id)
	if err != nil {
		return nil, err
	}
	all = append(all, scheduled...)
	slices.SortStableFunc(all, func(a, b BackedUp) int { return b.Made.Compare(a.Made) })
	for _, b := range all {
		if found, err := openStored(b); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// openStored opens a backup. It returns nil if the file is gone or is no backup.
func openStored(b BackedUp) (*server.StoredBackup, error) {
	wrong := new(backup.FileError)
	if _, err := backup.ReadAbout(b.File); errors.As(err, &wrong) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	f, err := os.Open(b.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // retired since
	}
	if err != nil {
		return nil, err
	}
	return &server.StoredBackup{Name: filepath.Base(b.File), Made: b.Made, Size: b.Size, File: f}, nil
}
