package app

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	admins "quire/auth/people"
	"quire/auth/users"
	"quire/content/audit"
	"quire/store"
	"quire/transfer/backup"
)

// BackedUp describes a successful backup, as the data file records it.
type BackedUp struct {
	File   string    `json:"file"`
	Made   time.Time `json:"made"`
	Size   int64     `json:"size"`             // bytes of File
	Folder string    `json:"folder,omitempty"` // id of the data folder that was backed up, if it has one
}

// The records of the last successful backup of any kind, and of the scheduled backups that
// earlier versions listed.
const (
	backupRecords = "backup"
	lastRecord    = "last"
	formerList    = "scheduled"
)

// lastBackup returns the last successful backup of the data folder with that id. If there
// is none, its Made is zero. The record in a data file that was restored from another
// folder does not count.
func lastBackup(db *store.DB, id string) (last BackedUp, err error) {
	err = readRecord(db, lastRecord, &last)
	if err != nil || last.Folder != "" && last.Folder != id {
		return BackedUp{}, err
	}
	return last, nil
}

func (a *App) lastBackup() (time.Time, error) {
	id, err := a.at.id()
	if err != nil {
		return time.Time{}, err
	}
	last, err := lastBackup(a.db, id)
	return last.Made, err
}

// putBackup records a backup in the data file and in the audit log.
func putBackup(ctx context.Context, db *store.DB, b BackedUp) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	e := siteEvent("data.backup", map[string]string{"file": filepath.Base(b.File), "bytes": strconv.FormatInt(b.Size, 10)})
	return db.Update(func(tx *store.Tx) error {
		if err := tx.PutRecord(backupRecords, lastRecord, text); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), e)
	})
}

// recordBackup records a backup made by a command as the last successful one.
func (a *App) recordBackup(ctx context.Context, made BackedUp) (err error) {
	if a.follows() {
		return nil // its data file is the leader's
	}
	if made.Folder, err = a.at.ownID(); err != nil {
		return err
	}
	return a.requestReopenOn(putBackup(ctx, a.db, made))
}

func readRecord(db *store.DB, name string, v any) error {
	return db.View(func(tx *store.Tx) error {
		text, err := tx.Record(backupRecords, name)
		if err != nil || text == nil {
			return err
		}
		return json.Unmarshal(text, v)
	})
}

// forgotten is the age after which an unfinished backup cannot be in progress.
const forgotten = 24 * time.Hour

// Backing is a backup that a command makes.
type Backing struct {
	File    string // path of the backup
	Schemas string // the result of SchemaFingerprint
	Replace bool   // whether to replace an existing File
	Files   bool   // whether to include uploads in a bucket

	By string // BackUp sets it to who opened the data: the running server or this process

	meter backup.Meter
}

// Measure returns the progress of the backup.
func (b *Backing) Measure() Measured {
	files, bytes := b.meter.Done()
	return Measured{Read: bytes, Entries: files}
}

// BackUp makes a backup of the current data.
func (l Location) BackUp(ctx context.Context, b *Backing) (m *backup.Manifest, made BackedUp, err error) {
	source, done, who, err := l.openSource(ctx)
	if err != nil {
		return nil, made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	b.By, source.Meter = who, &b.meter
	if b.Files {
		if err := l.fetchFiles(ctx, source); err != nil {
			return nil, made, err
		}
	}
	return save(ctx, source, b.Schemas, b.File, b.Replace)
}

// fetchFiles includes the files of the bucket that site.json names in a backup. This
// process fetches them.
func (l Location) fetchFiles(ctx context.Context, s *backup.Source) error {
	site, err := l.Load()
	if err != nil {
		return err
	}
	bucket, err := bucketOf(&site.Settings.Upload.Storage)
	switch {
	case err != nil:
		return err
	case bucket != nil:
		return s.Fetch(ctx, bucket)
	case s.About.Bucket != "":
		return &backup.OtherBucketError{Is: s.About.Bucket}
	}
	return nil
}

// NoteBackup records a backup in the data file as the last successful one, for Status and
// metrics. The running server does it, or this process if no server runs.
func (l Location) NoteBackup(ctx context.Context, made BackedUp) error {
	raw, err := json.Marshal(made)
	if err != nil {
		return err
	}
	_, _, err = l.callOr(ctx, backedUpCommand, raw, func() (json.RawMessage, error) {
		db, err := l.openAlone(store.Options{})
		if err != nil {
			return nil, err
		}
		if made.Folder, err = l.id(); err == nil {
			err = putBackup(byCommand(ctx, "backup"), db, made)
		}
		return nil, errors.Join(err, db.Close())
	})
	return err
}

// Restore restores a backup into the data folder, which no server may be using; see
// backup.Restore.
func (l Location) Restore(ctx context.Context, file string, replace bool) (backup.Restored, error) {
	if err := l.standsAlone(); err != nil {
		return backup.Restored{}, err
	}
	return backup.Restore(ctx, file, l.DataFolder(), replace, audit.Of(byCommand(ctx, "restore")), passing()...)
}

// passing lists the buckets that a restore does not bring back.
func passing() []string { return slices.Concat(admins.Passing(), users.Passing()) }

// save writes a backup of a source to a file.
func save(ctx context.Context, s *backup.Source, schemas, path string, replace bool) (*backup.Manifest, BackedUp, error) {
	s.About.Program, s.About.Made, s.About.Schemas = Version(), time.Now().UTC().Truncate(time.Second), schemas
	m, err := backup.Save(ctx, path, s, replace)
	if err != nil {
		return nil, BackedUp{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, BackedUp{}, err
	}
	return m, BackedUp{File: path, Made: m.Made, Size: info.Size()}, nil
}
