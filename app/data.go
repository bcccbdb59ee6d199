package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"quire/app/inspect"
	"quire/store"
	"quire/transfer/backup"
)

// OpenData opens the current data file for reading. If a server runs, it opens a copy that
// the server makes. done closes it. who is the one that opened it: the running server or
// this process.
func (l Location) OpenData(ctx context.Context) (db *store.DB, done func() error, who string, err error) {
	answer, who, err := l.callOr(ctx, copyCommand, nil, func() (_ json.RawMessage, err error) {
		if err := l.requireData(); err != nil {
			return nil, err
		}
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

// copyData makes a copy of the current data file, and returns its path. The caller removes
// the copy.
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

// openSource opens the current data and uploads: the data folder or, if a server runs, what
// the server sets aside. done closes it. who is the one that opened it: the running server
// or this process.
func (l Location) openSource(ctx context.Context) (s *backup.Source, done func() error, who string, err error) {
	answer, who, err := l.callOr(ctx, stageCommand, nil, func() (_ json.RawMessage, err error) {
		if err := l.requireData(); err != nil {
			return nil, err
		}
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

// stage sets aside the source of a backup in a folder that the caller removes. It waits for
// an import to end, and removes what killed commands have left.
func (a *App) stage(ctx context.Context) (folder string, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.stageLocked(ctx)
}

// stageLocked is stage for callers that hold a.changing.
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
	if err := ctx.Err(); err != nil { // the command has disconnected
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}
