package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"quire/schema"
	"quire/server"
	"quire/store"
)

func newCheck() *cobra.Command {
	var p place
	var repair bool
	c := &cobra.Command{
		Use:   "check [SITE]",
		Short: "Report every problem of a site and its data",
		Long: `Check reads the schemas, site.json, the data file and the folder of uploads, and
reports everything that is wrong with them at once, each with its file, its place
and what to do about it. It fails if there is any problem.

It changes nothing, unless --repair is given: then files that a crash has left in
the folder of uploads, and that no record names, are removed.

What the data file keeps although the schemas no longer mention it is listed as a
note: it is not served, nothing is lost, and it is no problem.`,
		Example: `  quire check
  quire check my-site && git commit
  quire check --repair my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			report, err := check(c.Context(), p, repair)
			if err != nil {
				return err
			}
			return report.print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "remove uploaded files that no record names")
	dataFlag(c, &p)
	return c
}

// report is what a check found.
type report struct {
	problems []schema.Problem
	notes    []string
	repair   bool // whether strays are removed
}

func (r *report) print(w io.Writer) error {
	for _, p := range r.problems {
		printProblem(w, p)
	}
	for _, n := range r.notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if len(r.problems) > 0 {
		return errors.New(count(len(r.problems), "problem", "problems") + " found")
	}
	fmt.Fprintln(w, "no problems")
	return nil
}

func printProblem(w io.Writer, p schema.Problem) {
	place := p.File
	if p.Place != "" {
		place += ": " + p.Place
	}
	fmt.Fprintf(w, "%s: %s\n    fix: %s\n", place, p.Message, p.Fix)
}

// check looks at the site folder and at the data.
func check(ctx context.Context, p place, repair bool) (*report, error) {
	r := &report{repair: repair}
	site, err := p.load()
	var found *schema.Problems
	switch {
	case errors.As(err, &found):
		r.problems = found.List
	case err != nil:
		return nil, err
	default:
		r.checkSite(site)
	}
	r.checkFile(ctx, p, site)
	return r, nil
}

func (r *report) checkSite(site *schema.Site) {
	for _, err := range server.CheckSite(site) {
		r.problems = append(r.problems, schema.Problem{File: "site.json", Message: err.Error(), Fix: "correct it"})
	}
}

// checkFile looks at the data file, if there is one: first whether every page of
// it is sound, then what it holds.
func (r *report) checkFile(ctx context.Context, p place, site *schema.Site) {
	file := p.dataFile()
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	damage, err := store.CheckFile(ctx, file)
	for _, d := range damage {
		r.problems = append(r.problems, schema.Problem{
			File: file, Place: strings.TrimSpace(d.Bucket + " " + d.Key), Message: d.Err.Error(), Fix: "keep a copy of the file and restore the latest backup",
		})
	}
	if err == nil && damage == nil && site != nil {
		err = r.checkContent(p, site)
	}
	if err != nil {
		r.problems = append(r.problems, schema.Problem{File: file, Message: err.Error(), Fix: "until then the data cannot be checked"})
	}
}

// checkContent compares what is stored with the schemas and with the uploads.
func (r *report) checkContent(p place, site *schema.Site) error {
	file := p.dataFile()
	db, err := store.Open(file, store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	err = db.View(func(tx *store.Tx) error {
		return errors.Join(r.checkEntries(file, site, tx), r.checkFiles(p.filesFolder(), tx))
	})
	return errors.Join(err, db.Close())
}
