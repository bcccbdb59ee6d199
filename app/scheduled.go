package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quire/backup"
	"quire/media"
	"quire/schema/settings"
	"quire/store"
)

// A scheduled backup is named SITE-ID-TIME.tar.zst. Several sites may put their backups
// into one folder, so the id of the data folder, which is in the name and in the contents,
// says whose a backup is.
const (
	scheduledTime = "20060102-150405.000"
	scheduledEnd  = ".tar.zst"
)

func scheduledName(site, id string, made time.Time) string {
	return filepath.Base(site) + "-" + id + "-" + made.UTC().Format(scheduledTime) + scheduledEnd
}

// scheduledAt reads the time from the name of a scheduled backup of that data folder.
func scheduledAt(name, id string) (made time.Time, ok bool) {
	name, ok = strings.CutSuffix(name, scheduledEnd)
	if !ok || len(name) < len(scheduledTime) {
		return made, false
	}
	begin, when := name[:len(name)-len(scheduledTime)], name[len(name)-len(scheduledTime):]
	made, err := time.Parse(scheduledTime, when)
	return made, err == nil && id != "" && strings.HasSuffix(begin, "-"+id+"-")
}

// scheduledBackups lists the backups in a folder that the schedule of a data folder
// made, the newest first. What is not certain to be one is left out.
func scheduledBackups(folder, id string) (all []BackedUp, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		made, ok := scheduledAt(e.Name(), id)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(folder, e.Name())
		info, gone := e.Info()
		about, wrong := backup.ReadAbout(path)
		if gone == nil && wrong == nil && about.Schedule == id {
			all = append(all, BackedUp{File: path, Made: made, Size: info.Size(), Folder: id})
		}
	}
	slices.SortFunc(all, func(a, b BackedUp) int { return cmp.Or(b.Made.Compare(a.Made), strings.Compare(b.File, a.File)) })
	return all, err
}

// lastScheduled is when the schedule made the newest of its backups; the zero time
// for never.
func (a *App) lastScheduled(s settings.Backup) (time.Time, error) {
	folder, err := a.backupFolder(s)
	if err != nil {
		return time.Time{}, err
	}
	id, err := a.at.id()
	if err != nil {
		return time.Time{}, err
	}
	all, err := scheduledBackups(folder, id)
	if err != nil || len(all) == 0 {
		return time.Time{}, err
	}
	return all[0].Made, nil
}

// backUpScheduled makes one backup, and deletes those that are too many. Its error says
// that there is no new backup; what else goes wrong is in the log.
func (a *App) backUpScheduled(ctx context.Context, s settings.Backup, schemas string) error {
	begin := time.Now()
	made, err := a.saveScheduled(ctx, s, schemas)
	if err != nil {
		return err
	}
	a.log.Info("backup made", "file", made.File, "bytes", made.Size, "took", time.Since(begin))
	if err := a.requestReopenOn(putBackup(ctx, a.db, made)); err != nil {
		a.log.Error("the time of the backup cannot be noted in the data file", "error", err)
	}
	if err := a.requestReopenOn(a.dropFormerList()); err != nil {
		a.log.Error("the list of backups in the data file cannot be dropped", "error", err)
	}
	if err := retire(made, s.Keep); err != nil {
		a.log.Error("old backups cannot be deleted; that is tried again after the next one", "error", err)
	}
	return nil
}

func (a *App) saveScheduled(ctx context.Context, s settings.Backup, schemas string) (made BackedUp, err error) {
	folder, err := a.backupFolder(s)
	if err != nil {
		return made, err
	}
	if err := backup.SweepBackups(folder, time.Now().Add(-forgotten)); err != nil {
		return made, err
	}
	id, err := a.at.ownID()
	if err != nil {
		return made, err
	}
	site, err := filepath.Abs(a.at.Site)
	if err != nil {
		return made, err
	}
	staged, err := a.stage(ctx)
	if err != nil {
		return made, err
	}
	source, done, err := openStaged(staged)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, done()) }()
	source.About.Schedule = id
	if err := fetchFrom(ctx, source, a.fetched(s)); err != nil {
		return made, err
	}
	_, made, err = save(ctx, source, schemas, filepath.Join(folder, scheduledName(site, id, time.Now())), false)
	made.Folder = id
	return made, err
}

// fetched is the bucket whose files backups hold by site.json; nil for none.
func (a *App) fetched(s settings.Backup) media.Storage {
	if !s.Files {
		return nil
	}
	return a.files.Bucket()
}

// fetchFrom has a backup hold the files of a bucket; nil is none.
func fetchFrom(ctx context.Context, s *backup.Source, bucket media.Storage) error {
	if bucket == nil {
		return nil
	}
	return s.Fetch(ctx, bucket)
}

// backupFolder is where the scheduled backups are; it is made when it is missing.
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
	return folder, os.MkdirAll(folder, 0o700)
}

// retire deletes the oldest backups that the schedule of the same data folder made
// in the same folder, and keeps so many, the one just made among them.
func retire(made BackedUp, keep int) error {
	all, err := scheduledBackups(filepath.Dir(made.File), made.Folder)
	if err != nil {
		return err
	}
	former := slices.DeleteFunc(all, func(b BackedUp) bool { return b.File == made.File })
	var errs []error
	for _, old := range former[min(keep-1, len(former)):] {
		if err := os.Remove(old.File); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// dropFormerList drops the list of scheduled backups that earlier versions kept in
// the data file. It may be the list of another site, from which the data file was
// restored, so the files stay.
func (a *App) dropFormerList() error {
	var text []byte
	err := a.db.View(func(tx *store.Tx) (err error) {
		text, err = tx.Record(backupRecords, formerList)
		return err
	})
	if err != nil || text == nil {
		return err
	}
	if err := a.db.Update(func(tx *store.Tx) error { return tx.DeleteRecord(backupRecords, formerList) }); err != nil {
		return err
	}
	var list []BackedUp
	_ = json.Unmarshal(text, &list) // of a list that cannot be read, nothing can be said
	for _, b := range list {
		a.log.Warn("the schedule no longer deletes this backup: an earlier version of Quire made it, here or on the site that the data comes from", "file", b.File)
	}
	return nil
}
