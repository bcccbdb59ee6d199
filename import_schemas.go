package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"quire/archive"
	"quire/schema"
)

// newSchema is what the schemas of a site are during an import: those that it
// has or, where it has none, those that the archive brings along. The latter are
// prepared in a folder of their own.
type newSchema struct {
	site   *schema.Site
	report *archive.Report // on the schemas that came along

	folder string   // of the site
	staged string   // folder; empty when the site has schemas
	placed []string // what has been moved from there into the site's folder
}

func newSchemas(ctx context.Context, p place, path, key string) (*newSchema, error) {
	s := &newSchema{folder: p.site}
	_, err := os.Stat(filepath.Join(p.site, "src"))
	if err == nil {
		s.site, err = p.load()
		return s, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files, report, err := archive.SchemaFiles(ctx, path, key)
	if err != nil {
		return nil, err
	}
	s.report = report
	if err := s.stage(files); err != nil {
		return nil, errors.Join(err, s.close(true))
	}
	return s, nil
}

// stage writes the files of the archive beside the site's own and loads both.
func (s *newSchema) stage(files map[string][]byte) (err error) {
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return err
	}
	if s.staged, err = os.MkdirTemp(s.folder, ".import-"); err != nil {
		return err
	}
	if own, err := os.ReadFile(filepath.Join(s.folder, "site.json")); err == nil {
		files["site.json"] = own
	}
	for name, text := range files {
		to := filepath.Join(s.staged, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return err
		}
	}
	s.site, err = schema.Load(os.DirFS(s.staged))
	return err
}

// settle moves the files to where they belong.
func (s *newSchema) settle() error {
	if s.staged == "" {
		return nil
	}
	for _, name := range []string{"site.json", "src"} {
		to := filepath.Join(s.folder, name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(filepath.Join(s.staged, name), to); err != nil {
			return err
		}
		s.placed = append(s.placed, to)
	}
	return nil
}

// close removes what is left; after a failure also what was moved.
func (s *newSchema) close(failed bool) error {
	var errs []error
	if s.staged != "" {
		errs = append(errs, os.RemoveAll(s.staged))
	}
	if failed {
		for _, name := range s.placed {
			errs = append(errs, os.RemoveAll(name))
		}
	}
	return errors.Join(errs...)
}
