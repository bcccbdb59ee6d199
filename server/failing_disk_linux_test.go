package server_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If content in a file can no longer be read, only requests for that content fail.
func TestContentThatTheDiskLoses(t *testing.T) {
	t.Parallel()
	folder, log := t.TempDir(), &safeLog{}
	c, stop := newClientOf(t, folder, sampleSite(t), slog.New(slog.DiscardHandler))
	got := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	if got.status != 201 {
		t.Fatal(got.status, got.body)
	}
	dish := got.text(t, "data.documentId")
	stop()
	site := sampleSite(t)
	site.Settings.Limits.Memory = 0
	c, _ = newClientOf(t, folder, site, slog.New(slog.NewJSONHandler(log, nil)))
	if got = c.send("", "GET", "/api/dishes?filters[name]=Soup", ""); got.status != 200 || !strings.Contains(got.body, "Soup") {
		t.Fatal(got.status, got.body)
	}
	lose(t, folder)
	for range 2 {
		if got := c.send("", "GET", "/api/dishes", ""); got.status != 500 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := c.send("full", "PUT", "/api/dishes/"+dish, `{"data": {"name": "Stew"}}`); got.status != 500 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := c.send("", "GET", "/api/chefs", ""); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`); got.status != 201 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.Contains(log.String(), "panic") {
		t.Errorf("the log has nothing of it: %s", log.String())
	}
}

// lose truncates the files without names that this process has open in a folder.
func lose(t *testing.T, folder string) {
	t.Helper()
	const open = "/proc/self/fd"
	files, err := os.ReadDir(open)
	check(t, err)
	lost := 0
	for _, f := range files {
		if name, err := os.Readlink(filepath.Join(open, f.Name())); err == nil && strings.HasPrefix(name, filepath.Join(folder, ".quire.db.annex-")) {
			check(t, os.Truncate(filepath.Join(open, f.Name()), 0))
			lost++
		}
	}
	if lost == 0 {
		t.Fatal("no content is in a file")
	}
}
