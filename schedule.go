package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/backup"
	"quire/schema"
	"quire/store"
)

// scheduleInterval is how often it is asked whether a backup is due. The settings
// may have changed, and the clock may have been set.
const scheduleInterval = 20 * time.Second

// keepBackups makes the backups that site.json asks for until ctx is done.
func (a *app) keepBackups(ctx context.Context) {
	ticker := time.NewTicker(scheduleInterval)
	defer ticker.Stop()
	a.backUpOnTime(ctx, ticker.C)
}

func (a *app) backUpOnTime(ctx context.Context, ticks <-chan time.Time) {
	var plan timetable
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			a.backUpIfDue(ctx, &plan, now)
		}
	}
}

// backUpIfDue makes a backup if it is time for one. How it went is in the log.
func (a *app) backUpIfDue(ctx context.Context, plan *timetable, now time.Time) {
	settings, schemas := a.backupSettings()
	due, err := plan.due(settings, now, func() (time.Time, error) {
		made, err := a.scheduled()
		if err != nil || len(made) == 0 {
			return time.Time{}, err
		}
		return made[0].Made, nil
	})
	if err == nil && due {
		err = a.backUp(ctx, settings, schemas)
	}
	if err != nil && ctx.Err() == nil {
		a.log.Error("there is no new backup", "error", err)
	}
}

func (a *app) backupSettings() (settings schema.Backup, schemas string) {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.site.Settings.Backup, fingerprintOf(a.site)
}

// timetable knows when the next backup is due, by settings that may change.
type timetable struct {
	settings schema.Backup
	next     time.Time
}

// due reports whether a backup is due, and if so counts it as done. A run that was
// missed, since the machine was off, is made up for: by settings that are new here,
// the next run is the one after the last good one.
func (t *timetable) due(s schema.Backup, now time.Time, last func() (time.Time, error)) (bool, error) {
	if s.Schedule == "" {
		t.settings = s
		return false, nil
	}
	if s != t.settings {
		was, err := last()
		if err != nil {
			return false, err
		}
		t.settings, t.next = s, now
		if !was.IsZero() {
			if t.next, err = s.Next(was.In(now.Location())); err != nil {
				return false, err
			}
		}
	}
	if now.Before(t.next) {
		return false, nil
	}
	var err error
	t.next, err = s.Next(now)
	return true, err
}

// backUp makes one backup and deletes those that are too many.
func (a *app) backUp(ctx context.Context, s schema.Backup, schemas string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	begin := time.Now()
	made, err := a.saveScheduled(ctx, s, schemas)
	if err != nil {
		return err
	}
	a.log.Info("backup made", "file", made.File, "bytes", made.Size, "took", time.Since(begin))
	return a.retire(s.Keep, made)
}

func (a *app) saveScheduled(ctx context.Context, s schema.Backup, schemas string) (made backedUp, err error) {
	folder, err := a.backupFolder(s)
	if err != nil {
		return made, err
	}
	if err := backup.Sweep(folder, time.Now().Add(-forgotten)); err != nil {
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
	site, err := filepath.Abs(a.place.site)
	if err != nil {
		return made, err
	}
	name := filepath.Base(site) + "-" + time.Now().UTC().Format("20060102-150405.000") + ".tar.zst"
	_, made, err = save(ctx, source, schemas, filepath.Join(folder, name), false)
	return made, err
}

// backupFolder is where the scheduled backups lie; it is made when it is missing.
func (a *app) backupFolder(s schema.Backup) (string, error) {
	folder := s.Folder
	switch {
	case folder == "":
		folder = filepath.Join(a.dataFolder(), "backups")
	case !filepath.IsAbs(folder):
		folder = filepath.Join(a.place.site, folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// scheduled lists the backups that the schedule made and has not deleted again, the
// newest first.
func (a *app) scheduled() (made []backedUp, err error) {
	err = readRecord(a.db, scheduledRecord, &made)
	return made, err
}

// retire notes a backup, and deletes the oldest of those that the schedule made
// where they are more than are to be kept. Files that it did not make are none of
// its business.
func (a *app) retire(keep int, made backedUp) error {
	all, err := a.scheduled()
	if err != nil {
		return err
	}
	all = append([]backedUp{made}, all...)
	kept := all[:min(keep, len(all))]
	var errs []error
	for _, old := range all[len(kept):] {
		if err := os.Remove(old.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
			kept = append(kept[:len(kept):len(kept)], old) // it is tried again next time
		}
	}
	errs = append(errs, writeRecord(a.db, scheduledRecord, kept), noteBackup(a.db, made))
	return a.orSuspend(errors.Join(errs...))
}

// orSuspend has the data file reopened if that is what an error asks for.
func (a *app) orSuspend(err error) error {
	if store.Suspends(err) {
		a.suspend()
	}
	return err
}
