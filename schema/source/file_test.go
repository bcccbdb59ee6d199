package source_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema/source"
)

// A file of a site folder is read up to a bound, and nothing is read of what is no file: a
// link to a device has no end.
func TestReadFile(t *testing.T) {
	folder := fstest.MapFS{
		"site.json": {Data: []byte("{}")},
		"long.json": {Data: make([]byte, source.MaxFile+1)},
		"dir.json":  {Mode: fs.ModeDir},
		"zero.json": {Mode: fs.ModeDevice},
	}
	for name, want := range map[string]string{
		"site.json": "{}", "none.json": "file does not exist", "long.json": "more than 8 MiB", "dir.json": "not a file", "zero.json": "not a file",
	} {
		text, err := source.ReadFile(folder, name)
		if err != nil {
			text = []byte(err.Error())
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: %.100s", name, text)
		}
		if missing := errors.Is(err, fs.ErrNotExist); missing != (name == "none.json") {
			t.Errorf("%s is missing: %t", name, missing)
		}
	}
}

// A pipe in the place of a file does not stop the program until somebody writes to it.
func TestReadPipe(t *testing.T) {
	folder := t.TempDir()
	if err := exec.Command("mkfifo", filepath.Join(folder, "site.json")).Run(); err != nil {
		t.Skip("no pipes here:", err)
	}
	if _, err := source.ReadFile(os.DirFS(folder), "site.json"); err == nil {
		t.Error("read a pipe")
	}
}
