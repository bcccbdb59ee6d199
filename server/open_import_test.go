package server_test

import (
	"errors"
	"path/filepath"
	"testing"

	"quire/archive"
	"quire/media"
	"quire/store"
)

// importGuide fills a data folder with the archive that suite 14 asks about.
func importGuide(t *testing.T, folder string) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, "quire.db"), store.Options{})
	check(t, err)
	files, err := media.Open(filepath.Join(folder, "uploads"))
	check(t, err)
	to := archive.Target{Site: sampleSite(t), DB: db, Files: files}
	_, err = archive.ImportArchive(t.Context(), to, "../testdata/export/guide.tar.gz", "", archive.Options{}, nil)
	check(t, errors.Join(err, db.Close()))
}
