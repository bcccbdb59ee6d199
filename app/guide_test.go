package app

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"quire/app/templates"
	outside "quire/test/program"
)

// startGuide opens the starter site with its content. Tests read its log while nothing
// writes to it.
func startGuide(t *testing.T) (*App, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	return startApp(t, newFilledGuide(t), slog.New(slog.NewTextHandler(&log, nil))), &log
}

// newFilledGuide writes the starter site with its content.
func newFilledGuide(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	fillGuide(t, site)
	return site
}

// fillGuide writes the starter site with its content into a folder. The pictures take a
// while to draw.
var fillGuide = outside.Template(func(site string) error {
	if err := writeGuide(site); err != nil {
		return err
	}
	return Location{Site: site}.FillDemo(context.Background(), slog.New(slog.DiscardHandler))
})

// newGuide writes the starter site, without content.
func newGuide(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	check(t, writeGuide(site))
	return site
}

func writeGuide(site string) error {
	files, err := fs.Sub(templates.Files, "guide")
	if err != nil {
		return err
	}
	return os.CopyFS(site, files)
}
