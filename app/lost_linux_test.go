package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If the disk has lost the values of an index that was in use, the index is not built, and
// the server continues.
func TestIndexOfValuesThatTheDiskLoses(t *testing.T) {
	a, log := startGuide(t)
	ask(a, "/api/cuisines?sort=name")
	a.site.Settings.Limits.Memory = 0
	check(t, a.rebuildAndResume())
	loseAnnexes(t, a.at.DataFolder())
	a.prepareIndexes(t.Context(), <-a.usesBefore)
	if !strings.Contains(log.String(), "an index that was in use cannot be built") {
		t.Errorf("the log says %s", log)
	}
	if status, body := ask(a, "/api/cuisines?sort=name"); status != 500 {
		t.Errorf("a read of what is lost: %d %s", status, body)
	}
	check(t, a.rebuildAndResume())
	if status, body := ask(a, "/api/cuisines?sort=name"); status != 200 {
		t.Errorf("after the content was read again: %d %s", status, body)
	}
}

// loseAnnexes truncates the files without names that this process has open in a folder.
func loseAnnexes(t *testing.T, folder string) {
	t.Helper()
	const open = "/proc/self/fd"
	files, err := os.ReadDir(open)
	check(t, err)
	lost := 0
	for _, f := range files {
		path := filepath.Join(open, f.Name())
		if name, err := os.Readlink(path); err == nil && strings.HasPrefix(name, filepath.Join(folder, ".quire.db.annex-")) && os.Truncate(path, 0) == nil {
			lost++
		}
	}
	if lost == 0 {
		t.Fatal("no content is in a file")
	}
}
