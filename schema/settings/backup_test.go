package settings_test

import (
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
)

func TestBackup(t *testing.T) {
	if b := readSettings(t, `{}`).Backup; b != (settings.Backup{Keep: 7, Stream: settings.CommitStream{Queue: 1 << 30}}) {
		t.Errorf("by default: %+v", b)
	}
	b := readSettings(t, `{"backup": {"schedule": "30 3 * * 1-5", "folder": "/mnt/backup", "keep": 3, "files": true}}`).Backup
	if b != (settings.Backup{Schedule: "30 3 * * 1-5", Folder: "/mnt/backup", Keep: 3, Files: true, Stream: settings.CommitStream{Queue: 1 << 30}}) {
		t.Errorf("%+v", b)
	}
	friday := time.Date(2026, 11, 20, 3, 30, 0, 0, time.UTC)
	if next, err := b.Next(friday); err != nil || !next.Equal(friday.AddDate(0, 0, 3)) {
		t.Errorf("after a run on Friday comes %v, %v", next, err)
	}
	b.Schedule = "@daily"
	if next, err := b.Next(friday); err != nil || !next.Equal(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("daily: %v, %v", next, err)
	}
}

func TestBackupProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"schedule": "at night"}`:     `site.json backup.schedule "at night" is not a schedule`,
		`{"schedule": ""}`:             `"" is not a schedule`,
		`{"schedule": "61 3 * * *"}`:   "is not a schedule",
		`{"schedule": "0 3 31 2 *"}`:   "is not a schedule",
		`{"schedule": "* * * * * *"}`:  "is not a schedule",
		`{"schedule": "@everysecond"}`: "is not a schedule",
		`{"schedule": "TZ=0 * * * *"}`: "is not a schedule",
		`{"schedule": "*/0 * * * *"}`:  "is not a schedule",
		`{"schedule": "1-0 * * * *"}`:  "is not a schedule",
		`{"schedule": 3}`:              "backup.schedule must be a text",
		`{"keep": 0}`:                  "backup.keep must be a whole number from 1",
		`{"files": "yes"}`:             "backup.files must be true or false",
		`{"folder": 1}`:                "backup.folder must be a text",
		`{"every": "day"}`:             `"every" is not a setting`,
	} {
		_, err := tryToRead(`{"backup": ` + text + `}`)
		if err == nil || !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), ":", "")), " "), strings.ReplaceAll(want, ":", "")) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
