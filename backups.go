package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"quire/backup"
	"quire/schema"
	"quire/store"
)

// backedUp is a good backup, as the data file remembers it.
type backedUp struct {
	File string    `json:"file"`
	Made time.Time `json:"made"`
	Size int64     `json:"size"` // bytes of File
}

// Where the data file remembers backups: the last good one of any kind, and those
// that the schedule made and has not deleted again.
const (
	backupRecords   = "backup"
	lastRecord      = "last"
	scheduledRecord = "scheduled"
)

// lastBackup returns the last good backup; its Made is zero when there is none.
func lastBackup(db *store.DB) (last backedUp, err error) {
	err = readRecord(db, lastRecord, &last)
	return last, err
}

func (a *app) lastBackup() (time.Time, error) {
	last, err := lastBackup(a.db)
	return last.Made, err
}

func noteBackup(db *store.DB, b backedUp) error { return writeRecord(db, lastRecord, b) }

func readRecord(db *store.DB, name string, v any) error {
	return db.View(func(tx *store.Tx) error {
		text, err := tx.Record(backupRecords, name)
		if err != nil || text == nil {
			return err
		}
		return json.Unmarshal(text, v)
	})
}

func writeRecord(db *store.DB, name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return db.Update(func(tx *store.Tx) error { return tx.PutRecord(backupRecords, name, text) })
}

// schemas names the site folder as it is; empty when its files have problems,
// which is no reason to go without a backup.
func (p place) schemas() (string, error) {
	site, err := p.load()
	var problems *schema.Problems
	switch {
	case errors.As(err, &problems):
		return "", nil
	case err != nil:
		return "", err
	}
	return fingerprintOf(site), nil
}

func fingerprintOf(site *schema.Site) string { return hex.EncodeToString(site.Fingerprint[:]) }

// still opens the data as it is now, uploads included: the data folder or, when a
// server has it, what the server sets aside.
func (p place) still(ctx context.Context) (s *backup.Source, done func() error, who string, err error) {
	answer, who, err := p.carryOutOr(ctx, "data stage", nil, func() (_ json.RawMessage, err error) {
		s, err = backup.Open(p.dataFolder(), storedFiles)
		return nil, err
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
	if s, err = backup.Open(folder, storedFiles); err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, func() error { return errors.Join(s.Close(), os.RemoveAll(folder)) }, nil
}

// forgotten is how long ago it was begun that a backup cannot be under way any more.
const forgotten = 24 * time.Hour

// stage sets aside what a backup is made from. It waits for an import to end. What
// commands that were killed have left is removed.
func (a *app) stage(ctx context.Context) (folder string, err error) {
	a.changing.Lock()
	defer a.changing.Unlock()
	data, err := filepath.Abs(a.dataFolder())
	if err != nil {
		return "", err
	}
	if err := backup.Sweep(data, time.Now().Add(-forgotten)); err != nil {
		return "", err
	}
	if folder, err = backup.Stage(a.db, a.files, data, storedFiles); err != nil {
		return "", err
	}
	if err := ctx.Err(); err != nil { // whoever asked has gone
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return folder, nil
}

// save makes a backup of the source.
func save(ctx context.Context, s *backup.Source, schemas, path string, replace bool) (*backup.Manifest, backedUp, error) {
	s.About.Program, s.About.Made, s.About.Schemas = version(), time.Now().UTC().Truncate(time.Second), schemas
	m, err := backup.Save(ctx, path, s, replace)
	if err != nil {
		return nil, backedUp{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, backedUp{}, err
	}
	return m, backedUp{File: path, Made: m.Made, Size: info.Size()}, nil
}
