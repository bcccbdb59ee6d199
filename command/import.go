package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/archive"
)

// importing is one call of the import command.
type importing struct {
	app.Location
	files          []string
	merge, replace bool
	skipErrors     bool
	dryRun         bool
	key            archiveKey
	table          tabular

	output
	stdin io.Reader
}

const importHelp = `Import adds content to a site: all of it or, if anything is wrong, none.

FILE is what "strapi export" wrote (.tar.gz, .tar, or .tar.gz.enc with a key), or
JSON lines, one document a line, with "-" for standard input:

  {"type": "api::dish.dish", "documentId": "…", "locale": "en", "status": "draft", "data": {"name": "Soup"}}

With --csv, FILE is a table of the documents of one type, with --type. Its first row
names the columns: documentId, locale, status and attributes. The attributes of a
component are columns such as address.street. A relation has documentIds with | between
them, or values of a unique attribute in a column such as chef.email. An empty cell is
null, and "" is an empty text.

Content that the site has already is not changed without --merge or --replace. There may
be several files of JSON lines, with links from one to another.

With --dry-run nothing is changed. The command imports into a copy, and prints what it
would take and what is wrong, by line and column.

An archive brings its schemas along: a site without schemas gets them.

If a server runs, it does the work. It answers reads meanwhile; writes wait.`

func newImport() *cobra.Command {
	var i importing
	c := &cobra.Command{
		Use:   "import [--csv --type TYPE] [--merge | --replace] [--dry-run] FILE... [SITE]",
		Short: "Import a Strapi export, JSON lines or a table (CSV)",
		Long:  importHelp,
		Example: `  quire import export_20260101120000.tar.gz my-site
  quire import --key-file key.txt export_20260101120000.tar.gz.enc my-site
  quire import --replace export.tar.gz my-site
  generate | quire import - my-site
  quire import --csv --type dish --dry-run dishes.csv my-site
  quire import --csv --type dish --merge --separator ';' dishes.csv my-site`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if i.files, i.Site, err = filesAndSite(args); err != nil {
				return err
			}
			if err := i.table.check(c); err != nil {
				return err
			}
			i.stdin, i.output = c.InOrStdin(), outputOf(c)
			return i.run(c.Context())
		},
	}
	c.Flags().BoolVar(&i.merge, "merge", false, "change documents that the site has already, and keep the others; of an archive, the newer version wins")
	c.Flags().BoolVar(&i.replace, "replace", false, "delete the site's content first")
	c.Flags().BoolVar(&i.skipErrors, "skip-errors", false, "leave out what cannot be imported, and list it")
	c.Flags().BoolVar(&i.dryRun, "dry-run", false, "print what would be imported and what is wrong, and change nothing; for JSON lines and tables")
	i.key.flags(c)
	i.table.flags(c)
	c.MarkFlagsMutuallyExclusive("csv", "skip-errors")
	c.MarkFlagsMutuallyExclusive("csv", "replace") // --replace deletes the documents of all types
	c.MarkFlagsMutuallyExclusive("csv", "key")
	c.MarkFlagsMutuallyExclusive("csv", "key-file")
	c.MarkFlagsMutuallyExclusive("merge", "replace")
	dataFlag(c, &i.Location)
	return c
}

func (i *importing) run(ctx context.Context) (err error) {
	in, err := i.gather(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.discard()) }()
	report, err := i.deliver(ctx, &in.Delivery)
	if err != nil {
		return err
	}
	shown := transferOf(report)
	shown.DryRun = i.dryRun
	return i.report(shown, func(w io.Writer) error {
		err := report.Print(w)
		if i.dryRun {
			fmt.Fprintln(w, "nothing was imported: this was a dry run")
		}
		return err
	})
}

// gather collects what is imported, and how.
func (i *importing) gather(ctx context.Context) (*gathered, error) {
	key, err := i.key.read(i.files[0])
	if err != nil {
		return nil, err
	}
	in := &gathered{Delivery: app.Delivery{Key: key, SkipErrors: i.skipErrors}}
	switch {
	case i.merge:
		in.Existing = archive.Merge
	case i.replace:
		in.Existing = archive.Replace
	}
	for _, name := range i.files {
		add := func() error { return in.add(ctx, name, i.stdin) }
		if i.table.on {
			add = func() error { return i.addTable(ctx, in, name) }
		}
		if err := add(); err != nil {
			return nil, errors.Join(err, in.discard())
		}
	}
	return in, nil
}

// deliver runs the import, and shows its progress meanwhile.
func (i *importing) deliver(ctx context.Context, in *app.Delivery) (report *archive.Report, err error) {
	do := i.Import
	if i.dryRun {
		do = i.TryImport
	}
	if i.dryRun && in.Archive {
		return nil, misused("--dry-run is for JSON lines and tables, not for archives")
	}
	meter := new(archive.Meter)
	var who string
	err = watched(i.terminal(), i.Progress(ctx, meter), func() (err error) {
		report, who, err = do(ctx, in, meter)
		return err
	})
	if err != nil {
		return nil, err
	}
	i.doneBy(who)
	return report, nil
}

// gathered is a delivery, and the files to remove after it.
type gathered struct {
	app.Delivery
	kept string // path of a file; empty for none
}

// add adds a file, or standard input.
func (d *gathered) add(ctx context.Context, name string, stdin io.Reader) error {
	if d.Archive {
		return misused("an archive has to be imported alone")
	}
	if name == "-" {
		return d.spool(ctx, stdin)
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
		return misused("a key is for archives; JSON lines are not encrypted")
	case !lines && len(d.Files) > 0:
		return misused("%s is an archive, and has to be imported alone", name)
	}
	d.Archive = !lines
	d.Files = append(d.Files, app.DeliveredFile{Name: name, Path: path})
	return nil
}

// spool writes standard input to a file, because it may be read twice, and by another
// process. It stops when ctx is done, even if no input arrives.
func (d *gathered) spool(ctx context.Context, stdin io.Reader) error {
	if d.kept != "" {
		return misused("standard input can be read once only")
	}
	f, err := os.CreateTemp("", "quire-import-")
	if err != nil {
		return err
	}
	d.kept = f.Name()
	d.Files = append(d.Files, app.DeliveredFile{Name: "standard input", Path: d.kept})
	_, err = unlessStopped(ctx, func() (int64, error) { return io.Copy(f, stdin) })
	return errors.Join(err, f.Close())
}

func (d *gathered) discard() error {
	if d.kept == "" {
		return nil
	}
	return os.Remove(d.kept)
}

// transfer is the result of an import or export, as JSON shows it.
type transfer struct {
	Taken   []transferred `json:"taken"`
	Left    []transferred `json:"leftOut"`
	Skipped []string      `json:"skipped"`
	DryRun  bool          `json:"dryRun,omitempty"` // whether nothing was stored
}

// transferred counts things of one kind.
type transferred struct {
	What  string `json:"what"` // uid of a content type, or "files"
	Count int    `json:"count"`
	Why   string `json:"why,omitempty"` // reason, for what was left out
}

func transferOf(r *archive.Report) transfer {
	shown := transfer{Taken: []transferred{}, Left: []transferred{}, Skipped: noNil(r.Skipped)}
	for _, c := range r.Taken {
		shown.Taken = append(shown.Taken, transferred{What: c.What, Count: c.N})
	}
	for _, o := range r.Left {
		shown.Left = append(shown.Left, transferred{o.What, o.N, o.Why})
	}
	return shown
}
