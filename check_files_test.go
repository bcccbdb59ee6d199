package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Check names each file that has no record and each record that has no file;
// only the former can be repaired.
func TestCheckFiles(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	folder := sowSite(t, site)
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Fatal(got)
	}
	for _, name := range []string{"stray.jpg", ".upload-123"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(folder, "small_crumb_*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}

	code, stdout, stderr := command(t, "check", site)
	for _, want := range []string{"stray.jpg: is a stray", ".upload-123: is a stray", filepath.Base(names[0]) + ": is missing"} {
		if code != 1 || !strings.Contains(stdout, want) || !strings.Contains(stderr, "3 problems") {
			t.Errorf("no %q in exit %d\n%s%s", want, code, stdout, stderr)
		}
	}
	code, stdout, _ = command(t, "check", "--repair", site)
	if code != 1 || !strings.Contains(stdout, "stray.jpg: removed") || !strings.Contains(stdout, "is missing") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	if err := os.WriteFile(names[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Error(got)
	}
}

// sowSite makes a starter site with its content and returns its folder of files.
func sowSite(t *testing.T, site string) (folder string) {
	t.Helper()
	succeed(t, "new", site)
	a, err := openApp(place{site: site}, slog.New(slog.DiscardHandler))
	if err == nil {
		err = a.start()
	}
	if err == nil {
		err = a.sow(t.Context())
	}
	if err := errors.Join(err, a.close()); err != nil {
		t.Fatal(err)
	}
	return a.filesFolder()
}

// The pictures of the starter site are drawn the same each time, and a colour that
// is none is an error.
func TestPictures(t *testing.T) {
	p := picture{Name: "a.jpg", Table: "#805030", Plate: "#ffffff", Food: []string{"#ff0000"}}
	first, err := p.draw()
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.draw()
	if err != nil || !bytes.Equal(first.Pix, second.Pix) {
		t.Errorf("it is drawn differently each time, %v", err)
	}
	if r, g, _, _ := first.At(pictureWidth/2+60, pictureHeight/2).RGBA(); r < 0xA000 || g > 0x8000 {
		t.Errorf("the food is %v", first.At(pictureWidth/2+60, pictureHeight/2))
	}
	p.Plate = "white"
	if _, err := p.draw(); err == nil || !strings.Contains(err.Error(), `"white" is not a colour`) {
		t.Errorf("a colour that is none: %v", err)
	}
}
