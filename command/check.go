package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/inspect"
	"quire/schema/source"
)

func newCheck() *cobra.Command {
	var at app.Location
	var j app.Joining
	var repair, asJSON bool
	c := &cobra.Command{
		Use:   "check [SITE]",
		Short: "Report every problem of a site and its data",
		Long: `Check reads the schemas, site.json, the data file and the folder of uploads, and
reports everything that is wrong with them at once, each with its file, its place
and what to do about it. It fails if there is any problem.

It changes nothing, unless --repair is given: then it fixes what can be fixed
without losing content, after putting a copy of the data file beside it. Of a
damaged file, which is never written to, it saves what can be read to a new one.
A running server is asked to check its data itself; to repair, stop it first.

What the data file keeps although the schemas no longer mention it is listed as a
note: it is not served, nothing is lost, and it is no problem.`,
		Example: `  quire check
  quire check my-site && git commit
  quire check --repair my-site
  quire check --json my-site | jq -r '.problems[].message'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			at.Site = siteArgument(args)
			if err := completeJoining(&j); err != nil {
				return err
			}
			return runCheck(c, at, j, repair, asJSON)
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "fix what can be fixed without losing content, after a copy of the data file")
	jsonFlag(c, &asJSON)
	dataFlag(c, &at)
	compareFlags(c, &j)
	return c
}

func runCheck(c *cobra.Command, at app.Location, j app.Joining, repair, asJSON bool) error {
	report, who, err := at.Check(c.Context(), repair)
	if err == nil && j.Cluster != "" {
		err = at.CheckReplica(c.Context(), j, report)
	}
	if err != nil {
		return err
	}
	if who == app.ByServer {
		fmt.Fprintf(c.ErrOrStderr(), "quire: done by %s\n", who)
	}
	if asJSON {
		return printReportJSON(c.OutOrStdout(), report)
	}
	return printReport(c.OutOrStdout(), report)
}

func printReport(w io.Writer, r *inspect.Report) error {
	for _, p := range r.Problems {
		printProblem(w, p)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	if len(r.Problems) == 0 {
		fmt.Fprintln(w, "no problems")
	}
	return verdict(r)
}

func printReportJSON(w io.Writer, r *inspect.Report) error {
	return errors.Join(printJSON(w, inspect.Report{Problems: noNil(r.Problems), Notes: noNil(r.Notes)}), verdict(r))
}

// verdict is an error where there is a problem.
func verdict(r *inspect.Report) error {
	if len(r.Problems) == 0 {
		return nil
	}
	return errors.New(count(len(r.Problems), "problem", "problems") + " found")
}

func printProblem(w io.Writer, p source.Problem) {
	place := p.File
	if p.Place != "" {
		place += ": " + p.Place
	}
	fmt.Fprintf(w, "%s: %s\n    fix: %s\n", place, p.Message, p.Fix)
}
