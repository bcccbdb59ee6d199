package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/archive"
)

// tabular holds the flags of an import or export of a table.
type tabular struct {
	on          bool
	typeName    string
	separator   string
	spreadsheet bool
}

func (x *tabular) flags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&x.on, "csv", false, "the file is a table (CSV) of the documents of one type")
	f.StringVar(&x.typeName, "type", "", "content `TYPE` of a table: dish, dishes or api::dish.dish")
	f.StringVar(&x.separator, "separator", ",", "what is between the cells of a table, `CHAR`: , ; | or tab")
	f.BoolVar(&x.spreadsheet, "spreadsheet", false, "put an apostrophe before texts of a table that look like formulas, or remove it on import")
	c.MarkFlagsRequiredTogether("csv", "type")
	c.RegisterFlagCompletionFunc("separator", cobra.FixedCompletions([]string{",", ";", "|", "tab"}, cobra.ShellCompDirectiveNoFileComp))
}

// check refuses flags for tables if there is no table.
func (x *tabular) check(c *cobra.Command) error {
	for _, name := range []string{"separator", "spreadsheet"} {
		if !x.on && c.Flags().Changed(name) {
			return misused("--%s is for --csv", name)
		}
	}
	_, err := x.options()
	return err
}

// options returns the format of the table.
func (x *tabular) options() (archive.CSVOptions, error) {
	o := archive.CSVOptions{Spreadsheet: x.spreadsheet}
	switch x.separator {
	case ",", ";", "|":
		o.Separator = x.separator[0]
	case "tab", "\t":
		o.Separator = '\t'
	default:
		return o, misused("--separator is , or ; or | or tab, not %q", x.separator)
	}
	return o, nil
}

// addTable converts a table to JSON lines, and adds them under the name of its file.
func (i *importing) addTable(ctx context.Context, in *gathered, name string) error {
	if len(i.files) > 1 {
		return misused("a table has to be imported alone")
	}
	path, shown := name, name
	if name == "-" {
		table := &gathered{}
		if err := table.spool(ctx, i.stdin); err != nil {
			return errors.Join(err, table.discard())
		}
		defer table.discard()
		path, shown = table.kept, "standard input"
	}
	o, err := i.table.options()
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "quire-import-")
	if err != nil {
		return err
	}
	in.kept = f.Name()
	err = i.LinesOfCSV(ctx, shown, path, i.table.typeName, o, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return misusedType(err)
	}
	lines, err := filepath.Abs(f.Name())
	in.Files = append(in.Files, app.DeliveredFile{Name: shown, Path: lines})
	return err
}

// misusedType turns the error for an unknown type into an error of the command line.
func misusedType(err error) error {
	if unknown := new(app.UnknownTypeError); errors.As(err, &unknown) {
		return misuse{unknown}
	}
	return err
}
