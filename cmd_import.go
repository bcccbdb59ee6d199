package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"quire/archive"
)

// importing is one call of the import command.
type importing struct {
	place
	files          []string
	merge, replace bool
	skipErrors     bool
	key            string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newImport() *cobra.Command {
	var i importing
	c := &cobra.Command{
		Use:   "import [--merge|--replace] SITE FILE...",
		Short: "Bring in a Strapi export or JSON lines",
		Long: `Import brings content into a site: all of it or, if anything is wrong, none.

FILE is what "strapi export" wrote (.tar.gz, .tar, or .tar.gz.enc with --key), or
JSON lines, one document a line, with "-" for standard input:

  {"type": "api::dish.dish", "documentId": "…", "locale": "en", "status": "draft", "data": {"name": "Soup"}}

Content that the site has already is not touched unless --merge or --replace says
so. Files of JSON lines may be several; what one links to may stand in another.

An archive brings its schemas along: a site without schemas gets them.

If a server runs, it does the work. It answers reads meanwhile; writes wait.`,
		Example: `  quire import my-site export_20260101120000.tar.gz
  quire import --key "$KEY" my-site export_20260101120000.tar.gz.enc
  quire import --replace my-site export.tar.gz
  generate | quire import my-site -`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			i.site, i.files = args[0], args[1:]
			i.stdin, i.stdout, i.stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			return i.run(c.Context())
		},
	}
	c.Flags().BoolVar(&i.merge, "merge", false, "change the documents that come again and keep the others; of an archive's the newer version wins")
	c.Flags().BoolVar(&i.replace, "replace", false, "delete the site's content first")
	c.Flags().BoolVar(&i.skipErrors, "skip-errors", false, "leave out what cannot be taken, and list it")
	c.Flags().StringVar(&i.key, "key", "", "key of an encrypted archive")
	c.MarkFlagsMutuallyExclusive("merge", "replace")
	dataFlag(c, &i.place)
	return c
}

func (i *importing) run(ctx context.Context) (err error) {
	in, err := i.delivery()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.discard()) }()
	schemas, err := i.schemas(ctx, in)
	if err != nil {
		return err
	}
	report, err := i.deliver(ctx, in, schemas)
	if err != nil {
		return err
	}
	report.Add(schemas.report)
	return report.Print(i.stdout)
}

// delivery says what is to be imported, and how.
func (i *importing) delivery() (*delivery, error) {
	in := &delivery{Key: i.key, SkipErrors: i.skipErrors}
	switch {
	case i.merge:
		in.Existing = archive.Merge
	case i.replace:
		in.Existing = archive.Replace
	}
	for _, name := range i.files {
		if err := in.add(name, i.stdin); err != nil {
			return nil, errors.Join(err, in.discard())
		}
	}
	return in, nil
}

// schemas are those that the import goes by.
func (i *importing) schemas(ctx context.Context, in *delivery) (*newSchema, error) {
	if in.Archive {
		return newSchemas(ctx, i.place, in.Files[0].Path, in.Key)
	}
	site, err := i.load()
	return &newSchema{site: site}, err
}

// deliver has the running server do the import or, where there is none, does it.
func (i *importing) deliver(ctx context.Context, in *delivery, schemas *newSchema) (report *archive.Report, err error) {
	if err := os.MkdirAll(i.dataFolder(), 0o700); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	meter := new(archive.Meter)
	here := func() (json.RawMessage, error) {
		report, err := i.importHere(ctx, in, schemas, meter)
		if err != nil {
			return nil, err
		}
		return json.Marshal(report)
	}
	var answer json.RawMessage
	var who string
	err = watched(i.stderr, i.progress(ctx, meter), func() (err error) {
		answer, who, err = i.carryOutOr(ctx, "data import", raw, here)
		return err
	})
	if err = errors.Join(err, schemas.close(err != nil)); err != nil {
		return nil, err
	}
	fmt.Fprintf(i.stderr, "quire: done by %s\n", who)
	return report, json.Unmarshal(answer, &report)
}

// delivery is what an import brings, as it is handed to whoever does it.
type delivery struct {
	Files      []deliveredFile
	Archive    bool // the one file is an archive; otherwise they are JSON lines
	Key        string
	Existing   archive.Existing
	SkipErrors bool

	kept string // a file to be removed at the end
}

// deliveredFile is a file with the name that the user knows it by.
type deliveredFile struct{ Name, Path string }

// add adds a file, or standard input.
func (d *delivery) add(name string, stdin io.Reader) error {
	if d.Archive {
		return errors.New("an archive has to be imported alone")
	}
	if name == "-" {
		return d.keep(stdin)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	lines, err := archive.IsLines(path)
	switch {
	case err != nil:
		return err
	case lines && d.Key != "":
		return errors.New("--key is for archives; JSON lines are not encrypted")
	case !lines && len(d.Files) > 0:
		return fmt.Errorf("%s is an archive, and has to be imported alone", name)
	}
	d.Archive = !lines
	d.Files = append(d.Files, deliveredFile{name, path})
	return nil
}

// keep writes standard input to a file: it may have to be read twice, and by
// another process.
func (d *delivery) keep(stdin io.Reader) error {
	if d.kept != "" {
		return errors.New("standard input can be read once only")
	}
	f, err := os.CreateTemp("", "quire-import-")
	if err != nil {
		return err
	}
	d.kept = f.Name()
	d.Files = append(d.Files, deliveredFile{"standard input", d.kept})
	_, err = io.Copy(f, stdin)
	return errors.Join(err, f.Close())
}

func (d *delivery) discard() error {
	if d.kept == "" {
		return nil
	}
	return os.Remove(d.kept)
}
