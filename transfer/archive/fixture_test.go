package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/media"
	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

// site is a site with a data folder of its own.
type site struct {
	*schema.Site
	folder fs.FS
	t      testing.TB
	data   string // folder
}

// newSite is a site of testdata/site.
func newSite(t testing.TB) *site { return siteOf(t, os.DirFS("../../testdata/site")) }

func siteOf(t testing.TB, folder fs.FS) *site {
	t.Helper()
	s, err := schema.Load(folder)
	check(t, err)
	return &site{s, folder, t, t.TempDir()}
}

// in is the site in a subtest.
func (s *site) in(t testing.TB) *site {
	here := *s
	here.t = t
	return &here
}

const guide = "../../testdata/export/guide.tar.gz"

// guideKey deciphers guide.enc.
const guideKey = "conformance key"

func (s *site) importArchive(path, key string, o archive.Options) (report *archive.Report, err error) {
	s.t.Helper()
	err = s.open(func(db *store.DB) error {
		files, err := media.Open(filepath.Join(s.data, "uploads"))
		check(s.t, err)
		report, err = archive.ImportArchive(context.Background(), archive.Target{Site: s.Site, DB: db, Files: files}, path, key, o)
		return err
	})
	return report, err
}

// guideSite holds what the guide's archive does.
func guideSite(t testing.TB) *site {
	t.Helper()
	s := newSite(t)
	_, err := s.importArchive(guide, "", archive.Options{})
	check(t, err)
	return s
}

// export writes an archive and returns its path.
func (s *site) export(p archive.Packing) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "archive")
	out, err := os.Create(path)
	check(s.t, err)
	check(s.t, s.open(func(db *store.DB) error {
		_, err := archive.ExportArchive(context.Background(), s.origin(db), out, p, nil)
		return err
	}))
	check(s.t, out.Close())
	return path
}

func (s *site) exportLines() string {
	s.t.Helper()
	var out strings.Builder
	check(s.t, s.open(func(db *store.DB) error {
		_, err := archive.ExportLines(context.Background(), s.origin(db), &out, nil)
		return err
	}))
	return out.String()
}

func (s *site) origin(db *store.DB) archive.Origin {
	return archive.Origin{Site: s.Site, Folder: s.folder, DB: db, Files: os.DirFS(filepath.Join(s.data, "uploads"))}
}

func (s *site) file() string { return filepath.Join(s.data, "quire.db") }

// open opens the data file for the length of fn.
func (s *site) open(fn func(*store.DB) error) error {
	s.t.Helper()
	db, err := store.Open(s.file(), store.Options{Hasty: true})
	check(s.t, err)
	return errors.Join(fn(db), db.Close())
}

func (s *site) importLines(o archive.Options, texts ...string) (report *archive.Report, err error) {
	s.t.Helper()
	var sources []archive.Source
	for i, text := range texts {
		sources = append(sources, textSource(fmt.Sprintf("file%d", i+1), text))
	}
	err = s.open(func(db *store.DB) error {
		report, err = archive.ImportLines(context.Background(), db, s.Site, sources, o)
		return err
	})
	return report, err
}

// entries are all entries of the data file as text, by type, without what
// differs from run to run: times and numeric ids.
func (s *site) entries() string { return s.dump(func(*store.Entry) string { return "" }) }

// everything is entries with times, ids and the order of inverse lists.
func (s *site) everything() string {
	return s.dump(func(e *store.Entry) string {
		var places strings.Builder
		for _, f := range e.Fields {
			for _, edge := range f.Value.Edges {
				fmt.Fprint(&places, " ", f.Name, edge.Place)
			}
		}
		return fmt.Sprint(" ", e.ID, e.CreatedAt, e.UpdatedAt, e.PublishedAt, places.String())
	})
}

func (s *site) dump(more func(*store.Entry) string) string {
	s.t.Helper()
	var out strings.Builder
	check(s.t, s.open(func(db *store.DB) error {
		return db.View(func(tx *store.Tx) error {
			for _, uid := range tx.Types() {
				if err := tx.Scan(uid, func(e *store.Entry) error {
					fmt.Fprintf(&out, "%s %s%s", uid, e.Key(), more(e))
					describe(&out, e.Fields)
					out.WriteByte('\n')
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		})
	}))
	return out.String()
}

func describe(out *strings.Builder, fields []store.Field) {
	for _, f := range slices.SortedFunc(slices.Values(fields), func(a, b store.Field) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(out, " %s=", f.Name)
		v := f.Value
		switch v.Kind {
		case store.Instances:
			for _, r := range v.Instances {
				fmt.Fprintf(out, "%s{", r.Component)
				describe(out, r.Fields)
				out.WriteString("}")
			}
		case store.Edges:
			for _, e := range v.Edges {
				fmt.Fprintf(out, "->%s%s%s", e.Type, e.Target, e.Locale)
				if e.Only != 0 {
					fmt.Fprintf(out, "(%s)", e.Only)
				}
			}
		case store.Text, store.JSON:
			fmt.Fprintf(out, "%q", v.Text)
		default:
			fmt.Fprint(out, v.Num, v.Real)
		}
	}
}

// files are the names and contents of the data folder.
func (s *site) files() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	check(s.t, filepath.WalkDir(s.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, s.data)] = string(content)
		return err
	}))
	return all
}

func textSource(name, text string) archive.Source {
	return archive.Source{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func lines(list ...string) string { return strings.Join(list, "\n") + "\n" }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func printed(t testing.TB, r *archive.Report) string {
	t.Helper()
	var out bytes.Buffer
	check(t, r.Print(&out))
	return out.String()
}
