package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth"
	"quire/store"
	"quire/transfer/archive"
)

// exporting is one call of the export command.
type exporting struct {
	app.Location
	file  string // "-" for standard output
	lines bool
	key   archiveKey
	table tabular
	output
}

const exportHelp = `Export writes all content of a site to a new file, as it is at one moment. A
running server goes on meanwhile.

FILE is an archive like those of "strapi export", which Quire and Strapi can import:
schemas, entries, files, users and roles. Its name says how it is written, and must
end in .tar.gz or .tar and, with a key, which encrypts it, in .enc. With --ndjson it
is JSON lines, one for each version of a document; files, users and roles are not
among them. "-" is standard output.

With --csv it is a table of the documents of one type, with --type: a row for each
version, a column for each attribute, as "quire import --csv" reads it. A cell that
begins with =, +, - or @ is a formula for a spreadsheet, which may do harm where somebody
else wrote the content. --spreadsheet puts an apostrophe before such texts, and writes
the file so that spreadsheets read it as UTF-8; import it with --spreadsheet, too.`

func newExport() *cobra.Command {
	var x exporting
	c := &cobra.Command{
		Use:   "export [--ndjson | --csv --type TYPE | --key-file FILE] FILE [SITE]",
		Short: "Export content as an archive, JSON lines or a table (CSV)",
		Long:  exportHelp,
		Example: `  quire export my-site.tar.gz my-site
  quire export --key-file key.txt my-site.tar.gz.enc my-site
  quire export --ndjson - my-site | jq -r .data.name
  quire export --csv --type dish dishes.csv my-site
  quire export --csv --type dish --spreadsheet --separator ';' dishes.csv my-site`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if x.file, x.Site, err = fileAndSite(args); err != nil {
				return err
			}
			if err := x.table.check(c); err != nil {
				return err
			}
			x.output = outputOf(c)
			return x.run(c.Context())
		},
	}
	c.Flags().BoolVar(&x.lines, "ndjson", false, "write JSON lines")
	x.key.flags(c)
	x.table.flags(c)
	c.MarkFlagsMutuallyExclusive("ndjson", "csv")
	c.MarkFlagsMutuallyExclusive("csv", "key")
	c.MarkFlagsMutuallyExclusive("csv", "key-file")
	c.MarkFlagsMutuallyExclusive("ndjson", "key")
	c.MarkFlagsMutuallyExclusive("ndjson", "key-file")
	dataFlag(c, &x.Location)
	return c
}

func (x *exporting) run(ctx context.Context) (err error) {
	packing, err := x.packing()
	if err != nil {
		return err
	}
	site, err := x.Load()
	if err != nil {
		return err
	}
	from := archive.Origin{Site: site, Folder: os.DirFS(x.Site), Roles: auth.ListedRoles(site)}
	table, err := x.tableOf(&from)
	if err != nil {
		return err
	}
	db, done, who, err := x.OpenData(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	x.doneBy(who)
	files, err := x.Files(ctx, site)
	if err != nil {
		return err
	}
	from.DB, from.Files = db, files
	return x.write(func(w io.Writer) (report *archive.Report, err error) {
		meter := new(archive.Meter)
		err = watched(x.terminal(), func() app.Measured { return app.Measure(meter) }, func() (err error) {
			switch {
			case x.lines:
				report, err = archive.ExportLines(ctx, from, w, meter)
			case table != nil:
				report, err = table(ctx, w, meter)
			default:
				report, err = archive.ExportArchive(ctx, from, w, packing, meter)
			}
			return err
		})
		return report, err
	})
}

// tableOf returns the function that writes the table of a type; nil if no table was
// requested.
func (x *exporting) tableOf(from *archive.Origin) (func(context.Context, io.Writer, *archive.Meter) (*archive.Report, error), error) {
	if !x.table.on {
		return nil, nil
	}
	o, err := x.table.options()
	if err != nil {
		return nil, err
	}
	t, err := app.ServedType(from.Site, x.table.typeName)
	if err != nil {
		return nil, misusedType(err)
	}
	return func(ctx context.Context, w io.Writer, m *archive.Meter) (*archive.Report, error) {
		return archive.ExportCSV(ctx, *from, t, w, o, m)
	}, nil
}

// packing returns how the archive is written. As in Strapi, the name of the file
// decides.
func (x *exporting) packing() (archive.Packing, error) {
	if x.lines || x.table.on {
		return archive.Packing{}, nil
	}
	key, err := x.key.read(x.file)
	p := archive.Packing{Key: key}
	if err != nil || x.file == "-" {
		return p, err
	}
	name, encrypted := strings.CutSuffix(x.file, ".enc")
	p.Plain = strings.HasSuffix(name, ".tar")
	switch {
	case !p.Plain && !strings.HasSuffix(name, ".tar.gz"):
		return p, misused("the name %s should end in .tar.gz or .tar, with a key in .tar.gz.enc or .tar.enc", x.file)
	case encrypted && key == "":
		return p, misused("the name %s is that of an encrypted archive, which needs --key-file or %s in the environment", x.file, keyVariable)
	case !encrypted && key != "":
		return p, misused("the name of an encrypted archive ends in .enc, as in %s.enc", x.file)
	}
	return p, nil
}

// write lets fn write the file, which gets its name when it is complete. The report
// goes to standard output, unless that is the file.
func (x *exporting) write(fn func(io.Writer) (*archive.Report, error)) error {
	if x.file == "-" {
		report, err := fn(x.stdout)
		if err != nil {
			return err
		}
		return report.Print(x.terminal())
	}
	if _, err := os.Lstat(x.file); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already; name a new file", x.file), err)
	}
	f, err := os.CreateTemp(filepath.Dir(x.file), ".quire-export-") // only this user can read it
	if err != nil {
		return err
	}
	report, err := fn(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = store.Replace(f.Name(), x.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return x.report(transferOf(report), report.Print)
}
