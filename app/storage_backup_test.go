//go:build !noadmin

package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/media/mediatest"
	"quire/schema/settings"
	"quire/transfer/backup"
)

// Backups of the server, scheduled and on request, contain the files of the bucket if
// site.json says so.
func TestServerBackupsHoldTheBucket(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "quire")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
	s, site := mediatest.NewS3(t), newGuide(t)
	check(t, os.WriteFile(filepath.Join(site, "site.json"), []byte(storeOf(s, "bucket")), 0o600))
	a := startApp(t, site, slog.New(slog.DiscardHandler))
	keepPicture(t, a)
	there := len(s.Keys())
	s.Add("guide/files/of-others.txt", "of others", time.Now())
	for _, files := range []bool{false, true} {
		set := settings.Backup{Schedule: "@daily", Keep: 1, Files: files}
		backUpTimes(t, a, 1, set)
		to := target{file: filepath.Join(t.TempDir(), "by-hand"), bucket: a.fetched(set)}
		staged, err := a.stage(t.Context())
		check(t, err)
		if _, err := to.save(t.Context(), staged); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{scheduledOf(t, a)[0].File, to.file} {
			m, err := backup.Verify(t.Context(), file)
			check(t, err)
			held, left := 0, there
			if files {
				held, left = there, 0
			}
			if len(m.Uploads()) != held || m.FromBucket != held || m.InBucket != left || m.Missing != nil {
				t.Errorf("with files: %t, %s holds %v: %+v", files, file, m.Uploads(), m.About)
			}
		}
	}
}
