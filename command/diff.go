package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/compare"
)

func newDiff() *cobra.Command {
	var c app.Comparing
	var summary bool
	var at, to string
	command := &cobra.Command{
		Use:   "diff [--values] [--summary] (FROM | --at TIME [--to TIME]) [SITE]",
		Short: "Show what changed between a site and a backup, or since a moment",
		Long: `Diff prints what changed from FROM to SITE: documents that were added, removed or
changed, by type and locale, with the names of the attributes that changed. Each of the
two is a site folder, a backup or a data file, so "quire diff OLD NEW" compares any two.

Where both are site folders, it also prints what changed in the schemas.

With --values it prints the values before and after. Values of private attributes, of
passwords, and of attributes that the schemas do not have are never printed, so one of
the two must be a site folder.

With --at it takes no FROM, and prints what changed in SITE since that moment or, with --to,
until another one. It takes the moments from the stream of the site, if backup.stream in
site.json names one that has them, and otherwise from the log of changes and the history
that are in the data file. A document whose history is gone is listed without attributes.

A running server is asked for a copy of its data. All of a backup is checked, and its
data file is unpacked to a temporary folder.`,
		Example: `  quire diff my-site.tar.zst my-site
  quire diff --values monday.tar.zst my-site
  quire diff --summary monday.tar.zst tuesday.tar.zst
  quire diff --at 2026-11-23T14:32:10Z --values my-site
  quire diff --at 3h --to 2h my-site
  quire diff --json my-site.tar.zst my-site | jq -r 'select(.change == "removed") | .documentId'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") {
				return cobra.MaximumNArgs(1)(cmd, args)
			}
			return cobra.RangeArgs(1, 2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("at") || to != "" {
				var err error
				if c.At, c.Until, err = momentsOf(at, to); err != nil {
					return err
				}
				c.To = siteArgument(args)
				return runDiff(cmd, c, summary)
			}
			c.From, c.To = args[0], siteArgument(args[1:])
			if c.Data != "" && kindAt(c.From) == aFolder && kindAt(c.To) == aFolder {
				return misused("--data is for one site folder, and both are; name the data file of the other one")
			}
			return runDiff(cmd, c, summary)
		},
	}
	command.Flags().BoolVar(&c.Values, "values", false, "print values before and after, but for private attributes and passwords")
	command.Flags().BoolVar(&summary, "summary", false, "print only how many documents differ, by type and locale")
	command.Flags().StringVar(&at, "at", "", "what changed since a moment, or a length of time before now, `TIME`")
	command.Flags().StringVar(&to, "to", "", "until when, instead of now, `TIME`")
	command.Flags().StringVar(&c.Data, "data", "", "data `FOLDER` of a site folder, holding quire.db (default SITE/data)")
	command.MarkFlagDirname("data")
	return command
}

// momentsOf reads --at and --to, which come in this order and are not in the future.
func momentsOf(at, to string) (from, until time.Time, err error) {
	if at == "" {
		return from, until, misused("--at says since when; --to goes with it")
	}
	now := time.Now()
	if from, err = whenOf("at", at); err == nil && to != "" {
		until, err = whenOf("to", to)
	}
	switch {
	case err != nil:
	case from.After(now) || until.After(now):
		err = misused("nobody knows what will change; --at and --to are not after now")
	case to != "" && until.Before(from):
		err = misused("--to is before --at")
	}
	return from.UTC(), until.UTC(), err
}

func runDiff(cmd *cobra.Command, c app.Comparing, summary bool) error {
	out := outputOf(cmd)
	print := diffText(&remembering{Writer: out.stdout})
	if out.json {
		print = diffLines(out.stdout)
	}
	c.Schemas, c.Moments = print.schemas, print.moments
	c.Each = func(one compare.Change) error {
		if summary {
			return nil
		}
		return print.document(one)
	}
	counts, err := app.Compare(cmd.Context(), c)
	if errors.Is(err, app.ErrNoSchemas) {
		return misuse{err}
	}
	if err != nil {
		return err
	}
	return print.summary(counts)
}

// diffPrinter prints the differences as they are found.
type diffPrinter struct {
	moments  func([]app.ComparedSide) error
	schemas  func(list []compare.SchemaChange, known bool) error
	document func(compare.Change) error
	summary  func([]compare.Count) error
}

// diffLines prints JSON lines: first {"moments"} with --at, and {"schemas"} if they are known; then a line for each
// document, and last {"summary"}.
func diffLines(w io.Writer) diffPrinter {
	e := json.NewEncoder(w)
	return diffPrinter{
		moments: func(list []app.ComparedSide) error { return e.Encode(map[string]any{"moments": list}) },
		schemas: func(list []compare.SchemaChange, known bool) error {
			if !known {
				return nil
			}
			return e.Encode(map[string]any{"schemas": noNil(list)})
		},
		document: func(one compare.Change) error { return e.Encode(one) },
		summary:  func(counts []compare.Count) error { return e.Encode(map[string]any{"summary": noNil(counts)}) },
	}
}

// diffText prints lines that begin with + for what was added, - for what was removed and ~
// for what was changed.
func diffText(w io.Writer) diffPrinter {
	return diffPrinter{
		moments: func(list []app.ComparedSide) error {
			var text []string
			for _, m := range list {
				switch {
				case m.Source == "now":
					text = append(text, m.Source)
				case m.Schemas:
					text = append(text, fmt.Sprintf("%s (%s; schema files have changed since)", m.At.Format(time.RFC3339Nano), m.Source))
				default:
					text = append(text, fmt.Sprintf("%s (%s)", m.At.Format(time.RFC3339Nano), m.Source))
				}
			}
			_, err := fmt.Fprintln(w, "from "+strings.Join(text, " to "))
			return err
		},
		schemas: func(list []compare.SchemaChange, _ bool) (err error) {
			for _, one := range list {
				name := strings.TrimSuffix(one.Type+"."+one.Attribute, ".")
				if _, err = fmt.Fprintf(w, "%s schema %s\n", signs[one.Change], strings.TrimSuffix(name+": "+one.Detail, ": ")); err != nil {
					return err
				}
			}
			return nil
		},
		document: func(one compare.Change) error { return printChange(w, one) },
		summary: func(counts []compare.Count) error {
			return printTable(w, "TYPE\tLOCALE\tADDED\tREMOVED\tCHANGED\tSAME", counts, func(n compare.Count) string {
				return fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d", n.Type, orElse(n.Locale, "-"), n.Added, n.Removed, n.Changed, n.Same)
			})
		},
	}
}

var signs = map[compare.Kind]string{compare.Added: "+", compare.Removed: "-", compare.Changed: "~"}

// printChange prints a document that differs, with a line for each changed version.
func printChange(w io.Writer, one compare.Change) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s %s", signs[one.Change], one.Type, one.DocumentID)
	if one.Locale != "" {
		fmt.Fprintf(&text, " (%s)", one.Locale)
	}
	if one.Unknown {
		text.WriteString(": the history does not have what it was")
	}
	for _, v := range one.Versions {
		if v.Change != compare.Changed {
			fmt.Fprintf(&text, "\n    %s %s", v.Status, v.Change)
			continue
		}
		fmt.Fprintf(&text, "\n    %s:", v.Status)
		for i, a := range v.Attributes {
			switch {
			case a.From != nil:
				fmt.Fprintf(&text, "\n      %s: %s -> %s", printable(a.Name), a.From, a.To)
			case i == 0 || v.Attributes[i-1].From != nil:
				fmt.Fprintf(&text, " %s", printable(a.Name))
			default:
				fmt.Fprintf(&text, ", %s", printable(a.Name))
			}
		}
	}
	_, err := fmt.Fprintln(w, text.String())
	return err
}
