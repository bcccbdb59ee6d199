package command

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
)

func newPromote() *cobra.Command {
	var at app.Location
	var how app.Promoting
	var lost bool
	c := &cobra.Command{
		Use:   "promote [SITE]",
		Short: "Make a follower the leader, or list what only a former leader has",
		Long: `Promote makes a running follower, see "quire serve --follow", the leader of its site.

It first makes the leader refuse all writes and waits for its last commits, so nothing
is lost. If the leader cannot be reached, but both have the same backup.stream, promote
ends the stream of the leader: a leader whose stream was ended takes no writes any more.
Otherwise promote fails, unless --force says that the leader is stopped for good: what
it acknowledged within the printed lag may then be missing.
The promoted server tries to reach the former leader from then on. A former leader
that it reaches takes no writes any more and stops.

With --lost, promote lists what only the data folder of a former leader has.`,
		Example: `  quire promote my-site
  quire promote --force my-site
  quire promote --lost --json my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			at.Site, at.Wait = siteArgument(args), commandTime
			if lost {
				return listLost(at, outputOf(c))
			}
			done, err := at.Promote(c.Context(), how)
			if err != nil {
				return err
			}
			out := outputOf(c)
			return out.report(done, func(w io.Writer) error { return printPromoted(w, done) })
		},
	}
	c.Flags().BoolVar(&how.Force, "force", false, "promote although the leader cannot be made to refuse writes; stop it by hand")
	c.Flags().BoolVar(&lost, "lost", false, "list what only this data folder of a former leader has")
	c.MarkFlagsMutuallyExclusive("force", "lost")
	dataFlag(c, &at)
	return c
}

func printPromoted(w io.Writer, done app.Promoted) error {
	fmt.Fprintf(w, "This server is the leader of epoch %d, with everything up to revision %d\n", done.Epoch, done.Revision)
	if done.Fenced {
		_, err := fmt.Fprintf(w, "The former leader at %s takes no writes any more; nothing is lost\n", done.Former)
		return err
	}
	if done.Ended {
		_, err := fmt.Fprintf(w, "The former leader at %s was not reached; its stream was ended, and it takes no writes any more when it reaches the target, which it tries every 5 seconds. What it wrote in the last %.1f seconds may be missing\n", done.Former, done.Lag)
		return err
	}
	_, err := fmt.Fprintf(w, "The former leader at %s was not reached; what it wrote in the last %.1f seconds may be missing. Do not start it again\n", done.Former, done.Lag)
	return err
}

// listLost prints what only a former leader has.
func listLost(at app.Location, out output) error {
	own, err := at.OwnChanges()
	if err != nil {
		return err
	}
	return out.report(own, func(w io.Writer) error {
		for _, c := range own.Changes {
			fmt.Fprintf(w, "%s  revision %d  %s %s %s %s\n", c.At.Format(time.RFC3339), c.Revision, c.Action, c.Type, c.DocumentID, c.Locale)
		}
		_, err := fmt.Fprintln(w, count(len(own.Changes), "change", "changes")+" of content only here")
		return err
	})
}
