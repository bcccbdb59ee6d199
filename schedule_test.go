package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/backup"
	"quire/schema"
)

func TestTimetable(t *testing.T) {
	night := schema.Backup{Schedule: "0 3 * * *", Keep: 7}
	noon := schema.Backup{Schedule: "0 12 * * *", Keep: 7}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	var never time.Time
	var plan timetable
	for _, step := range []struct {
		what     string
		settings schema.Backup
		now      time.Time
		last     time.Time
		due      bool
	}{
		{"no schedule", schema.Backup{Keep: 7}, at(1, 10), never, false},
		{"a schedule, and no backup so far", night, at(1, 10), never, true},
		{"once is enough", night, at(1, 11), never, false},
		{"before it is time", night, at(2, 2), never, false},
		{"it is time", night, at(2, 3), never, true},
		{"the same minute", night, at(2, 3), never, false},
		{"two days later", night, at(4, 3), never, true},
		{"another schedule, and the last one was this night", noon, at(4, 10), at(4, 3), false},
		{"noon", noon, at(4, 12), at(4, 3), true},
		{"switched off", schema.Backup{Keep: 7}, at(5, 12), at(4, 12), false},
		{"switched on after a run was missed", noon, at(5, 13), at(4, 12), true},
	} {
		due, err := plan.due(step.settings, step.now, func() (time.Time, error) { return step.last, nil })
		if due != step.due || err != nil {
			t.Errorf("%s: due %v, %v", step.what, due, err)
		}
	}
	failure := errors.New("no")
	if due, err := plan.due(night, at(6, 3), func() (time.Time, error) { return never, failure }); due || !errors.Is(err, failure) {
		t.Errorf("due %v, %v", due, err)
	}
}

// The newest backups are kept. Files that others have put beside them stay.
func TestScheduledBackups(t *testing.T) {
	a, log := startGuide(t)
	edit(t, a, "site.json", `"roles"`, `"backup": {"schedule": "* * * * *", "folder": "nightly", "keep": 2}, "roles"`)
	if err := a.reload(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(a.place.site, "nightly")
	mine := filepath.Join(folder, "site-20200101-000000.000.tar.zst")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(mine, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	ticks := make(chan time.Time)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.backUpOnTime(ctx, ticks)
	}()
	now := time.Now()
	for i := range 4 {
		ticks <- now.Add(time.Duration(i) * time.Hour)
		ticks <- now // the one before has been dealt with when this one is taken
	}
	stop()
	<-ended
	made, err := a.scheduled()
	if err != nil || len(made) != 2 || strings.Count(log.String(), "backup made") != 4 {
		t.Fatalf("%v, %v\n%s", made, err, log)
	}
	for _, b := range made {
		m, err := backup.Verify(t.Context(), b.File)
		if err != nil || len(m.Uploads()) == 0 {
			t.Errorf("%s: %v", b.File, err)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 3 || files[0].Name() != filepath.Base(mine) {
		t.Errorf("the folder holds %v, %v", files, err)
	}
	if last, err := lastBackup(a.db); err != nil || last != made[0] || filepath.Dir(last.File) != folder || last.Size == 0 {
		t.Errorf("the last is %+v, %v", last, err)
	}
}

// A backup that fails is told in the log, and costs none of the others.
func TestScheduledBackupThatFails(t *testing.T) {
	a, log := startGuide(t)
	settings := schema.Backup{Schedule: "@daily", Keep: 1}
	if err := a.backUp(t.Context(), settings, ""); err != nil {
		t.Fatal(err)
	}
	before, err := a.scheduled()
	if err != nil || len(before) != 1 || filepath.Dir(before[0].File) != filepath.Join(a.dataFolder(), "backups") {
		t.Fatalf("%v, %v", before, err)
	}
	settings.Folder = filepath.Join(a.place.site, "site.json") // which is no folder
	edit(t, a, "site.json", `"roles"`, `"backup": {"schedule": "@daily", "folder": "site.json"}, "roles"`)
	if err := a.reload(); err != nil {
		t.Fatal(err)
	}
	a.backUpIfDue(t.Context(), &timetable{}, time.Now().AddDate(0, 0, 2))
	if !strings.Contains(log.String(), "there is no new backup") || !strings.Contains(log.String(), "site.json") {
		t.Errorf("the log: %s", log)
	}
	if after, err := a.scheduled(); err != nil || len(after) != 1 || after[0] != before[0] {
		t.Errorf("%v, %v", after, err)
	}
	if _, err := backup.Verify(t.Context(), before[0].File); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(a.dataFolder(), ".*")); left != nil {
		t.Errorf("something is left: %v", left)
	}
}
