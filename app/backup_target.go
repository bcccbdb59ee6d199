package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"quire/media"
	"quire/schema/settings"
	"quire/store"
)

// target is a new file in the folder of backups, and what the backup records about the site.
type target struct {
	file        string
	begin       string // of the name of the file, before the time
	id, schemas string
	scheduled   bool          // whether the schedule makes it
	bucket      media.Storage // the bucket whose files are included; nil for none
}

// newTarget chooses the file of a new backup. mark stands in its name between the id of the data
// folder and the time.
func (a *App) newTarget(s settings.Backup, schemas, mark string) (to target, err error) {
	folder, err := a.backupFolder(s)
	if err != nil {
		return to, err
	}
	id, err := a.at.ownID()
	if err != nil {
		return to, err
	}
	site, err := filepath.Abs(a.at.Site)
	if err != nil {
		return to, err
	}
	begin := filepath.Base(site) + "-" + id + mark
	file := filepath.Join(folder, begin+time.Now().UTC().Format(scheduledTime)+scheduledEnd)
	return target{file: file, begin: begin, id: id, schemas: schemas}, nil
}

// name returns the name of the backup.
func (to target) name() string { return filepath.Base(to.file) }

// save makes a backup from the staged data, and removes that.
func (to target) save(ctx context.Context, staged string) (made BackedUp, err error) {
	source, done, err := openStaged(staged)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if to.scheduled {
		source.About.Schedule = to.id
	}
	if to.bucket != nil {
		if err := source.Fetch(ctx, to.bucket); err != nil {
			return made, err
		}
	}
	_, made, err = save(ctx, source, to.schemas, to.file, false)
	made.Folder = to.id
	return made, err
}

// fetched returns the bucket whose files site.json includes in backups; nil for none.
func (a *App) fetched(s settings.Backup) media.Storage {
	if !s.Files {
		return nil
	}
	return a.files.Bucket()
}

// backupFolder returns the folder of scheduled backups, which it creates if necessary.
func (a *App) backupFolder(s settings.Backup) (string, error) {
	folder := s.Folder
	switch {
	case folder == "":
		folder = filepath.Join(a.at.DataFolder(), "backups")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(a.at.Site, folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return folder, store.MakeFolder(folder, 0o700)
}
