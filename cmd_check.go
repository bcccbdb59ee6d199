package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/schema"
	"quire/server"
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

It changes nothing, unless --repair is given: then it mends what can be mended
without losing content, after putting a copy of the data file beside it. Of a
damaged file, which is never written to, it saves what can be read to a new one.
A running server is asked to check its data itself; to repair, stop it first.

What the data file keeps although the schemas no longer mention it is listed as a
note: it is not served, nothing is lost, and it is no problem.`,
		Example: `  quire check
  quire check my-site && git commit
  quire check --repair my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			report, who, err := check(c.Context(), p, repair)
			if err != nil {
				return err
			}
			if who == byServer {
				fmt.Fprintf(c.ErrOrStderr(), "quire: done by %s\n", who)
			}
			return report.print(c.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "mend what can be mended without losing content, after a copy of the data file")
	dataFlag(c, &p)
	return c
}

// report is what a check found.
type report struct {
	Problems []schema.Problem
	Notes    []string
}

func (r *report) problem(file, place, message, fix string) {
	r.Problems = append(r.Problems, schema.Problem{File: file, Place: place, Message: message, Fix: fix})
}

func (r *report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *report) print(w io.Writer) error {
	for _, p := range r.Problems {
		printProblem(w, p)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if len(r.Problems) > 0 {
		return errors.New(count(len(r.Problems), "problem", "problems") + " found")
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

// check looks at the site folder and at the data, and tells who looked at the
// latter.
func check(ctx context.Context, p place, repair bool) (r *report, who string, err error) {
	r = &report{}
	site, err := p.load()
	var found *schema.Problems
	switch {
	case errors.As(err, &found):
		r.Problems = found.List
	case err != nil:
		return nil, "", err
	default:
		r.checkSite(site)
	}
	if repair {
		r.repair(ctx, p, site)
	}
	data, who, err := p.checkData(ctx, site)
	if err != nil {
		r.problem(p.dataFile(), "", err.Error(), "until then the data cannot be checked")
		return r, who, nil
	}
	r.Problems, r.Notes = append(r.Problems, data.Problems...), append(r.Notes, data.Notes...)
	return r, who, nil
}

func (r *report) checkSite(site *schema.Site) {
	for _, err := range server.CheckSite(site) {
		r.problem("site.json", "", err.Error(), "correct it")
	}
}

// checkData looks at the data, or has the running server do it. Without a site,
// only the pages of the file are looked at.
func (p place) checkData(ctx context.Context, site *schema.Site) (*report, string, error) {
	args, err := json.Marshal(p.checkRequest())
	if err != nil {
		return nil, "", err
	}
	answer, who, err := p.carryOutOr(ctx, "data check", args, func() (json.RawMessage, error) {
		r, err := p.checkHere(ctx, site)
		if err != nil {
			return nil, err
		}
		return json.Marshal(r)
	})
	if err != nil {
		return nil, who, err
	}
	r := new(report)
	return r, who, json.Unmarshal(answer, r)
}
