package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"quire/content/audit"
	"quire/store"
	"quire/transfer/backup"
	"quire/transfer/pull"
)

// Pull is a backup of another server that a command restores.
type Pull struct {
	From    string // address of the server
	Token   string // that names plugin::quire.backups.read
	Options pull.Options
	Replace bool // whether to replace what is in the data folder
	Only    bool // whether to download and check the backup, and not to restore it
	Keep    int  // of the folders with what was replaced; -1 for all

	remote *pull.Remote
}

// Pulled is what a Pull came to.
type Pulled struct {
	backup.Restored           // its Manifest is nil if Unchanged
	Tag             string    // the ETag of the newest backup
	Unchanged       bool      // whether the content comes from that backup already
	File            pull.File // what was downloaded
}

// keptDownload is how long a download that was broken off, or was not restored, is kept.
const keptDownload = 7 * 24 * time.Hour

// ErrDamagedPull is a backup that arrived complete and is damaged. It was removed.
var ErrDamagedPull = errors.New("the backup that the server sent cannot be used, and was removed here")

// Measure returns the progress of the download.
func (p *Pull) Measure() Measured {
	received, size := p.remote.Progress()
	return Measured{Read: received, Total: size}
}

// Open checks what can be checked without the server. Errors are those of pull.Open.
func (p *Pull) Open() (err error) {
	p.remote, err = pull.Open(p.From, p.Token, p.Options)
	return err
}

// Pull downloads the newest backup of another server and restores it into the data folder,
// which no server may be using; with Only, a server may. It downloads nothing if the content
// comes from that backup already. Call Open first. What is in the data folder stays until the
// whole backup is there and was checked.
//
// Errors: *NodeError, those of backup.Admit, backup.Restore and pull.Remote, ErrDamagedPull.
func (l Location) Pull(ctx context.Context, p *Pull) (done Pulled, err error) {
	if err := l.standsAlone(); err != nil {
		return done, err
	}
	offer, err := p.remote.Newest(ctx)
	if err != nil {
		return done, err
	}
	here, _, err := callAs(ctx, l, pulledCommand, nil, l.pulledHere)
	if err != nil {
		return done, err
	}
	if done.Tag = offer.Tag; here.From == p.remote.Address() && here.Tag == offer.Tag {
		done.Unchanged = true
		return done, pull.Sweep(l.DataFolder(), time.Now())
	}
	if !p.Only {
		if err := backup.Admit(l.DataFolder(), p.Replace); err != nil {
			return done, err
		}
	}
	return l.fetch(ctx, p, offer)
}

// fetch downloads a backup and uses it. If it is damaged and an earlier run has downloaded a
// part of it, fetch downloads it once more from the beginning: a power cut may have damaged
// that part.
func (l Location) fetch(ctx context.Context, p *Pull, offer pull.Offer) (done Pulled, err error) {
	for {
		file, err := p.remote.Download(ctx, offer, l.DataFolder())
		if err != nil {
			return done, err
		}
		done.Tag, done.File = file.Tag, *file
		err = l.use(ctx, p, &done)
		if damaged := new(backup.FileError); errors.As(err, &damaged) {
			if err := os.Remove(file.Path); err != nil {
				return done, err
			}
			if file.Kept > 0 {
				offer = file.Offer
				continue
			}
			return done, fmt.Errorf("%w: it %s", ErrDamagedPull, damaged.Problem)
		}
		return done, err
	}
}

// use checks or restores what was downloaded.
func (l Location) use(ctx context.Context, p *Pull, done *Pulled) (err error) {
	if p.Only {
		done.Manifest, err = backup.Verify(ctx, done.File.Path)
		return err
	}
	if done.Restored, err = l.Restore(ctx, done.File.Path, p.Replace); err != nil {
		return err
	}
	if err := os.Remove(done.File.Path); err != nil {
		return err
	}
	if err := l.notePulled(byCommand(ctx, "restore"), pulledFrom{From: p.remote.Address(), Tag: done.Tag}); err != nil {
		return fmt.Errorf("the backup is restored, but where it comes from cannot be noted in the data file, so the next run downloads it again: %w", err)
	}
	if p.Keep < 0 {
		return nil
	}
	if p.Keep == 0 {
		done.Kept = ""
	}
	return backup.RemoveReplaced(l.DataFolder(), p.Keep)
}

// pulledFrom is the backup of another server that the content of a data folder comes from,
// as the data file records it.
type pulledFrom struct {
	From   string `json:"from"`   // address of the backup
	Tag    string `json:"tag"`    // its ETag
	Folder string `json:"folder"` // id of the data folder; what a backup of another one says does not count
}

const pulledRecord = "pulled" // in backupRecords

// notePulled records in the data file and in the audit log where the content comes from. A
// data file in an earlier format has no record until it is migrated.
func (l Location) notePulled(ctx context.Context, from pulledFrom) (err error) {
	if from.Folder, err = l.ownID(); err != nil {
		return err
	}
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	db, err := l.openAlone(store.Options{Existing: true})
	if format := new(store.FormatError); errors.As(err, &format) && format.Older {
		return nil
	}
	if err != nil {
		return err
	}
	err = db.Update(func(tx *store.Tx) error {
		if err := tx.PutRecord(backupRecords, pulledRecord, text); err != nil {
			return err
		}
		return audit.Note(tx, audit.Of(ctx), siteEvent("data.pull", map[string]string{"from": from.From, "etag": from.Tag}))
	})
	return errors.Join(err, db.Close())
}

// pulledIn reads the record from the data file of this folder.
func (l Location) pulledIn(db *store.DB) (from pulledFrom, err error) {
	id, err := l.id()
	if err == nil {
		err = readRecord(db, pulledRecord, &from)
	}
	if err != nil || id == "" || from.Folder != id {
		return pulledFrom{}, err
	}
	return from, nil
}

// pulledHere reads the record of a folder that no server uses. There is none if there is no
// data file, or none that can be read: it is to be replaced.
func (l Location) pulledHere() (from pulledFrom, err error) {
	if !l.HasData() {
		return from, nil
	}
	db, err := store.Open(l.DataFile(), store.Options{Existing: true, ReadOnly: true})
	switch {
	case errors.Is(err, store.ErrInUse):
		return from, err
	case err != nil:
		return from, nil
	}
	from, _ = l.pulledIn(db)
	return from, db.Close()
}
