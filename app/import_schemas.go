package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"quire/archive"
	"quire/schema"
	"quire/store"
)

// importSchemas are the schemas of a site during an import: those that it has or, where
// it has none, those that the archive brings along, which are prepared in a folder of
// their own.
type importSchemas struct {
	site   *schema.Site
	report *archive.Report // on the schemas that came along

	folder    string   // of the site
	staged    string   // folder; empty when the site has schemas
	installed []string // what has been moved from there into the site's folder
}

// schemasFor returns the schemas that the content of a delivery has to fit.
func (l Location) schemasFor(ctx context.Context, in *Delivery) (*importSchemas, error) {
	if in.Archive {
		return l.schemasOfArchive(ctx, in.Files[0].Path, in.Key)
	}
	site, err := l.Load()
	return &importSchemas{site: site}, err
}

// schemasOfArchive are those of the site, or of the archive where the site has none.
func (l Location) schemasOfArchive(ctx context.Context, path, key string) (*importSchemas, error) {
	s := &importSchemas{folder: l.Site}
	_, err := os.Stat(filepath.Join(l.Site, "src"))
	if err == nil {
		s.site, err = l.Load()
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
		return nil, errors.Join(err, s.close(err))
	}
	return s, nil
}

// stage writes the files of the archive beside the site's own and loads both.
func (s *importSchemas) stage(files map[string][]byte) (err error) {
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

// install moves the files into the site folder.
func (s *importSchemas) install() error {
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
		s.installed = append(s.installed, to)
	}
	return nil
}

// close removes what is left; after a failure also what was moved, unless the
// content that goes with it may have been stored.
func (s *importSchemas) close(failure error) error {
	var errs []error
	if s.staged != "" {
		errs = append(errs, os.RemoveAll(s.staged))
	}
	if failure != nil && !store.Uncertain(failure) {
		for _, name := range s.installed {
			errs = append(errs, os.RemoveAll(name))
		}
	}
	return errors.Join(errs...)
}
