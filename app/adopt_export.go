package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"quire/transfer/archive"
)

// exportFolders are where an export may lie, from the site folder; in the last one, the
// folder above, only files count that have the name that Strapi gives them.
var exportFolders = []string{".", "data", "exports", ".."}

var (
	archiveName = regexp.MustCompile(`\.tar(\.gz)?(\.enc)?$`)
	exportName  = regexp.MustCompile(`^export_\d{14}\.tar(\.gz)?(\.enc)?$`)
)

// Exports lists the exports of Strapi that lie beside the project, by their paths.
func (l Location) Exports() (list []string) {
	for _, folder := range exportFolders {
		form := archiveName
		if folder == ".." {
			form = exportName
		}
		entries, err := os.ReadDir(filepath.Join(l.Site, folder))
		if err != nil {
			continue // it need not be there
		}
		for _, e := range entries {
			if e.Type().IsRegular() && form.MatchString(e.Name()) {
				list = append(list, filepath.Join(l.Site, folder, e.Name()))
			}
		}
	}
	return list
}

// CheckEmpty returns an error that HasContent knows if the site has content already.
func (l Location) CheckEmpty(ctx context.Context) error {
	if _, err := os.Stat(l.DataFile()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	db, done, _, err := l.OpenData(ctx)
	if err != nil {
		return err
	}
	return errors.Join(archive.CheckEmpty(db), done())
}

// TookContent reports whether an error of Import came after the content was in the site.
func TookContent(err error) bool {
	return err != nil && strings.Contains(err.Error(), errAfterwards.Error())
}

// HasContent reports whether an error of Import is that the site has content already. Of a
// running server only the text of an error arrives.
func HasContent(err error) bool {
	return err != nil && strings.Contains(err.Error(), archive.ErrNotEmpty.Error())
}
