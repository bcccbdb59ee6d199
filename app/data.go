package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"quire/backup"
	"quire/inspect"
	"quire/store"
)

// OpenData opens the data file as it is now, for reading: itself or, when a server runs,
// a copy that the server makes. done closes it. who opened it: the running server or this
// process.
func (l Location) OpenData(ctx context.Context) (db *store.DB, done func() error, who string, err error) {
	answer, who, err := l.callOr(ctx, copyCommand, nil, func() (_ json.RawMessage, err error) {
		db, err = store.Open(l.DataFile(), store.Options{ReadOnly: true})
		return nil, err
	})
	if err != nil {
		return nil, nil, "", err
	}
	if db != nil {
		return db, db.Close, who, nil
	}
	var copied string
	if err := json.Unmarshal(answer, &copied); err != nil {
		return nil, nil, "", err
	}
	if db, err = store.Open(copied, store.Options{ReadOnly: true}); err != nil {
		return nil, nil, "", errors.Join(err, os.Remove(copied))
	}
	return db, func() error { return errors.Join(db.Close(), os.Remove(copied)) }, who, nil
}

// copyData makes a copy of the data file as it is now, and returns its path. Whoever
// asked removes it.
func (a *App) copyData() (path string, err error) {
	f, err := os.CreateTemp(a.at.DataFolder(), "quire.db.copy-")
	if err != nil {
		return "", err
	}
	if _, err = a.db.Backup(f); err == nil {
		path, err = filepath.Abs(f.Name())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, nil
}

// openSource opens the data as it is now, uploads included: the data folder or, when a
// server runs, what that sets aside. done closes it. who opened it: the running server or
// this process.
func (l Location) openSource(ctx context.Context) (s *backup.Source, done func() error, who string, err error) {
	answer, who, err := l.callOr(ctx, stageCommand, nil, func() (_ json.RawMessage, err error) {
		if s, err = backup.Open(l.DataFolder(), inspect.StoredFiles); err != nil {
			return nil, err
		}
		if site, err := l.Load(); err == nil && site.Settings.Upload.Storage.Bucket != "" {
			s.UseBucket(site.Settings.Upload.Storage.Bucket)
		}
		return nil, nil
	})
	if err != nil {
		return nil, nil, "", err
	}
	if s != nil {
		return s, s.Close, who, nil
	}
	var staged string
	if err := json.Unmarshal(answer, &staged); err != nil {
		return nil, nil, "", err
	}
	s, done, err = openStaged(staged)
	return s, done, who, err
}

func openStaged(folder string) (s *backup.Source, done func() error, err error) {
	if s, err = backup.Open(folder, inspect.StoredFiles); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, func() error { return errors.Join(s.Close(), os.RemoveAll(folder)) }, nil
}

// stage sets aside what a backup is made from, in a folder that whoever asked removes.
// It waits for an import to end, and removes what commands that were killed have left.
func (a *App) stage(ctx context.Context) (folder string, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.stageLocked(ctx)
}

// stageLocked is stage. a.changing must be held.
func (a *App) stageLocked(ctx context.Context) (folder string, err error) {
	data, err := filepath.Abs(a.at.DataFolder())
	if err != nil {
		return "", err
	}
	if err := backup.Sweep(data, time.Now().Add(-forgotten)); err != nil {
		return "", err
	}
	if folder, err = backup.Stage(a.db, a.files, data, inspect.StoredFiles); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil { // the command has gone
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}
