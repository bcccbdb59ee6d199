package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/media"
	"quire/media/mediatest"
	"quire/store"
	"quire/store/storetest"
)

// storeOf returns the settings for a bucket of an object store in memory.
func storeOf(s *mediatest.S3, use string) string {
	return fmt.Sprintf(`{"upload": {"storage": {"bucket": "s3://guide/files", "endpoint": %q, "pathStyle": true, "use": %q}}}`, s.URL, use)
}

// keepPicture uploads a picture, as the starter site does.
func keepPicture(t *testing.T, a *App) {
	t.Helper()
	p := picture{Name: "plate.jpg", Table: "#8c6239", Plate: "#ffffff", Food: []string{"#336633"}}
	if _, err := p.upload(t.Context(), media.New(a.files, a.site, a.index, a.writer)); err != nil {
		t.Fatal(err)
	}
}

// requireNoneMissing requires that a check finds the files of all records.
func requireNoneMissing(t *testing.T, a *App) {
	t.Helper()
	report, err := a.checkLive(t.Context(), a.at.checkRequest())
	check(t, err)
	for _, p := range report.Problems {
		t.Errorf("%s %s", p.File, p.Message)
	}
}

// After a reload, the site stores files where site.json says, and finds earlier files.
// Invalid settings change nothing.
func TestReloadChangesWhereFilesAre(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "quire")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
	s, site := mediatest.NewS3(t), newGuide(t)
	a := startApp(t, site, slog.New(slog.DiscardHandler))
	configure := func(text string) error {
		check(t, os.WriteFile(filepath.Join(site, "site.json"), []byte(text), 0o600))
		return a.reload()
	}
	keepPicture(t, a)
	check(t, configure(storeOf(s, "bucket")))
	keepPicture(t, a)
	there := len(s.Keys())
	if there == 0 || a.useLive() != "s3://guide/files" {
		t.Errorf("%d files are in the bucket, and new ones go to %s", there, a.useLive())
	}
	requireNoneMissing(t, a)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if err := configure(strings.Replace(storeOf(s, "bucket"), "/files", "/others", 1)); err == nil || !strings.Contains(err.Error(), "AWS_SECRET_ACCESS_KEY") {
		t.Errorf("without credentials: %v", err)
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "not-to-be-seen")
	keepPicture(t, a)
	if n := len(s.Keys()); n != 2*there {
		t.Errorf("%d files after a reload that failed, of %d", n, 2*there)
	}
	check(t, configure(storeOf(s, "folder")))
	keepPicture(t, a)
	requireNoneMissing(t, a)
	if n := len(s.Keys()); n != 2*there || a.useLive() != "folder" {
		t.Errorf("%d files are in the bucket, and new ones go to %s", n, a.useLive())
	}
}

// The status names the bucket of the files, because those are not counted.
func TestTheStatusNamesTheBucket(t *testing.T) {
	l := Location{Site: t.TempDir()}
	for text, want := range map[string]string{
		`{}`: "",
		`{"upload": {"storage": {"bucket": "s3://guide/files", "endpoint": "http://127.0.0.1:1", "use": "folder"}}}`: "",
		`{"upload": {"storage": {"bucket": "s3://guide/files", "endpoint": "http://127.0.0.1:1", "use": "bucket"}}}`: "s3://guide/files",
	} {
		check(t, os.WriteFile(filepath.Join(l.Site, "site.json"), []byte(text), 0o600))
		if got := l.bucketInUse(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A node that is cut off from the others removes no file without a record, because the
// record may have been stored meanwhile.
func TestANodeByItselfSweepsNoFiles(t *testing.T) {
	journal := storetest.NewMemory()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: journal})
	check(t, err)
	defer db.Close()
	a := &App{db: db}
	if _, err := a.recordedFiles(t.Context()); err != nil {
		t.Error(err)
	}
	journal.Silence = func() error { return io.ErrUnexpectedEOF }
	if names, err := a.recordedFiles(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without the others the files with a record are %q, %v", names, err)
	}
}
