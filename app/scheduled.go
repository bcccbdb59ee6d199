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

	"quire/schema/settings"
	"quire/store"
	"quire/transfer/backup"
)

// A scheduled backup is named SITE-ID-TIME.tar.zst. Several sites can use one folder, so
// the id of the data folder, in the name and in the contents, says which site a backup
// belongs to.
const (
	scheduledTime = "20060102-150405.000"
	scheduledEnd  = ".tar.zst"
)

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

// scheduledBackups lists the scheduled backups of a data folder in a folder, newest first.
// It leaves out files that may be something else.
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

// lastScheduled returns the time of the newest scheduled backup, or the zero time if there
// is none.
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

// backUpScheduled makes one backup, and deletes surplus ones. The error says that there is
// no new backup; other problems are logged.
func (a *App) backUpScheduled(ctx context.Context, s settings.Backup, schemas string) error {
	begin := time.Now()
	made, err := a.saveScheduled(ctx, s, schemas)
	if err != nil {
		return err
	}
	a.log.Info("backup made", "file", made.File, "bytes", made.Size, "took", time.Since(begin))
	if err := a.requestReopenOn(putBackup(ctx, a.db, made)); err != nil {
		a.log.Error("cannot record the time of the backup in the data file", "error", err)
	}
	if err := a.requestReopenOn(a.dropFormerList()); err != nil {
		a.log.Error("the list of backups in the data file cannot be dropped", "error", err)
	}
	if err := retire(made, s.Keep); err != nil {
		a.log.Error("cannot delete old backups; retried after the next backup", "error", err)
	}
	return nil
}

func (a *App) saveScheduled(ctx context.Context, s settings.Backup, schemas string) (made BackedUp, err error) {
	to, err := a.newTarget(s, schemas, "-")
	if err != nil {
		return made, err
	}
	if err := backup.SweepBackups(filepath.Dir(to.file), time.Now().Add(-forgotten)); err != nil {
		return made, err
	}
	staged, err := a.stage(ctx)
	if err != nil {
		return made, err
	}
	to.scheduled, to.bucket = true, a.fetched(s)
	return to.save(ctx, staged)
}

// retire deletes the oldest scheduled backups of the same data folder in the same folder.
// It keeps the given number, including the new one.
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

// dropFormerList removes the list of scheduled backups that earlier versions kept in the
// data file. The files stay, because the list may belong to another site whose data file
// was restored here.
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
	_ = json.Unmarshal(text, &list) // an unreadable list is ignored
	for _, b := range list {
		a.log.Warn("the schedule no longer deletes this backup: an earlier version of Quire made it, here or on the site that the data comes from", "file", b.File)
	}
	return nil
}
