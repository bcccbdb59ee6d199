package schema_test

import (
	"strings"
	"testing"
	"time"

	"quire/schema"
)

func TestBackup(t *testing.T) {
	const file = "-- site.json --\n"
	if b := mustLoad(t, folderOf(file+"{}\n")).Settings.Backup; b != (schema.Backup{Keep: 7}) {
		t.Errorf("by default: %+v", b)
	}
	b := mustLoad(t, folderOf(file+`{"backup": {"schedule": "30 3 * * 1-5", "folder": "/mnt/backup", "keep": 3}}`+"\n")).Settings.Backup
	if b != (schema.Backup{Schedule: "30 3 * * 1-5", Folder: "/mnt/backup", Keep: 3}) {
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
		`{"folder": 1}`:                "backup.folder must be a text",
		`{"every": "day"}`:             `"every" is not a setting`,
	} {
		_, err := schema.Load(folderOf("-- site.json --\n{\"backup\": " + text + "}\n"))
		if err == nil || !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), ":", "")), " "), strings.ReplaceAll(want, ":", "")) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
