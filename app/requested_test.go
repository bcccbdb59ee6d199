package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
)

// newestName returns the name of the backup that others would download; empty for none.
func newestName(t *testing.T, a *App) string {
	t.Helper()
	b, err := a.newestBackup()
	check(t, err)
	if b == nil {
		return ""
	}
	text, err := io.ReadAll(b.File)
	if err = errors.Join(err, b.File.Close()); err != nil || int64(len(text)) != b.Size {
		t.Fatalf("%s: %d bytes of %d, %v", b.Name, len(text), b.Size, err)
	}
	return b.Name
}

// The newest backup is the last finished one of this data folder, scheduled or made on
// request. Looking for it changes nothing.
func TestNewestBackup(t *testing.T) {
	a, _ := startGuide(t)
	if got := newestName(t, a); got != "" {
		t.Errorf("at first: %s", got)
	}
	if id, err := a.at.id(); id != "" || err != nil {
		t.Errorf("asking has made the id %s, %v", id, err)
	}
	backUpTimes(t, a, 2, settings.Backup{Schedule: "@daily", Keep: 7})
	last := scheduledOf(t, a)[0]
	if got := newestName(t, a); got != filepath.Base(last.File) {
		t.Errorf("of two that the schedule made: %s", got)
	}
	text, err := os.ReadFile(last.File)
	check(t, err)
	later := func(mark string, days int) string {
		return "site-" + mark + time.Now().UTC().AddDate(0, 0, days).Format(scheduledTime) + scheduledEnd
	}
	requested := later(last.Folder+"-"+requestedMark, 1)
	for name, text := range map[string][]byte{
		requested:                                     text,
		later("000000000000-"+requestedMark, 2):       text,                     // of another data folder
		later("000000000000-", 3):                     text,                     // of another data folder, scheduled
		later(last.Folder+"-"+requestedMark, 4):       []byte("something else"), // not a backup
		later(last.Folder+"-"+requestedMark, 5):       text[:20],
		strings.TrimSuffix(later("", 6), "zst"):       text,
		later(last.Folder+"-"+requestedMark, 7) + "~": text,
	} {
		check(t, os.WriteFile(filepath.Join(filepath.Dir(last.File), name), text, 0o600))
	}
	check(t, os.Symlink(last.File, filepath.Join(filepath.Dir(last.File), later(last.Folder+"-"+requestedMark, 8))))
	if got := newestName(t, a); got != requested {
		t.Errorf("it is %s, want %s", got, requested)
	}
}
