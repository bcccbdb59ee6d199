package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/app/inspect"
	"quire/transfer/strapi"
)

func newCheck() *cobra.Command {
	var j app.Joining
	var repair bool
	c := onSite(0, &cobra.Command{
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
note: it is not served, nothing is lost, and it is no problem.

Of a project's own code, check says for each file whether it runs, runs in part, or
does not run. In the folder of a Strapi project, it also lists the other files that
Quire does not run, with what they did in Strapi and what to do instead. If a file
does not run, or only in part, and there are no problems, the exit status is 3.`,
		Example: `  quire check
  quire check my-site && git commit
  quire check --repair my-site
  quire check --json my-site | jq -r '.problems[].message'`,
	}, func(c *cobra.Command, at app.Location, args []string) error {
		if err := completeJoining(&j); err != nil {
			return err
		}
		return runCheck(c, at, j, repair)
	})
	c.Flags().BoolVar(&repair, "repair", false, "fix what can be fixed without losing content, after a copy of the data file")
	compareFlags(c, &j)
	return c
}

func runCheck(c *cobra.Command, at app.Location, j app.Joining, repair bool) error {
	report, who, err := at.Check(c.Context(), repair)
	if err == nil && j.Cluster != "" {
		err = at.CheckReplica(c.Context(), j, report)
	}
	if err != nil {
		return err
	}
	if who == app.ByServer {
		outputOf(c).doneBy(who)
	}
	whole := inspect.Report{Problems: noNil(report.Problems), Notes: noNil(report.Notes), Code: noNil(report.Code), Ignored: noNil(report.Ignored)}
	err = outputOf(c).report(whole, func(w io.Writer) error {
		for _, p := range report.Problems {
			place := p.File
			if p.Place != "" {
				place += ": " + p.Place
			}
			fmt.Fprintf(w, "%s: %s\n    fix: %s\n", place, p.Message, p.Fix)
		}
		for _, n := range report.Notes {
			fmt.Fprintf(w, "note: %s\n", n)
		}
		printCode(w, report.Code)
		printIgnored(w, report.Ignored)
		if len(report.Problems) == 0 {
			fmt.Fprintln(w, "no problems")
		}
		return nil
	})
	return errors.Join(err, verdict(report))
}

// printCode prints for each file of the project's code whether it runs.
func printCode(w io.Writer, list []inspect.CodeFile) {
	for i, one := range list {
		if i == 0 {
			fmt.Fprintln(w, "code of the project:")
		}
		verdict := one.Verdict
		if one.Why != "" {
			verdict += ": " + one.Why
		}
		fmt.Fprintf(w, "    %s: %s\n", printable(one.File), printable(verdict))
	}
}

// printIgnored prints the ignored files by kind.
func printIgnored(w io.Writer, list []strapi.Ignored) {
	for i, one := range list {
		if i == 0 || one.Kind != list[i-1].Kind {
			fmt.Fprintf(w, "ignored: %s\n", one.Kind)
		}
		fmt.Fprintf(w, "    %s\n", printable(fileAndWhy(one)))
		last := i+1 == len(list)
		if last || list[i+1].Kind != one.Kind || list[i+1].Did != one.Did {
			fmt.Fprintf(w, "  in Strapi: %s\n  instead: %s\n", printable(one.Did), one.Instead)
		}
	}
}

// fileAndWhy returns the name of a file and, if Quire uses a part of it, what it ignores.
func fileAndWhy(one strapi.Ignored) string {
	if one.Why == "" {
		return one.File
	}
	return one.File + ": " + one.Why
}

// printable quotes a text that contains control characters of terminals.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// verdict returns an error if there are problems, or files that do not run.
func verdict(r *inspect.Report) error {
	if n := len(r.Problems); n > 0 {
		return errors.New(count(n, "problem", "problems") + " found")
	}
	n := len(r.Ignored)
	for _, f := range r.Code {
		if f.Verdict != inspect.Runs {
			n++
		}
	}
	if n > 0 {
		return ignoring{errors.New(count(n, "file of this Strapi project is", "files of this Strapi project are") + " not run by Quire, or only in part")}
	}
	return nil
}

// ignoring is the error for a site without problems, but with files that Quire does not run.
type ignoring struct{ error }
