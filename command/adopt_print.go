package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"quire/app"
	"quire/app/inspect"
	edits "quire/schema/edit"
	"quire/transfer/archive"
	"quire/transfer/strapi"
)

// What happens to site.json, or would happen without --dry-run.
const (
	siteComplete = "complete" // it has all settings already
	siteWritten  = "written"
	siteChanged  = "changed"
	siteKept     = "kept" // it has others, and --force was not given
)

// adopted is the result of adopt, as JSON shows it.
type adopted struct {
	Site     string             `json:"site"`
	DryRun   bool               `json:"dryRun"`
	SiteJSON string             `json:"siteJSON"`
	Settings []setting          `json:"settings"` // that site.json has or would have
	Left     []app.Left         `json:"left"`
	Ignore   string             `json:"gitignore"` // the line that was added; empty for none
	Export   string             `json:"export"`
	Skipped  bool               `json:"skipped"` // the export was not imported
	Imported *transfer          `json:"imported"`
	Code     []inspect.CodeFile `json:"code"`
	Ignored  []strapi.Ignored   `json:"ignored"`

	plan     *app.Adoption
	imported *archive.Report
}

// setting is a value of site.json, and the files that it comes from.
type setting struct {
	Path  []string        `json:"path"`
	Value json.RawMessage `json:"value"`
	Files []string        `json:"files"`
}

// document returns the result without nil lists.
func (d *adopted) document() *adopted {
	d.Settings, d.Left, d.Ignored = []setting{}, noNil(d.plan.Left), noNil(d.Ignored)
	d.Code = noNil(d.Code)
	for _, s := range d.plan.Settings {
		d.Settings = append(d.Settings, setting{s.Path, s.Value, s.Files})
	}
	return d
}

// done returns one of two texts: for a dry run, or for a real one.
func (d *adopted) done(would, was string) string {
	if d.DryRun {
		return would
	}
	return was
}

func (d *adopted) print(w io.Writer) error {
	switch d.SiteJSON {
	case siteComplete:
		fmt.Fprintln(w, "site.json has all settings of the project that it can have")
	case siteKept:
		fmt.Fprintln(w, "site.json is there already and stays as it is. With --force it would change so:")
		printDifference(w, d.plan)
	case siteChanged:
		fmt.Fprintf(w, "site.json %s:\n", d.done("would change", "was changed"))
		printDifference(w, d.plan)
	default:
		fmt.Fprintf(w, "site.json %s:\n", d.done("would get", "was written with"))
		printSettings(w, d.plan.Settings)
	}
	if d.Ignore != "" {
		fmt.Fprintf(w, ".gitignore %s %s\n", d.done("would get", "got"), d.Ignore)
	}
	return d.printRest(w)
}

// printRest prints what was imported and what is left to do.
func (d *adopted) printRest(w io.Writer) (err error) {
	switch {
	case d.imported != nil:
		fmt.Fprintf(w, "%s was imported:\n", printable(d.Export))
		err = d.imported.Print(w)
	case d.Export != "" && d.DryRun && !d.Skipped:
		fmt.Fprintf(w, "%s would be imported\n", printable(d.Export))
	case d.Export != "" && d.Skipped:
		fmt.Fprintf(w, "%s %s; `quire import` with --merge or --replace adds to content that the site has\n", printable(d.Export), d.done("would not be imported", "was not imported"))
	}
	for i, l := range d.Left {
		if i == 0 {
			fmt.Fprintln(w, "not in site.json:")
		}
		fmt.Fprintf(w, "    %s: %s\n", printable(l.What), printable(l.Why))
	}
	printCode(w, d.Code)
	printIgnored(w, d.Ignored)
	if n := len(d.Ignored); n > 0 {
		fmt.Fprintf(w, "%s. `quire check` lists them again\n", count(n, "file is left to work through", "files are left to work through"))
	}
	if !d.DryRun {
		fmt.Fprintf(w, "To serve the site:\n\n  quire serve %s\n", d.Site)
	}
	return err
}

// printSettings lists the settings, each with its files. The settings of a role, and the
// locales, share a line.
func printSettings(w io.Writer, list []strapi.Setting) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	last := ""
	for _, s := range list {
		path := s.Path
		if path[0] == "roles" {
			path = path[:2]
		}
		if name := strings.Join(path, "."); name != last {
			fmt.Fprintf(t, "    %s\t%s\n", printable(name), printable(s.Files[len(s.Files)-1]))
			last = name
		}
	}
	t.Flush()
}

// printDifference prints how site.json changes, line by line.
func printDifference(w io.Writer, plan *app.Adoption) {
	for _, line := range edits.Difference(plan.Before, plan.After) {
		fmt.Fprintf(w, "    %s %s\n", line.Op, printable(line.Text))
	}
}
