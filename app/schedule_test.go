package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
	"quire/transfer/backup"
)

func TestTimetable(t *testing.T) {
	night := settings.Backup{Schedule: "0 3 * * *", Keep: 7}
	noon := settings.Backup{Schedule: "0 12 * * *", Keep: 7}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC) }
	var never time.Time
	var plan timetable
	for _, step := range []struct {
		what     string
		settings settings.Backup
		now      time.Time
		last     time.Time
		due      bool
		fails    bool
	}{
		{"no schedule", settings.Backup{Keep: 7}, at(1, 10, 0), never, false, false},
		{"a schedule, and no backup so far", night, at(1, 10, 0), never, true, false},
		{"once is enough", night, at(1, 11, 0), never, false, false},
		{"before it is time", night, at(2, 2, 0), never, false, false},
		{"it is time", night, at(2, 3, 0), never, true, false},
		{"the same minute", night, at(2, 3, 0), never, false, false},
		{"two days later", night, at(4, 3, 0), never, true, false},
		{"another schedule, and the last one was this night", noon, at(4, 10, 0), at(4, 3, 0), false, false},
		{"noon", noon, at(4, 12, 0), at(4, 3, 0), true, false},
		{"switched off", settings.Backup{Keep: 7}, at(5, 12, 0), at(4, 12, 0), false, false},
		{"switched on after a run was missed, and it fails", noon, at(5, 13, 0), at(4, 12, 0), true, true},
		{"half a minute later", noon, at(5, 13, 0).Add(30 * time.Second), at(4, 12, 0), false, false},
		{"a minute later, and it fails again", noon, at(5, 13, 1), at(4, 12, 0), true, true},
		{"a minute after that", noon, at(5, 13, 2), at(4, 12, 0), false, false},
		{"two minutes after that", noon, at(5, 13, 3), at(4, 12, 0), true, false},
		{"the next day", noon, at(6, 11, 59), at(4, 12, 0), false, false},
		{"the clock was set back by a week", noon, at(1, 11, 0), at(4, 12, 0), false, false},
		{"noon of that day", noon, at(1, 12, 0), at(4, 12, 0), true, false},
		{"the last backup is of the future", night, at(1, 13, 0), at(30, 3, 0), true, false},
	} {
		due, err := plan.due(step.settings, step.now, func() (time.Time, error) { return step.last, nil })
		if due != step.due || err != nil {
			t.Errorf("%s: due %v, %v", step.what, due, err)
		}
		switch {
		case due && step.fails:
			plan.failed(step.now)
		case due:
			if err := plan.done(step.now); err != nil {
				t.Errorf("%s: %v", step.what, err)
			}
		}
	}
	failure := errors.New("no")
	if due, err := plan.due(noon, at(6, 3, 0), func() (time.Time, error) { return never, failure }); due || !errors.Is(err, failure) {
		t.Errorf("due %v, %v", due, err)
	}
}

// However often a backup fails, it is retried within an hour.
func TestTimetableOfFailures(t *testing.T) {
	plan := timetable{settings: settings.Backup{Schedule: "@monthly"}}
	now := time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)
	var waits []time.Duration
	for range 100 {
		plan.failed(now)
		waits = append(waits, plan.next.Sub(now))
		now = plan.next
	}
	if waits[0] != time.Minute || waits[1] != 2*time.Minute || waits[5] != 32*time.Minute || waits[6] != time.Hour || waits[99] != time.Hour {
		t.Errorf("it waits %v", waits)
	}
}

// scheduledOf lists the scheduled backups of a site in the folder that its settings
// name.
func scheduledOf(t *testing.T, a *App) []BackedUp {
	t.Helper()
	settings, _ := a.backupSettings()
	folder, err := a.backupFolder(settings)
	check(t, err)
	id, err := a.at.id()
	check(t, err)
	all, err := scheduledBackups(folder, id)
	check(t, err)
	return all
}

// The newest backups are kept. Other files in the folder stay.
func TestScheduledBackups(t *testing.T) {
	a, log := startGuide(t)
	edit(t, a.at.Site, "site.json", `"roles"`, `"backup": {"schedule": "* * * * *", "folder": "nightly", "keep": 2}, "roles"`)
	check(t, a.reload())
	folder := filepath.Join(a.at.Site, "nightly")
	mine := filepath.Join(folder, "site-20200101-000000.000.tar.zst")
	check(t, errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(mine, nil, 0o600)))
	ticks := make(chan time.Time)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.runScheduleOn(ctx, ticks)
	}()
	now := time.Now()
	for i := range 4 {
		ticks <- now.Add(time.Duration(i) * time.Hour)
		ticks <- now // received after the previous tick was handled
	}
	stop()
	<-ended
	made := scheduledOf(t, a)
	if len(made) != 2 || strings.Count(log.String(), "backup made") != 4 {
		t.Fatalf("%v\n%s", made, log)
	}
	for _, b := range made {
		m, err := backup.Verify(t.Context(), b.File)
		if err != nil || len(m.Uploads()) == 0 {
			t.Errorf("%s: %v", b.File, err)
		}
	}
	if files := filesIn(t, folder); len(files) != 3 || !slices.Contains(files, filepath.Base(mine)) {
		t.Errorf("the folder holds %v", files)
	}
	if last, err := lastBackup(a.db, made[0].Folder); err != nil || last.File != made[0].File || filepath.Dir(last.File) != folder || last.Size == 0 {
		t.Errorf("the last is %+v, %v", last, err)
	}
}

// A failed backup is logged, deletes no others, and is retried.
func TestScheduledBackupThatFails(t *testing.T) {
	a, log := startGuide(t)
	settings := settings.Backup{Schedule: "@daily", Keep: 1}
	check(t, a.backUpScheduled(t.Context(), settings, ""))
	before := scheduledOf(t, a)
	if len(before) != 1 || filepath.Dir(before[0].File) != filepath.Join(a.at.DataFolder(), "backups") {
		t.Fatalf("%v", before)
	}
	folder := filepath.Join(a.at.Site, "nightly")
	if err := os.WriteFile(folder, nil, 0o600); err != nil { // not a folder
		t.Fatal(err)
	}
	edit(t, a.at.Site, "site.json", `"roles"`, `"backup": {"schedule": "@daily", "folder": "nightly"}, "roles"`)
	check(t, a.reload())
	var plan timetable
	now := time.Now().AddDate(0, 0, 2)
	a.backUpIfDue(t.Context(), &plan, now)
	a.backUpIfDue(t.Context(), &plan, now) // too early for a retry
	if strings.Count(log.String(), "the scheduled backup failed") != 1 || !strings.Contains(log.String(), "nightly") {
		t.Errorf("the log: %s", log)
	}
	if _, err := backup.Verify(t.Context(), before[0].File); err != nil {
		t.Error(err)
	}
	check(t, os.Remove(folder))
	a.backUpIfDue(t.Context(), &plan, now.Add(time.Minute))
	a.backUpIfDue(t.Context(), &plan, now.Add(2*time.Minute))
	if made, err := scheduledBackups(folder, before[0].Folder); err != nil || len(made) != 1 {
		t.Errorf("after a minute there are %v, %v\n%s", made, err, log)
	}
	if left, _ := filepath.Glob(filepath.Join(a.at.DataFolder(), ".*")); left != nil {
		t.Errorf("something is left: %v", left)
	}
}
