package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"quire/schema"
	"quire/schema/source"
	"quire/store"
	"quire/transfer/archive"
)

// importSchemas are the schemas of a site during an import: its own or, if it has none,
// those of the archive, which are prepared in a separate folder.
type importSchemas struct {
	site   *schema.Site
	report *archive.Report // on the schemas of the archive

	folder    string   // of the site
	staged    string   // folder; empty if the site has schemas
	installed []string // files moved from there into the site folder
}

// schemasFor returns the schemas that the content of a delivery must fit.
func (l Location) schemasFor(ctx context.Context, in *Delivery) (*importSchemas, error) {
	if in.Archive {
		return l.schemasOfArchive(ctx, in.Files[0].Path, in.Key)
	}
	site, err := l.Load()
	return &importSchemas{site: site}, err
}

// schemasOfArchive returns the schemas of the site, or of the archive if the site has none.
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

// stage writes the files of the archive beside those of the site, and loads both.
func (s *importSchemas) stage(files map[string][]byte) (err error) {
	if err := store.MakeFolder(s.folder, 0o777); err != nil {
		return err
	}
	if s.staged, err = os.MkdirTemp(s.folder, ".import-"); err != nil {
		return err
	}
	if own, err := source.ReadFile(os.DirFS(s.folder), "site.json"); err == nil {
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

// install moves the files into the site folder, where they are durable before content needs
// them.
func (s *importSchemas) install() error {
	if s.staged == "" {
		return nil
	}
	for _, name := range []string{"site.json", "src"} {
		to := filepath.Join(s.folder, name)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		from := filepath.Join(s.staged, name)
		if err := store.SyncTree(from); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		s.installed = append(s.installed, to)
	}
	return store.SyncFolder(s.folder)
}

// close removes what is left. After a failure it also removes the installed files, unless
// the content that needs them may have been stored.
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
